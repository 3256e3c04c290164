package twin

import (
	"math"
	"math/rand/v2"

	"rebound/internal/job"
)

// downtime is a time in which nothing is processed. Moments are seconds since the
// simulation's start.
type downtime struct {
	failure job.Failure // empty of a planned restart
	way     job.Way     // of a planned restart
	victim  int         // TaskManager that is lost; −1: none

	from      float64
	known     float64 // to the JobManager
	scheduled float64 // back-off is over
	resourced float64 // all slots are there
	deployed  float64 // subtasks begin to load their state
	up        float64 // all subtasks run

	// instead are the settings to go back to, where a new deployment turns out not
	// to work.
	instead *job.Knobs
}

// phases are the first four of a recovery, s.
func (d downtime) phases() [4]float64 {
	return [4]float64{d.known - d.from, d.scheduled - d.known, d.resourced - d.scheduled, d.up - d.resourced}
}

// deployShare of the restore passes before subtasks load their state, a second at
// the most.
const deployShare = 0.25

// lay puts the phases one after the other.
func (d *downtime) lay(detect, backOff, resources, restore float64) {
	d.known = d.from + detect
	d.scheduled = d.known + backOff
	d.resourced = d.scheduled + resources
	d.deployed = d.resourced + min(1, deployShare*restore)
	d.up = d.resourced + restore
}

// restoring is how long a restore takes at the present settings (s).
func (t *Twin) restoring(local bool) float64 {
	r := t.s.Restart
	if r.MiBPerSecond == 0 || local {
		return r.RestoreSeconds
	}
	return r.RestoreSeconds + t.stateGiB()*1024/(r.MiBPerSecond*float64(t.knobs.TaskManagers()))
}

// stateGiB is how large the state is now.
func (t *Twin) stateGiB() float64 {
	return t.s.State.GiB + t.s.State.GiBPerHour*t.clock()/3600 + t.s.State.GiBPerBillion*float64(t.pos-t.lost)/1e9
}

// jittered multiplies by e^(jitter·N(0, 1)).
func jittered(seconds, jitter float64, rng *rand.Rand) float64 {
	if jitter == 0 {
		return seconds
	}
	return seconds * math.Exp(jitter*rng.NormFloat64())
}

// stop ends the present run, at a moment that is the beginning of a step, and goes
// back to what the last checkpoint holds.
func (t *Twin) stop(at float64, d *downtime) {
	if t.down == nil {
		t.ckpt.abort(at)
	}
	t.down = d
	t.pos, t.lost = t.ckpt.last.offset, t.ckpt.last.lost
	t.carry = 0
	t.view.restart(t)
}

// resume begins to run if that is due before end.
func (t *Twin) resume(end float64) bool {
	if t.down.up >= end {
		return false
	}
	d := t.down
	if d.instead != nil {
		t.revert(d)
		return t.resume(end)
	}
	t.down = nil
	t.view.run++
	t.now = engine{upAt: d.up, cold: 1 - t.s.Warmup.StartRatio, warms: decay(t.step, t.s.Warmup.TimeSeconds)}
	t.ckpt.start(d.up, t.knobs.IntervalSeconds)
	for _, r := range t.open {
		r.running(d)
	}
	return true
}

// decay is e^(−seconds/tau); without a time constant nothing is left at once.
func decay(seconds, tau float64) float64 {
	if tau <= 0 {
		return 0
	}
	return math.Exp(-seconds / tau)
}

// backOff is the restart strategy with its level.
type backOff struct {
	level int
}

// next is the delay of a restart now (s), which raises the level.
func (b *backOff) next(s BackOff, ranFor float64) float64 {
	if ranFor >= s.ResetSeconds {
		b.level = 0
	}
	delay := s.InitialSeconds * math.Pow(s.Multiplier, float64(b.level))
	if s.Multiplier > 1 {
		b.level++
		delay = min(delay, s.MaxSeconds)
	}
	return delay
}
