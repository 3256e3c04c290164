package outage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"rebound/internal/job"

	"pgregory.net/rapid"
)

// job1 fails at 1000 s, 25 s after a checkpoint, for 20 s, at ρ = 0.5:
// R = (20 + 0.5·25)/0.5 = 65 s.
func job1() world {
	return world{
		input: constant(50_000), capacity: 100_000, interval: 25 * 1.3, failures: [][2]float64{{1000, 20}},
		step: 1, until: 2000, noise: 0.02, seed: 7,
	}
}

// What is recorded differs; what is found does not, up to the resolution.
func TestFind(t *testing.T) {
	tests := map[string]func(w *world, s *Series){
		"all":             func(*world, *Series) {},
		"no input":        func(_ *world, s *Series) { s.Input = nil },
		"lag alone":       func(_ *world, s *Series) { s.Input, s.Rate = nil, nil },
		"ages":            func(w *world, s *Series) { w.ages = true; *s = w.record() },
		"ages alone":      func(w *world, s *Series) { w.ages = true; *s = w.record(); s.Rate, s.Input = nil, nil },
		"rate alone":      func(_ *world, s *Series) { s.Lag, s.Input = nil, nil },
		"coarse":          func(w *world, s *Series) { w.step = 10; *s = w.record() },
		"minute averages": func(_ *world, s *Series) { s.Rate = average(s.Rate, 60) },
		"skewed clock":    func(w *world, s *Series) { w.ages = true; *s = w.record(); shift(s.Lag, -90) },
		"mean over 16 partitions": func(_ *world, s *Series) {
			for i := range s.Lag {
				s.Lag[i] /= 16
			}
		},
		"load drifts":       func(w *world, s *Series) { w.input = daily(50_000); *s = w.record() },
		"odd samples":       func(_ *world, s *Series) { s.Rate[500], s.Lag[520], s.Rate[1300] = 0, 1e7, 4e5 },
		"gap in the middle": func(_ *world, s *Series) { unknown(s, 1003, 1012) },
		"latency remembers": func(_ *world, s *Series) {
			s.Latency = make([]float64, len(s.Times))
			for i, at := range s.Times {
				s.Latency[i] = 0.4
				if at > 1000 {
					s.Latency[i] = 3
				}
			}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			w := job1()
			s := w.record()
			change(&w, &s)
			out, err := Find(s, Params{})
			if err != nil || len(out) != 1 {
				t.Fatalf("found %d outages, err %v, want one", len(out), err)
			}
			o, want := out[0], w.truth(0)
			// Averages and noise blur an edge by a few samples.
			slack := 2*o.ResolutionSeconds + 3
			if name == "minute averages" || name == "rate alone" {
				slack += 6
			}
			if o.Censored || math.Abs(*o.RecoverySeconds-want) > slack || math.Abs(*o.FirstImpactAt-1000) > slack {
				t.Errorf("got %v from %v, want %.1f from 1000, ± %v", *o.RecoverySeconds, *o.FirstImpactAt, want, slack)
			}
			if s.Rate != nil && name != "minute averages" && math.Abs(*o.RestoredAt-1020) > slack {
				t.Errorf("restored at %v, want 1020 ± %v", *o.RestoredAt, slack)
			}
		})
	}
}

// None of these is an outage.
func TestFindNothing(t *testing.T) {
	calm := func() world { w := job1(); w.failures = nil; w.until = 4000; return w }
	tests := map[string]func() Series{
		"calm": func() Series { return calm().record() },
		"saw-tooth of committed offsets": func() Series {
			w := calm()
			w.commits = true
			return w.record()
		},
		"a day's load": func() Series { w := calm(); w.input, w.until = daily(60_000), 86_400; w.step = 10; return w.record() },
		"load rises":   func() Series { w := calm(); w.input = steps(40_000, 90_000); return w.record() },
		"overload":     func() Series { w := calm(); w.input = steps(40_000, 120_000); return w.record() },
		"idle input":   func() Series { w := calm(); w.input = steps(40_000, 0); return w.record() },
		"input pauses": func() Series { w := calm(); w.input = pause(40_000, 100); return w.record() },
		"rate, pause":  func() Series { w := calm(); w.input = pause(40_000, 100); s := w.record(); s.Lag = nil; return s },
		"stalls": func() Series {
			w := calm()
			w.stalls = [][2]float64{{1000, 4}, {2000, 6}, {3000, 3}}
			return w.record()
		},
		"clock steps":   func() Series { w := calm(); w.ages = true; s := w.record(); shift(s.Lag[2000:], 60); return s },
		"lag saw-tooth": func() Series { w := calm(); w.commits = true; s := w.record(); s.Rate, s.Input = nil, nil; return s },
		"odd samples": func() Series {
			s := calm().record()
			for i := 50; i < len(s.Times); i += 97 {
				s.Rate[i], s.Lag[i] = 0, 5e6
			}
			return s
		},
	}
	for name, make := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := Find(make(), Params{})
			if err != nil || len(out) > 0 {
				t.Errorf("found %d outages (%+v), err %v, want none", len(out), out, err)
			}
		})
	}
}

