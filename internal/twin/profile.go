package twin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rebound/internal/job"
)

// Profiles is what befalls copies of the job.
type Profiles struct {
	FailProbability float64 `yaml:"fail_probability,omitempty"` // of each: it is lost before it has shown anything
}

// Bounds of what is asked for, so that a mistake does not cost a cluster, and of
// what is remembered.
const (
	copiesAtOnce = 16
	profilesKept = 256   // that have ended
	profileMost  = 86400 // s
)

// copies of the job run on the same input, at other settings.
type copies struct {
	started int
	running []profile
	ended   []job.Profile // oldest first
}

// p95OfExponential is −ln 0.05: latency beyond the base is exponential.
const p95OfExponential = 2.9957

// profile is one of them, as long as it runs.
type profile struct {
	job.Trial
	number      uint64
	from, until float64
	lost        bool // when its time is over, nothing has been seen of it
	usage       Usage
	arrived     float64 // records since it began
}

// StartProfile lets a copy of the job run at other settings for a while, with its
// cost counted. It is killed once, in the middle of its time, at the greatest age.
// Profile says what it showed. A trial whose ID is known does nothing; what the
// job has no room for is an error.
func (t *Twin) StartProfile(ctx context.Context, asked job.Trial) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if asked.ID == "" {
		return errors.New("a profile needs an ID")
	}
	if t.copies.run(asked.ID) >= 0 || t.copies.end(asked.ID) >= 0 {
		return nil
	}
	if err := t.canTry(asked); err != nil {
		return fmt.Errorf("profile %s: %w", asked.ID, err)
	}
	t.copies.started++
	at := t.clock()
	p := profile{Trial: asked, number: uint64(t.copies.started), from: at, until: at + asked.Seconds}
	if rng := t.chance(chanceLosses, p.number); rng.Float64() < t.s.Profiles.FailProbability {
		p.lost, p.until = true, at+rng.Float64()*asked.Seconds
	}
	t.copies.running = append(t.copies.running, p)
	return nil
}

// canTry says why a copy cannot be had.
func (t *Twin) canTry(asked job.Trial) error {
	k := asked.Knobs
	settings := job.Settings{
		CheckpointIntervalSeconds: &k.IntervalSeconds, Parallelism: map[string]int{workID: k.Parallelism}, SlotsPerTaskManager: &k.Slots,
		TaskManagerResources: job.TaskManagerResources{CPUCores: &k.CPUCores, MemoryBytes: &k.MemoryBytes},
	}
	if err := settings.Validate(); err != nil {
		return err
	}
	switch {
	case asked.Job != (job.Identity{}) && asked.Job != t.identity():
		return fmt.Errorf("there is no job %s", asked.Job)
	case !(asked.Seconds > 0 && asked.Seconds <= profileMost):
		return fmt.Errorf("seconds: %v, want more than 0 and at most %v", asked.Seconds, profileMost)
	case len(t.copies.running) >= copiesAtOnce:
		return fmt.Errorf("%d copies run: wait until one has ended", copiesAtOnce)
	}
	return t.allowed(k)
}

// Profile says how a trial stands: running, or what it showed. The ID is not
// known where there was no such trial, or many have ended since.
func (t *Twin) Profile(ctx context.Context, id string) (p job.Profile, known bool, err error) {
	if err := ctx.Err(); err != nil {
		return job.Profile{}, false, err
	}
	if i := t.copies.run(id); i >= 0 {
		return t.outline(&t.copies.running[i], t.clock()), true, nil
	}
	if i := t.copies.end(id); i >= 0 {
		return t.copies.ended[i], true, nil
	}
	return job.Profile{}, false, nil
}

func (c *copies) run(id string) int {
	return slices.IndexFunc(c.running, func(p profile) bool { return p.ID == id })
}

func (c *copies) end(id string) int {
	return slices.IndexFunc(c.ended, func(p job.Profile) bool { return p.ID == id })
}

