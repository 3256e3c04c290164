package outage

import (
	"math"
	"math/rand/v2"
)

// world is a job with a log in front of it, stepped at 10 Hz: the dumb twin that
// makes recordings whose truth is known in closed form.
type world struct {
	input    func(t float64) float64 // records/s
	capacity float64                 // records/s
	interval float64                 // s between checkpoints
	failures [][2]float64            // at, downtime: replays from the last checkpoint
	stalls   [][2]float64            // at, length: pauses, replays nothing
	commits  bool                    // the lag is that of committed offsets
	ages     bool                    // the lag is the age of the next record, s
	noise    float64                 // relative, of rate and lag
	step     float64                 // s between samples
	until    float64
	seed     uint64
}

func constant(rate float64) func(float64) float64 { return func(float64) float64 { return rate } }

const tick = 0.1

func within(at float64, spans [][2]float64) bool {
	for _, s := range spans {
		if at >= s[0] && at < s[0]+s[1] {
			return true
		}
	}
	return false
}

func (w world) record() Series {
	rng := rand.New(rand.NewPCG(w.seed, 1))
	fuzz := func(v float64) float64 { return v * max(0, 1+w.noise*rng.NormFloat64()) }
	var s Series
	if w.ages {
		s.LagUnit = Seconds
	}
	var arrived []float64 // by tick
	total, position, committed, processed, oldest := 0.0, 0.0, 0.0, 0.0, 0
	every, checkpoint := int(math.Round(w.step/tick)), int(math.Round(w.interval/tick))
	for n := range int(w.until / tick) {
		now := float64(n) * tick
		in := w.input(now) * tick
		total += in
		arrived = append(arrived, total)
		failed := within(now, w.failures)
		switch {
		case failed:
			position = committed
		case !within(now, w.stalls):
			done := min(total-position, w.capacity*tick)
			position, processed = position+done, processed+done
		}
		if n%checkpoint == 0 && !failed {
			committed = position
		}
		if (n+1)%every != 0 {
			continue
		}
		lag := total - position
		if w.commits {
			lag = total - committed
		}
		if w.ages {
			for oldest = min(oldest, n); oldest > 0 && arrived[oldest] > position; oldest-- {
			}
			for oldest < n && arrived[oldest] <= position {
				oldest++
			}
			lag = now - float64(oldest)*tick
		}
		s.Times = append(s.Times, float64(n+1)*tick)
		s.Rate = append(s.Rate, fuzz(processed/w.step))
		s.Lag = append(s.Lag, fuzz(lag))
		s.Input = append(s.Input, fuzz(in/tick))
		processed = 0
	}
	return s
}

// truth is the recovery from the k-th failure, by R = (T_d + ρA)/(1 − ρ) with A
// the time since the last checkpoint.
func (w world) truth(k int) float64 {
	at, down := w.failures[k][0], w.failures[k][1]
	rho := w.input(at) / w.capacity
	age := math.Mod(at, w.interval)
	return (down + rho*age) / (1 - rho)
}
