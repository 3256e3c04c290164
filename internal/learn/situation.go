package learn

// Situation is what a job is going through while it is looked at. Who looks knows
// it; what may be learned from a look depends on it.
type Situation string

// Calm is the steady state: running, with no more backlog than is usual. In the
// others the job is down after a failure, works off a backlog, is being changed,
// or cannot be seen well enough to tell.
const (
	Calm       Situation = "calm"
	Down       Situation = "down"
	CatchingUp Situation = "catching_up"
	Changing   Situation = "changing"
	Blind      Situation = "blind"
)
