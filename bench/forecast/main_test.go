package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write puts a file into a fresh directory.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// hourly is n values of a day, with a little on top that has another period.
func hourly(from, n int) []float64 {
	var y []float64
	for i := from; i < from+n; i++ {
		y = append(y, math.Round(1000+400*math.Sin(2*math.Pi*float64(i)/24))+float64(i%5))
	}
	return y
}

func lines[T any](t *testing.T, args ...string) []T {
	t.Helper()
	var out bytes.Buffer
	if err := do(t.Context(), &out, args); err != nil {
		t.Fatal(err)
	}
	var all []T
	dec := json.NewDecoder(&out)
	for dec.More() {
		var l T
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// A day is forecast with hardly an error by all that know of days.
func TestRolling(t *testing.T) {
	var b strings.Builder
	b.WriteString("date,messages\n")
	for i, v := range hourly(0, 240) {
		fmt.Fprintf(&b, "%d,%v\n", i, v)
	}
	file := write(t, "clean_1h.csv", b.String())
	all := lines[line](t, "rolling", "-json", "-files", file)
	var models []string
	for _, l := range all {
		models = append(models, l.Rival+" "+l.Model)
		if l.Series != "clean" || l.Grain != "1h" || l.N != 240 || l.Test != 48 || l.H != 12 {
			t.Errorf("%+v", l)
		}
		if l.Model != "LastValue" && l.SMAPE > 0.5 {
			t.Errorf("%s errs by %v %%", l.Model, l.SMAPE)
		}
		if (l.Cover90 != nil) != (l.Model == "Rebound") {
			t.Errorf("%s: coverage %v", l.Model, l.Cover90)
		}
	}
	want := []string{"rebound Rebound", "baseline LastValue", "baseline SeasonalNaive", "baseline HoltWinters"}
	if d := cmp.Diff(want, models); d != "" {
		t.Error(d)
	}
	var table bytes.Buffer
	if err := do(t.Context(), &table, []string{"rolling", file}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(table.String(), "\n"); got != 1+len(want) {
		t.Errorf("table of %d lines:\n%s", got, table.String())
	}
}

func TestCollection(t *testing.T) {
	var train, test strings.Builder
	for _, b := range []*strings.Builder{&train, &test} {
		b.WriteString("V1,V2\n")
	}
	for s := range 3 {
		fmt.Fprintf(&train, "H%d%s\n", s, cells(hourly(s, 400)))
		fmt.Fprintf(&test, "H%d%s\n", s, cells(hourly(s+400, 48)))
	}
	train.WriteString("flat" + cells(make([]float64, 50)) + ",,\n")
	test.WriteString("flat" + cells(make([]float64, 48)) + "\n")
	all := lines[total](t, "collection",
		"-train", write(t, "train.csv", train.String()), "-test", write(t, "test.csv", test.String()))
	if len(all) != len(models()) {
		t.Fatalf("%d lines, want one for each of %v", len(all), models())
	}
	for _, l := range all {
		if l.Protocol != "m4" || l.Series != 4 || l.NaNSeries != 1 {
			t.Errorf("%+v: want 4 series, the flat one without a scale", l)
		}
		if strings.HasPrefix(l.Model, ours) && (l.SMAPE > 0.5 || l.MASE > 1 || l.Rival != "rebound") {
			t.Errorf("%+v", l)
		}
		if (l.MSIS95 != nil) != (l.Model == ours) {
			t.Errorf("%s: MSIS %v", l.Model, l.MSIS95)
		}
	}
}

func cells(y []float64) string {
	var b strings.Builder
	for _, v := range y {
		fmt.Fprintf(&b, ",%v", v)
	}
	return b.String()
}

// A script that prints what it was asked for stands in for the rivals.
func TestRivals(t *testing.T) {
	r := rivals{Python: "sh", Models: "A,B", Script: write(t, "rivals.sh",
		`echo "{\"protocol\": \"$1\", \"model\": \"$3\", \"series\": \"$7\", \"smape\": 1.5}"`)}
	got, err := r.rolling(t.Context(), []string{"x.csv"}, "", 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []line{
		{Protocol: "rolling", Rival: "statsforecast", Model: "A", Series: "x.csv", SMAPE: 1.5},
		{Protocol: "rolling", Rival: "statsforecast", Model: "B", Series: "x.csv", SMAPE: 1.5},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	r.Script = write(t, "broken.sh", "exit 3")
	if _, err := r.rolling(t.Context(), []string{"x.csv"}, "", 2); err == nil || !strings.Contains(err.Error(), "statsforecast") {
		t.Errorf("error %v, want it to say what may be missing", err)
	}
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "usage"},
		{[]string{"walk"}, "walk is not a protocol"},
		{[]string{"rolling"}, "give -files"},
		{[]string{"rolling", "-files", "/nowhere/*.csv"}, "no such file"},
		{[]string{"rolling", write(t, "x_7min.csv", "a,b\n1,2\n")}, "want 5min"},
		{[]string{"rolling", write(t, "x_1h.csv", "a,b\n1,two\n")}, "row 2"},
		{[]string{"rolling", write(t, "x_1h.csv", "a,b\n")}, "at least one row"},
		{[]string{"collection"}, "give -train"},
		{[]string{"collection", "-train", write(t, "a.csv", "h\nA,1\n"), "-test", write(t, "b.csv", "h\nB,1\n")}, "series A"},
	} {
		err := do(t.Context(), new(bytes.Buffer), c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q in it", c.args, err, c.want)
		}
	}
}
