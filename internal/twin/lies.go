package twin

func lieKinds() []LieKind {
	return []LieKind{
		lieUnreachable, lieGap, lieNoBusy, lieNoPending, lieNoCPU, lieReset, lieFrozen, lieZeroPending, lieSteers, lieNoChange, lieNoSnapshots,
	}
}

// told is the lie of a kind that is told at a moment (s), nil if none is.
func (t *Twin) told(kind LieKind, at float64) *Lie {
	for i := range t.s.View.Lies {
		l := &t.s.View.Lies[i]
		if l.Kind == kind && l.holds(at/3600) {
			return l
		}
	}
	return nil
}

func (t *Twin) lying(kind LieKind, at float64) bool { return t.told(kind, at) != nil }

// holds at an hour.
func (l Lie) holds(hour float64) bool {
	since := hour - l.AtHours
	if since < 0 {
		return false
	}
	if l.Every > 0 {
		since -= l.Every * float64(int(since/l.Every))
	}
	return since < l.Minutes/60-1e-9 // a minute that is over is over
}
