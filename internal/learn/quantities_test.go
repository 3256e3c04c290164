package learn

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
)

// What is listed says where it comes from: nothing is measured before it has been
// seen, and all that was seen is, with its age.
func TestQuantities(t *testing.T) {
	for _, q := range named().Quantities(noon) {
		if q.Source != job.Assumed || q.Samples != 0 || q.AgeSeconds != nil {
			t.Errorf("of a job that was not seen: %+v", q)
		}
	}
	j, s := named(), newSynthetic(19, pinned)
	s.hour(j, 3600)
	s.recover(j, 90)
	measured := map[string]job.Quantity{}
	for _, q := range j.Quantities(s.now.Add(time.Minute)) {
		if q.Source == job.Measured {
			measured[q.Name] = q
		}
		if math.IsNaN(q.Value) || math.IsNaN(q.Spread) || q.Spread < 0 || q.Unit == "" {
			t.Errorf("%+v", q)
		}
	}
	for name, want := range map[string]float64{
		"capacity": pinned(s.knobs), "checkpoint duration": 4.25, "checkpoint loss": 0.3, "state": 20 * job.GiB,
		"downtime after process failure": 15 + 6 + 20*1024/200/8.0, "warm-up start of new processes": 0.5,
	} {
		q, ok := measured[name]
		if !ok {
			t.Errorf("%s is not measured", name)
			continue
		}
		near(t, name, q.Value, want, 0.2)
		if name != "state" && (q.AgeSeconds == nil || *q.AgeSeconds < 60 || *q.AgeSeconds > 300) {
			t.Errorf("%s is %v s old, want about a minute", name, q.AgeSeconds)
		}
	}
	if _, ok := measured["downtime after task failure"]; ok {
		t.Error("a task failure was not seen")
	}
}
