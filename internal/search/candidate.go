package search

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// How many candidates of a box are spread, how many are near what is good, and
// how many of the first look are looked at again in depth.
const (
	spreadCandidates = 1536
	nearCandidates   = 1536
	shortlisted      = 400
	shortlistedOfAll = 200 // of a list, where all were looked at
)

// spread are n points all over the space: a scrambled Halton sequence, see A. B.
// Owen, A Randomized Halton Algorithm in R, 2017; of a list the nearest settings.
func (s *Search) spread(n int) [][]float64 {
	out := halton(rand.New(rand.NewPCG(s.problem.Seed, spreadStream)), n, s.problem.Dim)
	if s.problem.Settings == nil {
		return out
	}
	used := map[string]bool{}
	for i, x := range out {
		best, least := []float64(nil), math.Inf(1)
		for _, y := range s.problem.Settings {
			if d := distance(x, y); d < least && !used[key(y)] {
				best, least = y, d
			}
		}
		if best == nil {
			return out[:i]
		}
		used[key(best)] = true
		out[i] = best
	}
	return out
}

func halton(rng *rand.Rand, n, d int) [][]float64 {
	batch := mat.NewDense(n, d, nil)
	samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(d, rng), Src: rng}.Sample(batch)
	out := make([][]float64, n)
	for i := range out {
		out[i] = slices.Clone(batch.RawRowView(i))
	}
	return out
}

func distance(x, y []float64) float64 {
	d := 0.0
	for j, v := range x {
		d += (v - y[j]) * (v - y[j])
	}
	return d
}

// candidates are what a first look is taken at: all settings of a list; of a box
// spread points, and some near tried settings that are on the front or, where
// few are, most probably meet all limits.
func (s *Search) candidates(st standing) [][]float64 {
	if s.problem.Settings != nil {
		return s.problem.Settings
	}
	rng := s.rng(candidateStream, 0)
	out := halton(rng, spreadCandidates, s.problem.Dim)
	elite := s.elite(st)
	for len(elite) > 0 && len(out) < spreadCandidates+nearCandidates {
		// From fine to coarse: sd from 0.003 to 0.3.
		sd := math.Pow(10, -2.5+2*rng.Float64())
		out = append(out, vary(rng, elite[rng.IntN(len(elite))], sd))
	}
	return out
}

// minElite is how many tried settings others are looked for near at least.
const minElite = 5

// elite are the settings of the front and those nearest to meeting the limits.
func (s *Search) elite(st standing) [][]float64 {
	var out [][]float64
	for _, i := range s.frontOf(st) {
		out = append(out, st.points[i])
	}
	order := make([]int, len(st.points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(st.met[b], st.met[a]) })
	for _, i := range order {
		if len(out) >= minElite {
			break
		}
		out = append(out, st.points[i])
	}
	return out
}

// vary moves some of the inputs of x, on average half and at least one.
func vary(rng *rand.Rand, x []float64, sd float64) []float64 {
	out := slices.Clone(x)
	must := rng.IntN(len(x))
	for j := range out {
		if j == must || rng.Float64() < 0.5 {
			out[j] = min(max(out[j]+sd*rng.NormFloat64(), 0), 1)
		}
	}
	return out
}

// near are candidates around the given points, each some times.
func near(rng *rand.Rand, points [][]float64, each int, sd float64) [][]float64 {
	var out [][]float64
	for _, x := range points {
		for range each {
			out = append(out, vary(rng, x, sd))
		}
	}
	return out
}

// key tells points apart exactly.
func key(x []float64) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}
