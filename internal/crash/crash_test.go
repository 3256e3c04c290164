//go:build crash

package crash

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

const (
	defaultPoints = 50
	defaultDays   = 2 // simulated; of the whole test a week
	leastRound    = 5 * time.Minute
	// aimed is the share of kills that wait for a change to be under way: there is
	// most to lose.
	aimed = 0.6
)

// A loop is killed at random points of a simulated week, in some rounds on a disk
// that is full or behind a lock, while the job goes on, with or without it.
// Whenever it is killed, all that was done to the job is in the journal, and what
// was closed stays as it was. At the end every decision is closed, the job has the
// settings that the journal says, and no outage that was measured lacks its score.
func TestKilledAtAnyPoint(t *testing.T) {
	points, days, seed := whole(t, "REBOUND_CRASH_POINTS", defaultPoints), whole(t, "REBOUND_CRASH_DAYS", defaultDays), whole(t, "REBOUND_CRASH_SEED", 1)
	t.Logf("%d points in %d simulated days, seed %d", points, days, seed)
	b := begin(t, uint64(seed))
	first := b.now()
	for i := range points {
		left := time.Duration(days)*24*time.Hour - b.now().Sub(first)
		b.round(max(leastRound, left/time.Duration(points-i)))
		b.after()
		if (i+1)%10 == 0 {
			t.Logf("%d kills, %v simulated", i+1, b.now().Sub(first).Round(time.Minute))
		}
	}
	b.settle()
	b.verify()
	t.Logf("killed %d times in %v; met %v", points, b.now().Sub(first), b.found)
}

func whole(t *testing.T, name string, otherwise int) int {
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: want a number of at least 1", name, s)
	}
	return n
}

// round runs a loop for about as long and kills it; for a while nobody looks
// after the job.
func (b *bench) round(mean time.Duration) {
	b.Helper()
	fault := [...]string{"none", "none", "none", "lock", "full"}[b.chance.IntN(5)]
	var extra []string
	if fault == "full" {
		extra = []string{"--journal-limit", strconv.FormatInt(b.size()+b.chance.Int64N(64<<10), 10)}
	}
	absent := time.Duration(b.chance.Float64() * b.chance.Float64() * float64(mean) / 2)
	until := b.now().Add(time.Duration(b.chance.ExpFloat64() * float64(mean-absent)))
	l := b.start(extra...)
	if fault == "lock" {
		// Most are waited for, some are longer than the loop waits.
		seconds := 4 * b.chance.Float64() * b.chance.Float64()
		if b.chance.IntN(4) == 0 {
			seconds = 6
		}
		go b.hold(b.Context(), time.Duration(seconds*float64(time.Second)))
	}
	gone := b.watch(l, until, mean)
	if gone && fault == "none" {
		b.Fatalf("the loop ended by itself:\n%s", l.log)
	}
	if !gone {
		time.Sleep(time.Duration(b.chance.ExpFloat64() * 10 * float64(time.Millisecond))) // any point of a step
	}
	if b.open() {
		b.count(fault, "a change under way")
	} else {
		b.count(fault, "nothing under way")
	}
	b.kill(l)
	b.wait(absent)
}

func (b *bench) count(fault, what string) {
	if b.found == nil {
		b.found = map[string]int{}
	}
	b.found[fault+", "+what]++
}

// watch returns at a simulated time, or, for some, when a change is under way soon
// after; gone is true for a loop that has ended by itself.
func (b *bench) watch(l *loop, until time.Time, more time.Duration) (gone bool) {
	b.Helper()
	aim := b.chance.Float64() < aimed
	for {
		select {
		case err := <-l.ended:
			l.ended <- err
			return true
		case <-time.After(8 * time.Millisecond):
		}
		now := b.now()
		if now.After(until) && (!aim || b.open() || now.After(until.Add(more))) {
			return false
		}
	}
}

func (b *bench) size() int64 {
	f, err := os.Stat(b.journal)
	if err != nil {
		return 1 << 20
	}
	return f.Size()
}

// after checks what must hold at any moment: nothing is done that is not in the
// journal before, what is closed stays as it was, and the job has the settings
// that the journal says.
func (b *bench) after() {
	b.Helper()
	known, all := map[string]bool{}, b.decisions()
	for _, d := range all {
		known[d.ID] = true
		if d.Applied != nil {
			known[d.Applied.ID] = true
		}
		was, seen := b.closed[d.ID]
		if diff := cmp.Diff(was, d); seen && diff != "" {
			b.Errorf("closed decision %s was changed: -before +after\n%s", d.ID, diff)
		}
		if d.State.Closed() {
			b.closed[d.ID] = d
		}
	}
	for id := range b.closed {
		if !known[id] {
			b.Errorf("closed decision %s is gone", id)
		}
	}
	if last := b.observe().LastChange; last != "" && !known[last] {
		b.Errorf("the job was given the change %s, of which the journal knows nothing", last)
	}
	slices.Reverse(all) // oldest first
	b.verifySettings(all)
}

// settle runs the loop without faults, told to begin nothing new, until all is
// closed, and ends it as a user does.
func (b *bench) settle() {
	b.Helper()
	if out, err := exec.CommandContext(b.Context(), b.program, "pause", "--job", b.job.Name, "--journal", b.journal).CombinedOutput(); err != nil {
		b.Fatalf("pause: %v\n%s", err, out)
	}
	l := b.start()
	least, most := b.now().Add(time.Hour), b.now().Add(12*time.Hour)
	for now := b.now(); now.Before(least) || now.Before(most) && b.anyOpen(); now = b.now() {
		select {
		case err := <-l.ended:
			b.Fatalf("the loop ended by itself: %v\n%s", err, l.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
	l.Process.Signal(syscall.SIGINT)
	err := b.over(l)
	if e, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || e.ExitCode() != 130) {
		b.Errorf("the interrupted loop ends with %v\n%s", err, l.log)
	}
}

func (b *bench) anyOpen() bool {
	for _, d := range b.decisions() {
		if !d.State.Closed() && d.State != job.Waiting {
			return true
		}
	}
	return false
}
