package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"rebound/bench/search/problems"
	"rebound/internal/search"
)

// boxes runs a problem over the unit box for all seeds.
func (k work) boxes(ctx context.Context, kept *store) error {
	b, ok := problems.Named(k.Problem)
	if !ok {
		return fmt.Errorf("problem: %q, want stream, speed or one of the list in bench/search/problems", k.Problem)
	}
	if err := known("way", k.Way, "", "known-noise"); err != nil {
		return err
	}
	for seed := k.First; seed < k.Last; seed++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		rival := "rebound"
		if k.Way != "" {
			rival += "-" + k.Way
		}
		l := line{Problem: b.Name, Rival: rival, Seed: seed}
		if err := kept.once(l, func(l line) (line, error) { return k.box(b, l) }); err != nil {
			return err
		}
	}
	return nil
}

// box is one run: start points, then batches.
func (k work) box(b problems.Box, l line) (line, error) {
	start, err := problems.Start(b.Dim, b.Initial, l.Seed)
	if err != nil {
		return l, err
	}
	s, err := search.New(k.problem(b, l.Seed, start))
	if err != nil {
		return l, err
	}
	noise := rand.New(rand.NewPCG(l.Seed, 2))
	var tried [][]float64
	wall, cpu := 0.0, 0.0
	for batch := range b.Batches + 1 {
		n := b.Q
		if batch == 0 {
			n = b.Initial
		}
		began, burnt := time.Now(), burned()
		asked, err := s.Ask(n)
		if err != nil {
			return l, err
		}
		if batch > 0 {
			wall, cpu = wall+time.Since(began).Seconds(), cpu+burned()-burnt
		}
		for _, a := range asked {
			tried = append(tried, a.X)
			if err := s.Tell(measure(b, a.X, noise)); err != nil {
				return l, err
			}
		}
		if batch > 0 && batch%(b.Batches/4) == 0 {
			l.Quarters = append(l.Quarters, b.Hypervolume(tried))
		}
	}
	l.Evaluations, l.Hypervolume = len(tried), b.Hypervolume(tried)
	l.Percent = 100 * l.Hypervolume / b.Best
	l.Wall, l.CPUPerBatch = wall/float64(b.Batches), cpu/float64(b.Batches)
	return l, nil
}

// problem is a box as our search is told of it. A slack of at least 0 becomes an
// output of at most 0. Noise is learned unless known-noise is asked for; that
// there is none is told, as Optuna is told.
func (k work) problem(b problems.Box, seed uint64, start [][]float64) search.Problem {
	p := search.Problem{Dim: b.Dim, Start: start, Seed: seed}
	none, limit := 0.0, 0.0
	for j, ref := range b.Ref {
		o := search.Output{Name: fmt.Sprintf("objective %d", j), Minimize: true, Ref: ref}
		if sd := b.NoiseSD[j]; sd == 0 || k.Way == "known-noise" {
			o.Noise = &sd
		}
		p.Outputs = append(p.Outputs, o)
	}
	for j := range b.Constraints {
		p.Outputs = append(p.Outputs, search.Output{Name: fmt.Sprintf("constraint %d", j), Limit: &limit, Noise: &none})
	}
	return p
}

// measure is a trial of a box.
func measure(b problems.Box, x []float64, noise *rand.Rand) search.Trial {
	f, slacks := b.At(x)
	t := search.Trial{X: x}
	for j, y := range f {
		t.Results = append(t.Results, search.Seen(y+b.NoiseSD[j]*noise.NormFloat64()))
	}
	for _, g := range slacks {
		t.Results = append(t.Results, search.Seen(-g))
	}
	return t
}
