package plan

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/policy"
)

// What a planner that is asked every five minutes does, each proposal being carried
// out at once. Each TaskManager of the job does 1000 records a second; only their
// number is free. The lines say from which hour on the load is how many thousands a
// second.
func TestCases(t *testing.T) {
	for name, c := range map[string]struct {
		now         int
		hours, down float64
		load, want  string
	}{
		// The recommended parallelism goes to 70, 50, 30 within an hour and back to 100
		// in the morning: one or two changes that night.
		"flapping": {100, 10, 60, "0 75\n1 50\n1.25 36\n1.5 22\n6.5 75", "01:30 100 to 32, in_place\n06:05 32 to 97, in_place\n"},
		// 15 minutes high, which need 20, and 15 low, which need 12: no restart pays.
		"square wave": {20, 6, 75, "0 15.1\n0.25 9\n0.5 again", "no change\n"},
		// A rise that is foreseen is met before it comes, with one change.
		"foreseen rise": {30, 4, 60, "0 22\n2 40", "01:30 30 to 52, in_place\n"},
		// The load falls for good, and so do the TaskManagers, once.
		"fall": {60, 4, 60, "0 45\n1 20", "01:00 60 to 26, in_place\n"},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{
				Now: job.Knobs{IntervalSeconds: 30, Parallelism: c.now, Slots: 1, CPUCores: 1, MemoryBytes: job.GiB},
				Policy: policy.Policy{
					RecoveryTime: 10 * time.Minute, Risk: 0.01, Utilization: 0.8, Prices: job.DefaultPrices(), DisruptionWeight: 10,
					Knobs: policy.Knobs{Parallelism: policy.Range{Min: 1, Max: 200}}, Budget: policy.Budget{RestartsPerDay: 8},
				},
				Model: each{c.down}, World: everyWay(),
			}
			if got := night(in, steps(t, c.load), c.hours); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// each TaskManager does as much as any other, and checkpoints cost nothing.
type each struct{ down float64 }

func (e each) Behavior(k job.Knobs) learn.Behavior {
	return exact{capacity: 1000 * float64(k.TaskManagers()), down: e.down, duration: 3}.Behavior(k)
}

// night plans for some hours, and says what was changed.
func night(in Input, shape func(hour float64) float64, hours float64) string {
	var out strings.Builder
	for minute := 0; float64(minute) < hours*60; minute += 5 {
		from := float64(minute) / 60
		in.Load = wave(1000, 8, 0.02, func(h float64) float64 { return shape(from + h) })
		p := Search{}.Plan(in)
		if p.Want != in.Now {
			fmt.Fprintf(&out, "%02d:%02d %d to %d, %s\n", minute/60, minute%60, in.Now.Parallelism, p.Want.Parallelism, p.Way)
			in.Now, in.Restarts = p.Want, in.Restarts+1
		}
	}
	if out.Len() == 0 {
		return "no change\n"
	}
	return out.String()
}

// steps reads lines of an hour and a load; the last goes on, "again" after an hour
// begins anew there.
func steps(t *testing.T, text string) func(hour float64) float64 {
	var at, load []float64
	period := math.Inf(1)
	for line := range strings.Lines(text) {
		var h, v float64
		if _, err := fmt.Sscanf(line, "%f again", &h); err == nil {
			period = h
			continue
		}
		if _, err := fmt.Sscan(line, &h, &v); err != nil {
			t.Fatalf("%q: want an hour and a load: %v", line, err)
		}
		at, load = append(at, h), append(load, v)
	}
	return func(hour float64) float64 {
		if !math.IsInf(period, 1) {
			hour = math.Mod(hour, period)
		}
		i := 0
		for i+1 < len(at) && at[i+1] <= hour {
			i++
		}
		return load[i]
	}
}

// A rescale in place waits for the next checkpoint: a change asked for 30 s after one
// takes effect after 570 s of an interval of 600, or after the longest wait.
func TestLateRescale(t *testing.T) {
	for _, c := range []struct{ since, interval, most, want float64 }{
		{30, 600, 0, 570}, {30, 600, 120, 120}, {700, 600, 0, 0},
	} {
		if got := EffectAfter(job.InPlace, c.since, c.interval, c.most); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if got := EffectAfter(job.Savepoint, 30, 600, 0); got != 0 {
		t.Errorf("by a savepoint: after %v s, want now", got)
	}
}
