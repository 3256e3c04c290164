package learn

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func named() *Job { return New(job.Identity{Cluster: "test", Name: "synthetic"}) }

// near fails where got is not want ± share.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*want) {
		t.Errorf("%s: %.4g, want %.4g ± %.0f %%", what, got, want, 100*share)
	}
}

// An hour of calm running and a few recoveries at three sizes show the pinned law:
// capacity where the job has been within 3 %, and at settings where it has never
// been within 8 %; β, D, warm-up, the phases and how restore depends on size.
func TestLearnsThePinnedLaw(t *testing.T) {
	j, s := named(), newSynthetic(1, pinned)
	for _, k := range []job.Knobs{knobs(8, 1, 1, 2), knobs(12, 2, 2, 2), knobs(16, 2, 2, 4)} {
		s.knobs = k
		s.restart(60)
		for range 3 {
			s.hour(j, 2400)
			s.recover(j, 90)
		}
	}
	for _, k := range []job.Knobs{knobs(8, 1, 1, 2), knobs(12, 2, 2, 2), knobs(16, 2, 2, 4)} {
		b := j.Behavior(k)
		near(t, "capacity of "+k.String(), b.Capacity.Median, pinned(k), 0.03)
		if !b.Proven {
			t.Errorf("%v: not proven", k)
		}
	}
	for _, k := range []job.Knobs{knobs(4, 1, 1, 2), knobs(24, 2, 2, 4), knobs(16, 2, 1.5, 2), knobs(9, 3, 3, 4), knobs(12, 2, 2, 1)} {
		b := j.Behavior(k)
		near(t, "capacity of "+k.String(), b.Capacity.Median, pinned(k), 0.08)
		if b.Proven {
			t.Errorf("%v: proven", k)
		}
	}
	b := j.Behavior(knobs(16, 2, 2, 4))
	near(t, "loss", b.Loss.Median, 0.3, 0.08)
	near(t, "duration", b.Duration.Median, 4.25, 0.03)
	near(t, "warm-up start", b.Cold.Start.Median, 0.5, 0.15)
	near(t, "warm-up time", b.Cold.Tau.Median, 12, 0.2)
	near(t, "latency at ρ = 0.6", b.LatencyBase.Median+1.5*b.LatencyQueue.Median, 0.1+1.5*0.05*3, 0.15)
	// T_d = 2 + 1 + 12 + 6 + 102.4/n s; n = 4 has not been seen.
	for _, k := range []job.Knobs{knobs(16, 2, 2, 4), knobs(4, 1, 2, 4)} {
		d, want := j.Behavior(k).Down[job.ProcessFailure], 6+102.4/float64(k.TaskManagers())
		near(t, "detect", d.Phases[0].Median, 2, 0.2)
		near(t, "back-off", d.Phases[1].Median, 1, 0.1)
		near(t, "resources", d.Phases[2].Median, 12, 0.1)
		near(t, "restore at "+k.String(), d.Phases[3].Median, want, 0.12)
		if d.Samples != 9 || d.Source != job.Measured || !d.Cold {
			t.Errorf("process failure: %d samples, %s, cold %v", d.Samples, d.Source, d.Cold)
		}
	}
}

// The spread is small where the job has been and grows with the distance.
func TestSpreadGrowsWithDistance(t *testing.T) {
	j, s := named(), newSynthetic(2, pinned)
	s.hour(j, 3600)
	s.recover(j, 90)
	relative := func(k job.Knobs) float64 {
		c := j.Behavior(k).Capacity
		return c.Spread / c.Median
	}
	here, near, far := relative(s.knobs), relative(knobs(10, 1, 2, 4)), relative(knobs(16, 1, 2, 4))
	if here > 0.055 || near <= here || far <= near || far > 0.16 || far < 0.08 {
		t.Errorf("spreads %.3f here, %.3f at 10, %.3f at 16 TaskManagers", here, near, far)
	}
}

// A job that goes on and one that is stored and read in the middle of a stretch,
// and of a catch-up, believe the same to the bit.
func TestResumesToTheBit(t *testing.T) {
	a, s := named(), newSynthetic(3, pinned)
	resume := func() *Job {
		bytes, err := a.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		b := named()
		if err := b.UnmarshalBinary(bytes); err != nil {
			t.Fatal(err)
		}
		return b
	}
	same := func(b *Job) {
		t.Helper()
		for _, k := range []job.Knobs{s.knobs, knobs(12, 2, 3, 4)} {
			if diff := cmp.Diff(a.Behavior(k), b.Behavior(k)); diff != "" {
				t.Errorf("-went on +resumed\n%s", diff)
			}
		}
		one, _ := a.MarshalBinary()
		two, _ := b.MarshalBinary()
		if !bytes.Equal(one, two) {
			t.Error("stored again, it is not the same")
		}
	}
	s.hour(a, 1000)
	b := resume()
	for range 50 {
		o := s.calm(0.6)
		a.Observe(o, Calm)
		b.Observe(o, Calm)
	}
	same(b)
	s.restart(50)
	for i := range 20 {
		o := s.full(0.5)
		a.Observe(o, CatchingUp)
		if i == 9 {
			b = resume()
		} else {
			b.Observe(o, CatchingUp)
		}
	}
	m := job.Measurement{Failure: job.ProcessFailure, At: s.started.Add(-50 * time.Second), Process: job.Cold, DowntimeSeconds: new(50.0)}
	a.Measured(m)
	b.Measured(m)
	same(b)
}

