//go:build crash

package crash

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/live"
	"rebound/internal/store"

	_ "modernc.org/sqlite" // the driver, to hold locks and to look past the journal's own code
)

// bench is a simulation that goes on, a journal, and a loop that comes and goes.
type bench struct {
	*testing.T
	program, journal string
	twin             *live.Twin
	url              string
	look             *store.Journal // read-only
	chance           *rand.Rand
	log              *os.File // of all runs
	job              job.Identity

	initial job.Knobs               // of the job, before anything was decided
	closed  map[string]job.Decision // as they were first seen closed
	alive   []span                  // when a loop ran that could write, simulated
	found   map[string]int          // for a report: what the kills have met
}

type span struct{ from, to time.Time }

// begin starts the simulation.
func begin(t *testing.T, seed uint64) *bench {
	dir := t.TempDir()
	b := &bench{
		T: t, program: program(t, dir), journal: filepath.Join(dir, "journal.db"), chance: rand.New(rand.NewPCG(seed, 0)),
		closed: map[string]job.Decision{},
	}
	var err error
	name := os.Getenv("REBOUND_CRASH_LOG") // keeps what the loops have logged
	if name == "" {
		name = filepath.Join(dir, "run.log")
	}
	if b.log, err = os.Create(name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.log.Close() })
	b.serve(seed)
	if b.twin, err = live.DialTwin(t.Context(), b.url, "twin"); err != nil {
		t.Fatal(err)
	}
	o := b.observe()
	b.job = o.Job
	b.initial, _ = o.Knobs()
	return b
}

// program is what is tested: REBOUND, or built here.
func program(t *testing.T, dir string) string {
	if p := os.Getenv("REBOUND"); p != "" {
		return p
	}
	p := filepath.Join(dir, "rebound")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", p, "rebound/cmd/rebound").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return p
}

// serve runs the simulation until the test ends.
func (b *bench) serve(seed uint64) {
	b.Helper()
	c := exec.CommandContext(b.Context(), b.program, "twin", "serve", "testdata/week.yaml", "--speed", "max", "--seed", strconv.FormatUint(seed, 10))
	c.Stderr = b.log
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Process.Kill(); c.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("the simulation does not begin: %v", err)
	}
	b.url = strings.TrimSpace(line)
}

// observe looks at the job; a JobManager that is down is waited for.
func (b *bench) observe() job.Observation {
	b.Helper()
	var err error
	for range 200 {
		var o job.Observation
		if o, err = b.twin.Observe(b.Context()); err == nil {
			return o
		}
		b.wait(5 * time.Second)
	}
	b.Fatal(err)
	return job.Observation{}
}

// wait lets simulated time pass.
func (b *bench) wait(d time.Duration) {
	b.Helper()
	if err := b.twin.Wait(b.Context(), d); err != nil {
		b.Fatal(err)
	}
}

// now is the simulation's time.
func (b *bench) now() time.Time {
	b.wait(0)
	return b.twin.Now()
}

// loop is one run of the loop.
type loop struct {
	*exec.Cmd
	ended chan error
	log   *bytes.Buffer
	from  time.Time
	full  bool // its disk
}

// start begins a loop on the same journal.
func (b *bench) start(extra ...string) *loop {
	b.Helper()
	args := append([]string{"run", "--policy", "testdata/policy.yaml", "--world", "twin", "--url", b.url, "--journal", b.journal}, extra...)
	l := &loop{Cmd: exec.Command(b.program, args...), ended: make(chan error, 1), log: &bytes.Buffer{}, from: b.now(), full: len(extra) > 0}
	l.Stderr = l.log
	if err := l.Start(); err != nil {
		b.Fatal(err)
	}
	go func() { l.ended <- l.Wait() }()
	b.Cleanup(func() { l.Process.Kill() })
	return l
}

// over waits for a loop that was told to end.
func (b *bench) over(l *loop) error {
	err := <-l.ended
	if !l.full {
		b.alive = append(b.alive, span{l.from, b.now()})
	}
	fmt.Fprintf(b.log, "== %v to %v: %v\n%s", l.from, b.now(), err, l.log)
	return err
}

func (b *bench) kill(l *loop) {
	l.Process.Signal(syscall.SIGKILL)
	b.over(l)
}

// decisions of the job, newest first. The journal is there once a loop has run.
func (b *bench) decisions() []job.Decision {
	b.Helper()
	if b.look == nil {
		if _, err := os.Stat(b.journal); err != nil {
			return nil
		}
		j, err := store.OpenReadOnly(b.Context(), b.journal)
		if err != nil {
			b.Fatalf("the journal cannot be opened: %v", err)
		}
		b.Cleanup(func() { j.Close() })
		b.look = j
	}
	all, err := b.look.Decisions(b.Context(), b.job, 0)
	if err != nil {
		b.Fatalf("the journal cannot be read: %v", err)
	}
	return all
}

// open tells whether a change is under way.
func (b *bench) open() bool {
	b.Helper()
	if b.look == nil {
		b.decisions()
		return false
	}
	all, err := b.look.OpenDecisions(b.Context(), b.job)
	if err != nil {
		b.Fatalf("the journal cannot be read: %v", err)
	}
	for _, d := range all {
		if d.Kind != job.Pace {
			return true
		}
	}
	return false
}

// hold takes the journal's lock for a while of real time, as a backup that reads
// from a slow disk does.
func (b *bench) hold(ctx context.Context, d time.Duration) {
	db, err := sql.Open("sqlite", "file:"+b.journal+"?_pragma=busy_timeout(10000)")
	if err != nil {
		b.Error(err)
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return // the loop was killed, or writes without end
	}
	time.Sleep(d) // what is tested is real waiting
	db.ExecContext(ctx, "ROLLBACK")
}
