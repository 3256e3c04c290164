package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFindSeasons(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	series := func(n int, f func(t float64) float64) []float64 {
		y := make([]float64, n)
		for i := range y {
			y[i] = f(float64(i)) + 0.3*rng.NormFloat64()
		}
		return y
	}
	day := func(t float64) float64 { return math.Sin(2 * math.Pi * t / 24) }
	weekend := func(t float64) float64 {
		if int(t)/24%7 >= 5 {
			return 0.3 * day(t)
		}
		return day(t)
	}
	var walk float64
	for name, c := range map[string]struct {
		y    []float64
		want []int
	}{
		"day":            {series(100, day), []int{24}},
		"day and week":   {series(600, weekend), []int{24, 168}},
		"one day only":   {series(40, day), nil},
		"noise":          {series(600, func(float64) float64 { return 0 }), nil},
		"trend":          {series(600, func(t float64) float64 { return t / 10 }), nil},
		"random walk":    {series(600, func(float64) float64 { walk += rng.NormFloat64(); return walk }), nil},
		"another season": {series(600, func(t float64) float64 { return math.Sin(2 * math.Pi * t / 17) }), []int{17}},
		"constant":       {make([]float64, 600), nil},
	} {
		if got := findSeasons(c.y, []int{24, 168}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Which steps carry which season: a day of 288 steps is direct and so is its week; a
// day of minutes is learned on sums of five, its hour on the minutes.
func TestPlan(t *testing.T) {
	for _, c := range []struct {
		step    float64
		seasons []float64
		want    seasonPlan
	}{
		{300, []float64{week, day}, seasonPlan{direct: []int{288, 2016}}},
		{3600, []float64{day, week}, seasonPlan{direct: []int{24, 168}}},
		{60, []float64{hour, day, week}, seasonPlan{direct: []int{60}, summed: []int{288, 2016}, size: 5}},
		{1, []float64{day}, seasonPlan{summed: []int{288}, size: 300}},
		{1, []float64{hour, day}, seasonPlan{summed: []int{84, 2009}, size: 43}},
		{86400, []float64{hour, day, week}, seasonPlan{direct: []int{7}}},
	} {
		got := Options{Step: c.step}.plan(c.seasons)
		if !slices.Equal(got.direct, c.want.direct) || !slices.Equal(got.summed, c.want.summed) || got.size != c.want.size {
			t.Errorf("step %v s: %+v, want %+v", c.step, got, c.want)
		}
	}
}

// A spike is cut to 15 medians of the error; the second in a row on its side is news.
func TestFilter(t *testing.T) {
	var f filter
	for i := range 40 {
		f.clean(100+float64(1-i%2*2), 100) // errors of size 1
	}
	if got := f.clean(1000, 100); got != 115 {
		t.Errorf("a spike became %v, want 115", got)
	}
	if got := f.clean(1000, 100); got != 1000 {
		t.Errorf("its repetition became %v, want it let through", got)
	}
	if got := f.clean(0, 100); got != 85 {
		t.Errorf("a drop became %v, want 85", got)
	}
	if got := f.clean(101, 100); got != 101 {
		t.Errorf("an everyday value became %v", got)
	}
}

// Short gaps get a line, long ones the season before; a lone spike goes, one that comes
// every season stays.
func TestTidy(t *testing.T) {
	nan := math.NaN()
	if got, want := tidy([]float64{1, nan, nan, 4, nan}, nil), []float64{1, 2, 3, 4, 4}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	y := make([]float64, 240)
	for i := range y {
		y[i] = float64(i%3) + float64(i%24)
		if i%24 == 12 {
			y[i] = 500
		}
	}
	want := slices.Clone(y)
	want[100] = 5 // of 3 5 4 9999 3 5 4 …: the median around it, to be compared loosely
	y[100] = 9999
	for i := 150; i < 160; i++ {
		y[i] = nan
	}
	got := tidy(y, []int{24})
	for i := range got {
		if i == 100 {
			if got[i] > 50 {
				t.Errorf("the spike is %v still", got[i])
			}
			continue
		}
		if got[i] != want[i] {
			t.Errorf("value %d: %v, want %v", i, got[i], want[i])
		}
	}
}