// A failure in a saw-tooth of committed offsets: the lag comes back at a commit,
// so that it is late by at most an interval.
func TestFindInSawTooth(t *testing.T) {
	w := job1()
	w.commits = true
	out, err := Find(w.record(), Params{})
	if err != nil || len(out) != 1 {
		t.Fatalf("found %d, err %v", len(out), err)
	}
	if got, want := *out[0].RecoverySeconds, w.truth(0); got < want-5 || got > want+w.interval+5 {
		t.Errorf("got %v, want %v to %v", got, want, want+w.interval)
	}
}

// A recording that ends in the catch-up, and a recovery beyond the time-out,
// give a bound and no number.
func TestFindCensored(t *testing.T) {
	w := job1()
	w.until = 1050
	out, err := Find(w.record(), Params{})
	if err != nil || len(out) != 1 {
		t.Fatalf("found %d, err %v", len(out), err)
	}
	if o := out[0]; !o.Censored || o.RecoverySeconds != nil || o.CaughtUpAt != nil || math.Abs(*o.AtLeastSeconds-50) > 2 {
		t.Errorf("cut: got %+v, want censored at 50 s", o)
	}
	out, _ = Find(job1().record(), Params{Timeout: 30})
	if len(out) != 1 || !out[0].Censored || math.Abs(*out[0].AtLeastSeconds-30) > 3 {
		t.Errorf("time-out: got %+v, want one censored at 30 s", out)
	}
}

// A failure during catch-up belongs to the outage that it prolongs; one after it
// is another.
func TestFindSeveral(t *testing.T) {
	w := job1()
	w.failures = [][2]float64{{1000, 20}, {1040, 20}, {1500, 20}}
	w.stalls = [][2]float64{{1070, 4}}
	out, err := Find(w.record(), Params{})
	if err != nil || len(out) != 2 || math.Abs(*out[0].FirstImpactAt-1000) > 2 || math.Abs(*out[1].FirstImpactAt-1500) > 2 {
		t.Fatalf("got %+v, err %v, want two, at 1000 and 1500", out, err)
	}
	// The stall at 1070 is no downtime, the second failure is one.
	if got := *out[0].RestoredAt; math.Abs(got-1060) > 2 {
		t.Errorf("restored at %v, want 1060", got)
	}
}

// The job was RUNNING at 55 s, but 6 of 24 subtasks were INITIALIZING until
// 270 s, and the lag was back at 600 s: recovery 600 s, restore ends at 270 s.
func TestFindRunningButNotRunning(t *testing.T) {
	s := Series{LagUnit: Seconds, Marks: Marks{Failed: []float64{0}}}
	for at := -600.0; at <= 1200; at += 5 {
		running, lag := 1.0, 0.5
		switch {
		case at >= 0 && at < 55:
			running = 0
		case at >= 55 && at < 270:
			running = 18.0 / 24
		}
		switch {
		case at >= 0 && at < 270:
			lag = at + 30
		case at >= 270 && at < 600:
			lag = 300 * (600 - at) / 330
		}
		s.Times, s.Running, s.Lag = append(s.Times, at), append(s.Running, running), append(s.Lag, lag)
	}
	out, err := Find(s, Params{})
	if err != nil || len(out) != 1 {
		t.Fatalf("found %d, err %v", len(out), err)
	}
	o := out[0]
	if *o.FailedAt != 0 || *o.RestoredAt != 270 || math.Abs(*o.RecoverySeconds-600) > 5 {
		t.Errorf("failed %v, restored %v, recovery %v; want 0, 270, 600", *o.FailedAt, *o.RestoredAt, *o.RecoverySeconds)
	}
}

