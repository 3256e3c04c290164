package kafka

import (
	"cmp"
	"slices"
	"time"
)

// BinMillis is the width of a bin: recoveries are seen to a tenth of a second.
const BinMillis = 100

// Bin is what came of one pair in one tenth of a second. Times are Unix
// milliseconds: when the job wrote it, or when it arrived where committed output
// is followed.
type Bin struct {
	First, Last int64 // the first and the last output of the bin
	Views       int64
	Late        int64 // greatest (time − create time of the last view), ms
	Emitted     int64 // latest time at which the job wrote one of them
	Attempt     int   // of the task, of the last one
}

// Pair is one way through the job: a subtask of the keyed operator and the input
// partition that it reads by way of the source.
type Pair struct {
	Subtask   int
	Partition int32
}

// Series are the bins of one pair in which there was output, in order.
type Series struct {
	Pair
	Bins []Bin
}

// Recorder keeps the last while of a job's output in bins. It is not safe for
// concurrent use: add and read from one goroutine, or lock.
type Recorder struct {
	// Committed tells that the output is followed as committed: then it is the
	// arrival that counts, not the writing.
	Committed bool
	// Keep is how long bins are kept; 0 means 15 minutes. A pair takes 48 bytes a
	// bin, half a megabyte for the 15 minutes.
	Keep time.Duration

	pairs map[Pair][]Bin
	bad   int
}

// maxPairs bounds what a foreign topic could make a Recorder hold.
const maxPairs = 4096

// Add takes in a batch.
func (r *Recorder) Add(b Batch) {
	r.bad += b.Bad
	for i := range b.Markers {
		m := &b.Markers[i]
		at := m.Emitted
		if r.Committed {
			at = b.At.UnixMilli()
		}
		r.add(m, at)
	}
}

// Bad is how many records were no output of the job.
func (r *Recorder) Bad() int { return r.bad }

// Series returns copies of what is kept, by subtask and partition.
func (r *Recorder) Series() []Series {
	all := make([]Series, 0, len(r.pairs))
	for pair, bins := range r.pairs {
		all = append(all, Series{pair, slices.Clone(bins)})
	}
	slices.SortFunc(all, func(a, b Series) int {
		return cmp.Or(cmp.Compare(a.Subtask, b.Subtask), cmp.Compare(a.Partition, b.Partition))
	})
	return all
}

func (r *Recorder) add(m *Marker, at int64) {
	if r.pairs == nil {
		r.pairs = map[Pair][]Bin{}
	}
	pair := Pair{m.Subtask, m.Partition}
	bins, known := r.pairs[pair]
	if !known && len(r.pairs) == maxPairs {
		r.bad++
		return
	}
	i, found := slices.BinarySearchFunc(bins, at/BinMillis, func(b Bin, n int64) int { return cmp.Compare(b.First/BinMillis, n) })
	if !found {
		bins = slices.Insert(bins, i, Bin{First: at, Last: at, Attempt: m.Attempt})
	}
	b := &bins[i]
	b.First, b.Last = min(b.First, at), max(b.Last, at)
	b.Views += m.Count
	b.Late = max(b.Late, at-m.LastAt)
	b.Emitted = max(b.Emitted, m.Emitted)
	b.Attempt = m.Attempt
	r.pairs[pair] = r.trim(bins)
}

// trim drops what is older than Keep. The room that this leaves in front goes when
// the slice next grows, so memory stays within twice of what is kept.
func (r *Recorder) trim(bins []Bin) []Bin {
	keep := r.Keep
	if keep == 0 {
		keep = 15 * time.Minute
	}
	oldest := bins[len(bins)-1].Last - keep.Milliseconds()
	for len(bins) > 1 && bins[0].Last < oldest {
		bins = bins[1:]
	}
	return bins
}
