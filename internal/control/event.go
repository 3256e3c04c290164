package control

import (
	"time"

	"rebound/internal/job"
)

// Event is one thing that happened, for people and surfaces.
type Event struct {
	At       time.Time    `json:"at"` // our clock
	Job      job.Identity `json:"job"`
	Kind     EventKind    `json:"kind"`
	Text     string       `json:"text"` // one sentence
	Decision string       `json:"decision,omitempty"`
}

// EventKind says what an event is about.
type EventKind string

// What can happen.
const (
	Observed     EventKind = "observed"     // the minute, in short
	Outage       EventKind = "outage"       // the job went down
	Recovered    EventKind = "recovered"    // predicted against measured
	Decided      EventKind = "decided"      // a change was decided, recommended or refused
	Applied      EventKind = "applied"      // the world accepted a change
	Paced        EventKind = "paced"        // the pace of checkpoints changed
	Checkpoint   EventKind = "checkpoint"   // one was asked for
	Verified     EventKind = "verified"     // a change did as predicted
	Unsuccessful EventKind = "unsuccessful" // a change failed or was dropped
	RolledBack   EventKind = "rolled_back"  // a change was taken back
	Answered     EventKind = "answered"     // a request of a user
	Profiled     EventKind = "profiled"     // a copy of the job was started or has ended, or why none is
	Warned       EventKind = "warned"       // something to look at
)

// warn tells of something that goes on, once until it is over or says something
// else. What the world cannot do is no error of the loop.
func (l *Loop) warn(what, text string) {
	if l.warned == nil {
		l.warned = map[string]string{}
	}
	if l.warned[what] != text && text != "" {
		l.tell(Warned, "", text)
	}
	l.warned[what] = text
}

func (l *Loop) tell(kind EventKind, decision, text string) {
	if l.Tell != nil {
		l.Tell(Event{At: l.now, Job: l.job, Kind: kind, Text: text, Decision: decision})
	}
}
