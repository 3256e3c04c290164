package kafka

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// Closed forms: of a ramp r(t) = 400t the integral is 200t², so record n is due at
// √(n/200); of a sine of mean m the integral over a period P is mP.
func TestLoads(t *testing.T) {
	recording := "t_s,rate_rps,other\n100,10,1\n110,30,1\n"
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(recording)), nil }
	for spec, cases := range map[string][]struct{ t, rate, total float64 }{
		"constant:1000":                                {{0, 1000, 0}, {2.5, 1000, 2500}},
		"step:1000,2000@60s":                           {{59, 1000, 59000}, {60, 2000, 60000}, {61, 2000, 62000}},
		"step:0,2000@60s":                              {{60, 2000, 0}, {60.5, 2000, 1000}},
		"ramp:0-2000/5s":                               {{1, 400, 200}, {2, 800, 800}, {5, 2000, 5000}, {6, 2000, 7000}},
		"ramp:2000-0/5s":                               {{1, 1600, 1800}, {4, 400, 4800}},
		"ramp:500-1000/0s":                             {{0, 1000, 0}, {1, 1000, 1000}},
		"sine:mean=10,amplitude=5,period=8s":           {{2, 15, 20 + 20/math.Pi}, {8, 10, 80}, {6, 5, 60 + 20/math.Pi}},
		"sine:mean=10,amplitude=5,period=8s,phase=2s":  {{0, 15, 0}, {8, 15, 80}, {4, 5, 40}},
		"sine:mean=10,amplitude=10,period=8s,phase=4s": {{8, 10, 80}},
		"file:x,column=rate_rps,scale=2":               {{0, 20, 0}, {5, 40, 150}, {10, 60, 400}, {11, 60, 460}},
	} {
		l, err := ParseLoad(spec, open)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, c := range cases {
			if got := l.Rate(c.t); !near(got, c.rate, 1e-12) {
				t.Errorf("%s: rate at %v s = %v, want %v", spec, c.t, got, c.rate)
			}
			if got := l.Total(c.t); !near(got, c.total, 1e-12) {
				t.Errorf("%s: total at %v s = %v, want %v", spec, c.t, got, c.total)
			}
			if got := l.Time(c.total); !near(got, c.t, 1e-7) {
				t.Errorf("%s: record %v is due at %v s, want %v", spec, c.total, got, c.t)
			}
		}
	}
}

func TestLoadEnds(t *testing.T) {
	l, err := ParseLoad("ramp:2000-0/5s", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Time(4999); !(got < 5) {
		t.Errorf("the last record is due at %v s", got)
	}
	if got := l.Time(5000); !math.IsInf(got, 1) {
		t.Errorf("record 5000 of 5000 is due at %v s, want never", got)
	}
}

func TestParseLoadRefuses(t *testing.T) {
	open := func(path string) (io.ReadCloser, error) {
		if path == "" {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(path[strings.Index(path, "|")+1:])), nil
	}
	for spec, want := range map[string]string{
		"":                                  "want KIND:",
		"constant":                          "want KIND:",
		"squiggle:1":                        "no kind of load",
		"constant:-1":                       "rate \"-1\"",
		"constant:NaN":                      "rate \"NaN\"",
		"constant:1e9":                      "want 0 to 10000000 records/s",
		"step:1,2":                          "the others have one",
		"step:1@1s":                         "the first rate has no time",
		"step:1,2@9s,3@8s":                  "want increasing times",
		"ramp:1/5s":                         "no ramp",
		"ramp:1-2/soon":                     "duration \"soon\"",
		"sine:mean=5,amplitude=6,period=1s": "0 to the mean",
		"sine:mean=5":                       "period",
		"sine:amplitude=0":                  "mean",
		"sine:median=4":                     "neither mean",
		"file:":                             "not exist",
		"file:|":                            "read header",
		"file:|t\n1\n":                      "no column",
		"file:|a\tb\n":                      "no column",
		"file:x,scale=0":                    "scale",
		"file:x,colour=red":                 "neither column nor scale",
	} {
		_, err := ParseLoad(spec, open)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want … %s …", spec, err, want)
		}
	}
}

