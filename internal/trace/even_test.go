package trace

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A value a minute from 100 s on, worked by hand: what is missing is a gap, what
// comes twice is a mean, the order does not matter, and a clock that is a little
// off does not add up.
func TestEvenly(t *testing.T) {
	tests := map[string]struct {
		times, values []float64
		want          Even
	}{
		"regular":      {[]float64{100, 160, 220}, []float64{1, 2, 3}, Even{100, 60, []float64{1, 2, 3}, 3, 0}},
		"a row less":   {[]float64{100, 160, 280, 340}, []float64{1, 2, 4, 5}, Even{100, 60, []float64{1, 2, nan, 4, 5}, 4, 0}},
		"an empty one": {[]float64{100, 160, 220}, []float64{1, nan, 3}, Even{100, 60, []float64{1, nan, 3}, 2, 0}},
		"twice":        {[]float64{100, 160, 160, 220}, []float64{1, 2, 4, 3}, Even{100, 60, []float64{1, 3, 3}, 3, 1}},
		"backwards":    {[]float64{220, 160, 100}, []float64{3, 2, 1}, Even{100, 60, []float64{1, 2, 3}, 3, 0}},
		"no time":      {[]float64{100, nan, 160}, []float64{1, 7, 2}, Even{100, 60, []float64{1, 2}, 2, 0}},
		"a slow clock": {[]float64{100, 160.5, 221, 281.5}, []float64{1, 2, 3, 4}, Even{100, 60, []float64{1, 2, 3, 4}, 4, 0}},
		"odd steps":    {[]float64{0, 7, 14}, []float64{1, 2, 3}, Even{0, 7, []float64{1, 2, 3}, 3, 0}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Evenly(tt.times, tt.values)
			if diff := cmp.Diff(tt.want, got, nanEqual); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestEvenlyRefuses(t *testing.T) {
	twice := []float64{0, 0, 60, 60, 120, 120, 180, 180}
	tests := map[string]struct {
		times []float64
		want  string
	}{
		"one":         {[]float64{5}, "all rows are of one moment"},
		"none":        {nil, "all rows are of one moment"},
		"two series":  {twice, "4 of 8 rows fall into a step of 60 s that has another row"},
		"a far point": {[]float64{0, 1, 2, 1e9}, "4 rows, and 1000000000 steps of 1 s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Evenly(tt.times, make([]float64, len(tt.times)))
			if !errors.Is(err, ErrUneven) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want …%s…", err, tt.want)
			}
		})
	}
}

// Rows of an even series that are shuffled and thinned out come back to their
// places: each value is found where its time says.
func TestEvenlyKeepsPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 60).Draw(t, "rows")
		step := rapid.SampledFrom([]float64{1, 5, 60, 77, 3600}).Draw(t, "step")
		start := rapid.Float64Range(-1e6, 1e9).Draw(t, "start")
		var order []int
		for i := range n {
			if i%5 < 4 || rapid.Bool().Draw(t, "keep") { // most distances are a step
				order = append(order, i)
			}
		}
		order = rapid.Permutation(order).Draw(t, "order")
		var times, values []float64
		for _, i := range order {
			times, values = append(times, start+float64(i)*step), append(values, float64(i))
		}
		e, err := Evenly(times, values)
		if err != nil {
			t.Fatal(err)
		}
		if e.Known != len(order) || math.Abs(e.Step-step) > 1e-6*step || len(e.Values) != slices.Max(order)+1 {
			t.Fatalf("%d known in %d steps of %v", e.Known, len(e.Values), e.Step)
		}
		for _, i := range order {
			if e.Values[i] != float64(i) {
				t.Fatalf("step %d holds %v", i, e.Values[i])
			}
		}
	})
}

// A column is numeric by its first value, and the file's order is kept, of JSON
// lines, too.
func TestNumeric(t *testing.T) {
	for _, text := range []string{
		"time,zone,b,a,empty\n2026-01-01,x,,2,\n2026-01-02,y,1,3,\n",
		`{"time":"2026-01-01","zone":"x","b":null,"a":2}` + "\n" + `{"time":"2026-01-02","zone":"y","b":1,"a":3}`,
	} {
		table, err := Read(strings.NewReader(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"b", "a"}, table.Numeric()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
