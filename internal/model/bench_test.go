package model

import "testing"

// A whole check of one job: predictions for all failures, verdict and advice.
func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		m := New(Evidence{Now: observed(0.7)})
		t := target(60)
		for _, f := range t.Failures {
			m.Predict(Question{Failure: f, Risk: t.Risk})
		}
		m.Verdict(t)
		m.Advice(t)
	}
}
