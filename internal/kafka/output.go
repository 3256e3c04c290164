package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// BucketIDs is how many ids of a partition are counted together: the markers of
// a bucket add up to what its ids say.
const BucketIDs = 1000

// Bounds of what a line may hold, far beyond what any job writes.
const (
	maxLine    = 400
	maxID      = 1<<48 - 1
	maxTime    = 1 << 53 // milliseconds
	maxSubtask = 1<<15 - 1
)

// Marker is the job's account of the views that one subtask of the keyed
// operator has processed of one input partition since its last one.
type Marker struct {
	Subtask   int
	Partition int32
	Bucket    int64 // ids / BucketIDs of all of them
	FirstID   int64
	LastID    int64
	Count     int64  // views
	Hash      uint64 // sum of Mix64(Key) over them, modulo 2^64
	LastAt    int64  // ms since the epoch at which the last one was due
	Emitted   int64  // ms since the epoch at which the marker was written
	Late      int64  // how many came after their window had been fired
	Attempt   int    // of the task
}

// Window is the job's result for one campaign.
type Window struct {
	Campaign   int
	Start, End int64 // ms since the epoch, End excluded
	Count      int64 // views
	IDs        uint64
}

// Line is one record of the output topic: a marker or a window.
type Line struct {
	Marker *Marker
	Window *Window
}

// ParseLine reads one record of the output topic. It refuses what no job of ours
// writes, so that a foreign or torn record is never counted.
func ParseLine(b []byte) (Line, error) {
	if len(b) > maxLine {
		return Line{}, fmt.Errorf("output line of %d bytes: want at most %d", len(b), maxLine)
	}
	kind, rest, _ := bytes.Cut(b, []byte{','})
	f := fields{rest: rest}
	var l Line
	switch string(kind) {
	case "m":
		l.Marker = f.marker()
	case "w":
		l.Window = f.window()
	default:
		return Line{}, fmt.Errorf("output line %.40q: want m,… or w,…", b)
	}
	if f.err == nil && f.rest != nil {
		f.err = errors.New("too many fields")
	}
	if f.err != nil {
		return Line{}, fmt.Errorf("output line %.120q: %w", b, f.err)
	}
	return l, nil
}

// fields takes one comma separated number after the other; the first thing that
// is wrong stays in err.
type fields struct {
	rest []byte // nil once all is taken
	err  error
}

func (f *fields) marker() *Marker {
	m := &Marker{
		Subtask: int(f.next("subtask", maxSubtask)), Partition: int32(f.next("partition", 1<<16-1)),
		Bucket: f.next("bucket", maxID), FirstID: f.next("first id", maxID), LastID: f.next("last id", maxID),
		Count: f.next("count", BucketIDs), Hash: f.word("hash"),
		LastAt: f.next("last at", maxTime), Emitted: f.next("emitted", maxTime),
		Late: f.next("late", BucketIDs), Attempt: int(f.next("attempt", 1<<31-1)),
	}
	switch {
	case f.err != nil:
	case m.FirstID > m.LastID || m.FirstID/BucketIDs != m.Bucket || m.LastID/BucketIDs != m.Bucket:
		f.err = fmt.Errorf("ids %d to %d are not of bucket %d", m.FirstID, m.LastID, m.Bucket)
	case m.Count < 1 || m.Late > m.Count:
		f.err = fmt.Errorf("%d of %d views late", m.Late, m.Count)
	}
	return m
}

func (f *fields) window() *Window {
	w := &Window{
		Campaign: int(f.next("campaign", 1<<31-1)), Start: f.next("start", maxTime), End: f.next("end", maxTime),
		Count: f.next("count", maxID), IDs: f.word("sum of ids"),
	}
	if f.err == nil && (w.Start >= w.End || w.Count < 1) {
		f.err = fmt.Errorf("window from %d to %d with %d views", w.Start, w.End, w.Count)
	}
	return w
}

func (f *fields) take(name string) []byte {
	if f.rest == nil && f.err == nil {
		f.err = fmt.Errorf("no %s", name)
	}
	field, rest, more := bytes.Cut(f.rest, []byte{','})
	if f.rest = rest; !more {
		f.rest = nil
	}
	return field
}

func (f *fields) next(name string, limit int64) int64 {
	field := f.take(name)
	v, ok := number(field, limit)
	if !ok && f.err == nil {
		f.err = fmt.Errorf("%s %q: want 0 to %d", name, field, limit)
	}
	return v
}

func (f *fields) word(name string) uint64 {
	field := f.take(name)
	v, err := strconv.ParseUint(string(field), 10, 64)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s %q: want an unsigned 64-bit number", name, field)
	}
	return v
}

// number reads decimal digits and nothing else; limit is below 2^58, so that the
// product cannot overflow before it is refused.
func number(b []byte, limit int64) (int64, bool) {
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	var v int64
	for _, c := range b {
		if c < '0' || c > '9' || v > limit {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, v <= limit
}
