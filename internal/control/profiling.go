package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rebound/internal/explore"
	"rebound/internal/job"
)

// An Explore says which profile would pay best, or why none would, as explore.Next.
type Explore func(in explore.Input) (e job.Exploration, ok bool, why string)

// profiles are the copies of the job that the journal knows of.
type profiles struct {
	known []job.Profile // oldest first
	read  time.Time     // when they were read last; zero: never
	wait  time.Time     // none is begun before
	why   string        // none was, the last time
}

const (
	// mostProfiles is how many are gone by.
	mostProfiles = 256
	// rereadAfter is how soon profiles that others began are noticed.
	rereadAfter = 10 * time.Minute
	// reconsider is how soon it is asked again what to profile, after a no;
	// afterRefusal, after the world had no room for a copy.
	reconsider, afterRefusal = 15 * time.Minute, time.Hour
)

// readProfiles reads what the journal has of copies, and lets the model learn of them:
// one that it has heard of already changes nothing, so that each counts once,
// wherever the loop was killed.
func (l *Loop) readProfiles(ctx context.Context) error {
	j, ok := l.Journal.(ProfileJournal)
	if !ok || !l.copies.read.IsZero() && l.now.Sub(l.copies.read) < rereadAfter {
		return nil
	}
	ps, err := j.Profiles(ctx, l.job, mostProfiles)
	if err != nil {
		return fmt.Errorf("read profiles: %w", err)
	}
	slices.Reverse(ps)
	l.copies.known, l.copies.read = ps, l.now
	for _, p := range ps {
		if p.State == job.ProfileDone {
			l.Model.Profiled(p)
		}
	}
	return nil
}

// followProfiles looks how the copies stand that run.
func (l *Loop) followProfiles(ctx context.Context) error {
	w, ok := l.World.(Profiler)
	if !ok {
		return nil
	}
	var errs []error
	for i := range l.copies.known {
		if p := &l.copies.known[i]; p.State == job.ProfileRunning {
			errs = append(errs, l.followProfile(ctx, w, p))
		}
	}
	return errors.Join(errs...)
}

func (l *Loop) followProfile(ctx context.Context, w Profiler, p *job.Profile) error {
	got, known, err := w.Profile(ctx, p.ID)
	switch {
	case err != nil:
		l.warn("profile", "a copy of the job cannot be seen: "+err.Error())
		return nil //nolint:nilerr // it is told, and the next look tries again
	case known && got.State == job.ProfileRunning:
		l.warn("profile", "")
		return nil
	case !known && l.now.Sub(p.StartedAt).Seconds() < p.Seconds:
		// Rebound was killed between what it wrote down and what it asked for.
		return l.startProfile(ctx, w, p)
	case !known:
		return l.lostProfile(ctx, p, "the world knows nothing of it")
	}
	l.warn("profile", "")
	return l.endProfile(ctx, p, got)
}

// endProfile writes down what a copy has shown, and only then learns of it.
func (l *Loop) endProfile(ctx context.Context, p *job.Profile, got job.Profile) error {
	if got.State == job.ProfileLost {
		l.copies.wait = l.now.Add(reconsider)
	} else {
		got.Reason = p.Reason
	}
	if err := l.Journal.(ProfileJournal).EndProfile(ctx, l.job, got); err != nil { //nolint:forcetypeassert // it was read from one
		return fmt.Errorf("store what a copy has shown: %w", err)
	}
	*p = got
	if got.State == job.ProfileDone {
		l.Model.Profiled(got)
	}
	l.tell(Profiled, "", shownBy(got))
	return nil
}

func (l *Loop) lostProfile(ctx context.Context, p *job.Profile, why string) error {
	lost := *p
	lost.State, lost.At, lost.Reason = job.ProfileLost, l.now, why
	return l.endProfile(ctx, p, lost)
}

// startProfile asks the world for a copy that is in the journal.
func (l *Loop) startProfile(ctx context.Context, w Profiler, p *job.Profile) error {
	err := w.StartProfile(ctx, job.Trial{ID: p.ID, Job: l.job, Knobs: p.Knobs, Seconds: p.Seconds})
	if err == nil {
		l.tell(Profiled, "", fmt.Sprintf("a copy runs for %v with %s: %s", seconds(p.Seconds), p.Knobs, p.Reason))
		return nil
	}
	if _, known, seen := w.Profile(ctx, p.ID); known || seen != nil {
		return nil //nolint:nilerr // it was accepted, or the next look tells
	}
	p.CPUCoreHours, p.GiBHours = 0, 0 // it has not run
	err = l.lostProfile(ctx, p, "the world has no room for it: "+err.Error())
	l.copies.wait = l.now.Add(afterRefusal)
	return err
}

// explore begins the profile that pays best, where the policy has a budget for it
// and nothing else is to be done. The job itself is not touched.
func (l *Loop) explore(ctx context.Context, k *look, in explore.Input) error {
	w, can := l.World.(Profiler)
	j, keeps := l.Journal.(ProfileJournal)
	budget := l.Policy.Budget.ProfilingCoreHours
	if !can || !keeps || !(budget > 0) || !l.World.Capabilities().Profiles || l.act != nil ||
		l.now.Before(l.copies.wait) || l.copies.run() || l.copies.read.IsZero() {
		return nil
	}
	if _, stopped := consult([]guard{quietGuard{}}, l.asking(k)); stopped {
		return nil
	}
	in.History, in.CoreHours = l.copies.known, budget-explore.Spent(l.copies.known, l.now.Add(-day))
	e, ok, why := l.Explore(in)
	if !ok {
		l.copies.wait = l.now.Add(reconsider)
		if withoutDigits(why) != withoutDigits(l.copies.why) {
			l.tell(Profiled, "", why)
		}
		l.copies.why = why
		return nil
	}
	l.copies.why = ""
	p := job.Profile{
		ID: "p" + l.now.UTC().Format("20060102T150405"), State: job.ProfileRunning, StartedAt: l.now, Seconds: e.Seconds,
		Knobs: e.Knobs, RatePerSecond: known(k.arriving()), CPUCoreHours: e.CoreHours, Reason: e.Reason,
	}
	if err := j.AddProfile(ctx, l.job, p); err != nil { // what is not in the journal is not done
		return fmt.Errorf("store a profile: %w", err)
	}
	l.copies.known = append(l.copies.known, p)
	return l.startProfile(ctx, w, &l.copies.known[len(l.copies.known)-1])
}

// run says whether a copy runs.
func (c *profiles) run() bool {
	return slices.ContainsFunc(c.known, func(p job.Profile) bool { return p.State == job.ProfileRunning })
}

// shownBy is what a copy has shown, in one sentence.
func shownBy(p job.Profile) string {
	if p.State == job.ProfileLost {
		return fmt.Sprintf("the copy with %s is lost: %s", p.Knobs, p.Reason)
	}
	s := "a copy with " + p.Knobs.String()
	if p.Capacity != nil {
		s += fmt.Sprintf(" processes %.4g records/s", *p.Capacity)
	}
	if p.RecoverySeconds != nil {
		s += fmt.Sprintf(", recovers in %.0f s", *p.RecoverySeconds)
	} else if p.AtLeastSeconds != nil {
		s += fmt.Sprintf(", has not recovered within %.0f s", *p.AtLeastSeconds)
	}
	return s + fmt.Sprintf(", took %.2g core-hours", p.CPUCoreHours)
}
