package plan

import (
	"math"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/policy"
	"rebound/internal/recovery"
)

// formula is a job whose behavior is a formula: capacity n·unit·c^0.9·m/(m + ¼) with
// no more than 1.2 cores a slot, restores of state in parallel.
type formula struct {
	unit   float64 // records/s of one core
	width  float64 // relative spread of capacity
	down   float64 // relative spread of phases
	fixed  [4]float64
	state  float64 // s to read the state with one TaskManager
	change map[job.Way]float64
}

func (l *formula) Behavior(k job.Knobs) learn.Behavior {
	n := float64(k.TaskManagers())
	m := k.MemoryBytes / job.GiB
	c := math.Pow(math.Min(k.CPUCores, 1.2*float64(k.Slots)), 0.9) * m / (m + 0.25)
	mu := l.unit * c * n * math.Pow(0.985, n-1)
	some := func(v, width float64) recovery.Uncertain { return recovery.Uncertain{Median: v, Spread: v * width} }
	down := func(v [4]float64, cold bool) learn.Downtime {
		d := learn.Downtime{Cold: cold, Samples: 5, Source: job.Measured}
		for i := range v {
			d.Phases[i] = some(v[i], l.down)
		}
		return d
	}
	restore := l.fixed[3] + l.state/n
	b := learn.Behavior{
		Capacity: some(mu, l.width), Duration: some(4+2/n, 0.1), Loss: some(0.3, 0.1),
		Cold: learn.Warmup{Start: some(0.5, 0.1), Tau: some(12, 0.2)}, Warm: learn.Warmup{Start: some(0.5, 0.1), Tau: some(12, 0.2)},
		Down: map[job.Failure]learn.Downtime{
			job.TaskFailure:    down([4]float64{0.05, l.fixed[1], 0, restore}, false),
			job.ProcessFailure: down([4]float64{l.fixed[0], l.fixed[1], l.fixed[2], restore}, true),
			job.NodeFailure:    down([4]float64{20, l.fixed[1], l.fixed[2], restore}, true),
		},
		Change:      map[job.Way]learn.Downtime{},
		LatencyBase: some(0.2, 0.1), LatencyQueue: some(0.3, 0.1),
	}
	for w, v := range l.change {
		b.Change[w] = down([4]float64{0, 0, v, restore}, w != job.InPlace)
	}
	return b
}

// reference is the job of the twin's reference scenarios, known to some percent.
func reference() *formula {
	return &formula{
		unit: 8000, width: 0.04, down: 0.1, fixed: [4]float64{2, 1, 12, 6}, state: 102,
		change: map[job.Way]float64{job.InPlace: 3, job.Savepoint: 25, job.LastState: 25},
	}
}

// exact is a job of which everything is known and whose checkpoints are short and
// free: R = (T_d + ρA)/(1 − ρ) to the digit.
type exact struct{ capacity, down, duration float64 }

func (l exact) Behavior(job.Knobs) learn.Behavior {
	d := learn.Downtime{Phases: [4]recovery.Uncertain{3: recovery.Exactly(l.down)}, Source: job.Measured}
	return learn.Behavior{
		Capacity: recovery.Exactly(l.capacity), Duration: recovery.Exactly(l.duration),
		Down:   map[job.Failure]learn.Downtime{job.TaskFailure: d, job.ProcessFailure: d},
		Change: map[job.Way]learn.Downtime{job.InPlace: d, job.Savepoint: d, job.LastState: d},
	}
}

// everyWay turns the parallelism in place and all else anew.
func everyWay() job.Capabilities {
	return job.Capabilities{
		Ways: []job.Way{job.InPlace, job.Savepoint, job.LastState},
		Restart: map[job.Knob]job.Way{
			job.KnobInterval: job.Savepoint, job.KnobParallelism: job.InPlace, job.KnobSlots: job.Savepoint,
			job.KnobCPU: job.Savepoint, job.KnobMemory: job.Savepoint,
		},
	}
}

// referenceInput is the reference job at some load.
func referenceInput(load Load) Input {
	return Input{
		Now: job.Knobs{IntervalSeconds: 30, Parallelism: 16, Slots: 2, CPUCores: 2, MemoryBytes: 2 * job.GiB},
		Policy: policy.Policy{
			RecoveryTime: 180 * time.Second, Risk: 0.01, Failures: []job.Failure{job.ProcessFailure}, Utilization: 0.9,
			Mode: job.ModeRecommend, Prices: job.DefaultPrices(), DisruptionWeight: 10,
			Knobs: policy.Knobs{
				CheckpointInterval: policy.Range{Min: 5, Max: 120}, Parallelism: policy.Range{Min: 2, Max: 24},
				Slots: policy.Range{Min: 1, Max: 4}, CPU: policy.Range{Min: 1, Max: 3},
				Memory: policy.Range{Min: job.GiB, Max: 4 * job.GiB},
			},
			Budget: policy.Budget{RestartsPerDay: 8, CheckpointsPerMinute: 6},
			Limits: policy.Limits{StepRatio: 4},
		},
		Model: reference(), Load: load, World: everyWay(), Partitions: 24, Seed: 7,
	}
}

// flat is a load that stays, known to a relative width for all time.
func flat(rate, width float64) Load { return wave(rate, 1, width, func(float64) float64 { return 1 }) }

// wave is a load of some hours: rate times shape of the hour, in steps of a minute.
func wave(rate, hours, width float64, shape func(hour float64) float64) Load {
	ranks := []float64{0.05, 0.25, 0.5, 0.75, 0.95}
	l := Load{Step: 60, Quantiles: ranks, Paths: make([][]float64, len(ranks)), Members: []string{"shape"}, Now: rate * shape(0)}
	for i := range int(hours * 60) {
		v := rate * shape(float64(i)/60)
		l.Mean = append(l.Mean, v)
		for q, p := range ranks {
			l.Paths[q] = append(l.Paths[q], v*math.Exp(width*quantileZ(p)))
		}
	}
	return l
}

// day is a daily load: peak twice its mean in the middle of the day, seen from an
// hour of it on.
func day(mean, from float64) Load {
	return wave(mean, 24, 0.03, func(h float64) float64 {
		x := 2 * math.Pi * (h + from) / 24
		return 1 - 0.85*math.Cos(x) + 0.15*math.Cos(2*x)
	})
}
