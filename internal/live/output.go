package live

import (
	"slices"
	"time"

	"rebound/internal/job"
	"rebound/internal/kafka"
	"rebound/internal/recovery"
)

// A job is calm if, for this long, every way through it has had output and none
// of it was later than this. What is normal is taken from the same stretch, so that
// an earlier recovery is not part of it.
const (
	calmFor  = 12 * time.Second
	calmLate = 1.5 // s
	// commitsBefore is over how many checkpoint intervals a committed reader's
	// lateness is looked at.
	commitsBefore = 2.2
	// stopped is how long no output at all is still no sign of trouble, ms.
	stopped = 2000
	// leastStart is the start of a process that at first gets nothing done: a
	// warm-up begins above 0.
	leastStart = 0.01
)

// Output tells what the output shows since the failure.
func (j *Job) Output(failedAt time.Time) job.Output {
	j.mu.Lock()
	written, committed := j.written.Series(), j.committed.Series()
	j.mu.Unlock()
	at := failedAt.UnixMilli()
	out := job.Output{Subtasks: []job.SubtaskMeasurement{}, Calm: calm(written, at), CaughtUp: len(written) > 0}
	passed := passed(written, at)
	var resumed *float64
	for _, s := range kafka.Subtasks(kafka.Truth(written, at, kafka.Rule{Before: calmFor.Milliseconds()})) {
		m := j.measurement(s)
		m.PassedSeconds = passed[s.Subtask]
		out.Subtasks = append(out.Subtasks, m)
		out.CaughtUp = out.CaughtUp && s.CaughtUp != nil
		if s.Resumed != nil && (resumed == nil || *s.Resumed < *resumed) {
			resumed = s.Resumed
		}
	}
	out.LatenessSeconds = lateness(written, time.Now())
	if resumed != nil {
		v := kafka.Visible(committed, at, at+int64(*resumed*1000), j.committedRule())
		out.FirstCommitSeconds, out.VisibleSeconds, out.Visible = v.FirstCommit, v.Visible, v.Visible != nil
	}
	return out
}

func (j *Job) committedRule() kafka.Rule {
	before := time.Duration(commitsBefore * float64(j.cluster.Interval))
	return kafka.Rule{Before: max(calmFor, before).Milliseconds()}
}

// measurement is one subtask's part, with its capacity and warm-up as the
// catch-up shows them. Three events make one view.
func (j *Job) measurement(s kafka.SubtaskTruth) job.SubtaskMeasurement {
	m := job.SubtaskMeasurement{SubtaskRef: j.keyed, OutputSeconds: s.Resumed, CaughtUp: s.CaughtUp}
	m.Subtask = s.Subtask
	m.RatePerSecond = new(3 * s.ViewsPerSecond)
	if s.CaughtUp == nil || s.Resumed == nil {
		return m
	}
	var t, done []float64
	for _, p := range s.Progress {
		if p.Seconds <= *s.CaughtUp {
			t, done = append(t, p.Seconds-*s.Resumed), append(done, 3*float64(p.Views))
		}
	}
	w, capacity, ok := recovery.FitWarmup(t, done)
	if capacity > 0 {
		m.Capacity = &capacity
	}
	if ok {
		m.Warmup = &job.Warmup{StartRatio: max(leastStart, w.Start), TimeConstantSeconds: w.Tau}
		if w.Start >= 1 || w.Tau <= 0 {
			m.Warmup = &job.Warmup{StartRatio: 1} // warm at once
		}
	}
	return m
}

// passed is, by subtask, when its output first was of events made after the
// failure: the end of its replay, on all its ways.
func passed(all []kafka.Series, failedAt int64) map[int]*float64 {
	out, open := map[int]*float64{}, map[int]bool{}
	for _, s := range all {
		i := slices.IndexFunc(s.Bins, func(b kafka.Bin) bool { return b.First > failedAt && b.Last-b.Late >= failedAt })
		if i < 0 {
			open[s.Subtask] = true
			continue
		}
		v := float64(s.Bins[i].First-failedAt) / 1000
		if p := out[s.Subtask]; p == nil || *p < v {
			out[s.Subtask] = &v
		}
	}
	for subtask := range open {
		delete(out, subtask)
	}
	return out
}

// lateness is how old the newest event is that has been put out, the worst over
// the ways through the job: while nothing runs it grows by a second a second.
func lateness(all []kafka.Series, now time.Time) *float64 {
	var worst *float64
	for _, s := range all {
		if len(s.Bins) == 0 {
			continue
		}
		b := s.Bins[len(s.Bins)-1]
		if v := float64(now.UnixMilli()-b.Last+b.Late) / 1000; worst == nil || v > *worst {
			worst = &v
		}
	}
	return worst
}

// calm looks at the time right before at.
func calm(all []kafka.Series, at int64) bool {
	for _, s := range all {
		first, last := int64(0), int64(0)
		for _, b := range s.Bins {
			if b.Last >= at || b.First < at-2*calmFor.Milliseconds() {
				continue
			}
			if b.First >= at-calmFor.Milliseconds() && float64(b.Late)/1000 > calmLate {
				return false
			}
			if first == 0 {
				first = b.First
			}
			last = b.Last
		}
		if first == 0 || at-last > stopped || last-first < calmFor.Milliseconds()-stopped {
			return false
		}
	}
	return len(all) > 0
}
