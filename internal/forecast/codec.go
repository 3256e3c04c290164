package forecast

import (
	"encoding/binary"
	"errors"
	"math"
)

// codec writes or reads state, field by field, in one order for both: what a method
// visits is what is kept.
type codec struct {
	buf     []byte
	reading bool
	err     error
}

var errState = errors.New("forecast: the state is cut short or damaged; start from the history instead")

// take is the next n bytes that are read, nil at the end.
func (c *codec) take(n int) []byte {
	if c.err != nil || n < 0 || n > len(c.buf) {
		c.err = errState
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}

func (c *codec) word(v *uint64) {
	if !c.reading {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, *v)
		return
	}
	if b := c.take(8); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

func (c *codec) float(v *float64) {
	w := math.Float64bits(*v)
	c.word(&w)
	*v = math.Float64frombits(w)
}

func (c *codec) int(v *int) {
	w := uint64(*v)
	c.word(&w)
	*v = int(w)
}

func (c *codec) bool(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	c.int(&n)
	*v = n == 1
}

// count visits the length of something whose elements take at least size bytes each, 0
// where they are not there.
func (c *codec) count(n, size int) int {
	c.int(&n)
	if c.reading && (n < 0 || size > 0 && n > len(c.buf)/size) {
		c.err = errState
	}
	if c.err != nil {
		return 0
	}
	return n
}

func (c *codec) floats(v *[]float64) {
	n := c.count(len(*v), 8)
	if c.reading {
		*v = make([]float64, n)
	}
	for i := range *v {
		c.float(&(*v)[i])
	}
}

func (c *codec) ints(v *[]int) {
	n := c.count(len(*v), 8)
	if c.reading {
		*v = make([]int, n)
	}
	for i := range *v {
		c.int(&(*v)[i])
	}
}
