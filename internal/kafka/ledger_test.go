package kafka

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rebound/internal/job"

	"pgregory.net/rapid"
)

// markers writes what a job without fault writes of ids below next: subtasks share
// the campaigns, and markers end at buckets and after every so many views.
func markers(s Stream, partition int32, next int64, subtasks int) []Marker {
	var all []Marker
	open := map[int]*Marker{}
	flush := func(i int) {
		if open[i] != nil {
			all = append(all, *open[i])
			open[i] = nil
		}
	}
	for id := range next {
		if !s.View(partition, id) {
			continue
		}
		i := s.Campaign(partition, id) % subtasks
		if m := open[i]; m != nil && (m.Bucket != id/BucketIDs || m.Count == 40) {
			flush(i)
		}
		if open[i] == nil {
			open[i] = &Marker{Subtask: i, Partition: partition, Bucket: id / BucketIDs, FirstID: id}
		}
		m := open[i]
		m.LastID, m.LastAt, m.Emitted = id, id, id+5
		m.Count++
		m.Hash += Mix64(Key(partition, id))
	}
	for i := range subtasks {
		flush(i)
	}
	return all
}

func sentTo(next ...int64) Sent {
	s := Sent{Final: true}
	for p, n := range next {
		s.Partitions = append(s.Partitions, SentPartition{Partition: int32(p), Next: n})
	}
	return s
}

// audited settles and reports what a ledger says of markers.
func audited(l *Ledger, sent Sent, all []Marker) job.Audit {
	for _, m := range all {
		l.Add([]byte(m.line()))
	}
	l.settle(sent.next(), nil)
	l.settle(sent.next(), l.settled())
	return l.report(sent, nil)
}

// In whatever order and pieces the output comes, a run without fault is exactly
// once, and every view is counted.
func TestAuditOfAFaultlessRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := rapid.Int64Range(1, 5500).Draw(t, "next")
		sent := sentTo(next, next/2+1)
		var all []Marker
		for _, p := range sent.Partitions {
			all = append(all, markers(small, p.Partition, p.Next, 3)...)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		views := int64(0)
		for _, m := range all {
			views += m.Count
		}
		l := NewLedger(small, nil)
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		audited(l, Sent{Partitions: sent.Partitions}, all[:cut]) // a look in between
		l.settle(sent.next(), nil)
		got := audited(reload(t, l), sent, all[cut:])
		if got.Sent != views || got.Seen != views || got.Verdict != ExactlyOnce {
			t.Fatalf("%d views: %+v", views, got)
		}
	})
}

// reload writes a ledger and reads it again, as between two audits.
func reload(t interface{ Fatal(...any) }, l *Ledger) *Ledger {
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var again Ledger
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	return &again
}

// Markers taken out or put in twice are found, as many as there are and where they are.
func TestAuditFindsWhatIsPlanted(t *testing.T) {
	sent := sentTo(9500)
	all := markers(small, 0, 9500, 2)
	pick := func(bucket int64) int {
		return slices.IndexFunc(all, func(m Marker) bool { return m.Bucket == bucket })
	}
	without := func(i int) []Marker { return slices.Delete(slices.Clone(all), i, i+1) }
	lost, twice := all[pick(3)], all[pick(5)]
	swapped := lost
	swapped.Hash++ // as many views, others
	for name, c := range map[string]struct {
		markers   []Marker
		lost, dup int64
		verdict   string
		detail    string
	}{
		"lost":         {without(pick(3)), lost.Count, 0, Lost, fmt.Sprintf("partition 0, ids 3000 to 3999: %d of ", lost.Count)},
		"twice":        {append(slices.Clone(all), twice), 0, twice.Count, Duplicated, "partition 0, ids 5000 to 5999"},
		"both":         {append(without(pick(3)), twice), lost.Count, twice.Count, LostAndDuplicated, "ids 3000"},
		"swapped":      {append(without(pick(3)), swapped), 1, 1, LostAndDuplicated, "at least one of "},
		"whole bucket": {slices.DeleteFunc(slices.Clone(all), func(m Marker) bool { return m.Bucket == 4 }), NewLedger(small, nil).expect(0, 4, maxID).Count, 0, Lost, "ids 4000"},
	} {
		got := audited(NewLedger(small, nil), sent, c.markers)
		if got.Lost != c.lost || got.Duplicated != c.dup || got.Verdict != c.verdict || !strings.Contains(strings.Join(got.Detail, "\n"), c.detail) {
			t.Errorf("%s: %+v, want %d lost, %d duplicated, %s", name, got, c.lost, c.dup, c.verdict)
		}
	}
}

