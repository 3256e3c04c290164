package api

import (
	"encoding/json"

	"rebound/internal/job"
)

// MarshalJSON writes times as the recording has them.
func (o Outages) MarshalJSON() ([]byte, error) {
	type outage struct {
		FailedAt      any `json:"failed_at,omitempty"`
		FirstImpactAt any `json:"first_impact_at,omitempty"`
		RestoredAt    any `json:"restored_at,omitempty"`
		CaughtUpAt    any `json:"caught_up_at,omitempty"`
		job.Outage
	}
	type plain Outages
	doc := struct {
		plain
		Outages []outage `json:"outages"`
	}{plain(o), []outage{}}
	for _, x := range o.Outages {
		doc.Outages = append(doc.Outages, outage{
			o.moment(x.FailedAt), o.moment(x.FirstImpactAt), o.moment(x.RestoredAt), o.moment(x.CaughtUpAt), x,
		})
	}
	return json.Marshal(doc)
}

// moment is a time as it is written, if there is one.
func (o Outages) moment(seconds *float64) any {
	if seconds == nil {
		return nil
	}
	return Moment{*seconds, o.Dated}
}
