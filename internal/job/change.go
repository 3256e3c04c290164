package job

import (
	"fmt"
	"slices"
)

// Way is how a job gets other settings.
type Way string

// The ways, from the least disruptive.
const (
	InPlace   Way = "in_place"   // the scheduler rescales: tasks restart from the last checkpoint
	Savepoint Way = "savepoint"  // stop with a savepoint, start anew; impossible under overload
	LastState Way = "last_state" // start anew from the last checkpoint
)

// Change asks a world for other settings. Its ID makes it idempotent: a world
// that has accepted it once does nothing the second time.
type Change struct {
	ID   string   `json:"id"`
	Job  Identity `json:"job"`
	Want Settings `json:"want"`
	Way  Way      `json:"way"`
}

// Knob names one setting that a planner may turn.
type Knob string

// The five knobs.
const (
	KnobInterval    Knob = "checkpointInterval"
	KnobParallelism Knob = "parallelism"
	KnobSlots       Knob = "slots"
	KnobCPU         Knob = "cpu"
	KnobMemory      Knob = "memory"
)

// Capabilities are what a world can do with a job.
type Capabilities struct {
	Ways     []Way        `json:"ways"`
	Restart  map[Knob]Way `json:"-"` // the least disruptive way to turn each knob; a knob that is not here cannot be turned
	Pacing   bool         `json:"pacing"`
	Drills   bool         `json:"drills"`
	Profiles bool         `json:"profiles"` // copies of the job can be run to measure settings
}

// WayFor is the least disruptive way from one set of knobs to another; false
// where one that differs cannot be turned, and the way is empty where none does.
func (c Capabilities) WayFor(from, to Knobs) (Way, bool) {
	worst, order := Way(""), []Way{"", InPlace, Savepoint, LastState}
	for knob, differs := range map[Knob]bool{
		KnobInterval:    from.IntervalSeconds != to.IntervalSeconds,
		KnobParallelism: from.Parallelism != to.Parallelism,
		KnobSlots:       from.Slots != to.Slots,
		KnobCPU:         from.CPUCores != to.CPUCores,
		KnobMemory:      from.MemoryBytes != to.MemoryBytes,
	} {
		if !differs {
			continue
		}
		way, ok := c.Restart[knob]
		if !ok {
			return "", false
		}
		if slices.Index(order, way) > slices.Index(order, worst) {
			worst = way
		}
	}
	return worst, true
}

// UnmarshalText accepts the names of the ways.
func (w *Way) UnmarshalText(b []byte) error {
	if !slices.Contains([]Way{InPlace, Savepoint, LastState}, Way(b)) {
		return fmt.Errorf("way %q: want %s, %s or %s", b, InPlace, Savepoint, LastState)
	}
	*w = Way(b)
	return nil
}
