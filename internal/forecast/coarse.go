package forecast

// coarse forecasts means of several steps, where a day has few enough steps for its
// members. The path between the middles of two means is a straight line.
type coarse struct {
	size   int // steps in a mean
	engine *engine
	sum    float64
	count  int       // steps in sum
	prior  float64   // the last mean
	path   []float64 // the next means
}

func newCoarse(size int, seasons, candidates []int, horizon int) *coarse {
	return &coarse{size: size, engine: newEngine(seasons, candidates, horizon/size+2)}
}

// observe adds a value to the sum; a complete one is learned.
func (c *coarse) observe(y float64) {
	c.sum += y
	c.count++
	if c.count < c.size {
		return
	}
	c.prior = c.sum / float64(c.size)
	c.sum, c.count = 0, 0
	c.engine.begin(nil)
	c.engine.finish(c.prior)
	c.look()
}

// look forecasts the next means, once a season is known.
func (c *coarse) look() {
	if !c.engine.seasonal() {
		return
	}
	c.path = make([]float64, c.engine.last())
	c.engine.mean(c.path)
}

// extend makes the path reach so many steps ahead.
func (c *coarse) extend(steps int) {
	if need := (c.count+steps)/c.size + 2; c.ready() && need > len(c.path) {
		c.path = make([]float64, need)
		c.engine.mean(c.path)
	}
}

func (c *coarse) ready() bool { return c.path != nil }

// width is the scale of the series.
func (c *coarse) width() float64 { return c.engine.scales[plain].width }

// at is the path h steps ahead of the last value, as far as it was extended.
func (c *coarse) at(h int) float64 {
	// In means from the middle of the last complete one: steps since its end, and
	// half a mean.
	x := (float64(c.count+h) - 0.5 + float64(c.size)/2) / float64(c.size)
	i := int(x)
	last := len(c.path)
	if i >= last {
		return c.path[last-1]
	}
	left := c.prior
	if i > 0 {
		left = c.path[i-1]
	}
	return left + (x-float64(i))*(c.path[i]-left)
}

func (c *coarse) code(k *codec) {
	c.engine.code(k)
	k.float(&c.sum)
	k.int(&c.count)
	k.float(&c.prior)
	path := c.path[:min(len(c.path), c.engine.last())] // what is beyond can be had again
	k.floats(&path)
	if !k.reading {
		return
	}
	c.path = nil
	if len(path) > 0 {
		c.path = path
	}
	if c.count < 0 || c.count >= c.size || len(path) != 0 && len(path) != c.engine.last() {
		k.err = errState
	}
}
