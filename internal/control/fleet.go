package control

import (
	"fmt"
	"sync"

	"rebound/internal/job"
)

// Fleet is what the loops of one process share: how many jobs change at a time.
// The zero value is ready to use. Its methods may be called concurrently.
type Fleet struct {
	mu       sync.Mutex
	changing map[job.Identity]bool
}

// others counts the jobs beside id that are being changed.
func (f *Fleet) others(id job.Identity) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for other := range f.changing {
		if other != id {
			n++
		}
	}
	return n
}

// enter notes that id is being changed, unless most others are; 0: no bound.
func (f *Fleet) enter(id job.Identity, most int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.changing)
	if f.changing[id] {
		n--
	}
	if most > 0 && n >= most {
		return false
	}
	if f.changing == nil {
		f.changing = map[job.Identity]bool{}
	}
	f.changing[id] = true
	return true
}

// leave notes that id is at rest.
func (f *Fleet) leave(id job.Identity) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.changing, id)
}

// fleetGuard bounds how many jobs change at a time: what is wrong about a change
// is then wrong for few.
type fleetGuard struct{}

func (fleetGuard) name() string { return "blast_radius" }

func (fleetGuard) ask(a *asking) (job.Word, string) {
	most, n := a.policy.Budget.JobsAtOnce, a.fleet.others(a.look.obs.Job)
	if most > 0 && n >= most {
		return job.No, fmt.Sprintf("%d other jobs are being changed, %d at a time may be", n, most)
	}
	return job.Yes, fmt.Sprintf("%d other jobs are being changed", n)
}