// Marks split the downtime; the phases add up to the recovery.
func TestFindPhases(t *testing.T) {
	w := job1()
	s := w.record()
	s.Marks = Marks{
		Failed: []float64{200, 1000}, Detected: []float64{1006}, Restarting: []float64{1007},
		Deploying: []float64{1012}, Running: []float64{10, 1020},
	}
	out, err := Find(s, Params{})
	if err != nil || len(out) != 1 {
		t.Fatalf("found %d, err %v", len(out), err)
	}
	// ρA = 0.5·(1000 mod 32.5 = 25) = 12.5 s of replay.
	want := map[job.Phase]float64{job.Detect: 6, job.BackOff: 1, job.Resources: 5, job.Restore: 8, job.Replay: 12.5}
	sum := 0.0
	for _, p := range out[0].Phases {
		sum += p.Seconds
		if w, ok := want[p.Phase]; ok && math.Abs(p.Seconds-w) > 3 {
			t.Errorf("%s: %v s, want %v", p.Phase, p.Seconds, w)
		}
	}
	if len(out[0].Phases) != 6 || math.Abs(sum-*out[0].RecoverySeconds) > 1e-9 {
		t.Errorf("%d phases of %v s in all, want 6 of %v", len(out[0].Phases), sum, *out[0].RecoverySeconds)
	}
	s.Marks = Marks{}
	if out, _ = Find(s, Params{}); !strings.Contains(out[0].Phases[0].Note, "includes detect, back_off, resources") {
		t.Errorf("without marks: %+v, want the restore to say what it includes", out[0].Phases[0])
	}
}

// Metrics vanish with the process: what is first missing is the first impact, and
// what could not be seen is in the resolution.
func TestFindGapAtTheFailure(t *testing.T) {
	s := job1().record()
	unknown(&s, 1001, 1016)
	out, err := Find(s, Params{})
	if err != nil || len(out) != 1 {
		t.Fatalf("found %d, err %v", len(out), err)
	}
	if o := out[0]; *o.FirstImpactAt != 1001 || o.ResolutionSeconds != 16 || math.Abs(*o.RecoverySeconds-65) > 4 {
		t.Errorf("got impact %v, recovery %v ± %v; want 1001, 65 ± 16", *o.FirstImpactAt, *o.RecoverySeconds, o.ResolutionSeconds)
	}
}

// Where lag and latency disagree the lag decides, and the end says so.
func TestFindNotesLatency(t *testing.T) {
	w := job1()
	s := w.record()
	s.Latency = make([]float64, len(s.Times))
	for i, at := range s.Times {
		if s.Latency[i] = 0.4; at > 1000 && at <= 1200 {
			s.Latency[i] = 3
		}
	}
	out, err := Find(s, Params{})
	if err != nil || len(out) != 1 {
		t.Fatalf("found %d, err %v", len(out), err)
	}
	last := out[0].Phases[len(out[0].Phases)-1]
	want := fmt.Sprintf("latency back %.0f s after the lag", 1201-*out[0].CaughtUpAt)
	if math.Abs(*out[0].RecoverySeconds-65) > 4 || last.Note != want {
		t.Errorf("recovery %v with note %q, want 65 with %q", *out[0].RecoverySeconds, last.Note, want)
	}
}

// A failure right after a checkpoint, and no input from then on: the lag stays
// small, but the job is back only when it is seen to work.
func TestFindIdleIsNotRecovery(t *testing.T) {
	w := job1()
	w.interval, w.failures = 25, [][2]float64{{1000.2, 20}}
	w.input = func(t float64) float64 {
		if t >= 1000 && t < 1300 {
			return 0
		}
		return 50_000
	}
	s := w.record()
	s.Restarts = restarted(s.Times, 1005)
	out, err := Find(s, Params{})
	if err != nil || len(out) != 1 {
		t.Fatalf("found %d, err %v", len(out), err)
	}
	if o := out[0]; o.CaughtUpAt == nil || math.Abs(*o.CaughtUpAt-1300) > 2 {
		t.Errorf("got %+v, want a recovery when work was seen at 1300", o)
	}
}

