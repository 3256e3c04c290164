package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/store"
)

// request are the flags of the commands that ask a running daemon for something,
// through the journal that both have open.
type request struct {
	output  `embed:""`
	journal `embed:""`
	Wait    bool `help:"Wait until the daemon has answered."`
}

type pauseCmd struct {
	request `embed:""`
	Job     string        `help:"Which job, by name or as CLUSTER/NAMESPACE/NAME; the only one if it is left out." placeholder:"NAME"`
	For     time.Duration `help:"Resume by itself after this long." placeholder:"DURATION"`
}

func (pauseCmd) Help() string {
	return `Asks the daemon to change nothing until it is resumed. It goes on looking and
scoring; a change that is under way is still verified.

  rebound pause --for 2h
  rebound pause --job views --wait`
}

func (c *pauseCmd) Validate() error {
	if c.For < 0 {
		return fmt.Errorf("--for=%v: want more than 0, such as 2h", c.For)
	}
	return nil
}

func (c *pauseCmd) Run(e *env) error {
	r := job.Request{Verb: job.PauseRequest}
	if c.For > 0 {
		r.Until = time.Now().Add(c.For)
	}
	return c.of(e, r, c.Job)
}

type resumeCmd struct {
	request `embed:""`
	Job     string `help:"Which job, by name or as CLUSTER/NAMESPACE/NAME; the only one if it is left out." placeholder:"NAME"`
}

func (c *resumeCmd) Run(e *env) error { return c.of(e, job.Request{Verb: job.ResumeRequest}, c.Job) }

type approveCmd struct {
	request `embed:""`
	ID      string `arg:"" help:"The decision that waits, from rebound history --state waiting."`
	Deny    bool   `help:"Say no instead."`
}

func (approveCmd) Help() string {
	return `Answers a decision that waits for approval (policy: approval: {manual: true}).

  rebound history --state waiting
  rebound approve 01hq3v8k2b7d5ma --wait`
}

func (c *approveCmd) Run(e *env) error {
	verb := job.ApproveRequest
	if c.Deny {
		verb = job.DenyRequest
	}
	return c.about(e, verb, c.ID, func(d job.Decision) error {
		if d.State != job.Waiting {
			return fmt.Errorf("decision %s does not wait for approval, it is %s", d.ID, d.State)
		}
		return nil
	})
}

type rollbackCmd struct {
	request `embed:""`
	ID      string `arg:"" help:"The decision to take back, from rebound history."`
}

func (rollbackCmd) Help() string {
	return `Asks the daemon to bring back the settings from before a decision, as a decision of
its own, with its guards.

  rebound rollback 01hq3v8k2b7d5ma --wait`
}

func (c *rollbackCmd) Run(e *env) error {
	return c.about(e, job.RollBackRequest, c.ID, func(d job.Decision) error {
		if d.State != job.Verified && d.State != job.Applying {
			return fmt.Errorf("decision %s is %s: only one that was applied can be taken back", d.ID, d.State)
		}
		if d.Kind == job.Pace {
			return fmt.Errorf("decision %s only changed the pace of checkpoints, which has no way back: rebound pause ends pacing", d.ID)
		}
		return nil
	})
}

// about asks for something that concerns a decision, once it fits.
func (c *request) about(e *env, verb job.RequestVerb, id string, fits func(job.Decision) error) error {
	var d job.Decision
	err := c.looking(e.ctx, func(j *store.Journal) (err error) {
		d, err = oneDecision(e.ctx, j, id)
		return err
	})
	if err == nil {
		err = fits(d)
	}
	if err != nil {
		return err
	}
	return c.ask(e, job.Request{Verb: verb, Job: d.Job, Decision: d.ID})
}

// of asks for something that concerns a job.
func (c *request) of(e *env, r job.Request, name string) error {
	err := c.looking(e.ctx, func(j *store.Journal) (err error) {
		if r.Job, err = oneJob(e.ctx, j, name); err != nil || r.Until.IsZero() {
			return err
		}
		return sameClock(e.ctx, j, r.Job)
	})
	if err != nil {
		return err
	}
	return c.ask(e, r)
}

// sameClock refuses a time for a loop that runs by another clock, a simulation's,
// or that has not looked for a day.
func sameClock(ctx context.Context, j *store.Journal, id job.Identity) error {
	last, err := j.Windows(ctx, store.Query{Identity: &id, Limit: 1})
	if err != nil || len(last) == 0 {
		return err
	}
	if off := time.Since(last[0].To); off.Abs() > oneDay {
		return fmt.Errorf("the loop of %s last looked at %s by its own clock: pause without --for, and resume it later", id, last[0].To.UTC().Format(time.RFC3339))
	}
	return nil
}

const oneDay = 24 * time.Hour

// looking reads the journal first: what is asked for must exist in it.
func (c *request) looking(ctx context.Context, f func(*store.Journal) error) error {
	j, err := c.look(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(j), j.Close())
}

// ask writes the request into the journal that the daemon reads.
func (c *request) ask(e *env, r job.Request) (err error) {
	j, err := c.journal.write(e.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	r.By, r.At = os.Getenv("USER"), time.Now()
	if r.ID, err = j.AddRequest(e.ctx, r); err != nil {
		return err
	}
	if c.Wait {
		if r, err = answered(e, j, r.ID); err != nil {
			return err
		}
	}
	return c.output.write(e.stdout, view{
		doc:   api.Request{Header: api.NewHeader("Request"), Request: r},
		table: func(w io.Writer) error { return requestTable(w, r) },
		rows: func() [][]string {
			return [][]string{{"id", "job", "verb", "decision", "answer"}, {r.ID, r.Job.String(), string(r.Verb), r.Decision, r.Answer}}
		},
	})
}

// pollRequests is how often the journal is asked for an answer: the daemon looks
// every few seconds.
const pollRequests = 500 * time.Millisecond

func answered(e *env, j *store.Journal, id string) (job.Request, error) {
	p := newProgress(e.stderr)
	defer p.clear()
	p.step("waiting for the daemon …")
	for {
		r, err := j.Request(e.ctx, id)
		if err != nil || !r.DoneAt.IsZero() {
			return r, err
		}
		select {
		case <-e.ctx.Done():
			return r, fmt.Errorf("no answer to request %s yet, it stays in the journal: %w", id, e.ctx.Err())
		case <-time.After(pollRequests):
		}
	}
}

func requestTable(w io.Writer, r job.Request) error {
	if r.Answer != "" {
		wrap(w, upper(r.Answer), "")
		return nil
	}
	text := fmt.Sprintf("Asked for %s of %s (request %s). The daemon answers at its next look, within 15 s where one runs.", r.Verb, r.Job, r.ID)
	if r.Decision != "" {
		text += " See: rebound explain " + r.Decision
	}
	wrap(w, text, "")
	return nil
}

// oneDecision finds a decision, and says where to look for its ID.
func oneDecision(ctx context.Context, j *store.Journal, id string) (job.Decision, error) {
	d, err := j.Decision(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return d, fmt.Errorf("no decision %s in the journal: rebound history lists them", id)
	}
	return d, err
}
