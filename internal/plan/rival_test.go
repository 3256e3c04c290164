package plan

import (
	"testing"
	"time"

	"rebound/internal/job"
)

// ⌈n · used/target⌉ TaskManagers, within the tolerance none more or fewer.
func TestReactive(t *testing.T) {
	for _, c := range []struct {
		used float64
		want int
	}{
		{0.5, 8}, {0.545, 8}, {0.455, 8}, // within a tenth of the target
		{0.6, 10}, // ⌈8 · 1.2⌉
		{0.9, 12}, // ⌈8 · 1.8⌉ = 15, of which partitions allow 12
		{0.25, 4}, // ⌈8 / 2⌉
		{0.01, 1}, // the least
		{0.56, 9}, // ⌈8 · 1.12⌉
		{0.44, 8}, // ⌈8 · 0.88⌉ = ⌈7.04⌉
		{0.43, 7}, // ⌈6.88⌉
	} {
		in := referenceInput(flat(30000, 0.03))
		in.CPUUtilization, in.At = &c.used, time.Unix(0, 0)
		got := (&Reactive{}).Plan(in)
		if n := got.Want.TaskManagers(); n != c.want {
			t.Errorf("at %v: %d TaskManagers, want %d (%s)", c.used, n, c.want, got.Reason)
		}
		if (got.Way == job.InPlace) != (c.want != 8) {
			t.Errorf("at %v: way %q", c.used, got.Way)
		}
	}
}

// Going down waits until nothing in the last five minutes has asked for more.
func TestReactiveStabilizes(t *testing.T) {
	in, r := referenceInput(flat(30000, 0.03)), &Reactive{}
	for minute, c := range []struct {
		used float64
		want int
	}{{0.5, 8}, {0.25, 8}, {0.25, 8}, {0.3, 8}, {0.25, 8}, {0.25, 5}, {0.25, 5}, {0.25, 5}, {0.25, 4}} {
		in.CPUUtilization, in.At = &c.used, time.Unix(int64(60*minute), 0)
		if n := r.Plan(in).Want.TaskManagers(); n != c.want {
			t.Errorf("minute %d: %d TaskManagers, want %d", minute, n, c.want)
		}
	}
}

// Without the use of CPU the share of capacity stands for it; without either
// nothing happens.
func TestReactiveWithoutCPU(t *testing.T) {
	in := referenceInput(flat(30000, 0.03))
	share := 30000 / in.Model.Behavior(in.Now).Capacity.Median
	direct := in
	direct.CPUUtilization = &share
	if got, want := (&Reactive{}).Plan(in).Want, (&Reactive{}).Plan(direct).Want; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	in.Load = Load{}
	if got := (&Reactive{}).Plan(in); got.Want != in.Now || got.Way != "" {
		t.Errorf("got %s", got.Want)
	}
}

func TestFixed(t *testing.T) {
	in := referenceInput(day(50000, 10))
	if got := (Fixed{}).Plan(in); got.Want != in.Now || got.Way != "" || got.PaceSeconds != nil {
		t.Errorf("got %+v", got)
	}
}