// A lag that is scraped every minute still shows the calm from before while
// processing is down: the recovery is known to a minute, not over at once.
func TestFindStaleLag(t *testing.T) {
	for _, window := range []int{1, 60} {
		w := job1()
		w.failures[0][1] = 50
		s := w.record()
		held := s.Lag[0]
		for i, at := range s.Times {
			if math.Mod(math.Round(at), 60) == 39 { // 999, 1059, …
				held = s.Lag[i]
			}
			s.Lag[i] = held
		}
		s.Rate = average(s.Rate, window)
		s.Restarts = restarted(s.Times, 1001)
		out, err := Find(s, Params{})
		if err != nil || len(out) != 1 {
			t.Fatalf("rate over %d s: found %d, err %v", window, len(out), err)
		}
		got, want := *out[0].RecoverySeconds, w.truth(0)
		if got < want-5 || got > want+65 || out[0].ResolutionSeconds != 60 {
			t.Errorf("rate over %d s: got %v ± %v, want %v and up to a minute more, ± 60", window, got, out[0].ResolutionSeconds, want)
		}
	}
}

func restarted(times []float64, at float64) []float64 {
	out := make([]float64, len(times))
	for i := range out {
		if times[i] >= at {
			out[i] = 1
		}
	}
	return out
}

func TestFindRefuses(t *testing.T) {
	ten := make([]float64, 10)
	tests := map[string]struct {
		s    Series
		want string
		tell bool
	}{
		"empty":         {Series{}, "no processed rate, no lag and no state", true},
		"one sample":    {Series{Times: []float64{1}, Rate: []float64{5}}, "1 samples, want at least 20", true},
		"all unknown":   {Series{Times: []float64{1}, Rate: []float64{math.NaN()}}, "no processed rate", true},
		"lengths":       {Series{Times: []float64{1}, Rate: ten}, "rate: 10 values at 1 times", false},
		"duplicate":     {Series{Times: []float64{1, 1}, Rate: ten[:2]}, "sample 2 is not after", false},
		"going back":    {Series{Times: []float64{2, 1}, Rate: ten[:2]}, "sample 2 is not after", false},
		"negative rate": {Series{Times: []float64{1}, Rate: []float64{-5}}, "rate: a value is negative", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Find(tt.s, Params{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrCannotTell) != tt.tell {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Shifting time shifts what is found, and scaling the records changes nothing.
func TestFindIsEquivariant(t *testing.T) {
	s := job1().record()
	want, _ := Find(s, Params{})
	rapid.Check(t, func(t *rapid.T) {
		by := float64(rapid.IntRange(-1e9, 1e9).Draw(t, "shift"))
		scale := math.Exp2(float64(rapid.IntRange(-8, 8).Draw(t, "scale")))
		moved := Series{Times: scaled(s.Times, 1), Rate: scaled(s.Rate, scale), Lag: scaled(s.Lag, scale), Input: scaled(s.Input, scale)}
		for i := range moved.Times {
			moved.Times[i] = math.Round(s.Times[i]) + by
		}
		got, err := Find(moved, Params{})
		if err != nil || len(got) != 1 || math.Abs(*got[0].FirstImpactAt-by-*want[0].FirstImpactAt) > 1e-3 || math.Abs(*got[0].RecoverySeconds-*want[0].RecoverySeconds) > 1e-3 {
			t.Fatalf("got %+v, err %v, want %+v moved by %v", got, err, want, by)
		}
	})
}

// Half the samples move the edges by at most the longer step and the median of
// three that smooths them.
func TestFindCoarser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := job1()
		w.seed = rapid.Uint64().Draw(t, "seed")
		w.failures[0][1] = float64(rapid.IntRange(15, 120).Draw(t, "downtime"))
		w.step = float64(rapid.IntRange(1, 5).Draw(t, "step"))
		fine, err1 := Find(w.record(), Params{})
		w.step *= 2
		coarse, err2 := Find(w.record(), Params{})
		if err1 != nil || err2 != nil || len(fine) != 1 || len(coarse) != 1 {
			t.Fatalf("found %d and %d, err %v, %v", len(fine), len(coarse), err1, err2)
		}
		if d := math.Abs(*fine[0].FirstImpactAt - *coarse[0].FirstImpactAt); d > 2*w.step {
			t.Fatalf("first impact moves by %v", d)
		}
		if d := math.Abs(*fine[0].CaughtUpAt - *coarse[0].CaughtUpAt); d > 2*w.step {
			t.Fatalf("the end moves by %v", d)
		}
	})
}

// Stationary noise holds no outage: up to 20 % of rate and lag, on a saw-tooth or not.
func TestFindNothingInNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := job1()
		w.failures, w.seed = nil, rapid.Uint64().Draw(t, "seed")
		w.noise = rapid.Float64Range(0, 0.2).Draw(t, "noise")
		w.commits = rapid.Bool().Draw(t, "committed offsets")
		if out, err := Find(w.record(), Params{}); err != nil || len(out) > 0 {
			t.Fatalf("found %+v, err %v", out, err)
		}
	})
}

