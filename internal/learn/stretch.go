package learn

import (
	"math"
	"time"
)

// How long calm running is gathered before it is taken in: at first after every
// block, later less often, so that what is believed does not change all the time.
const (
	earlySeconds = blockSeconds
	lateSeconds  = 5 * blockSeconds
	knownBlocks  = 5 // from when on it is late
	// A pause in looking longer than this ends a stretch (s).
	longestPause = 300.0
	// leastBlock is what the rest of a stretch must have to count as a block (s).
	leastBlock = 30.0
	// leastBusy is how busy a job must be for busy time to tell its capacity.
	leastBusy = 0.05
	// settling is how long after a start calm running says nothing yet (s).
	settling = 60.0
)

// block sums looks: q the share of time in a checkpoint, r busy time over rate in
// units of the stretch's first.
type block struct {
	Seconds float64 `json:"seconds"`
	N       float64 `json:"n"` // looks, weighted, as all that follows
	Q       float64 `json:"q"`
	R       float64 `json:"r"`
	QQ      float64 `json:"qq"`
	QR      float64 `json:"qr"`
	RR      float64 `json:"rr"`
	Busy    float64 `json:"busy"` // Σ
}

// stretch is calm running that is not taken in yet.
type stretch struct {
	At      resources     `json:"at"`
	From    time.Time     `json:"from"`
	Last    time.Time     `json:"last"`
	Unit    float64       `json:"unit"` // s of busy time a record, of the first look
	Open    block         `json:"open"`
	Blocks  []block       `json:"blocks"`
	Delays  []delay       `json:"delays"`
	Lengths []measuredLen `json:"lengths"` // of checkpoints
}

// delay is one look at latency.
type delay struct {
	Odds    float64 `json:"odds"` // ρ/(1 − ρ)
	Seconds float64 `json:"seconds"`
	Window  float64 `json:"window"`
}

// measuredLen is one completed checkpoint.
type measuredLen struct {
	PerTask float64 `json:"per"` // GiB of state on one TaskManager, 0: unknown
	Seconds float64 `json:"seconds"`
}

// mostKept bounds what a stretch keeps one by one.
const mostKept = 64

func (s *stretch) empty() bool { return s.Last.IsZero() }

// add takes a look at calm running.
func (s *stretch) add(l look) {
	if s.empty() {
		s.From = l.at
	}
	s.Last = l.at
	if l.busy == nil || l.rate == nil || !(*l.busy >= leastBusy) || !(*l.rate > 0) || !(l.window > 0) {
		return
	}
	if l.lag != nil && *l.lag >= 0 && len(s.Delays) < mostKept {
		rho := math.Min(mostOdds/(1+mostOdds), *l.busy)
		s.Delays = append(s.Delays, delay{Odds: rho / (1 - rho), Seconds: *l.lag, Window: l.window})
	}
	r := *l.busy / *l.rate
	if s.Unit == 0 {
		s.Unit = r
	}
	r /= s.Unit
	b := &s.Open
	b.Seconds += l.window
	b.N += l.weight
	b.Q += l.weight * l.ckpt
	b.R += l.weight * r
	b.QQ += l.weight * l.ckpt * l.ckpt
	b.QR += l.weight * l.ckpt * r
	b.RR += l.weight * r * r
	b.Busy += l.weight * *l.busy
	if b.Seconds >= blockSeconds {
		s.Blocks = append(s.Blocks, *b)
		s.Open = block{}
	}
}

// due says whether it is time to take the stretch in.
func (s *stretch) due(known float64) bool {
	long := s.Last.Sub(s.From).Seconds()
	return long >= lateSeconds || long >= earlySeconds && known < knownBlocks
}

// take moves what a stretch has gathered into what is known.
func (k *known) take(s *stretch) {
	if s.empty() {
		return
	}
	if s.Open.Seconds >= leastBlock {
		s.Blocks = append(s.Blocks, s.Open)
	}
	k.passTo(s.Last)
	for i := range s.Blocks {
		k.Cost.add(&s.Blocks[i])
	}
	gamma, _ := k.Cost.gamma()
	for i := range s.Blocks {
		b := &s.Blocks[i]
		more, slope := inCalm(gamma, b.Q/b.N)
		c := k.Cells.at(s.At)
		c.Busy.add(sample{
			log: more - math.Log(s.Unit*b.R/b.N), weight: math.Min(1, b.Seconds/blockSeconds),
			at: s.Last, gamma: gamma, slope: slope,
		}, &k.Scatter)
		c.Load += (b.Busy/b.N - c.Load) / math.Min(float64(c.Busy.Count), 50)
	}
	for _, d := range s.Delays {
		k.Latency.add(d)
	}
	for _, l := range s.Lengths {
		k.Length.add(l)
	}
}
