package learn

import (
	"testing"
	"time"
)

func BenchmarkBehavior(b *testing.B) {
	j, s := named(), newSynthetic(7, pinned)
	for i := range mostCells {
		s.knobs = knobs(4+i, 1, 2, 4)
		s.restart(60)
		s.hour(j, 1800)
		s.recover(j, 90)
	}
	b.Run("new", func(b *testing.B) {
		i := 0
		for b.Loop() {
			k := knobs(2+i%22, 1, 1+float64(i)/1e7, 4)
			i++
			j.Behavior(k)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			j.Behavior(s.knobs)
		}
	})
	b.Run("believe", func(b *testing.B) {
		for b.Loop() {
			j.belief = nil
			j.Behavior(s.knobs)
		}
	})
}

func BenchmarkObserve(b *testing.B) {
	j, s := named(), newSynthetic(8, pinned)
	o := s.calm(0.6)
	for b.Loop() {
		o.At, o.ServerTime = o.At.Add(15*time.Second), o.ServerTime.Add(15*time.Second)
		j.Observe(o, Calm)
	}
}
