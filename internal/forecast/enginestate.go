package forecast

import "slices"

func (e *engine) code(c *codec) {
	c.ints(&e.seasons)
	e.window.code(c)
	if c.reading && (e.window.room() != engineWindow || !soundSeasons(e.seasons)) {
		c.err = errState
	}
	fitted := e.mix != nil
	c.bool(&fitted)
	if c.err != nil || !fitted {
		return
	}
	for k := range e.scales {
		e.scales[k].code(c)
		e.past[k].code(c)
		if c.reading {
			e.scales[k].kind = scaleKind(k)
			if e.past[k].room() != e.reach() {
				c.err = errState
			}
		}
	}
	c.float(&e.low)
	c.float(&e.high)
	c.int(&e.fresh)
	c.int(&e.turn)
	e.codeMembers(c)
	e.codeOpen(c)
}

// soundSeasons are those that an engine can have.
func soundSeasons(seasons []int) bool {
	for _, s := range seasons {
		if s < 2 || s > engineWindow {
			return false
		}
	}
	return len(seasons) <= 2 && slices.IsSorted(seasons)
}

func (e *engine) codeMembers(c *codec) {
	if c.reading && c.err == nil {
		e.specs = roster(e.seasons)
		e.owned = make([]member, len(e.specs))
		e.mix = newMixture(len(e.specs)+1, e.grid)
	}
	for i := range e.owned {
		there := e.owned[i] != nil
		c.bool(&there)
		if !there || c.err != nil {
			continue
		}
		if c.reading {
			e.owned[i] = e.specs[i].empty(&e.past[e.specs[i].scale])
		}
		e.owned[i].code(c)
	}
	if e.mix == nil {
		return
	}
	e.mix.code(c)
	if c.reading {
		e.lifts = make([]lift, len(e.grid))
	}
	for g := range e.lifts {
		e.lifts[g].code(c)
	}
	if c.reading {
		e.here = make([]bool, len(e.owned)+1)
	}
	for i := range e.here {
		c.bool(&e.here[i])
		if c.reading && i < len(e.owned) && e.here[i] != (e.owned[i] != nil) {
			c.err = errState
		}
	}
}

func (e *engine) codeOpen(c *codec) {
	n := c.count(len(e.open), 8)
	if c.reading {
		e.open = make([]wager, n)
	}
	for i := range e.open {
		w := &e.open[i]
		c.int(&w.age)
		c.int(&w.next)
		if c.reading {
			w.values = make([][]float64, len(e.grid))
		}
		c.floats(&w.combined)
		if c.reading && len(w.combined) != len(e.grid) {
			c.err = errState
		}
		for g := range w.values {
			c.floats(&w.values[g])
			if c.reading && len(w.values[g]) != len(e.owned)+1 {
				c.err = errState
			}
		}
		if c.reading && (w.next < 0 || w.next >= len(e.grid)) {
			c.err = errState
		}
		if c.err != nil {
			e.open = nil
			return
		}
	}
}