func TestReadKnots(t *testing.T) {
	for name, c := range map[string]struct{ text, column, want string }{
		"bad number":   {"t_s,r\n0,1\n1,x\n", "", "line 3: rate \"x\""},
		"bad time":     {"date,r\n2026-01-01 00:00:00,1\nlater,2\n", "", "line 3: time \"later\""},
		"ragged":       {"t,r\n0,1,2\n", "", "wrong number of fields"},
		"which column": {"t,a,b\n0,1,2\n", "", "no column \"rate_rps\""},
		"no column":    {"t,a,b\n0,1,2\n", "c", "no column \"c\""},
	} {
		if _, err := readKnots(strings.NewReader(c.text), c.column); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want … %s …", name, err, c.want)
		}
	}
	p, err := readKnots(strings.NewReader("date,messages\n2019-10-06 22:00:00,3\n2019-10-06 22:05:00,4\n"), "")
	if err != nil || len(p) != 2 || p[1] != (Knot{300, 4}) {
		t.Errorf("got %v, %v", p, err)
	}
}

// Time is the inverse of Total and never decreases, whatever the load.
func TestTimeInvertsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLoad(t)
		before := 0.0
		for n := rapid.Float64Range(0, 1e5).Draw(t, "first"); n < 1e6; n += rapid.Float64Range(1, 2e5).Draw(t, "more") {
			at := l.Time(n)
			if math.IsInf(at, 1) {
				if total := l.Total(1e12); total > n*(1+1e-9)+1e-6 {
					t.Fatalf("record %v is never due, but %v are by then", n, total)
				}
				return
			}
			if got := l.Total(at); !near(got, n, 1e-6) { // a phase of many periods takes digits
				t.Fatalf("by %v s, when record %v is due, %v are", at, n, got)
			}
			if at < before {
				t.Fatalf("record %v is due at %v s, before %v s", n, at, before)
			}
			before = at
		}
	})
}

func drawLoad(t *rapid.T) Load {
	if rapid.Bool().Draw(t, "sine") {
		mean := rapid.Float64Range(1, 1e5).Draw(t, "mean")
		return Sine{mean, mean * rapid.Float64Range(0, 1).Draw(t, "amplitude"), rapid.Float64Range(0.1, 1e4).Draw(t, "period"), rapid.Float64Range(0, 1e4).Draw(t, "phase")}
	}
	var line []Knot
	at := 0.0
	for range rapid.IntRange(1, 6).Draw(t, "knots") {
		rate := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1, 1e5)).Draw(t, "rate")
		line = append(line, Knot{at, rate})
		at += rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0.1, 100)).Draw(t, "step")
	}
	l, err := NewPolyline(line...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The dumb twin: add up the rate in small steps.
func TestTotalIsTheSumOfRates(t *testing.T) {
	for _, spec := range []string{"step:100,300@2s,50@3s", "ramp:100-400/4s", "sine:mean=100,amplitude=80,period=3s,phase=1s"} {
		l, err := ParseLoad(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		const steps = 100000
		sum := 0.0
		for i := range steps {
			sum += l.Rate((float64(i)+0.5)*5/steps) * 5 / steps
		}
		if got := l.Total(5); !near(got, sum, 1e-6) {
			t.Errorf("%s: total %v, sum %v", spec, got, sum)
		}
	}
}

// Real recordings of a day and of weeks become loads.
func TestRecordedLoads(t *testing.T) {
	data := os.Getenv("REBOUND_DATA")
	if data == "" {
		data = "../../../shared/data"
	}
	for spec, want := range map[string]float64{"workload/ads_18h.csv,scale=0.01": 64799, "load/iot_5min.csv,scale=0.001": 0} {
		if _, err := os.Stat(filepath.Join(data, strings.Split(spec, ",")[0])); errors.Is(err, os.ErrNotExist) {
			t.Skip("no recorded loads: set REBOUND_DATA")
		}
		l, err := ParseLoad("file:"+filepath.Join(data, spec), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if p := l.(*polyline); want > 0 && p.knots[len(p.knots)-1].T != want {
			t.Errorf("%s ends at %v s, want %v", spec, p.knots[len(p.knots)-1].T, want)
		}
		if got := l.Total(l.Time(123456)); !near(got, 123456, 1e-9) {
			t.Errorf("%s: %v", spec, got)
		}
	}
}

func FuzzParseLoad(f *testing.F) {
	for _, s := range []string{"constant:1000", "step:1000,2000@60s", "sine:mean=1000,amplitude=500,period=10m,phase=0s", "ramp:0-2000/5m", "file:x,column=b,scale=0.01", "step:,@"} {
		f.Add(s, "t_s,b\n0,1\n1,2\n")
	}
	f.Add("file:x", "date,b\n2026-01-01 00:00:00,1e300\n")
	f.Fuzz(func(t *testing.T, spec, content string) {
		l, err := ParseLoad(spec, func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil })
		if err != nil {
			return
		}
		for _, n := range []float64{0, 1, 1e3} {
			if at := l.Time(n); !(at >= 0) {
				t.Errorf("%q: record %v is due at %v s", spec, n, at)
			}
		}
	})
}
