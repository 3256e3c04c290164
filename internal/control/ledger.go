package control

import (
	"encoding/json"
	"slices"
	"time"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// ledger is what the loop itself must remember: what it did and when, who told it
// to stand still, what is not to be tried again yet. It is stored as JSON.
type ledger struct {
	Restarts []time.Time `json:"restarts"`          // planned ones of the last day, oldest first
	Counted  string      `json:"counted,omitempty"` // the decision that was counted last
	Stands   float64     `json:"stands_seconds"`    // how long a choice stood lately, on average; 0: unknown
	Paused   bool        `json:"paused"`            // by a user
	Until    time.Time   `json:"paused_until,omitzero"`
	Pace     float64     `json:"pace_seconds"`      // 0: the configured interval rules
	PaceSaid float64     `json:"pace_said_seconds"` // in the last decision about it

	Holds   map[direction]hold `json:"holds"`
	Held    []heldKnobs        `json:"held"`
	Refused []refusal          `json:"refused,omitempty"` // by the world, oldest first
	Proven  []job.Knobs        `json:"proven"`            // newest last
	Scores  []recovery.Scored  `json:"scores"`            // of predictions given the age, oldest first
	// Standing are the predictions that hold, by kind of failure.
	Standing map[job.Failure]standing `json:"standing"`
	Basis    basis                    `json:"basis"`           // of them
	Whole    *whole                   `json:"whole,omitempty"` // the job as it was well last
	// Said is when a refusal was written down last, by what was said.
	Said map[string]time.Time `json:"said"`
}

// hold keeps a direction from being tried again for a while.
type hold struct {
	Until time.Time     `json:"until"`
	Last  time.Duration `json:"last"` // it doubles
}

type heldKnobs struct {
	Knobs job.Knobs `json:"knobs"`
	Until time.Time `json:"until"`
}

// standing is a prediction in the journal.
type standing struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Median float64   `json:"median_seconds"`
	P95    float64   `json:"p95_seconds"`
	Knobs  job.Knobs `json:"knobs"`
}

const (
	day        = 24 * time.Hour
	mostScores = 60 // of a job that fails every half hour, about a day
	mostProven = 8
	// standsWeight is that of the newest stretch in the average.
	standsWeight = 0.3
)

func newLedger() ledger {
	return ledger{Holds: map[direction]hold{}, Standing: map[job.Failure]standing{}, Said: map[string]time.Time{}}
}

// count notes a planned restart, once a decision.
func (g *ledger) count(id string, at time.Time) {
	if g.Counted == id {
		return
	}
	g.Counted = id
	if n := len(g.Restarts); n > 0 {
		stood := at.Sub(g.Restarts[n-1]).Seconds()
		if g.Stands == 0 {
			g.Stands = stood
		}
		g.Stands += standsWeight * (stood - g.Stands)
	}
	g.Restarts = append(g.Restarts, at)
	g.Restarts = slices.DeleteFunc(g.Restarts, func(t time.Time) bool { return at.Sub(t) > day })
}

// within counts the planned restarts of the last span.
func (g *ledger) within(now time.Time, span time.Duration) (n int) {
	for _, t := range g.Restarts {
		if now.Sub(t) < span {
			n++
		}
	}
	return n
}

// last is when the job was changed last; zero: never, as far as is known.
func (g *ledger) last() time.Time {
	if len(g.Restarts) == 0 {
		return time.Time{}
	}
	return g.Restarts[len(g.Restarts)-1]
}

// since is how long ago the last planned restart was (s); 0: there was none.
func (g *ledger) since(now time.Time) float64 {
	if last := g.last(); !last.IsZero() {
		return now.Sub(last).Seconds()
	}
	return 0
}

// paused says whether a user has asked for nothing to be changed.
func (g *ledger) paused(now time.Time) bool {
	return g.Paused && (g.Until.IsZero() || now.Before(g.Until))
}

// proved notes settings that the job has been seen to do well with.
func (g *ledger) proved(k job.Knobs) {
	g.Proven = slices.DeleteFunc(g.Proven, func(p job.Knobs) bool { return p == k })
	g.Proven = append(g.Proven, k)
	if n := len(g.Proven); n > mostProven {
		g.Proven = g.Proven[n-mostProven:]
	}
}

// heldOff are the settings that failed lately.
func (g *ledger) heldOff(now time.Time) []job.Knobs {
	g.Held = slices.DeleteFunc(g.Held, func(h heldKnobs) bool { return !now.Before(h.Until) })
	var out []job.Knobs
	for _, h := range g.Held {
		out = append(out, h.Knobs)
	}
	return out
}

// scored keeps a prediction with its outcome for the honest scale.
func (g *ledger) scored(s recovery.Scored) {
	g.Scores = append(g.Scores, s)
	if n := len(g.Scores); n > mostScores {
		g.Scores = g.Scores[n-mostScores:]
	}
}

// say tells whether something is to be written down now: not if the same was
// within every.
func (g *ledger) say(what string, now time.Time, every time.Duration) bool {
	for k, at := range g.Said {
		if now.Sub(at) >= day {
			delete(g.Said, k)
		}
	}
	if at, ok := g.Said[what]; ok && now.Sub(at) < every {
		return false
	}
	g.Said[what] = now
	return true
}

// MarshalBinary writes it as JSON.
func (g *ledger) MarshalBinary() ([]byte, error) { return json.Marshal(g) }

// UnmarshalBinary reads what MarshalBinary wrote.
func (g *ledger) UnmarshalBinary(b []byte) error {
	fresh := newLedger()
	if err := json.Unmarshal(b, &fresh); err != nil {
		return err
	}
	*g = fresh
	return nil
}
