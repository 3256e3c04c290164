package kafka

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// story is a recovery by the formula: λ views/s, capacity μ, restored offsets of age
// A, downtime T, failure at time 0 of failedAt.
type story struct {
	lambda, mu, age, down float64
	latency               float64 // seconds, without backlog
}

const failedAt = 1_796_056_170_050

// markers are what one pair writes from a minute before the failure to after the
// recovery, each 100 ms: see recovery.md. While it catches up, the event that is
// processed at time t is that of −A + (t − T)·μ/λ.
func (s story) markers() []Marker {
	var all []Marker
	end := s.recovery() + 5
	for t := -60.0; t < end; t += 0.1 {
		if t > 0 && t < s.down {
			continue
		}
		m := Marker{Emitted: failedAt + int64(math.Round(t*1000)), Count: max(1, int64(s.lambda/10))}
		late := s.latency
		if t >= s.down {
			m.Attempt = 1
			if backlog := t - (-s.age + (t-s.down)*s.mu/s.lambda); backlog > s.latency {
				late, m.Count = backlog, max(1, int64(s.mu/10))
			}
		}
		m.LastAt = m.Emitted - int64(math.Round(late*1000))
		all = append(all, m)
	}
	return all
}

func (s story) recovery() float64 {
	rho := s.lambda / s.mu
	return (s.down + rho*s.age) / (1 - rho)
}

// The formula: λ = 100 k/s of 150 k/s, A = 10 s, T = 110 s: R = (110 + 2/3·10)/(1/3) = 350 s.
// Caught up is when the lateness is back in its band of max(1.5·p95, 250 ms), which
// the backlog enters band·λ/(μ − λ) before it is gone.
func TestTruthOfTheFormula(t *testing.T) {
	s := story{lambda: 100_000, mu: 150_000, age: 10, down: 110, latency: 0.1}
	if s.recovery() != 350 {
		t.Fatalf("recovery %v", s.recovery())
	}
	var r Recorder
	r.Add(Batch{Markers: s.markers()})
	got := Truth(r.Series(), failedAt, Rule{})
	if len(got) != 1 || got[0].CaughtUp == nil {
		t.Fatalf("%+v", got)
	}
	p := got[0]
	if !near(*p.Silent, 0, 0.2) || !near(*p.Resumed, 110, 0.001) || math.Abs(*p.CaughtUp-(350-2*0.25)) > 0.2 {
		t.Errorf("silent %v, resumed %v, caught up %v", *p.Silent, *p.Resumed, *p.CaughtUp)
	}
	if !near(p.ViewsPerSecond, 100_000, 0.01) || p.LateSeconds != 0.1 || p.BandSeconds != 0.25 {
		t.Errorf("%v views/s, %v s late, band %v s", p.ViewsPerSecond, p.LateSeconds, p.BandSeconds)
	}
	// By the middle of the catch-up 120 s of capacity have been used.
	for _, x := range p.Progress {
		if math.Abs(x.Seconds-230) < 0.05 && !near(float64(x.Views), 120*150_000, 0.01) {
			t.Errorf("%d views by %v s", x.Views, x.Seconds)
		}
	}
}

// Whatever the rates, the truth is the formula to within two bins and the width of
// the band.
func TestTruthFollowsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := rapid.Float64Range(100, 10000).Draw(t, "capacity")
		s := story{
			lambda: mu * rapid.Float64Range(0.1, 0.85).Draw(t, "utilization"), mu: mu,
			age: rapid.Float64Range(1, 30).Draw(t, "age"), down: rapid.Float64Range(1, 20).Draw(t, "down"),
			latency: rapid.Float64Range(0.01, 0.3).Draw(t, "latency"),
		}
		all := s.markers()
		rng := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var r Recorder
		r.Add(Batch{Markers: all})
		got := Truth(r.Series(), failedAt, Rule{})[0]
		if got.CaughtUp == nil {
			t.Fatalf("not caught up: %+v", s)
		}
		early := got.BandSeconds * s.lambda / (s.mu - s.lambda)
		if d := s.recovery() - *got.CaughtUp; d < -0.2 || d > early+0.2 {
			t.Fatalf("%+v: recovery %v, seen %v", s, s.recovery(), *got.CaughtUp)
		}
		if math.Abs(*got.Resumed-s.down) > 0.11 {
			t.Fatalf("resumed %v, down %v", *got.Resumed, s.down)
		}
	})
}

