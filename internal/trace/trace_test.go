package trace

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var (
	nan      = math.NaN()
	nanEqual = cmpopts.EquateNaNs()
)

var series = []Column{
	{Name: "time", Aliases: []string{"t_s", "timestamp"}, Kind: Time, Required: true},
	{Name: "rate", Aliases: []string{"processed_rps"}, Required: true},
	{Name: "lag", Aliases: []string{"lag_records"}, MinusOneMissing: true},
	{Name: "job", Kind: Text},
}

// The same two rows in each form that people have.
func TestReadForms(t *testing.T) {
	tests := map[string]string{
		"csv":        "t_s,processed_rps,lag_records\n-1,5,7\n0,,-1\n",
		"case":       "T_S, Processed_RPS ,Lag_Records\n-1, 5, 7\n0, , -1\n",
		"bom":        "\ufefft_s,processed_rps,lag_records\r\n-1,5,7\r\n0,null,NaN\r\n",
		"semicolons": "t_s;processed_rps;lag_records\n-1;5;7\n0;n/a;-1.0\n",
		"tabs":       "t_s\tprocessed_rps\tlag_records\n-1\t5\t7\n0\t\t-1\n",
		"extra":      "x,t_s,rate,processed_rps,lag\nbad,-1,5,9,7\nworse,0,,9,-1\n",
		"json lines": `{"time":-1,"rate":5,"lag":"7"}` + "\n\n" + `{"time":"0","rate":"NaN","lag":null,"other":{"a":1}}`,
		"json gaps":  `{"time":-1,"rate":5,"lag":7}` + "\n" + `{"time":0}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			table, err := Read(strings.NewReader(text), series)
			if err != nil {
				t.Fatal(err)
			}
			for column, want := range map[string][]float64{"time": {-1, 0}, "rate": {5, nan}, "lag": {7, nan}} {
				got, ok := table.Floats(column)
				if diff := cmp.Diff(want, got, nanEqual); !ok || diff != "" {
					t.Errorf("%s (-want +got):\n%s", column, diff)
				}
			}
			if _, ok := table.Texts("job"); ok || table.Len() != 2 || table.Dated("time") {
				t.Errorf("found a job, a date, or %d rows", table.Len())
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":        {"", "no rows"},
		"header only":    {"t_s,rate\n", "no rows"},
		"typo":           {"t_s,process_rps\n1,2\n", `no column "rate": did you mean "process_rps"?`},
		"other columns":  {"t_s,zebra,apple\n1,2,3\n", `no column "rate": the file has apple, t_s, zebra`},
		"both":           {"zebra,apple\n1,2\n", `no column "time"`},
		"twice":          {"t_s,rate,Rate\n1,2,3\n", `column "rate" is there 2 times`},
		"word":           {"t_s,rate\n1,2\n2,fast\n", `line 3, column "rate": "fast" is not a number`},
		"infinite":       {"t_s,rate\n1,+Inf\n", `line 2, column "rate": "+Inf" is not a number`},
		"grouped":        {"t_s;rate\n1;1,234\n", `"1,234" is not a number`},
		"short row":      {"t_s,rate\n1,2\n2\n", "line 3"},
		"open quote":     {"t_s,rate\n1,\"2\n", "line 2"},
		"not a time":     {"t_s,rate\nyesterday,2\n", `line 2, column "t_s": "yesterday" is not a time`},
		"mixed times":    {"t_s,rate\n1,2\n2026-01-01T00:00:00Z,3\n", "line 3, column \"t_s\": \"2026-01-01T00:00:00Z\": the column mixes"},
		"broken json":    {"{\"time\":1,\"rate\":2}\n{\"time\":", "line 2: not a JSON object"},
		"json in a cell": {`{"time":1,"rate":[2]}`, `line 1, column "rate": "[2]" is not a number`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.text), series)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant …%s…", err, tt.want)
			}
		})
	}
	if _, err := Read(bytes.NewReader(make([]byte, MaxBytes+1)), series); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("too much: got %v", err)
	}
	if _, err := Read(strings.NewReader("\n"), series); !errors.Is(err, ErrEmpty) {
		t.Errorf("blank: got %v", err)
	}
}

// A header that the user names wins over names and aliases, and must be there.
func TestReadNamedHeader(t *testing.T) {
	column := []Column{{Name: "rate", Aliases: []string{"rps"}, Header: "in"}}
	table, err := Read(strings.NewReader("rate,rps,IN\n1,2,3\n"), column)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := table.Floats("rate")
	if h, _ := table.Header("rate"); got[0] != 3 || h != "IN" || !slices.Equal(table.Unused(), []string{"rate", "rps"}) {
		t.Errorf("got %v of %q and not %v, want 3 of IN", got, h, table.Unused())
	}
	if _, err = Read(strings.NewReader("rate,rps,out\n1,2,3\n"), column); err == nil || !strings.Contains(err.Error(), `no column "in"`) {
		t.Errorf("got %v", err)
	}
}

func TestTimes(t *testing.T) {
	tests := map[string]struct {
		in    []string
		want  []float64
		dated bool
	}{
		"own axis":     {[]string{"-200", "-199.5", ""}, []float64{-200, -199.5, nan}, false},
		"seconds":      {[]string{"1767225600", "1767225601.25"}, []float64{1767225600, 1767225601.25}, true},
		"milliseconds": {[]string{"1767225600000", "1767225601250"}, []float64{1767225600, 1767225601.25}, true},
		"microseconds": {[]string{"1767225601250000"}, []float64{1767225601.25}, true},
		"nanoseconds":  {[]string{"1767225600000000000"}, []float64{1767225600}, true},
		"rfc 3339":     {[]string{"2026-01-01T00:00:00Z", "2026-01-01T01:00:01.25+01:00"}, []float64{1767225600, 1767225601.25}, true},
		"spaces":       {[]string{"2026-01-01 00:00:00", "2026-01-01 00:00:01+00:00"}, []float64{1767225600, 1767225601}, true},
		"days":         {[]string{"2026-01-01"}, []float64{1767225600}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, dated, err := Times(tt.in)
			if diff := cmp.Diff(tt.want, got, nanEqual); err != nil || diff != "" || dated != tt.dated {
				t.Errorf("dated %v, err %v (-want +got):\n%s", dated, err, diff)
			}
		})
	}
	if _, _, err := Times([]string{"1", "soon"}); err == nil || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("got %v, want the row named", err)
	}
}

// Whatever the input, Read returns an error or a table whose columns all have
// its length and hold no infinity.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"t_s,rate\n1,2\n", "t_s;rate;lag\n1;;-1\n", "{\"time\":1,\"rate\":2}\n{\"rate\":null}\n", "\ufefftime\trate\n2026-01-01\t1e308\n",
		"t_s,rate\n\"1\n", "{", "\n\n,\n", "time,rate,job\n1,NaN,\"a,b\"\n", "time,rate\n1e300,1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := Read(bytes.NewReader(b), series)
		if err != nil {
			return
		}
		for _, name := range []string{"time", "rate"} {
			v, ok := table.Floats(name)
			if !ok || len(v) != table.Len() || table.Len() == 0 {
				t.Fatalf("%s: %d values of %d rows, found %v", name, len(v), table.Len(), ok)
			}
			for i := range v {
				if math.IsInf(v[i], 0) {
					t.Fatalf("%s line %d: %v", name, table.Line(i), v[i])
				}
			}
		}
	})
}
