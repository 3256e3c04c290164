package kafka

// Ledger holds what an audit has to remember: how far the output has been read and
// what it says of each bucket that is not settled. It is a plain value for JSON, so
// that a later audit goes on where this one ended, and it stays small: a settled
// bucket leaves nothing but its part in the totals unless something is wrong with it.
type Ledger struct {
	Stream  Stream             `json:"stream"`
	Offsets map[int32]int64    `json:"offsets"` // next to read of each output partition
	Input   map[int32]*account `json:"input"`   // by input partition
	Bad     int64              `json:"bad"`     // records that are no output of the job
	Unkept  int64              `json:"unkept"`  // wrong buckets beyond those kept
	Windows int64              `json:"windows"` // records read that are windows
	Markers int64              `json:"markers"` // records read that are markers
}

// account is what is known of one input partition.
type account struct {
	First    int64          `json:"first_id"` // the first id that is counted
	Frontier int64          `json:"frontier"` // the first bucket that is not settled
	Expected int64          `json:"expected"` // views of the settled buckets
	Seen     int64          `json:"seen"`     // of them, those that were accounted for
	Late     int64          `json:"late"`     // of all
	Open     map[int64]sums `json:"open"`     // buckets from the frontier on
	Wrong    map[int64]sums `json:"wrong"`    // settled buckets that do not add up
	Newest   map[int]newest `json:"newest"`   // by subtask
}

// sums are the totals of the views of a bucket.
type sums struct {
	Count int64  `json:"count"`
	Hash  uint64 `json:"hash"`
}

// newest is how far a subtask has got with a partition.
type newest struct {
	ID      int64 `json:"id"`
	Emitted int64 `json:"emitted"`
}

const (
	// maxWrong bounds the wrong buckets that are kept of a partition: ten million
	// ids. Beyond it a bucket counts as it was when it settled.
	maxWrong = 10_000
	// gone is after how much silence, while others go on, a subtask no longer holds
	// back the settling of buckets, ms: the job may run with fewer now.
	gone = 60_000
)

// NewLedger begins an audit of a stream whose ids begin at first by partition; a
// partition that is not in it begins at 0.
func NewLedger(s Stream, first map[int32]int64) *Ledger {
	l := &Ledger{Stream: s, Offsets: map[int32]int64{}, Input: map[int32]*account{}}
	for p, id := range first {
		l.account(p).First, l.account(p).Frontier = id, id/BucketIDs
	}
	return l
}

func (l *Ledger) account(partition int32) *account {
	a := l.Input[partition]
	if a == nil {
		a = &account{Open: map[int64]sums{}, Wrong: map[int64]sums{}, Newest: map[int]newest{}}
		l.Input[partition] = a
	}
	return a
}

// Add takes in one record of the output, which may come in any order.
func (l *Ledger) Add(value []byte) {
	line, err := ParseLine(value)
	switch {
	case err != nil:
		l.Bad++
	case line.Marker != nil:
		l.Markers++
		l.mark(*line.Marker)
	default:
		l.Windows++
	}
}

func (l *Ledger) mark(m Marker) {
	a := l.account(m.Partition)
	a.Late += m.Late
	n := a.Newest[m.Subtask]
	a.Newest[m.Subtask] = newest{max(n.ID, m.LastID), max(n.Emitted, m.Emitted)}
	if m.Bucket >= a.Frontier {
		s := a.Open[m.Bucket]
		a.Open[m.Bucket] = sums{s.Count + m.Count, s.Hash + m.Hash}
		return
	}
	a.Seen += m.Count
	s, wrong := a.Wrong[m.Bucket]
	if !wrong {
		s = l.expect(m.Partition, m.Bucket, maxID)
	}
	l.keep(m.Partition, m.Bucket, sums{s.Count + m.Count, s.Hash + m.Hash})
}

// keep notes a settled bucket, or forgets it if it adds up.
func (l *Ledger) keep(partition int32, bucket int64, s sums) {
	a := l.account(partition)
	_, known := a.Wrong[bucket]
	switch {
	case s == l.expect(partition, bucket, maxID):
		delete(a.Wrong, bucket)
	case known || len(a.Wrong) < maxWrong:
		a.Wrong[bucket] = s
	default:
		l.Unkept++
	}
}

// expect is what the views of a bucket with ids below next add up to.
func (l *Ledger) expect(partition int32, bucket, next int64) sums {
	var s sums
	from := max(bucket*BucketIDs, l.account(partition).First)
	for id := from; id < min((bucket+1)*BucketIDs, next); id++ {
		if l.Stream.View(partition, id) {
			s.Count++
			s.Hash += Mix64(Key(partition, id))
		}
	}
	return s
}

// settled is the id of each partition up to which all subtasks have gone, itself
// included: every view up to there has been processed, and what is not accounted
// for is lost, once all transactions of the moment have ended.
func (l *Ledger) settled() map[int32]int64 {
	low := map[int32]int64{}
	for p, a := range l.Input {
		var last int64
		for _, n := range a.Newest {
			last = max(last, n.Emitted)
		}
		for _, n := range a.Newest {
			if n.Emitted < last-gone {
				continue
			}
			if id, ok := low[p]; !ok || n.ID < id {
				low[p] = n.ID
			}
		}
	}
	return low
}

// settle moves the frontier of each partition up to its id in next, past buckets
// that add up and past those whose ids are all at most low.
func (l *Ledger) settle(next, low map[int32]int64) {
	for p, end := range next {
		a := l.account(p)
		for (a.Frontier+1)*BucketIDs <= end {
			want, got := l.expect(p, a.Frontier, maxID), a.Open[a.Frontier]
			id, known := low[p]
			if passed := known && (a.Frontier+1)*BucketIDs-1 <= id; got != want && !passed {
				break
			}
			delete(a.Open, a.Frontier)
			a.Expected += want.Count
			a.Seen += got.Count
			l.keep(p, a.Frontier, got)
			a.Frontier++
		}
	}
}