func TestOtherVersionsAreRefused(t *testing.T) {
	j := named()
	if err := j.UnmarshalBinary([]byte(`{"version": 99}`)); !errors.Is(err, ErrVersion) {
		t.Errorf("%v, want ErrVersion", err)
	}
}

// Nothing that is read makes a Job that panics, or that believes in what is no
// number.
func FuzzUnmarshal(f *testing.F) {
	j, s := named(), newSynthetic(4, pinned)
	s.hour(j, 700)
	whole, err := j.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"version":1,"state":{}}`))
	f.Add([]byte(`{"version":1,"state":{"known":{"cells":[{"at":{"p":0}}]}}}`))
	f.Add(bytes.Replace(whole, []byte(`"slots"`), []byte(`"sluts"`), 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		j := named()
		if j.UnmarshalBinary(b) != nil {
			return
		}
		s := newSynthetic(5, pinned)
		s.now = s.now.Add(time.Hour)
		j.Observe(s.calm(0.5), Calm)
		j.Behavior(s.knobs)
		j.Quantities(s.now)
		if _, err := j.MarshalBinary(); err != nil {
			t.Errorf("cannot be stored again: %v", err)
		}
	})
}

// What is missing, no number, or older than what was seen changes nothing.
func TestMissingChangesNothing(t *testing.T) {
	tests := map[string]func(*job.Observation, *Situation){
		"blind":   func(_ *job.Observation, s *Situation) { *s = Blind },
		"no busy": func(o *job.Observation, _ *Situation) { each(o, func(s *job.Subtask) { s.BusyRatio = nil }) },
		"NaN": func(o *job.Observation, _ *Situation) {
			each(o, func(s *job.Subtask) { s.BusyRatio = new(math.NaN()) })
		},
		"no rate":  func(o *job.Observation, _ *Situation) { each(o, func(s *job.Subtask) { s.RecordsInPerSecond = nil }) },
		"no cpu":   func(o *job.Observation, _ *Situation) { o.Settings.TaskManagerResources.CPUCores = nil },
		"older":    func(o *job.Observation, _ *Situation) { o.At = o.At.Add(-time.Hour) },
		"no clock": func(o *job.Observation, _ *Situation) { o.At, o.ServerTime = time.Time{}, time.Time{} },
		"idle":     func(o *job.Observation, _ *Situation) { each(o, func(s *job.Subtask) { s.BusyRatio = new(0.0) }) },
		"rate of 0": func(o *job.Observation, _ *Situation) {
			each(o, func(s *job.Subtask) { s.RecordsInPerSecond = new(0.0) })
		},
		"infinities": func(o *job.Observation, _ *Situation) {
			each(o, func(s *job.Subtask) { s.RecordsInPerSecond = new(math.Inf(1)) })
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			j, s := named(), newSynthetic(6, pinned)
			s.hour(j, 1800)
			want := j.Behavior(s.knobs).Capacity
			s.capacity = func(k job.Knobs) float64 { return pinned(k) / 2 }
			for range 40 {
				o, situation := s.calm(0.3), Calm
				o.Checkpointing.History = nil
				spoil(&o, &situation)
				j.Observe(o, situation)
			}
			if got := j.Behavior(s.knobs).Capacity; math.Abs(got.Median-want.Median) > 0.02*want.Median || math.IsNaN(got.Spread) {
				t.Errorf("capacity %v, was %v", got, want)
			}
		})
	}
}

func each(o *job.Observation, f func(*job.Subtask)) {
	for i := range o.Vertices {
		for k := range o.Vertices[i].Subtasks {
			f(&o.Vertices[i].Subtasks[k])
		}
	}
}

// Before anything has been seen, and after any stretch at any one setting, more
// TaskManagers, cores or memory never lower the capacity.
func TestMoreNeverLowersCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := func(name string) job.Knobs {
			s := rapid.IntRange(1, 4).Draw(t, name+" slots")
			n := rapid.IntRange(1, 12).Draw(t, name+" n")
			return knobs(n*s, s, rapid.Float64Range(0.5, 4).Draw(t, name+" cores"), rapid.Float64Range(0.5, 8).Draw(t, name+" GiB"))
		}
		j := named()
		if rapid.Bool().Draw(t, "seen") {
			s := newSynthetic(rapid.Uint64().Draw(t, "seed"), pinned)
			s.knobs = any("seen at")
			s.hour(j, 900)
		}
		less := any("less")
		more := less
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			more.Parallelism += less.Slots * rapid.IntRange(1, 6).Draw(t, "more n")
		case 1:
			more.CPUCores *= rapid.Float64Range(1, 4).Draw(t, "more cores")
		default:
			more.MemoryBytes *= rapid.Float64Range(1, 4).Draw(t, "more memory")
		}
		a, b := j.Behavior(less).Capacity.Median, j.Behavior(more).Capacity.Median
		if b < a*(1-0.002) {
			t.Fatalf("%v has %.0f, %v has %.0f", less, a, more, b)
		}
	})
}
