package twin

import "time"

// Minute is what happened in a minute, or in a longer span of a long simulation.
type Minute struct {
	At        time.Time `json:"at"` // its beginning
	Seconds   float64   `json:"seconds"`
	Load      float64   `json:"load_per_second"`
	Capacity  float64   `json:"capacity_per_second"` // with checkpoints, warm-up and downtime
	Processed float64   `json:"processed_per_second"`
	Lag       float64   `json:"lag_records"` // at its end
	// Busy is the share of the time, in which the job ran, that it was busy.
	Busy            float64 `json:"busy_ratio"`
	Latency         float64 `json:"latency_seconds"` // mean of records processed for the first time; 0 if there were none
	Cores           float64 `json:"cpu_cores"`
	GiB             float64 `json:"memory_gib"`
	IntervalSeconds float64 `json:"checkpoint_interval_seconds"` // configured
	Checkpoints     int     `json:"checkpoints"`                 // completed
}

// seriesKept bounds the series: when it is full, neighbors are joined.
const seriesKept = 4096

type series struct {
	points  []Minute
	perSpan int64 // steps
	steps   int64 // of the present span
	sum     spanSum
}

type spanSum struct {
	arrived, done, fresh int64
	could, busy, active  float64
	latency              float64 // over the fresh records
	completed            int     // checkpoints before it
}

func newSeries(step float64) series {
	return series{perSpan: int64(60/step + 0.5)}
}

func (s *series) step(t *Twin, w work) {
	s.steps++
	s.sum.arrived += w.arrived
	s.sum.done += w.done
	s.sum.could += w.could
	s.sum.active += w.active
	s.sum.busy += w.busy(t.step) * t.step
	s.sum.fresh += w.fresh
	s.sum.latency += w.latency * float64(w.fresh)
	if s.steps < s.perSpan {
		return
	}
	s.points = append(s.points, s.sum.minute(t, float64(s.steps)*t.step))
	s.steps, s.sum = 0, spanSum{completed: t.book.checkpoints.Completed}
	if len(s.points) == seriesKept {
		s.join()
	}
}

func (u spanSum) minute(t *Twin, seconds float64) Minute {
	hours := t.step / 3600
	m := Minute{
		At: t.stamp(t.clock() - seconds), Seconds: seconds,
		Load: float64(u.arrived) / seconds, Processed: float64(u.done) / seconds, Capacity: u.could / seconds,
		Lag: float64(t.in - t.pos), Cores: t.book.coresPerStep / hours, GiB: t.book.gibPerStep / hours,
		IntervalSeconds: t.knobs.IntervalSeconds, Checkpoints: t.book.checkpoints.Completed - u.completed,
	}
	if u.active > 0 {
		m.Busy = u.busy / u.active
	}
	if u.fresh > 0 {
		m.Latency = u.latency / float64(u.fresh)
	}
	return m
}

// join halves the series by joining neighbors.
func (s *series) join() {
	s.perSpan *= 2
	for i := range len(s.points) / 2 {
		a, b := s.points[2*i], s.points[2*i+1]
		mean := func(x, y float64) float64 { return (x + y) / 2 }
		s.points[i] = Minute{
			At: a.At, Seconds: a.Seconds + b.Seconds, Load: mean(a.Load, b.Load), Capacity: mean(a.Capacity, b.Capacity),
			Processed: mean(a.Processed, b.Processed), Lag: b.Lag, Busy: mean(a.Busy, b.Busy), Latency: mean(a.Latency, b.Latency),
			Cores: mean(a.Cores, b.Cores), GiB: mean(a.GiB, b.GiB), IntervalSeconds: b.IntervalSeconds,
			Checkpoints: a.Checkpoints + b.Checkpoints,
		}
	}
	s.points = s.points[:len(s.points)/2]
}
