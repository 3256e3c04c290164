package experiment

import (
	"testing"
	"time"

	"rebound/internal/control"
	"rebound/internal/twin"
)

// 18 hours of the daily scenario at steps of a second, with the loop deciding every
// minute.
func BenchmarkLoop18Hours(b *testing.B) {
	s, err := twin.Builtin("daily")
	if err != nil {
		b.Fatal(err)
	}
	c, ok := New(Rebound, PolicyOf(s, Target), func() (control.Forecaster, error) { return control.NewForecaster(time.Minute) })
	if !ok {
		b.Fatal("no such contender")
	}
	for b.Loop() {
		if _, err := (Case{Scenario: s, Contender: c, Seed: 2, Hours: 18}).Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
