package explore

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"rebound/internal/gp"
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/normal"
	"rebound/internal/plan"
	"rebound/internal/recovery"
	"rebound/internal/search"
)

const (
	// misfit is by how much the logarithm of capacity may be off what is believed, at
	// settings far from all that were seen: of a measured job twice the cores gave 2.8
	// times the capacity, half as much again as any law would say.
	misfit = 0.3
	// measured is how well a profile tells y: its capacity and the length of its
	// checkpoints.
	measured = 0.03
	// leastCopes is how probable it must be that a copy keeps up with the present
	// load: one that falls behind reads old data, which brokers have to fetch from
	// their disks beside the job's, and shows only a bound of its recovery.
	leastCopes = 0.8
	// headroom is by how much capacity must be above the load for that.
	headroom = 1.1
)

// atlas is where settings lie, and what is known of them.
type atlas struct {
	in        *Input
	sustained plan.Sustained
	prior     *learn.Job
	inputs    []place // all that may be chosen
	asked     []place // of these, what may be profiled
	places    map[string]place
	low, high [dims]float64
	used      []int // the inputs that differ
	trials    []trial
	running   [][]float64
	belief    *gp.GP // of what capacity is beyond what is believed; nil: nothing was seen
}

// place is one of the settings.
type place struct {
	at    []float64
	knobs job.Knobs // with the interval that suits them
	cost  float64
	need  float64 // y, as believed
	log   float64 // ln μ₀, as believed
	tried int
}

// trial is what was seen at some settings.
type trial struct {
	at   []float64
	need search.Result
	off  float64 // ln μ₀ beyond what is believed
}

const dims = 4

// turns is what a factor of e in each coordinate is of the unit cube, over which the
// misfit turns once: that of more TaskManagers is the best known of laws, that of
// more cores the least.
func turns() [dims]float64 { return [...]float64{0.12, 0.9, 0.25, 0.25} }

// coordinates of settings: what capacity depends on smoothly.
func coordinates(k job.Knobs) [dims]float64 {
	n := float64(max(1, k.TaskManagers()))
	return [dims]float64{
		math.Log(n), math.Log(k.CPUCores), math.Log(k.MemoryBytes / job.GiB), math.Log(float64(max(1, k.Parallelism)) / n),
	}
}

func newAtlas(in *Input, s plan.Sustained) *atlas {
	a := &atlas{in: in, sustained: s, prior: learn.New(in.Job), places: map[string]place{}}
	all := s.Resources()
	for j := range dims {
		a.low[j], a.high[j] = math.Inf(1), math.Inf(-1)
	}
	for _, k := range all {
		for j, v := range coordinates(k) {
			a.low[j], a.high[j] = min(a.low[j], v), max(a.high[j], v)
		}
	}
	for j := range dims {
		if a.high[j] > a.low[j] {
			a.used = append(a.used, j)
		}
	}
	if len(a.used) == 0 {
		return a
	}
	every := 1 + (len(all)-1)/search.MaxSettings
	for i, k := range all {
		if i%every == 0 || k.SameResources(in.Now) {
			a.inputs = append(a.inputs, a.place(k))
		}
	}
	a.remember()
	return a
}

// place is where k lies. The interval that suits it is set.
func (a *atlas) place(k job.Knobs) place {
	p := place{knobs: k, cost: k.PerHour(a.in.JobManager, a.in.Policy.Prices), at: a.point(k)}
	p.log = a.law(k) - a.law(a.in.Now) + math.Log(a.in.Model.Behavior(a.in.Now).Capacity.Median)
	rate, interval := a.sustained.Rate(k, new(recovery.LogNormal(math.Exp(p.log), a.known())))
	p.need, p.knobs.IntervalSeconds = math.Log(a.in.Rate/rate), interval
	a.places[key(p.at)] = p
	return p
}

// law is what the logarithm of capacity is believed to be before anything has been
// seen, but for a constant. What has been seen is data, here: it must not be in the
// mean, too.
func (a *atlas) law(k job.Knobs) float64 { return math.Log(a.prior.Behavior(k).Capacity.Median) }

// point is k in the unit cube.
func (a *atlas) point(k job.Knobs) []float64 {
	c, x := coordinates(k), make([]float64, 0, len(a.used))
	for _, j := range a.used {
		x = append(x, min(1, max(0, (c[j]-a.low[j])*turns()[j])))
	}
	return x
}

// known is how well capacity is known where it has been seen: the deviation of its
// logarithm that no profile takes away.
func (a *atlas) known() float64 {
	return min(maxKnown, a.in.Model.Behavior(a.in.Now).Capacity.LogSpread())
}

// maxKnown bounds it for a job that has hardly been seen itself.
const maxKnown = 0.05

