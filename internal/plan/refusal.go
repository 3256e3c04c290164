package plan

import "rebound/internal/job"

// Refusal is a change that a world would not make.
type Refusal struct {
	From job.Knobs `json:"from"` // what the job had
	Want job.Knobs `json:"want"` // what it was refused
}

// Covers says whether k asks for at least as much of something that may have been
// why: a world says in words of its own what it does not allow, so that each
// resource of a TaskManager that was to change is suspected, and the number of
// TaskManagers where nothing else was.
func (r Refusal) Covers(k job.Knobs) bool {
	if r.From.CPUCores == r.Want.CPUCores && r.From.MemoryBytes == r.Want.MemoryBytes {
		return beyond(float64(r.From.TaskManagers()), float64(r.Want.TaskManagers()), float64(k.TaskManagers()))
	}
	return beyond(r.From.CPUCores, r.Want.CPUCores, k.CPUCores) || beyond(r.From.MemoryBytes, r.Want.MemoryBytes, k.MemoryBytes)
}

// beyond says whether v lies as far from what was as want does, or farther.
func beyond(was, want, v float64) bool {
	return want > was && v >= want || want < was && v <= want
}

// refused says whether the world has lately refused as much as c.
func (f *frame) refused(c *candidate) bool {
	for _, r := range f.in.Refused {
		if r.Covers(c.knobs) {
			return true
		}
	}
	return false
}
