package kafka

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func (m Marker) line() string {
	return fmt.Sprintf("m,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", m.Subtask, m.Partition, m.Bucket, m.FirstID, m.LastID,
		m.Count, m.Hash, m.LastAt, m.Emitted, m.Late, m.Attempt)
}

func (w Window) line() string {
	return fmt.Sprintf("w,%d,%d,%d,%d,%d", w.Campaign, w.Start, w.End, w.Count, w.IDs)
}

func TestParseLineReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Int64Range(0, maxID-BucketIDs).Draw(t, "first")
		last := rapid.Int64Range(first, first/BucketIDs*BucketIDs+BucketIDs-1).Draw(t, "last")
		count := rapid.Int64Range(1, BucketIDs).Draw(t, "count")
		m := Marker{
			Subtask: rapid.IntRange(0, maxSubtask).Draw(t, "subtask"), Partition: rapid.Int32Range(0, 1<<16-1).Draw(t, "partition"),
			Bucket: first / BucketIDs, FirstID: first, LastID: last, Count: count, Hash: rapid.Uint64().Draw(t, "hash"),
			LastAt: rapid.Int64Range(0, maxTime).Draw(t, "at"), Emitted: rapid.Int64Range(0, maxTime).Draw(t, "emitted"),
			Late: rapid.Int64Range(0, count).Draw(t, "late"), Attempt: rapid.IntRange(0, 1<<31-1).Draw(t, "attempt"),
		}
		w := Window{
			Campaign: rapid.IntRange(0, 1<<31-1).Draw(t, "campaign"), Start: m.LastAt / 2, End: m.LastAt/2 + 1,
			Count: count, IDs: m.Hash,
		}
		for _, want := range []Line{{Marker: &m}, {Window: &w}} {
			text := w.line()
			if want.Marker != nil {
				text = m.line()
			}
			got, err := ParseLine([]byte(text))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Fatalf("%s: %v\n%s", text, err, diff)
			}
		}
	})
}

func TestParseLineRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"":                                "want m,… or w,…",
		"x,1":                             "want m,… or w,…",
		"w":                               "no campaign",
		"w,1,0,10,2":                      "no sum of ids",
		"w,1,0,10,2,3,4":                  "too many fields",
		"w,1,10,10,2,3":                   "window from 10 to 10",
		"w,1,0,10,-2,3":                   "count \"-2\"",
		"w,1,0,10,2,18446744073709551616": "unsigned 64-bit",
		"m,0,0,5,4999,5001,2,9,1,1,0,0":   "not of bucket 5",
		"m,0,0,5,5999,6001,2,9,1,1,0,0":   "not of bucket 5",
		"m,0,0,5,5000,5001,2,9,9999999999999999999,1,0,0":          "last at",
		"m,0,0,5,5002,5001,2,9,1,1,0,0":                            "not of bucket 5",
		"m,0,0,5,5000,5001,2,9,1,1,3,0":                            "3 of 2 views late",
		"m,0,0,5,5000,5001,0,9,1,1,0,0":                            "0 of 0 views late",
		"m,0,65536,5,5000,5001,2,9,1,1,0,0":                        "partition \"65536\"",
		"m,0,0,5,5000,5001,2,9,1,1,0,0" + strings.Repeat("0", 400): "bytes",
		"m,0,0,5,5000,5001,2,9,99999999999999999999,1,0,0":         "last at",
		"m,+1,0,5,5000,5001,2,9,1,1,0,0":                           "subtask \"+1\"",
	} {
		if _, err := ParseLine([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %v, want … %s …", line, err, want)
		}
	}
}

// What is read is in range, and writing it again gives the same numbers.
func FuzzParseLine(f *testing.F) {
	f.Add([]byte("m,1,2,5,5000,5001,2,18446744073709551615,1796056170123,1796056170223,0,3"))
	f.Add([]byte("w,7,1796056170000,1796056180000,12,345"))
	f.Add([]byte("m,,,,,,,,,,,"))
	f.Add([]byte("m,00,0,0,0,0,1,0,0,0,0,0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ParseLine(b)
		if err != nil {
			return
		}
		text := ""
		if l.Marker != nil {
			text = l.Marker.line()
		} else {
			text = l.Window.line()
		}
		again, err := ParseLine([]byte(text))
		if diff := cmp.Diff(l, again); diff != "" || err != nil {
			t.Errorf("%q then %q: %v\n%s", b, text, err, diff)
		}
	})
}

// Percentiles of 1 … 1000 µs are at most 1/8 too high, never too low.
func TestHistogram(t *testing.T) {
	var h histogram
	for v := range int64(1000) {
		h.add(v + 1)
	}
	for q, want := range map[float64]int64{0.5: 500, 0.99: 990, 1: 1000} {
		if got := h.quantile(q); got < want || got > want+want/8 {
			t.Errorf("quantile %v = %d, want %d", q, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, 1<<47).Draw(t, "v")
		if up := upper(slot(v)); up < v || up > v+v/8 || slot(up) != slot(v) || slot(up+1) == slot(v) {
			t.Fatalf("%d is in slot %d up to %d", v, slot(v), up)
		}
	})
}
