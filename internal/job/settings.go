package job

import (
	"errors"
	"fmt"
)

// Settings are the five knobs of a job: checkpoint interval, parallelism, slots,
// CPU and memory. What is not known or not set is absent.
type Settings struct {
	CheckpointIntervalSeconds *float64 `json:"checkpoint_interval_seconds,omitempty"`
	// Parallelism is per vertex, as Flink rescales. Keys are vertex IDs.
	Parallelism          map[string]int       `json:"parallelism,omitempty"`
	SlotsPerTaskManager  *int                 `json:"slots_per_taskmanager,omitempty"`
	TaskManagerResources TaskManagerResources `json:"taskmanager"`
}

// TaskManagerResources are what one TaskManager process has.
type TaskManagerResources struct {
	CPUCores    *float64 `json:"cpu_cores,omitempty"`
	MemoryBytes *float64 `json:"memory_bytes,omitempty"`
}

// Validate reports everything that is wrong with s, one line a field.
func (s Settings) Validate() error {
	var errs []error
	if v := s.CheckpointIntervalSeconds; v != nil && !(*v > 0) {
		errs = append(errs, fmt.Errorf("checkpoint_interval_seconds: %v, want more than 0", *v))
	}
	for id, n := range s.Parallelism {
		if n < 1 {
			errs = append(errs, fmt.Errorf("parallelism of %s: %d, want at least 1", id, n))
		}
	}
	if v := s.SlotsPerTaskManager; v != nil && *v < 1 {
		errs = append(errs, fmt.Errorf("slots_per_taskmanager: %d, want at least 1", *v))
	}
	if v := s.TaskManagerResources.CPUCores; v != nil && !(*v > 0) {
		errs = append(errs, fmt.Errorf("taskmanager.cpu_cores: %v, want more than 0", *v))
	}
	if v := s.TaskManagerResources.MemoryBytes; v != nil && !(*v > 0) {
		errs = append(errs, fmt.Errorf("taskmanager.memory_bytes: %v, want more than 0", *v))
	}
	return errors.Join(errs...)
}
