package job

import "time"

// Decision is one answer to "should something be done", with all that led to it.
// It is in the journal before anything is done and is closed once.
type Decision struct {
	ID       string    `json:"id"`
	Job      Identity  `json:"job"`
	At       time.Time `json:"at"`        // our clock
	ServerAt time.Time `json:"server_at"` // the JobManager's
	Kind     Kind      `json:"decision"`

	Seen     Seen        `json:"seen"`
	Proposed Plan        `json:"proposed"`
	Guards   []GuardWord `json:"guards"` // in the order in which they were asked
	Applied  *Change     `json:"applied,omitempty"`
	// Previous are the settings to go back to.
	Previous Settings `json:"previous"`
	Mode     Mode     `json:"mode"`

	PredictionIDs []string      `json:"prediction_ids"`
	State         DecisionState `json:"state"`
	Outcome       string        `json:"outcome,omitempty"` // in words
	ClosedAt      time.Time     `json:"closed_at,omitzero"`
	// RollsBack is the decision that this one takes back.
	RollsBack string `json:"rolls_back,omitempty"`
}

// Kind of a decision.
type Kind string

// What a decision is about.
const (
	Reconfigure Kind = "reconfigure"
	RollBack    Kind = "roll_back"
	// Pace is one change of the pace of checkpoints, not one checkpoint.
	Pace Kind = "pace"
)

// Mode is how far Rebound goes.
type Mode string

// From looking on to acting.
const (
	ModeObserve   Mode = "observe"
	ModeRecommend Mode = "recommend"
	ModePace      Mode = "pace"
	ModeApply     Mode = "apply"
)

// DecisionState says where a decision stands. All but the first three are closed.
type DecisionState string

// The life of a decision.
const (
	Open     DecisionState = "open"     // written, perhaps applied: a crash may have come between
	Applying DecisionState = "applying" // the world has accepted the change
	Waiting  DecisionState = "waiting"  // for approval

	Verified    DecisionState = "verified"    // applied, and the job does as predicted
	RolledBack  DecisionState = "rolled_back" // applied, found wanting, taken back
	Failed      DecisionState = "failed"      // the world could not do it; the job is as before
	Refused     DecisionState = "refused"     // by a guard
	Dropped     DecisionState = "dropped"     // the picture changed before it was applied
	Recommended DecisionState = "recommended" // said, not done, as the mode wants it
)

// Closed says whether nothing more is to come.
func (s DecisionState) Closed() bool { return s != Open && s != Applying && s != Waiting }

// Seen is what a decision rests on, in short; the journal has the window.
type Seen struct {
	Knobs         Knobs    `json:"knobs"`
	RatePerSecond *float64 `json:"rate_per_second,omitempty"`
	LagRecords    *float64 `json:"lag_records,omitempty"`
	Utilization   *float64 `json:"utilization,omitempty"`
	// Quantities are what the model had learned.
	Quantities []Quantity `json:"quantities"`
	Lacks      []Lack     `json:"lacks"`
	InputHash  string     `json:"input_hash"` // of the window of observations
	Seed       uint64     `json:"seed"`
}

// Word is what a guard says.
type Word string

// A guard lets pass, stops, or makes the proposal smaller.
const (
	Yes   Word = "yes"
	No    Word = "no"
	Trims Word = "trims"
)

// GuardWord is one guard's word.
type GuardWord struct {
	Guard  string `json:"guard"`
	Word   Word   `json:"word"`
	Reason string `json:"reason"`
}

// Request is what a user asks a running daemon for, through the journal.
type Request struct {
	ID   string      `json:"id"`
	Job  Identity    `json:"job"`
	At   time.Time   `json:"at"`
	Verb RequestVerb `json:"verb"`
	// Decision that is approved, denied or rolled back.
	Decision string    `json:"decision,omitempty"`
	Until    time.Time `json:"until,omitzero"` // of a pause; zero: until resumed
	By       string    `json:"by,omitempty"`
	Answer   string    `json:"answer,omitempty"` // what became of it
	DoneAt   time.Time `json:"done_at,omitzero"`
}

// RequestVerb says what is asked for.
type RequestVerb string

// What can be asked for.
const (
	PauseRequest    RequestVerb = "pause"
	ResumeRequest   RequestVerb = "resume"
	ApproveRequest  RequestVerb = "approve"
	DenyRequest     RequestVerb = "deny"
	RollBackRequest RequestVerb = "rollback"
)
