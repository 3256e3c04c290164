package twin

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"rebound/internal/job"
)

// profile is a copy of the job that runs on the same input, at other settings.
type profile struct {
	id          string
	knobs       job.Knobs
	number      uint64
	from, until float64
	usage       Usage
	arrived     float64 // records since it began
}

// p95OfExponential is −ln 0.05: latency beyond the base is exponential.
const p95OfExponential = 2.9957

// StartProfile lets a copy of the job run at the settings k for a while, with its
// cost counted. It is killed once, at the greatest age; what it showed is in
// Profiles when the time is over. The ID names it in errors and logs.
func (t *Twin) StartProfile(k job.Knobs, d time.Duration) (id string, err error) {
	if err := t.allowed(k); err != nil {
		return "", err
	}
	t.change.profiles++
	p := profile{knobs: k, number: t.change.profiles, from: t.clock(), until: t.clock() + d.Seconds()}
	p.id = "profile-" + strconv.FormatUint(p.number, 10)
	t.copies = append(t.copies, p)
	return p.id, nil
}

// Profiles hands over the copies that have ended since the last call.
func (t *Twin) Profiles() []job.Profile {
	ended := t.profiles
	t.profiles = nil
	return ended
}

// profilesDue counts what the copies take in a step, and ends those whose time is over.
func (t *Twin) profilesDue(w work, end float64) {
	if len(t.copies) == 0 {
		return
	}
	hours := t.step / 3600
	jm := job.TaskManagerResources{CPUCores: &t.s.JobManager.CPUCores, MemoryBytes: new(t.s.JobManager.MemoryGiB * job.GiB)}
	for i := range t.copies {
		p := &t.copies[i]
		u := Usage{p.knobs.Cores(jm) * hours, p.knobs.GiBs(jm) * hours}
		p.usage.add(u)
		t.book.profiling.add(u)
		p.arrived += float64(w.arrived)
		if end >= p.until {
			t.profiles = append(t.profiles, t.shown(*p, end))
		}
	}
	t.copies = slices.DeleteFunc(t.copies, func(p profile) bool { return end >= p.until })
}

func (u *Usage) add(v Usage) {
	u.CPUCoreHours += v.CPUCoreHours
	u.MemoryGiBHours += v.MemoryGiBHours
}

// shown is what a copy has shown: its capacity when it drained what had come before
// it was there, and the rest at the load of its time.
func (t *Twin) shown(p profile, end float64) job.Profile {
	rng := t.chance(chanceProfiles, p.number)
	full, _ := t.s.Capacity.rate(p.knobs)
	full *= t.noise.factor(end-t.step) * (1 + measureNoise*rng.NormFloat64())
	c := t.s.Checkpoint
	duration := jittered(c.BaseSeconds+c.SecondsPerGiB*t.stateGiB()/float64(p.knobs.TaskManagers()), c.Jitter, rng)
	out := job.Profile{
		At: t.stamp(end), Knobs: p.knobs, RatePerSecond: p.arrived / (end - p.from), Capacity: &full, CheckpointSecs: &duration,
		CPUCoreHours: p.usage.CPUCoreHours, GiBHours: p.usage.MemoryGiBHours,
	}
	period := max(p.knobs.IntervalSeconds, duration+c.MinPauseSeconds)
	rho := out.RatePerSecond / (full * (1 - c.Loss*duration/period))
	recovery := math.Inf(1)
	if l := t.s.Latency; rho < 1 {
		out.LatencySeconds = new(l.BaseSeconds + p95OfExponential*l.QueueSeconds*rho/(1-rho))
		recovery = (t.killed(p.knobs, rng) + rho*(period+duration)) / (1 - rho)
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

// killed is the downtime of a copy whose process is killed (s), with the capacity
// that it lacks while it warms up.
func (t *Twin) killed(k job.Knobs, rng *rand.Rand) float64 {
	r, w := t.s.Restart, t.s.Warmup
	down := r.DetectSeconds[job.ProcessFailure] + r.BackOff.InitialSeconds + r.ProcessStartSeconds + r.RestoreSeconds
	if r.MiBPerSecond > 0 {
		down += t.stateGiB() * 1024 / (r.MiBPerSecond * float64(k.TaskManagers()))
	}
	return jittered(down, r.Jitter, rng) + (1-w.StartRatio)*w.TimeSeconds
}