// at makes a bin at seconds since the failure.
func at(seconds, late float64, attempt int) Bin {
	ms := failedAt + int64(math.Round(seconds*1000))
	return Bin{First: ms, Last: ms + 50, Views: 10, Late: int64(late * 1000), Emitted: ms + 50, Attempt: attempt}
}

// stretch makes bins each step seconds.
func stretch(from, to, step, late float64, attempt int) []Bin {
	var all []Bin
	for i := 0; from+float64(i)*step < to-1e-9; i++ {
		all = append(all, at(from+float64(i)*step, late, attempt))
	}
	return all
}

func join(parts ...[]Bin) []Series {
	var s Series
	for _, p := range parts {
		s.Bins = append(s.Bins, p...)
	}
	return []Series{s}
}

func seconds2(p *float64) any {
	if p == nil {
		return "absent"
	}
	return math.Round(*p*100) / 100
}

func TestTruthCases(t *testing.T) {
	before := stretch(-60, 0, 0.1, 0.1, 0)
	for name, c := range map[string]struct {
		bins              []Series
		resumed, caughtUp any
	}{
		"a node falls silent: output goes on until the heartbeat fails": {
			join(before, stretch(0, 5, 0.1, 0.1, 0), stretch(9, 15, 0.1, 8, 1), stretch(15, 20, 0.1, 0.1, 1)), 9.0, 15.0,
		},
		"a hiccup before the restart is no recovery": {
			join(before, stretch(0, 1, 0.1, 0.1, 0), stretch(1, 1.3, 0.1, 0.5, 0), stretch(1.3, 5, 0.1, 0.1, 0), stretch(9, 15, 0.1, 8, 1), stretch(15, 20, 0.1, 0.1, 1)), 9.0, 15.0,
		},
		"an attempt that fails in between": {
			join(before, stretch(3, 3.5, 0.1, 8, 1), stretch(9, 15, 0.1, 8, 2), stretch(15, 20, 0.1, 0.1, 2)), 3.0, 15.0,
		},
		"in the band for less than the hold": {
			join(before, stretch(3, 6, 0.1, 8, 1), stretch(6, 7, 0.1, 0.1, 1), stretch(7, 8, 0.1, 3, 1), stretch(8, 12, 0.1, 0.1, 1)), 3.0, 8.0,
		},
		"the attempt begins at 0 again after a JobManager has died": {
			join(before, stretch(20, 30, 0.1, 8, 0), stretch(30, 40, 0.1, 0.1, 0)), 20.0, 30.0,
		},
		"no failure":        {join(before, stretch(0, 30, 0.1, 0.1, 0)), "absent", "absent"},
		"never again":       {join(before), "absent", "absent"},
		"not caught up yet": {join(before, stretch(3, 30, 0.1, 8, 1)), 3.0, "absent"},
		"caught up for too short a time to tell": {
			join(before, stretch(3, 30, 0.1, 8, 1), stretch(30, 31, 0.1, 0.1, 1)), 3.0, "absent",
		},
		"silent again is not caught up": {
			join(before, stretch(3, 6, 0.1, 8, 1), stretch(6, 6.2, 0.1, 0.1, 1), stretch(12, 20, 0.1, 5, 2), stretch(20, 25, 0.1, 0.1, 2)), 3.0, 20.0,
		},
		"few views: a marker in two seconds": {
			join(stretch(-60, 0, 2, 0.1, 0), stretch(5, 30, 2, 9, 1), stretch(31, 60, 2, 0.1, 1)), 5.0, 31.0,
		},
		"the load pauses and comes back on time": {join(before, stretch(3, 30, 0.1, 0.1, 0)), "absent", "absent"},
		"a restart too short to be a silence":    {join(before, stretch(0.3, 5, 0.1, 3, 1), stretch(5, 10, 0.1, 0.1, 1)), 0.3, 5.0},
		"few views: a late one is no restart":    {join(stretch(-60, 0, 2, 0.1, 0), stretch(1.5, 2, 1, 0.9, 0), stretch(9, 30, 2, 9, 0), stretch(31, 60, 2, 0.1, 0)), 9.0, 31.0},
		"only after the failure":                 {join(stretch(5, 30, 0.1, 0.1, 0)), "absent", "absent"},
		"nothing":                                {join(), "absent", "absent"},
	} {
		got := Truth(c.bins, failedAt, Rule{})[0]
		if diff := cmp.Diff([]any{c.resumed, c.caughtUp}, []any{seconds2(got.Resumed), seconds2(got.CaughtUp)}); diff != "" {
			t.Errorf("%s: resumed, caught up:\n%s", name, diff)
		}
	}
}

