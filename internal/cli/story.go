package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"rebound/internal/drill"
	"rebound/internal/job"
)

// story tells a drill as it happens: a line for each thing that has come about
// and, on a terminal, one that moves while the job catches up.
type story struct {
	w      io.Writer
	moving *progress
	worst  float64 // greatest lateness so far, s
}

func newStory(w io.Writer) *story { return &story{w: w, moving: newProgress(w)} }

func (s *story) title(text string) { s.line(text) }

func (s *story) line(format string, args ...any) {
	s.moving.clear()
	fmt.Fprintf(s.w, format+"\n", args...)
}

func (s *story) event(e drill.Event) {
	switch e.Kind {
	case drill.Watching, drill.Waiting, drill.Healing, drill.Auditing:
		s.moving.step(e.Text + " …")
	case drill.Predicted:
		s.predicted(e)
	case drill.Injected:
		s.worst = 0
		s.line("%8s  %-9s %s", "0.0 s", "failure", e.Text)
	case drill.Lateness:
		s.worst = max(s.worst, *e.LatenessSeconds)
		s.moving.step(fmt.Sprintf("%8s  output is %s late %s", short(e.Seconds), short(*e.LatenessSeconds), bar(*e.LatenessSeconds, s.worst, 40)))
	case drill.PhaseEnded:
		s.line("%8s  %-9s %s", short(e.Seconds), phaseName(e.Phase), e.Text)
	case drill.Committed, drill.Visible:
		s.line("%8s  %-9s %s", short(e.Seconds), e.Kind, e.Text)
	case drill.Scored:
		s.line("%s", upper(e.Text))
	}
}

func (s *story) predicted(e drill.Event) {
	c := e.Prediction.Conditional
	age := ""
	if c.AgeSeconds != nil {
		age = fmt.Sprintf(", the last checkpoint being %s old", short(*c.AgeSeconds))
	}
	s.line("Predicted for a %s failure%s:", failureName(c.Failure), age)
	s.line("  %s; at a random moment %s", e.Text, orOutcome(e.Prediction.Unconditional.MedianSeconds, e.Prediction.Unconditional.Outcome))
	parts := make([]string, 0, len(c.Phases))
	for _, p := range c.Phases {
		parts = append(parts, phaseName(p.Phase)+" "+short(p.Seconds))
	}
	wrap(s.w, strings.Join(parts, ", "), "  ")
}

// bar draws v of most as blocks.
func bar(v, most float64, n int) string {
	if !(most > 0) {
		return ""
	}
	return strings.Repeat("█", min(n, int(v/most*float64(n)+0.5)))
}

// tape is a file of events, a line each.
type tape struct {
	f   *os.File
	enc *json.Encoder
	err error
}

func newTape(path string) (*tape, error) {
	if path == "" {
		return &tape{}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("record the drill: %w", err)
	}
	return &tape{f: f, enc: json.NewEncoder(f)}, nil
}

// event writes e, without what of the observation only its own machine needs.
func (r *tape) event(e drill.Event) {
	if p := e.Prediction; p != nil {
		lean := *p
		lean.Observed = job.Observation{
			Job: p.Observed.Job, At: p.Observed.At, FlinkVersion: p.Observed.FlinkVersion, Settings: p.Observed.Settings,
		}
		e.Prediction = &lean
	}
	if r.enc != nil && r.err == nil {
		r.err = r.enc.Encode(e)
	}
}

func (r *tape) close() error {
	if r.f == nil {
		return nil
	}
	if err := r.f.Close(); r.err == nil {
		r.err = err
	}
	return r.err
}
