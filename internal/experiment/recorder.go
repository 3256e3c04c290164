package experiment

import (
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"rebound/internal/control"
	"rebound/internal/job"
	"rebound/internal/plan"
	"rebound/internal/report"
)

// ahead is how long before a minute the forecast was made that is shown for it.
const ahead = 15 * time.Minute

// recorder is the journal of a simulated loop, kept in memory, and what the
// report shows of it.
type recorder struct {
	*control.Memory

	risk      []sample             // what was predicted of the worst failure
	outages   []foretold           // conditional predictions
	forecasts map[int64][3]float64 // by the minute that they are of
	last      plan.Input           // of the last plan
	front     []job.FrontPoint     // of the last plan that had one
}

type sample struct {
	at    time.Time
	value float64
}

type foretold struct {
	at      time.Time
	failure job.Failure
	job.Recovery
}

func newRecorder() *recorder {
	return &recorder{Memory: control.NewMemory(), forecasts: map[int64][3]float64{}}
}

// AddPredictions keeps the worst for the chart.
func (r *recorder) AddPredictions(ctx context.Context, ps []job.Standing) ([]string, error) {
	worst, at := 0.0, time.Time{}
	for _, p := range ps {
		at = p.At
		if p.Recovery.AtRiskSeconds == nil {
			worst = math.Inf(1)
			continue
		}
		worst = math.Max(worst, *p.Recovery.AtRiskSeconds)
	}
	if len(ps) > 0 {
		r.risk = append(r.risk, sample{at, worst})
	}
	return r.Memory.AddPredictions(ctx, ps)
}

// AddOutage keeps what had been predicted given the age.
func (r *recorder) AddOutage(ctx context.Context, id job.Identity, m job.Measurement, prediction string, conditional *job.Recovery) error {
	if conditional != nil {
		r.outages = append(r.outages, foretold{m.At, m.Failure, *conditional})
	}
	return r.Memory.AddOutage(ctx, id, m, prediction, conditional)
}

// prediction finds what had been said of a recovery.
func (r *recorder) prediction(at time.Time, f job.Failure) (job.Recovery, bool) {
	best, found := job.Recovery{}, false
	distance := near + 1
	for _, o := range r.outages {
		if d := o.at.Sub(at).Abs(); d < distance && (o.failure == "") == (f == "") {
			best, distance, found = o.Recovery, d, true
		}
	}
	return best, found
}

// atRisk is what was predicted last before a moment, NaN before the first.
func (r *recorder) atRisk(at time.Time) float64 {
	i := sort.Search(len(r.risk), func(i int) bool { return r.risk[i].at.After(at) })
	if i == 0 {
		return math.NaN()
	}
	return r.risk[i-1].value
}

// watch passes everything to a planner and keeps the forecast that it was given.
func (r *recorder) watch(p plan.Planner) plan.Planner { return &watched{p, r} }

type watched struct {
	plan.Planner
	rec *recorder
}

func (w *watched) Plan(in plan.Input) job.Plan {
	if in.Load.Step > 0 && !in.At.IsZero() {
		w.rec.remember(in.At, in.Load)
	}
	w.rec.last = in
	p := w.Planner.Plan(in)
	if len(p.Front) > 0 {
		w.rec.front = p.Front
	}
	return p
}

// remember keeps mean and 5–95 % of the load that is forecast for a while later.
func (r *recorder) remember(at time.Time, l plan.Load) {
	i := int(ahead.Seconds() / l.Step)
	if i >= len(l.Mean) || len(l.Paths) == 0 {
		return
	}
	row := func(q float64) float64 {
		k, _ := slices.BinarySearch(l.Quantiles, q)
		return l.Paths[min(k, len(l.Paths)-1)][i]
	}
	r.forecasts[at.Add(ahead).Unix()/60] = [3]float64{row(0.05), l.Mean[i], row(0.95)}
}

func (r *recorder) forecast(at time.Time) (low, mean, high float64) {
	f, ok := r.forecasts[at.Unix()/60]
	if !ok {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return f[0], f[1], f[2]
}

// Shown says what a copy has shown, in terms of s, the job being priced by in.
func Shown(p job.Profile, s plan.Sustained, in plan.Input) report.Profile {
	out := report.Profile{
		Profile: p, CostPerHour: p.Knobs.PerHour(in.JobManager, in.Policy.Prices),
		Sustained: math.NaN(), Low: math.NaN(), High: math.NaN(),
	}
	if p.State == job.ProfileDone {
		out.Sustained, out.Low, out.High = s.Range(p.Knobs)
	}
	return out
}

// profiles are the copies that were begun, in order, with what they mean for the last
// plan, and the rate that it plans for.
func (r *recorder) profiles(ctx context.Context, id job.Identity) (out []report.Profile, planned float64) {
	all, err := r.Profiles(ctx, id, 0)
	s, ok := plan.NewSustained(r.last)
	if err != nil || !ok {
		return nil, 0
	}
	for _, p := range slices.Backward(all) {
		out = append(out, Shown(p, s, r.last))
	}
	return out, s.Peak()
}

// decisions are the newest that were made, oldest first.
func (r *recorder) decisions(ctx context.Context, id job.Identity) []job.Decision {
	d, err := r.Decisions(ctx, id, decisionsKept)
	if err != nil { // memory does not fail
		return nil
	}
	slices.Reverse(d)
	return d
}

// decisionsKept bounds what a report lists.
const decisionsKept = 2000

func refused(ds []job.Decision) int {
	n := 0
	for _, d := range ds {
		if d.State == job.Refused {
			n++
		}
	}
	return n
}
