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

// restart is what a measured one is compared with.
type restart struct {
	kind    int
	perTask float64 // GiB of state on each TaskManager
	said    [waits]recovery.Uncertain
	at      time.Time
	weight  float64
}

// add takes a restart. Phases that were not measured teach nothing. Of those that
// are missing nobody could tell where they ended: the restore has them.
func (d *downtime) add(m *job.Measurement, r restart) {
	r.weight, r.at = 1, m.At
	if s := finite(m.StarvedRatio); s != nil {
		r.weight /= 1 + (*s/starved)*(*s/starved)
	}
	d.Count[r.kind]++
	var inside []int
	before := 0.0 // the restore
	for i, phase := range job.Phases()[:waits] {
		if configured, ok := job.PhaseSeconds(m.Configured, phase); ok && plausible(configured) {
			r.said[i].Median = configured
		}
		p, ok := phaseOf(m.Phases, phase)
		switch {
		case !ok || !plausible(p.Seconds):
			inside = append(inside, i)
			continue
		case p.Source != job.Assumed && p.Source != job.Configured:
			d.addWait(r, i, p.Seconds)
		}
		before += p.Seconds
	}
	restore, ok := job.PhaseSeconds(m.Phases, job.Restore)
	if total := finite(m.DowntimeSeconds); !ok && total != nil {
		restore, ok = *total-before, true
	}
	if ok && plausible(restore) {
		d.addRestore(r, d.apart(r, inside, restore))
	}
}

func phaseOf(phases []job.PhaseTime, p job.Phase) (job.PhaseTime, bool) {
	for _, t := range phases {
		if t.Phase == p {
			return t, true
		}
	}
	return job.PhaseTime{}, false
}

// apart takes the waits that are inside of a measured time out of it: what it is
// longer or shorter than believed is shared out by how uncertain each part was.
func (d *downtime) apart(r restart, inside []int, took float64) (restore float64) {
	mean, deviation := d.Restore.solve().at(restoreRow(r.kind, r.perTask))
	own := math.Max(mean, leastRestore) * d.Scatter.deviation(restoreScatter, restoreWorth)
	variance, excess := own*own+deviation*deviation, took-mean
	var parts [waits]recovery.Uncertain
	for _, i := range inside {
		parts[i] = d.wait(r.kind, i, r.said[i], r.at)
		variance += parts[i].Spread / z95 * parts[i].Spread / z95
		excess -= parts[i].Median
	}
	for _, i := range inside {
		part := parts[i].Median + excess*parts[i].Spread/z95*parts[i].Spread/z95/variance
		part = math.Max(0, math.Min(took, part))
		if parts[i].Spread > 0 {
			d.addWait(r, i, part)
		}
		took -= part
	}
	return took
}

func (d *downtime) addWait(r restart, wait int, took float64) {
	list := &d.Off[r.kind][wait]
	*list = append(*list, past{took - r.said[wait].Median, r.weight, r.at})
	*list = (*list)[max(0, len(*list)-mostPast):]
}

// plausible leaves out what cannot be a phase.
func plausible(seconds float64) bool { return seconds >= 0 && seconds < day }

func (d *downtime) fade(share float64) {
	d.Restore.fade(share)
	d.Scatter.fade(share)
}

// weighed has the differences with what each counts as of now.
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
	values, weights, n := weighed(d.Off[d.teacher(kind, phase)][phase], now)
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

// teacher is the kind whose measurements tell of a phase: where none of its own is
// known, a process that starts after a node was lost is like one after a crash, and
// both ways of a new deployment start the same pods.
func (d *downtime) teacher(kind, phase int) int {
	const resources = 2
	process, node := 1, 2
	if phase != resources || len(d.Off[kind][phase]) > 0 {
		return kind
	}
	switch kind {
	case node:
		return process
	case process:
		return node
	case failureKinds + 1:
		return failureKinds + 2
	case failureKinds + 2:
		return failureKinds + 1
	}
	return kind
}
