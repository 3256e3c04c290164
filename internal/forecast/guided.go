package forecast

// guided predicts by a path that a series of sums gives, and by how the last values
// lay beside it: an autoregression of the deviations, which fades. It is how a series
// of short steps knows of a day.
type guided struct {
	coarse *coarse
	past   ring // deviations in widths
	width  float64
	reg    *recursive
	phi    []float64
}

func newGuided(c *coarse) *guided {
	p := len(nearLags())
	g := &guided{coarse: c, past: newRing(p), phi: make([]float64, p)}
	g.reg = startRecursive(p, arForget, arRidge)
	return g
}

// ready says whether there is a path and deviations to go on.
func (g *guided) ready() bool { return g.past.full }

func (g *guided) observe(y float64) {
	if !g.coarse.ready() {
		return
	}
	if g.width == 0 {
		g.width = g.coarse.width()
	}
	off := (y - g.coarse.at(1)) / g.width
	if g.past.full {
		for i, l := range nearLags() {
			g.phi[i] = g.past.at(l)
		}
		g.reg.update(g.phi, off)
	}
	g.past.push(off)
}

func (g *guided) predict(path []float64) {
	g.coarse.extend(len(path))
	for h := range path {
		for i, l := range nearLags() {
			g.phi[i] = g.past.lagged(path, h, l)
		}
		path[h] = g.reg.predict(g.phi)
	}
	for h := range path {
		path[h] = g.coarse.at(h+1) + g.width*path[h]
	}
}

func (g *guided) code(c *codec) {
	g.past.code(c)
	c.float(&g.width)
	g.reg.code(c)
	if c.reading && (g.past.room() != len(nearLags()) || len(g.reg.theta) != len(g.phi)) {
		c.err = errState
	}
}