// profilesDue counts what the copies take in a step, and ends those whose time is over.
func (t *Twin) profilesDue(w work, end float64) {
	c := &t.copies
	if len(c.running) == 0 {
		return
	}
	hours := t.step / 3600
	jm := t.s.JobManager.Job()
	for i := range c.running {
		p := &c.running[i]
		u := Usage{p.Knobs.Cores(jm) * hours, p.Knobs.GiBs(jm) * hours}
		p.usage.add(u)
		t.book.profiling.add(u)
		p.arrived += float64(w.arrived)
		if end >= p.until {
			c.ended = append(c.ended, t.shown(p, end))
		}
	}
	c.ended = c.ended[max(0, len(c.ended)-profilesKept):]
	c.running = slices.DeleteFunc(c.running, func(p profile) bool { return end >= p.until })
}

func (u *Usage) add(v Usage) {
	u.CPUCoreHours += v.CPUCoreHours
	u.MemoryGiBHours += v.MemoryGiBHours
}

// outline is what is known of a copy while it runs: what it is and costs.
func (t *Twin) outline(p *profile, now float64) job.Profile {
	out := job.Profile{
		ID: p.ID, State: job.ProfileRunning, StartedAt: t.stamp(p.from), Seconds: p.Seconds, Knobs: p.Knobs,
		CPUCoreHours: p.usage.CPUCoreHours, GiBHours: p.usage.MemoryGiBHours,
	}
	if now > p.from {
		out.RatePerSecond = p.arrived / (now - p.from)
	}
	return out
}

// shown is what a copy has shown: its capacity when it drained what had come before
// it was there, and the rest at the load of its time.
func (t *Twin) shown(p *profile, end float64) job.Profile {
	out := t.outline(p, end)
	out.At = t.stamp(end)
	if p.lost {
		out.State, out.Reason = job.ProfileLost, "the copy was lost before it had shown anything"
		return out
	}
	out.State = job.ProfileDone
	rng := t.chance(chanceProfiles, p.number)
	full, _ := t.s.Capacity.rate(p.Knobs)
	full *= t.noise.factor(end-t.step) * (1 + measureNoise*rng.NormFloat64())
	c := t.s.Checkpoint
	duration := jittered(c.BaseSeconds+c.SecondsPerGiB*t.stateGiB()/float64(p.Knobs.TaskManagers()), c.Jitter, rng)
	out.Capacity, out.CheckpointSecs = &full, &duration
	period := max(p.Knobs.IntervalSeconds, duration+c.MinPauseSeconds)
	rho := out.RatePerSecond / (full * (1 - c.Loss*duration/period))
	phases := t.killed(p.Knobs, rng)
	down := 0.0
	for i, phase := range job.Phases()[:len(phases)] {
		down += phases[i]
		out.Phases = append(out.Phases, job.PhaseTime{Phase: phase, Seconds: phases[i], Source: job.Measured, Samples: 1})
	}
	out.Failure, out.DowntimeSeconds = job.ProcessFailure, &down
	recovery := math.Inf(1)
	if l := t.s.Latency; rho < 1 {
		out.LatencySeconds = new(l.BaseSeconds + p95OfExponential*l.QueueSeconds*rho/(1-rho))
		w := t.s.Warmup
		recovery = (down + (1-w.StartRatio)*w.TimeSeconds + rho*(period+duration)) / (1 - rho)
	}
	if most := (end - p.from) / 2; recovery > most {
		out.AtLeastSeconds = &most
	} else {
		out.RecoverySeconds = &recovery
	}
	return out
}

// measureNoise is the standard deviation of a copy's measured capacity.
const measureNoise = 0.01

// killed is the downtime of a copy whose process is killed, by phase (s). It has no
// spare TaskManagers.
func (t *Twin) killed(k job.Knobs, rng *rand.Rand) [4]float64 {
	r := t.s.Restart
	restore := r.RestoreSeconds
	if r.MiBPerSecond > 0 {
		restore += t.stateGiB() * 1024 / (r.MiBPerSecond * float64(k.TaskManagers()))
	}
	return [...]float64{
		jittered(r.DetectSeconds[job.ProcessFailure], r.Jitter, rng), r.BackOff.InitialSeconds,
		jittered(r.ProcessStartSeconds, r.Jitter, rng), jittered(restore, r.Jitter, rng),
	}
}
