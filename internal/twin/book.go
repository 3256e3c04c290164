package twin

import "rebound/internal/job"

// book keeps what reports need.
type book struct {
	failing  int // recoveries from failures that are open
	failures []Recovery
	planned  []Recovery

	calm, disturbed, visible Histogram

	coresPerStep, gibPerStep float64 // core-hours and GiB-hours
	coreHours, gibHours      float64
	profiling                Usage
	checkpoints              Checkpoints
	changes                  Changes
	minutes                  series
}

// Usage of resources.
type Usage struct {
	CPUCoreHours   float64 `json:"cpu_core_hours"`
	MemoryGiBHours float64 `json:"memory_gib_hours"`
}

// Cost in money.
func (u Usage) Cost(p job.Prices) float64 {
	return p.CPUHour*u.CPUCoreHours + p.GiBHour*u.MemoryGiBHours
}

// Checkpoints counts them.
type Checkpoints struct {
	Periodic  int `json:"periodic"`  // triggered by the configured interval
	Requested int `json:"requested"` // triggered from outside
	Completed int `json:"completed"` // of both, and savepoints
	Failed    int `json:"failed"`
}

// Changes counts changes of settings.
type Changes struct {
	InPlace  int `json:"in_place"`
	Redeploy int `json:"redeploy"`
	Failed   int `json:"failed"`
}

func (b *book) begin(step float64) { b.minutes = newSeries(step) }

// price says what a step costs from now on.
func (b *book) price(t *Twin) {
	hours := t.step / 3600
	jm := job.TaskManagerResources{CPUCores: &t.s.JobManager.CPUCores, MemoryBytes: new(t.s.JobManager.MemoryGiB * job.GiB)}
	b.coresPerStep = t.knobs.Cores(jm) * hours
	b.gibPerStep = t.knobs.GiBs(jm) * hours
	if n := float64(t.s.Restart.Spares); n > 0 {
		b.coresPerStep += n * t.knobs.CPUCores * hours
		b.gibPerStep += n * t.knobs.MemoryBytes / job.GiB * hours
	}
}

func (b *book) step(t *Twin, w work) {
	b.coreHours += b.coresPerStep
	b.gibHours += b.gibPerStep
	b.minutes.step(t, w)
}

func (b *book) triggered(periodic bool) {
	if periodic {
		b.checkpoints.Periodic++
	} else {
		b.checkpoints.Requested++
	}
}

func (b *book) changed(way job.Way) {
	if way == job.InPlace {
		b.changes.InPlace++
	} else {
		b.changes.Redeploy++
	}
}

// closed files a recovery that has come to its end.
func (b *book) closed(r *Recovery) {
	if r.Failure == "" {
		b.planned = append(b.planned, *r)
		return
	}
	b.failing--
	b.failures = append(b.failures, *r)
}