// remember takes what was seen: of the job itself, and of its copies.
func (a *atlas) remember() {
	seen := map[job.Knobs]bool{}
	for _, k := range append(slices.Clip(a.in.Proven), a.in.Now) {
		r := k
		r.IntervalSeconds = 0
		b := a.in.Model.Behavior(k)
		if seen[r] {
			continue
		}
		if b.Proven || k == a.in.Now && b.Capacity.LogSpread() < misfit {
			seen[r] = true
			a.tell(k, b.Capacity.Median)
		}
	}
	for _, p := range a.in.History {
		switch {
		case p.State == job.ProfileRunning:
			a.running = append(a.running, a.at(p.Knobs).at)
		case p.State != job.ProfileDone:
		case p.Capacity != nil && *p.Capacity > 0:
			a.tell(p.Knobs, *p.Capacity)
			a.count(p.Knobs)
		case p.AtLeastSeconds != nil && *p.AtLeastSeconds >= a.in.Policy.RecoveryTime.Seconds() && p.RatePerSecond > 0:
			x := a.at(p.Knobs)
			a.trials = append(a.trials, trial{at: x.at, need: search.AtLeast(math.Log(a.in.Rate / p.RatePerSecond)), off: math.NaN()})
			a.count(p.Knobs)
		}
	}
	a.believe()
}

// at is the place of settings that may not be among those that can be chosen.
func (a *atlas) at(k job.Knobs) place {
	if p, ok := a.places[key(a.point(k))]; ok {
		return p
	}
	return a.place(k)
}

func (a *atlas) tell(k job.Knobs, capacity float64) {
	p := a.at(k)
	rate, _ := a.sustained.Rate(p.knobs, new(recovery.LogNormal(capacity, a.known())))
	a.trials = append(a.trials, trial{at: p.at, need: search.Seen(math.Log(a.in.Rate / rate)), off: math.Log(capacity) - p.log})
}

func (a *atlas) count(k job.Knobs) {
	p := a.at(k)
	p.tried++
	a.places[key(p.at)] = p
}

// believe is what capacity is beyond what is believed of it, as the search sees it.
func (a *atlas) believe() {
	var d gp.Data
	for _, t := range a.trials {
		if !math.IsNaN(t.off) {
			d.X, d.Y, d.Noise = append(d.X, t.at), append(d.Y, t.off), append(d.Noise, measured*measured)
		}
	}
	if len(d.X) == 0 {
		return
	}
	g, err := gp.Fit(d, gp.Options{Unit: misfit, Signal: &gp.Prior{Variance: 0.5}, Prior: &gp.Prior{Mean: math.Log(0.5), Variance: 0.5}})
	if err == nil { // else nothing is sure
		a.belief = g
	}
}

// copes is how probable it is that a copy keeps up with the present load.
func (a *atlas) copes(p place) float64 {
	mean, sigma := 0.0, misfit
	if a.belief != nil {
		m, v := a.belief.Predict(p.at)
		mean, sigma = m, math.Sqrt(v)
	}
	sigma = math.Hypot(sigma, a.known())
	return normal.CDF((p.log + mean - math.Log(headroom*a.in.Load.Now)) / sigma)
}

// restrict leaves what may be profiled: what copes with the load and what the budget
// pays for. Why is empty where anything is left.
func (a *atlas) restrict() (why string) {
	harmless, least := 0, math.Inf(1)
	for _, p := range a.inputs {
		if a.copes(p) < leastCopes {
			continue
		}
		harmless++
		hours := a.coreHours(p.knobs)
		least = min(least, hours)
		if hours <= a.in.CoreHours {
			a.asked = append(a.asked, p)
		}
	}
	switch {
	case len(a.asked) > 0:
		return ""
	case harmless > 0:
		return fmt.Sprintf("nothing is profiled: the smallest copy that keeps up takes %.3g core-hours, and %.2f are left of the budget", least, max(0, a.in.CoreHours))
	}
	return fmt.Sprintf("nothing is profiled: no copy would keep up with %.4g records/s for sure enough", a.in.Load.Now)
}

func (a *atlas) settings() [][]float64 {
	out := make([][]float64, 0, len(a.asked))
	for _, p := range a.asked {
		out = append(out, p.at)
	}
	return out
}

// dearest is the highest cost that counts.
func (a *atlas) dearest() float64 {
	most := 0.0
	for _, p := range a.asked {
		most = max(most, p.cost)
	}
	return most * 1.01
}

func (a *atlas) costAt(x []float64) float64 { return a.places[key(x)].cost }

func (a *atlas) meanAt(x []float64) float64 { return a.places[key(x)].need }

// key tells points apart exactly.
func key(x []float64) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}
