package twin

// fineKept and coarseKept bound what is remembered of when records arrived.
const (
	fineKept      = 8192 // steps
	coarseKept    = 4096 // minutes
	coarseSeconds = 60.0
)

// arrivals remembers how many records had arrived when, so that the age of a
// record in the log is known: each step for the last hours, each minute for the
// last days.
type arrivals struct {
	step   float64
	n      int64           // steps seen
	fine   [fineKept]int64 // records arrived by the end of step i, at i mod fineKept
	m      int64           // minutes seen
	coarse [coarseKept]int64
	head   int64 // the step in which the record asked for last arrived
}

// push tells that by the end of one more step in records had arrived.
func (a *arrivals) push(in int64) {
	a.fine[a.n%fineKept] = in
	a.n++
	if now := float64(a.n) * a.step; now >= float64(a.m+1)*coarseSeconds {
		a.coarse[a.m%coarseKept] = in
		a.m++
	}
}

// arrived is when (s) record number pos arrived, as far as it is remembered; pos is
// at most what has arrived.
func (a *arrivals) arrived(pos int64) float64 {
	oldest := max(0, a.n-fineKept)
	if a.n == 0 {
		return 0
	}
	if oldest > 0 && a.fine[oldest%fineKept] > pos {
		return a.arrivedCoarse(pos)
	}
	a.head = min(max(a.head, oldest), a.n-1)
	for a.head > oldest && a.fine[(a.head-1)%fineKept] > pos {
		a.back(pos, oldest)
	}
	for a.head < a.n-1 && a.fine[a.head%fineKept] <= pos {
		a.head++
	}
	before := int64(0)
	if a.head > oldest {
		before = a.fine[(a.head-1)%fineKept]
	}
	return a.step * (float64(a.head) + within(pos, before, a.fine[a.head%fineKept]))
}

// back moves the head to before pos, by halves: a restore goes back far.
func (a *arrivals) back(pos, oldest int64) {
	low, high := oldest, a.head
	for low < high {
		mid := (low + high) / 2
		if a.fine[mid%fineKept] > pos {
			high = mid
		} else {
			low = mid + 1
		}
	}
	a.head = low
}

func (a *arrivals) arrivedCoarse(pos int64) float64 {
	low, high := max(0, a.m-coarseKept), a.m
	oldest := low
	for low < high {
		mid := (low + high) / 2
		if a.coarse[mid%coarseKept] > pos {
			high = mid
		} else {
			low = mid + 1
		}
	}
	before := int64(0)
	if low > oldest {
		before = a.coarse[(low-1)%coarseKept]
	}
	if low == a.m {
		return float64(a.m) * coarseSeconds
	}
	return coarseSeconds * (float64(low) + within(pos, before, a.coarse[low%coarseKept]))
}

// arrivedBy is how many records had arrived by a moment (s) of the past.
func (a *arrivals) arrivedBy(at float64) int64 {
	if at < 0 || a.n == 0 {
		return 0
	}
	if i := int64(at / a.step); i >= max(0, a.n-fineKept) {
		return a.fine[min(i, a.n-1)%fineKept]
	}
	i := int64(at / coarseSeconds)
	if a.m == 0 || i < max(0, a.m-coarseKept) {
		return 0
	}
	return a.coarse[min(i, a.m-1)%coarseKept]
}

// within is how far pos is between two counts, from 0 to 1.
func within(pos, before, after int64) float64 {
	if after <= before {
		return 0
	}
	return float64(pos-before) / float64(after-before)
}
