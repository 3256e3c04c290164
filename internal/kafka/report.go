package kafka

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"rebound/internal/job"
)

// Verdicts of an audit.
const (
	ExactlyOnce       = "exactly_once"
	Lost              = "lost"
	Duplicated        = "duplicated"
	LostAndDuplicated = "lost_and_duplicated"
	Unsettled         = "unsettled"
)

// maxDetail is how many places a report names.
const maxDetail = 10

// covers tells whether all of sent is settled.
func (l *Ledger) covers(sent Sent) bool {
	return !slices.ContainsFunc(sent.Partitions, func(p SentPartition) bool {
		return l.unsettled(p, sent.Final) != ""
	})
}

// unsettled says what of a partition is not settled, or nothing.
func (l *Ledger) unsettled(p SentPartition, final bool) string {
	a := l.account(p.Partition)
	if whole := p.Next / BucketIDs; a.Frontier < whole {
		return fmt.Sprintf("partition %d is settled up to id %d of %d", p.Partition, a.Frontier*BucketIDs, p.Next)
	}
	if final && a.Frontier*BucketIDs < p.Next && a.Open[a.Frontier] != l.expect(p.Partition, a.Frontier, p.Next) {
		return fmt.Sprintf("partition %d: of the last %d ids not every view has been seen once", p.Partition, p.Next-a.Frontier*BucketIDs)
	}
	return ""
}

// report sums up what is settled. open are the transactions of the job's sink.
func (l *Ledger) report(sent Sent, open []Transaction) job.Audit {
	r := job.Audit{Detail: []string{}}
	waiting := []string{}
	var buckets, net int64
	for _, p := range sent.Partitions {
		a := l.account(p.Partition)
		r.Sent += a.Expected
		r.Seen += a.Seen
		r.Late += a.Late
		net += a.Expected - a.Seen - l.wrong(p.Partition, &r)
		buckets += a.Frontier - a.First/BucketIDs
		if why := l.unsettled(p, sent.Final); why != "" {
			waiting = append(waiting, why)
		} else if sent.Final && a.Frontier*BucketIDs < p.Next {
			last := l.expect(p.Partition, a.Frontier, p.Next)
			r.Sent, r.Seen = r.Sent+last.Count, r.Seen+last.Count
			buckets++
		}
	}
	// What is not of the wrong buckets that are kept is of those that are not.
	r.Lost += max(0, net)
	r.Duplicated += max(0, -net)
	l.conclude(&r, waiting, buckets)
	for _, t := range open {
		if t.Open() {
			r.Open++
		}
	}
	return r
}

// wrong books the buckets of a partition that do not add up and returns by how many
// views fewer than sent they have.
func (l *Ledger) wrong(partition int32, r *job.Audit) (net int64) {
	a := l.account(partition)
	for _, bucket := range slices.Sorted(maps.Keys(a.Wrong)) {
		want, got := l.expect(partition, bucket, maxID), a.Wrong[bucket]
		missing := want.Count - got.Count
		net += missing
		what := fmt.Sprintf("%d of %d views lost", missing, want.Count)
		switch {
		case missing > 0:
			r.Lost += missing
		case missing < 0:
			r.Duplicated -= missing
			what = fmt.Sprintf("%d of %d views more than once", -missing, want.Count)
		default: // as many, but not the same
			r.Lost++
			r.Duplicated++
			what = fmt.Sprintf("at least one of %d views lost and one more than once", want.Count)
		}
		if len(r.Detail) < maxDetail {
			r.Detail = append(r.Detail, fmt.Sprintf("partition %d, ids %d to %d: %s", partition, bucket*BucketIDs, (bucket+1)*BucketIDs-1, what))
		}
	}
	return net
}

// conclude finds the words.
func (l *Ledger) conclude(r *job.Audit, waiting []string, buckets int64) {
	switch {
	case r.Lost > 0 && r.Duplicated > 0:
		r.Verdict = LostAndDuplicated
	case r.Lost > 0:
		r.Verdict = Lost
	case r.Duplicated > 0:
		r.Verdict = Duplicated
	case len(waiting) > 0 || buckets == 0:
		r.Verdict = Unsettled
	default:
		r.Verdict = ExactlyOnce
	}
	r.Detail = append(r.Detail, waiting...)
	if l.Bad > 0 {
		r.Detail = append(r.Detail, fmt.Sprintf("%d records of the output were not written by this job", l.Bad))
	}
	r.Confidence = "nothing has been counted yet"
	if buckets > 0 {
		// A loss and a duplicate of one bucket hide each other only if their hashes,
		// which are as good as random, are equal.
		r.Confidence = fmt.Sprintf("every view of %d buckets of %d ids counted and hashed; chance of an unseen swap below 2^-%d", buckets, BucketIDs, 64-bits.Len64(uint64(buckets)))
	}
}
