package control_test

import (
	"testing"
	"time"
)

// BenchmarkStep is an hour of looks, with what is due each minute but for the plan.
func BenchmarkStep(b *testing.B) {
	s := newStory(b)
	s.run(b, 30*time.Minute)
	b.ResetTimer()
	steps := 0
	for b.Loop() {
		for end := s.world.now.Add(time.Hour); s.world.now.Before(end); {
			next, err := s.loop.Step(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			s.world.advance(next)
			steps++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(steps), "µs/look")
}
