package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/goccy/go-yaml"

	"rebound/internal/job"
)

// writePatch writes what a plan changes as a merge patch of the FlinkDeployment of
// Flink's Kubernetes operator (v1beta1), for a repository or kubectl patch.
func writePatch(w io.Writer, p job.Plan) error {
	spec := yaml.MapSlice{}
	add := func(to *yaml.MapSlice, key string, value any) {
		*to = append(*to, yaml.MapItem{Key: key, Value: value})
	}
	var options, resource yaml.MapSlice
	if p.Now.IntervalSeconds != p.Want.IntervalSeconds {
		add(&options, "execution.checkpointing.interval", strconv.FormatInt(int64(math.Round(p.Want.IntervalSeconds*1000)), 10)+" ms")
	}
	if p.Now.Slots != p.Want.Slots {
		add(&options, "taskmanager.numberOfTaskSlots", strconv.Itoa(p.Want.Slots))
	}
	if len(options) > 0 {
		add(&spec, "flinkConfiguration", options)
	}
	if p.Now.Parallelism != p.Want.Parallelism {
		add(&spec, "job", yaml.MapSlice{{Key: "parallelism", Value: p.Want.Parallelism}})
	}
	if p.Now.CPUCores != p.Want.CPUCores {
		add(&resource, "cpu", p.Want.CPUCores)
	}
	if p.Now.MemoryBytes != p.Want.MemoryBytes {
		// The operator reads m as Flink does: mebibytes.
		add(&resource, "memory", fmt.Sprintf("%.0fm", math.Ceil(p.Want.MemoryBytes/(1<<20))))
	}
	if len(resource) > 0 {
		add(&spec, "taskManager", yaml.MapSlice{{Key: "resource", Value: resource}})
	}
	if len(spec) == 0 {
		_, err := fmt.Fprintf(w, "# %s: nothing to change\n{}\n", p.Job)
		return err
	}
	b, err := yaml.Marshal(yaml.MapSlice{{Key: "spec", Value: spec}})
	if err != nil {
		return fmt.Errorf("write the patch: %w", err)
	}
	_, err = fmt.Fprintf(w, "# %s: kubectl patch flinkdeployment NAME --type merge --patch-file FILE\n%s", p.Job, b)
	return err
}
