package problems

import (
	_ "embed" // for the stored start points
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// stored are scrambled Sobol points as the rivals' scripts start from: a line for
// each number of inputs and seed, with the coordinates in parts of 2³⁰. Made by
// scipy 1.17.1, qmc.Sobol(dim, scramble=True, seed=seed).random(n), for 20 seeds.
//
//go:embed starts.txt
var stored string

// Start are n start points of the unit box: those of the rivals for seeds 0 to
// 19 where there are as many (6 of two inputs, 10 of four, 14 of six), else a
// scrambled Halton sequence, which serves as well but is nobody else's.
func Start(dim, n int, seed uint64) ([][]float64, error) {
	head := fmt.Sprintf("%d %d ", dim, seed)
	for line := range strings.Lines(stored) {
		if rest, ok := strings.CutPrefix(line, head); ok {
			fields := strings.Fields(rest)
			if len(fields) < n*dim {
				break
			}
			return points(fields[:n*dim], dim)
		}
	}
	return halton(dim, n, seed), nil
}

func points(fields []string, dim int) ([][]float64, error) {
	var out [][]float64
	for i, field := range fields {
		v, err := strconv.ParseUint(field, 10, 30)
		if err != nil {
			return nil, fmt.Errorf("stored start points: %w", err)
		}
		if i%dim == 0 {
			out = append(out, make([]float64, dim))
		}
		out[i/dim][i%dim] = float64(v) / (1 << 30)
	}
	return out, nil
}

func halton(dim, n int, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	batch := mat.NewDense(n, dim, nil)
	samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(dim, rng), Src: rng}.Sample(batch)
	out := make([][]float64, n)
	for i := range out {
		out[i] = append([]float64(nil), batch.RawRowView(i)...)
	}
	return out
}
