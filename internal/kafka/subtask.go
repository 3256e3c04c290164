package kafka

import (
	"cmp"
	"slices"
)

// SubtaskTruth is the recovery of one subtask of the keyed operator: of all its
// pairs together. Times are seconds since the failure.
type SubtaskTruth struct {
	Subtask        int
	ViewsPerSecond float64 // before the failure; a third of what its partitions brought
	// Silent and Resumed are the bounds of the time without any output: the last of
	// any pair before, the first of any pair after.
	Silent, Resumed *float64
	// CaughtUp is that of the slowest pair; absent if one of those that had output
	// before the failure was not seen to catch up.
	CaughtUp *float64
	Progress []Progress
}

// Subtasks joins the pairs of each subtask, in order of the subtasks.
func Subtasks(pairs []PairTruth) []SubtaskTruth {
	of := map[int]*SubtaskTruth{}
	open := map[int]bool{}
	for _, p := range pairs {
		s := of[p.Subtask]
		if s == nil {
			s = &SubtaskTruth{Subtask: p.Subtask}
			of[p.Subtask] = s
		}
		s.join(p)
		if p.CaughtUp == nil && p.ViewsPerSecond > 0 {
			open[p.Subtask] = true
		}
	}
	all := make([]SubtaskTruth, 0, len(of))
	for i, s := range of {
		if open[i] {
			s.CaughtUp = nil
		}
		s.Progress = accumulate(s.Progress)
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b SubtaskTruth) int { return cmp.Compare(a.Subtask, b.Subtask) })
	return all
}

// join adds a pair, its progress as differences.
func (s *SubtaskTruth) join(p PairTruth) {
	s.ViewsPerSecond += p.ViewsPerSecond
	if p.Resumed != nil {
		s.Silent, s.Resumed = later(s.Silent, p.Silent), earlier(s.Resumed, p.Resumed)
	}
	if p.CaughtUp != nil {
		s.CaughtUp = later(s.CaughtUp, p.CaughtUp)
	}
	var before int64
	for _, x := range p.Progress {
		s.Progress = append(s.Progress, Progress{x.Seconds, x.Views - before})
		before = x.Views
	}
}

// accumulate sorts differences by time and adds them up, what came at the same
// time as one.
func accumulate(p []Progress) []Progress {
	slices.SortStableFunc(p, func(a, b Progress) int { return cmp.Compare(a.Seconds, b.Seconds) })
	sum := p[:0]
	var views int64
	for _, x := range p {
		views += x.Views
		if n := len(sum); n > 0 && sum[n-1].Seconds == x.Seconds {
			sum[n-1].Views = views
		} else {
			sum = append(sum, Progress{x.Seconds, views})
		}
	}
	return sum
}

func earlier(a, b *float64) *float64 {
	if a == nil || *b < *a {
		return b
	}
	return a
}

func later(a, b *float64) *float64 {
	if a == nil || *b > *a {
		return b
	}
	return a
}
