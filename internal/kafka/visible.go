package kafka

// Visibility is a recovery as a reader of committed records sees it. Times are
// seconds since the failure; what was not seen is absent.
type Visibility struct {
	// FirstCommit is when the first output that the job wrote after the failure
	// became visible.
	FirstCommit *float64
	// Visible is when the first commit arrived whose every record was as late as
	// those of a commit before the failure, and after which that held for a commit
	// more or until the recording ended; of the slowest pair.
	Visible *float64
	// Band is the lateness up to which a commit is normal, seconds, of that pair.
	Band float64
}

// commitGap is how long no record comes between two commits, ms. A commit is seen
// at once on a machine of its own; a busy one spreads it.
const commitGap = 500

// Visible finds the recovery in what a committed reader saw. resumedAt is when the
// first output after the downtime was written, in Unix milliseconds, as Truth tells:
// what the last transaction before the failure had written may well be committed
// after it, and is no sign of life.
func Visible(all []Series, failedAt, resumedAt int64, rule Rule) Visibility {
	rule = rule.or(Rule{0.5, 1.25, 1000, 1500, 180_000})
	v := Visibility{}
	complete := len(all) > 0
	for _, s := range all {
		commits := merge(s.Bins)
		w := watch(commits, failedAt, rule)
		first, back := -1, -1
		for i := w.after; i < len(commits); i++ {
			if commits[i].Emitted < resumedAt {
				continue
			}
			if first < 0 {
				first = i
			}
			if w.settled(i) {
				back = i
				break
			}
		}
		if first >= 0 {
			v.FirstCommit = earlier(v.FirstCommit, elapsed(commits[first].First, failedAt))
		}
		if back < 0 {
			complete = false
		} else if at := elapsed(commits[back].First, failedAt); v.Visible == nil || *at > *v.Visible {
			v.Visible, v.Band = at, w.band/1000
		}
	}
	if !complete {
		v.Visible = nil
	}
	return v
}

// settled tells whether commit i and the one after it, if there is one, are normal.
func (w watched) settled(i int) bool {
	for _, b := range w.bins[i:min(i+2, len(w.bins))] {
		if float64(b.Late) > w.band {
			return false
		}
	}
	return true
}

// merge makes one bin of each commit.
func merge(bins []Bin) []Bin {
	var all []Bin
	for _, b := range bins {
		if n := len(all) - 1; n >= 0 && b.First-all[n].Last < commitGap {
			c := &all[n]
			c.Last, c.Views, c.Attempt = b.Last, c.Views+b.Views, b.Attempt
			c.Late, c.Emitted = max(c.Late, b.Late), max(c.Emitted, b.Emitted)
			continue
		}
		all = append(all, b)
	}
	return all
}