func daily(rate float64) func(float64) float64 {
	return func(t float64) float64 { return rate * (1 + 0.4*math.Sin(2*math.Pi*t/86_400)) }
}

func steps(low, high float64) func(float64) float64 {
	return func(t float64) float64 {
		if t < 2000 {
			return low
		}
		return high
	}
}

func pause(rate, length float64) func(float64) float64 {
	return func(t float64) float64 {
		if t >= 2000 && t < 2000+length {
			return 0
		}
		return rate
	}
}

func shift(v []float64, by float64) {
	for i := range v {
		v[i] += by
	}
}

func scaled(v []float64, by float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i] * by
	}
	return out
}

func average(v []float64, n int) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		from := max(0, i-n+1)
		for _, x := range v[from : i+1] {
			out[i] += x / float64(i+1-from)
		}
	}
	return out
}

func unknown(s *Series, from, to float64) {
	for i, at := range s.Times {
		if at >= from && at < to {
			s.Rate[i], s.Lag[i], s.Input[i] = math.NaN(), math.NaN(), math.NaN()
		}
	}
}

// No series makes the search fail in any other way than by an error, and what it
// finds is in order and adds up.
func FuzzFind(f *testing.F) {
	f.Add([]byte{1, 100, 1, 1, 100, 1, 1, 0, 200, 1, 200, 100}, uint8(7))
	f.Add(bytes.Repeat([]byte{1, 100, 3}, 40), uint8(255))
	f.Add(append(bytes.Repeat([]byte{9, 100, 3}, 40), bytes.Repeat([]byte{9, 0, 250}, 30)...), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, which uint8) {
		s := seriesOf(b, which)
		out, err := Find(s, Params{})
		if err != nil {
			return
		}
		for i, o := range out {
			if o.FirstImpactAt == nil || o.Censored != (o.RecoverySeconds == nil) || o.Censored != (o.AtLeastSeconds != nil) {
				t.Fatalf("%+v", o)
			}
			if i > 0 && *o.FirstImpactAt < *out[i-1].FirstImpactAt {
				t.Fatalf("outage %d begins before the one before", i)
			}
			if _, err := json.Marshal(o); err != nil {
				t.Fatal(err) // NaN and infinities have no JSON
			}
			sum := 0.0
			for _, p := range o.Phases {
				sum += p.Seconds
			}
			if o.RecoverySeconds != nil && len(o.Phases) > 0 && math.Abs(sum-*o.RecoverySeconds) > 1e-6 {
				t.Fatalf("phases add up to %v, recovery is %v", sum, *o.RecoverySeconds)
			}
		}
	})
}

// seriesOf makes three bytes a sample; 255 is unknown.
func seriesOf(b []byte, which uint8) Series {
	var s Series
	now := 0.0
	columns := []*[]float64{&s.Rate, &s.Lag, &s.Latency, &s.Input, &s.Running, &s.Restarts}
	for ; len(b) >= 3; b = b[3:] {
		now += float64(b[0]) + 0.5
		s.Times = append(s.Times, now)
		for k, c := range columns {
			v := float64(b[1+k%2])
			if v == 255 {
				v = math.NaN()
			}
			if c == &s.Running {
				v = min(1, v/100)
			}
			if which&(1<<k) != 0 {
				*c = append(*c, v)
			}
		}
	}
	s.LagUnit = Unit(which >> 7)
	return s
}
