package learn

import (
	"math"
	"time"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// The downtime is learned by kind: of failure, or of planned change. Its phases
// before the restore are learned as differences from what the configuration says,
// so that a changed heartbeat or back-off needs no new lesson; the restore as a line
// over the state that a TaskManager holds, which carries over to other sizes.

// kinds of restarts: the failures in their order, then the ways of a change.
const (
	failureKinds = 4
	kinds        = failureKinds + 3
	waits        = 3 // phases before the restore
)

func failureKind(f job.Failure) (int, bool) {
	for i, g := range job.Failures() {
		if f == g {
			return i, true
		}
	}
	return 0, false
}

func ways() [kinds - failureKinds]job.Way {
	return [...]job.Way{job.InPlace, job.Savepoint, job.LastState}
}

// kindOf finds what a measurement is of.
func kindOf(m *job.Measurement) (int, bool) {
	for i, w := range ways() {
		if m.Change == w {
			return failureKinds + i, true
		}
	}
	return failureKind(m.Failure)
}

// cold says whether new processes take over.
func cold(kind int) bool {
	if kind < failureKinds {
		return job.Failures()[kind].TakenOverBy() == job.Cold
	}
	return ways()[kind-failureKinds] != job.InPlace
}

const (
	downHalfLife = 30 * day
	// A measurement counts as priorWorth times what was assumed or configured.
	downWorth  = 0.5
	leastPhase = 0.05 // s, spread of a phase
	// starved is how many threads may wait for a CPU before a recovery counts half:
	// starting a process on two idle cores makes two or three wait.
	starved = 4.0
	// mostPast bounds the differences that are kept of each phase.
	mostPast = 12
)

// Restore: the columns of its line.
const (
	always     = iota
	newProcess // more where processes are new
	ofKind     // one for each kind, what is its own
	perGiB     = ofKind + kinds
	restores   = perGiB + 1
)

// Restore before anything has been seen, in seconds: 0.7 into running processes and
// 2.4 into new ones, from kills of TaskManagers of real Flinks; and reading at about
// 130 MB/s a TaskManager, from half of that to much more. Ways of changing differ
// more from each other than failures do.
const (
	restoreWarm, restoreWarmDeviation = 0.7, 1.5
	restoreCold, restoreColdDeviation = 1.7, 1.5
	ownFailure, ownWay                = 1.0, 5.0
	readSeconds, readDeviation        = 8.0, 4.0 // for a GiB
	restoreScatter, restoreWorth      = 0.12, 4
	leastRestore                      = 0.1 // s
)

// Planned restarts, in seconds: the scheduler asks for slots, or pods start.
const (
	inPlaceWait, inPlaceWaitSpread = 1.5, 1.5
	redeploy, redeploySpread       = 20.0, 12.0
)

// past is one difference from what was configured.
type past struct {
	Off    float64   `json:"off"`
	Weight float64   `json:"weight"`
	At     time.Time `json:"at"`
}

// downtime is what is known of restarts.
type downtime struct {
	Off     [kinds][waits][]past `json:"off"`
	Restore regression           `json:"restore"`
	Scatter noise                `json:"scatter"` // of restores, relative
	Count   [kinds]int           `json:"count"`
}

func newDowntime() downtime {
	mean, deviation := make([]float64, restores), make([]float64, restores)
	mean[always], deviation[always] = restoreWarm, restoreWarmDeviation
	mean[newProcess], deviation[newProcess] = restoreCold, restoreColdDeviation
	for k := range kinds {
		deviation[ofKind+k] = ownFailure
		if k >= failureKinds {
			deviation[ofKind+k] = ownWay
		}
	}
	mean[perGiB], deviation[perGiB] = readSeconds, readDeviation
	return downtime{Restore: newRegression(mean, deviation)}
}

func restoreRow(kind int, perTask float64) []float64 {
	x := make([]float64, restores)
	x[always], x[ofKind+kind], x[perGiB] = 1, 1, perTask
	if cold(kind) {
		x[newProcess] = 1
	}
	return x
}

// add takes a restart: m, of a kind, with perTask GiB of state on each TaskManager,
// and what the configuration said of the phases before the restore.
func (d *downtime) add(m *job.Measurement, kind int, perTask float64, said [waits]recovery.Uncertain) {
	weight, took := 1.0, 0.0
	if s := finite(m.StarvedRatio); s != nil {
		weight /= 1 + (*s/starved)*(*s/starved)
	}
	for i, phase := range job.Phases()[:waits] {
		seen, ok := job.PhaseSeconds(m.Phases, phase)
		configured, told := job.PhaseSeconds(m.Configured, phase)
		if !told {
			configured = said[i].Median
		}
		if !ok || !plausible(seen) {
			took += configured + center(d.Off[kind][i], m.At, downWorth)
			continue
		}
		took += seen
		list := append(d.Off[kind][i], past{seen - configured, weight, m.At})
		d.Off[kind][i] = list[max(0, len(list)-mostPast):]
	}
	d.Count[kind]++
	restore, ok := job.PhaseSeconds(m.Phases, job.Restore)
	if total := finite(m.DowntimeSeconds); !ok && total != nil {
		restore, ok = *total-took, true
	}
	if ok && plausible(restore) {
		d.addRestore(kind, perTask, restore, weight)
	}
}

// plausible leaves out what cannot be a phase.
func plausible(seconds float64) bool { return seconds >= 0 && seconds < day }

func (d *downtime) addRestore(kind int, perTask, took, weight float64) {
	x := restoreRow(kind, perTask)
	mean, deviation := d.Restore.solve().at(x)
	mean = math.Max(mean, leastRestore)
	scatter := d.Scatter.deviation(restoreScatter, restoreWorth)
	off, typical := took-mean, scatter*math.Max(mean, took)
	limit := outlier * math.Hypot(typical, deviation)
	off = math.Max(-limit, math.Min(limit, off))
	// What the line itself did not know is not scatter.
	share := typical * typical / (typical*typical + deviation*deviation)
	d.Scatter.add(off/math.Max(mean, took), weight*share)
	d.Restore.add(x, mean+off, math.Hypot(typical, leastPhase)/math.Sqrt(weight))
}

func (d *downtime) fade(share float64) {
	d.Restore.fade(share)
	d.Scatter.fade(share)
}

// center is the robust mean of differences as of now, shrunk to 0 by a prior that
// is worth some of them.
func center(list []past, now time.Time, worth float64) float64 {
	values, weights, n := weighed(list, now)
	if !(n > 0) {
		return 0
	}
	location, _ := recovery.Center(values, weights)
	return location * n / (n + worth)
}

func weighed(list []past, now time.Time) (values, weights []float64, total float64) {
	for _, p := range list {
		w := p.Weight * faded(p.At, now, downHalfLife)
		values, weights, total = append(values, p.Off), append(weights, w), total+w
	}
	return values, weights, total
}

// wait is one phase before the restore: what was configured, moved by what was
// seen. The spread that the configuration claims is for a place not seen yet; that
// of one's own measurements is known only from the second on.
func (d *downtime) wait(kind, phase int, said recovery.Uncertain, now time.Time) recovery.Uncertain {
	values, weights, n := weighed(d.Off[kind][phase], now)
	if !(n > 0) {
		return said
	}
	location, spread := recovery.Center(values, weights)
	share := n / (n + downWorth)
	own := math.Max(spread, said.Spread/(1+2*n))
	return recovery.Uncertain{
		Median: math.Max(0, said.Median+share*location),
		Spread: math.Max(leastPhase, share*own+(1-share)*said.Spread/(1+n)),
	}
}

// restore is the restore with that much state on each TaskManager, in GiB.
func (d *downtime) restore(s solution, kind int, perTask float64) recovery.Uncertain {
	mean, deviation := s.at(restoreRow(kind, perTask))
	mean = math.Max(mean, leastRestore)
	own := mean * d.Scatter.deviation(restoreScatter, restoreWorth)
	return recovery.Uncertain{Median: mean, Spread: math.Max(leastPhase, z95*math.Hypot(own, deviation))}
}
