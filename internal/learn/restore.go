package learn

import (
	"math"

	"rebound/internal/recovery"
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

func restoreRow(kind int, perTask float64) []float64 {
	x := make([]float64, restores)
	x[always], x[ofKind+kind], x[perGiB] = 1, 1, perTask
	if cold(kind) {
		x[newProcess] = 1
	}
	return x
}

func (d *downtime) addRestore(r restart, took float64) {
	x := restoreRow(r.kind, r.perTask)
	mean, deviation := d.Restore.solve().at(x)
	mean = math.Max(mean, leastRestore)
	scatter := d.Scatter.deviation(restoreScatter, restoreWorth)
	off, typical := took-mean, scatter*math.Max(mean, took)
	limit := outlier * math.Hypot(typical, deviation)
	off = math.Max(-limit, math.Min(limit, off))
	// What the line itself did not know is not scatter.
	share := typical * typical / (typical*typical + deviation*deviation)
	d.Scatter.add(off/math.Max(mean, took), r.weight*share)
	d.Restore.add(x, mean+off, math.Hypot(typical, leastPhase)/math.Sqrt(r.weight))
}

// restore is the restore with that much state on each TaskManager, in GiB.
func (d *downtime) restore(s solution, kind int, perTask float64) recovery.Uncertain {
	mean, deviation := s.at(restoreRow(kind, perTask))
	mean = math.Max(mean, leastRestore)
	own := mean * d.Scatter.deviation(restoreScatter, restoreWorth)
	return recovery.Uncertain{Median: mean, Spread: math.Max(leastPhase, z95*math.Hypot(own, deviation))}
}