// What is missing at the end is not lost yet: nobody has gone past it.
func TestAuditWaitsForTheEnd(t *testing.T) {
	all := markers(small, 0, 9500, 2)
	got := audited(NewLedger(small, nil), sentTo(9500), all[:len(all)-1])
	if got.Verdict != Unsettled || got.Lost != 0 || len(got.Detail) != 1 {
		t.Errorf("%+v", got)
	}
	if got := audited(NewLedger(small, nil), sentTo(9500), nil); got.Verdict != Unsettled || got.Sent != 0 {
		t.Errorf("nothing seen: %+v", got)
	}
	// A subtask is in the middle of a bucket: nothing of it is lost, and a sum that
	// does not fit yet is no swap.
	early := slices.DeleteFunc(slices.Clone(all), func(m Marker) bool { return m.LastID > 3500 })
	if got := audited(NewLedger(small, nil), sentTo(9500), early); got.Verdict != Unsettled || got.Lost != 0 {
		t.Errorf("in the middle of a bucket: %+v", got)
	}
	views := NewLedger(small, nil).expect(0, 0, maxID).Count
	odd := Marker{FirstID: 0, LastID: 500, Count: views, Hash: 1}
	if got := audited(NewLedger(small, nil), sentTo(9500), []Marker{odd}); got.Verdict != Unsettled {
		t.Errorf("a sum that does not fit yet: %+v", got)
	}
	// A run that goes on is judged by its whole buckets.
	sent := sentTo(9500)
	sent.Final = false
	if got := audited(NewLedger(small, nil), sent, all[:len(all)-1]); got.Verdict != ExactlyOnce {
		t.Errorf("%+v", got)
	}
}

// A view that comes after its bucket was given up is not lost, and is not a
// duplicate; one that comes a second time is.
func TestAuditCorrectsItself(t *testing.T) {
	all := markers(small, 0, 9500, 2)
	i := slices.IndexFunc(all, func(m Marker) bool { return m.Bucket == 3 })
	l := NewLedger(small, nil)
	if got := audited(l, sentTo(9500), slices.Delete(slices.Clone(all), i, i+1)); got.Verdict != Lost {
		t.Fatalf("%+v", got)
	}
	l = reload(t, l)
	if got := audited(l, sentTo(9500), all[i:i+1]); got.Verdict != ExactlyOnce || got.Sent != got.Seen {
		t.Errorf("once it has come: %+v", got)
	}
	if got := audited(l, sentTo(9500), all[i:i+1]); got.Verdict != Duplicated || got.Duplicated != all[i].Count {
		t.Errorf("once it has come twice: %+v", got)
	}
}

// A subtask that is slow holds back the verdict; one that is no more does not.
func TestSettledIsTheSlowest(t *testing.T) {
	l := NewLedger(small, nil)
	for _, m := range []Marker{
		{Subtask: 0, Partition: 1, Bucket: 7, FirstID: 7000, LastID: 7999, Count: 1, Emitted: 200_000},
		{Subtask: 1, Partition: 1, Bucket: 5, FirstID: 5000, LastID: 5500, Count: 1, Emitted: 150_000},
		{Subtask: 2, Partition: 1, Bucket: 0, FirstID: 0, LastID: 10, Count: 1, Emitted: 139_999},
	} {
		l.mark(m)
	}
	if got := l.settled(); !maps.Equal(got, map[int32]int64{1: 5500}) {
		t.Errorf("settled up to %v, want 5500", got)
	}
}

func TestAuditBeginsWithinABucket(t *testing.T) {
	var all []Marker
	l := NewLedger(small, map[int32]int64{0: 2500})
	for id := int64(2500); id < 4200; id++ {
		if small.View(0, id) {
			all = append(all, Marker{Partition: 0, Bucket: id / BucketIDs, FirstID: id, LastID: id, Count: 1, Hash: Mix64(Key(0, id))})
		}
	}
	if got := audited(l, sentTo(4200), all); got.Verdict != ExactlyOnce || got.Sent != int64(len(all)) {
		t.Errorf("%d views: %+v", len(all), got)
	}
}

func TestLedgerCountsForeignRecords(t *testing.T) {
	l := NewLedger(small, nil)
	l.Add([]byte("w,1,0,10000,3,9"))
	l.Add([]byte("hello"))
	if got := l.report(sentTo(0), nil); l.Windows != 1 || l.Bad != 1 || len(got.Detail) != 1 || got.Verdict != Unsettled {
		t.Errorf("%+v %+v", l, got)
	}
}
