// Package job is the vocabulary of Rebound: what a Flink job is called, how it
// is set, what is seen of it, how it fails, and what is said of its recovery.
//
// It holds plain values. Their JSON form is the one on the wire and in the
// journal: durations are seconds in fields that end in _seconds, rates end in
// _per_second, sizes in _bytes, ratios are fractions of 1. What is unknown is
// absent (a nil pointer, a zero time), never 0, −1 or NaN; what is infinite is
// said by an Outcome, never by a missing number. Lists are never null: writers
// start from empty slices.
package job

// Identity names a job across its resubmissions. Flink's own job ID changes with
// each submission: it is the incarnation, and what is learned of a job outlives it.
type Identity struct {
	Cluster   string `json:"cluster"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String joins the parts with slashes, leaving out what is empty.
func (i Identity) String() string {
	s := i.Cluster
	if i.Namespace != "" {
		s += "/" + i.Namespace
	}
	return s + "/" + i.Name
}
