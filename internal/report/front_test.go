package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
)

// The front and what copies have shown are two charts more, with their words; what a
// copy did not show is no point.
func TestPageWithCopies(t *testing.T) {
	s := example()
	r := &s.Runs[0]
	k := job.Knobs{IntervalSeconds: 30, Parallelism: 8, Slots: 1, CPUCores: 2, MemoryBytes: job.GiB}
	more := k
	more.Parallelism = 12
	r.Doc.Profiling.Runs, r.Doc.Profiling.CPUCoreHours = 2, 4.5
	r.Front = []job.FrontPoint{{Knobs: k, CostPerHour: 0.725, LatencySeconds: 2.1, SpreadSeconds: 0.4}, {Knobs: more, CostPerHour: 1.065, LatencySeconds: 1.6, SpreadSeconds: 0.3}}
	at := r.Doc.StartedAt.Add(10 * time.Minute)
	r.Profiles = []Profile{
		{Profile: job.Profile{ID: "a", State: job.ProfileDone, StartedAt: at, Knobs: k, Capacity: new(186200.0), CPUCoreHours: 2.8, Reason: "it is <cheaper>"}, CostPerHour: 0.725, Sustained: 101300, Low: 97800, High: 104900},
		{Profile: job.Profile{ID: "b", State: job.ProfileLost, StartedAt: at.Add(time.Hour), Knobs: more, CPUCoreHours: 1.7, Reason: "no room"}, CostPerHour: 1.065, Sustained: math.NaN(), Low: math.NaN(), High: math.NaN()},
	}
	r.PlannedRate = 87400
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"Cost against latency", "p 12 in 12 × 2 cores, 1 GiB, every 30 s: 1.06 an hour, up to 1.6 s",
		"What copies of the job have shown", "1. 00:10, p 8 in 8 × 2 cores, 1 GiB, every 30 s, done: sustains 101 k/s, 2.8 core-hours",
		"planned for at the end", "2 copies of the job at other settings took 4.5 core hours", "it is &lt;cheaper&gt;", "no room",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if n := strings.Count(page, "<svg"); n != 7 {
		t.Errorf("%d charts, want 7", n)
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "2. 01:10") {
		t.Error("a copy that showed nothing is a point")
	}
}
