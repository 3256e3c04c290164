package hazard

import (
	"fmt"

	"rebound/internal/job"
)

// noSpareSlots: after the loss of a TaskManager the job waits for a new process.
func noSpareSlots(s sight) []job.Hazard {
	used := s.slotsUsed()
	free := 0
	for _, t := range s.TaskManagers {
		free += t.FreeSlots
	}
	for _, t := range s.TaskManagers {
		// Its own free slots are lost with it.
		if left := free - t.FreeSlots; used[t.ID] > left {
			return one("no-spare-slots", job.Medium,
				fmt.Sprintf("Losing TaskManager %s takes %s of this job and leaves %d free elsewhere: recovery waits for a new process or host.", clip(t.ID), plural(used[t.ID], "slot"), left),
				fmt.Sprintf("Run another TaskManager, or, where Flink starts them, set slotmanager.redundant-taskmanager-num: 1; %s must be free.", plural(used[t.ID]-left, "more slot")))
		}
	}
	return nil
}

// slotsUsed is how many slots the job holds on each TaskManager: subtasks of
// different vertices share one, so it is the most of any vertex, a lower bound
// where slot sharing groups keep them apart.
func (s sight) slotsUsed() map[string]int {
	used := map[string]int{}
	for _, v := range s.Vertices {
		here := map[string]int{}
		for _, t := range v.Subtasks {
			if t.TaskManager != "" {
				here[t.TaskManager]++
			}
		}
		for id, n := range here {
			used[id] = max(used[id], n)
		}
	}
	return used
}
