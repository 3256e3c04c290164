package live

import (
	"testing"
	"time"

	"rebound/internal/kafka"
)

const failedAt = 1_772_366_400_000 // ms

// bins of one way through the job, a tenth of a second each, from and to in ms
// since the failure, with the lateness that late says.
func bins(from, to int64, late func(at int64) int64) []kafka.Bin {
	var out []kafka.Bin
	for at := from; at < to; at += 100 {
		out = append(out, kafka.Bin{First: failedAt + at, Last: failedAt + at + 50, Views: 10, Late: late(at), Emitted: failedAt + at + 50})
	}
	return out
}

func prompt(int64) int64 { return 20 }

func TestCalm(t *testing.T) {
	quiet := kafka.Series{Pair: kafka.Pair{Partition: 0}, Bins: bins(-30_000, 0, prompt)}
	tests := map[string]struct {
		other []kafka.Bin
		want  bool
	}{
		"steady":                         {bins(-30_000, 0, prompt), true},
		"catching up":                    {bins(-30_000, 0, func(at int64) int64 { return max(20, -at-1000) }), false},
		"late long ago":                  {bins(-30_000, 0, func(at int64) int64 { return max(20, -at*4-60_000) }), true},
		"just begun":                     {bins(-5_000, 0, prompt), false},
		"silent for 5 s":                 {bins(-30_000, -5_000, prompt), false},
		"without any output, ever":       {nil, false},
		"a pause of a second at the end": {bins(-30_000, -1_000, prompt), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			all := []kafka.Series{quiet, {Pair: kafka.Pair{Partition: 1}, Bins: tt.other}}
			if got := calm(all, failedAt); got != tt.want {
				t.Errorf("calm: %v, want %v", got, tt.want)
			}
		})
	}
	if calm(nil, failedAt) {
		t.Error("a job that has put out nothing is calm")
	}
}

// The replay ends when the output is of events made after the failure, on every
// way of the subtask: at 5 s the one that is 6 s late has not passed it, at 7 s
// the one that is 7 s late has.
func TestPassed(t *testing.T) {
	late := func(by int64) func(int64) int64 { return func(int64) int64 { return by } }
	all := []kafka.Series{
		{Pair: kafka.Pair{Subtask: 0, Partition: 0}, Bins: bins(4_000, 20_000, late(3_000))},
		{Pair: kafka.Pair{Subtask: 0, Partition: 1}, Bins: bins(5_000, 20_000, late(7_000))},
		{Pair: kafka.Pair{Subtask: 1, Partition: 0}, Bins: bins(5_000, 9_000, late(60_000))}, // not yet
	}
	got := passed(all, failedAt)
	if v := got[0]; v == nil || *v != 7 {
		t.Errorf("subtask 0 passed it at %v, want 7 s", v)
	}
	if v, ok := got[1]; ok {
		t.Errorf("subtask 1 passed it at %v, want not yet", *v)
	}
}

// While nothing comes, the output gets older by a second a second.
func TestLatenessGrows(t *testing.T) {
	all := []kafka.Series{{Bins: bins(-1_000, 0, prompt)}}
	last := failedAt - 100 + 50
	if got := lateness(all, time.UnixMilli(int64(last))); got == nil || *got != 0.02 {
		t.Errorf("right after the last output: %v, want 0.02 s", got)
	}
	if got := lateness(all, time.UnixMilli(int64(last)+9_000)); got == nil || *got != 9.02 {
		t.Errorf("9 s later: %v, want 9.02 s", got)
	}
	if got := lateness(nil, time.UnixMilli(failedAt)); got != nil {
		t.Errorf("without output: %v, want unknown", *got)
	}
}
