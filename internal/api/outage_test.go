package api

import (
	"encoding/json"
	"strings"
	"testing"

	"rebound/internal/job"
)

// Dates stay dates and seconds seconds; what is not known is not there.
func TestOutageTimes(t *testing.T) {
	o := Outages{Header: NewHeader("Outages"), Outages: []job.Outage{{FirstImpactAt: new(1772359500.25), Phases: []job.PhaseTime{}}}}
	for dated, want := range map[bool]string{
		true: `"first_impact_at":"2026-03-01T10:05:00.25Z"`, false: `"first_impact_at":1772359500.25`,
	} {
		o.Dated = dated
		b, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		got := string(b)
		if !strings.Contains(got, want) || strings.Contains(got, "failed_at") || !strings.Contains(got, `"kind":"Outages"`) || strings.Count(got, "first_impact_at") != 1 {
			t.Errorf("dated %v: got %s", dated, got)
		}
	}
	if b, err := json.Marshal(Outages{}); err != nil || !strings.Contains(string(b), `"outages":[]`) {
		t.Errorf("no outage: %s, %v", b, err)
	}
}