func TestSubtasks(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	got := Subtasks([]PairTruth{
		{Pair: Pair{1, 0}, ViewsPerSecond: 10, Silent: f(0.1), Resumed: f(4), CaughtUp: f(20), Progress: []Progress{{4, 5}, {6, 8}}},
		{Pair: Pair{1, 1}, ViewsPerSecond: 20, Silent: f(0.3), Resumed: f(3), CaughtUp: f(25), Progress: []Progress{{3, 1}, {5, 2}, {6, 4}}},
		{Pair: Pair{0, 0}, ViewsPerSecond: 10, Resumed: f(3), CaughtUp: f(9), Silent: f(0)},
		{Pair: Pair{0, 1}, ViewsPerSecond: 1, Resumed: f(3), Silent: f(0)}, // not yet
		{Pair: Pair{0, 2}}, // never had output
	})
	want := []SubtaskTruth{
		{Subtask: 0, ViewsPerSecond: 11, Silent: f(0), Resumed: f(3)},
		{Subtask: 1, ViewsPerSecond: 30, Silent: f(0.3), Resumed: f(3), CaughtUp: f(25), Progress: []Progress{{3, 1}, {4, 6}, {5, 7}, {6, 12}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Commits each 10 s show markers up to 10.5 s old. The failure is 9 s after the last
// trigger; what that checkpoint holds is committed again at the restart, at 5 s. The
// first of the new attempt is committed at 17 s, with the backlog, the next at 27 s
// with the end of the catch-up, and at 37 s all is as it was.
func TestVisible(t *testing.T) {
	commit := func(seconds, late, emitted float64) Bin {
		b := at(seconds, late, 0)
		b.Emitted = failedAt + int64(emitted*1000)
		return b
	}
	bins := []Bin{
		commit(-38.5, 10.5, -39), commit(-28.5, 10.5, -29), commit(-28.4, 9, -29), commit(-18.5, 10.4, -19), commit(-8.5, 10.5, -9),
		commit(5, 14, -8.9), commit(17, 26, 16), commit(17.1, 8, 16.5), commit(27, 22, 26), commit(27.3, 3, 26), commit(37, 10.5, 36), commit(47, 10.5, 46),
	}
	got := Visible(join(bins), failedAt, failedAt+4000, Rule{})
	if seconds2(got.FirstCommit) != 17.0 || seconds2(got.Visible) != 37.0 || math.Abs(got.Band-1.25*10.5) > 0.001 {
		t.Errorf("first commit %v, visible %v, band %v", seconds2(got.FirstCommit), seconds2(got.Visible), got.Band)
	}
	got = Visible(join(bins[:9]), failedAt, failedAt+4000, Rule{})
	if seconds2(got.FirstCommit) != 17.0 || got.Visible != nil {
		t.Errorf("before it is back: %+v", got)
	}
	flap := append(append([]Bin{}, bins[:10]...), commit(37, 10.5, 36), commit(47, 20, 46), commit(57, 10.5, 56), commit(67, 10.5, 66))
	if got = Visible(join(flap), failedAt, failedAt+4000, Rule{}); seconds2(got.Visible) != 57.0 {
		t.Errorf("back for one commit only: visible %v, want 57", seconds2(got.Visible))
	}
	if got = Visible(append(join(bins), join(bins[:9])...), failedAt, failedAt+4000, Rule{}); got.Visible != nil {
		t.Errorf("one of two pairs is back: visible %v", *got.Visible)
	}
	got = Visible(nil, failedAt, failedAt, Rule{})
	if got.FirstCommit != nil || got.Visible != nil {
		t.Errorf("of nothing: %+v", got)
	}
	slow := Series{Pair: Pair{Subtask: 1}, Bins: append(append([]Bin{}, bins[:10]...), commit(37, 20, 36), commit(48, 10, 47))}
	got = Visible(append(join(bins), slow), failedAt, failedAt+4000, Rule{})
	if seconds2(got.Visible) != 48.0 {
		t.Errorf("of the slowest pair: %v", seconds2(got.Visible))
	}
}

// Bins hold the sums of what came in their tenth of a second, in whatever order it
// came, and what is older than is kept goes.
func TestRecorderIsASum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, 30_000), 1, 200).Draw(t, "times")
		r := Recorder{Keep: time.Hour}
		want := map[int64]Bin{}
		for _, v := range times {
			m := Marker{Subtask: 2, Partition: 1, Count: v%7 + 1, Emitted: v, LastAt: v - v%13, Attempt: 3}
			r.Add(Batch{Markers: []Marker{m}})
			b, ok := want[v/BinMillis]
			if !ok {
				b = Bin{First: v, Last: v}
			}
			want[v/BinMillis] = Bin{min(b.First, v), max(b.Last, v), b.Views + m.Count, max(b.Late, v%13), max(b.Emitted, v), 3}
		}
		all := r.Series()
		if len(all) != 1 || all[0].Pair != (Pair{2, 1}) || len(all[0].Bins) != len(want) {
			t.Fatalf("%+v, want %+v", all, want)
		}
		before := int64(-1)
		for _, b := range all[0].Bins {
			if want[b.First/BinMillis] != b || b.First <= before {
				t.Fatalf("bin %+v, want %+v", b, want[b.First/BinMillis])
			}
			before = b.First
		}
	})
}

func TestRecorderForgets(t *testing.T) {
	r := Recorder{Keep: 10 * time.Second}
	for i := range int64(100_000) {
		r.Add(Batch{Markers: []Marker{{Emitted: i * 100, Count: 1}}, Bad: 1})
	}
	bins := r.Series()[0].Bins
	if len(bins) < 100 || len(bins) > 101 || bins[len(bins)-1].First != 9_999_900 || r.Bad() != 100_000 {
		t.Errorf("%d bins, the last at %d", len(bins), bins[len(bins)-1].First)
	}
	if c := cap(r.pairs[Pair{}]); c > 1000 {
		t.Errorf("room for %d bins of 101", c)
	}
}

func TestRecorderOfCommittedOutputCountsArrival(t *testing.T) {
	r := Recorder{Committed: true}
	r.Add(Batch{At: time.UnixMilli(9000), Markers: []Marker{{Emitted: 4000, LastAt: 3900, Count: 2}}})
	want := []Series{{Bins: []Bin{{First: 9000, Last: 9000, Views: 2, Late: 5100, Emitted: 4000}}}}
	if diff := cmp.Diff(want, r.Series()); diff != "" {
		t.Error(diff)
	}
}
