package forecast

import (
	"encoding/binary"
	"fmt"
)

// stateVersion changes whenever what is kept, or what members do with it, changes.
const stateVersion = 1

// MarshalBinary writes all that was learned. A Forecaster that reads it goes on as this
// one would, bit for bit.
func (f *Forecaster) MarshalBinary() ([]byte, error) {
	c := &codec{buf: binary.LittleEndian.AppendUint64(nil, stateVersion)}
	f.options.code(c)
	f.code(c)
	return c.buf, c.err
}

// UnmarshalBinary reads what MarshalBinary wrote, options included. On an error, which
// a state of another version is too, the Forecaster is as it was: learn from the
// history instead.
func (f *Forecaster) UnmarshalBinary(data []byte) error {
	if len(data) < 8 {
		return errState
	}
	if v := binary.LittleEndian.Uint64(data); v != stateVersion {
		return fmt.Errorf("forecast: state of version %d, want %d; start from the history instead", v, stateVersion)
	}
	c := &codec{buf: data[8:], reading: true}
	var o Options
	o.code(c)
	if c.err != nil {
		return c.err
	}
	read, err := New(o)
	if err != nil {
		return err
	}
	read.code(c)
	if c.err == nil && len(c.buf) > 0 {
		c.err = errState
	}
	if c.err != nil {
		return c.err
	}
	*f = *read
	return nil
}

func (o *Options) code(c *codec) {
	c.float(&o.Step)
	given := o.Season != nil
	c.bool(&given)
	if given {
		c.floats(&o.Season)
	}
	c.int(&o.Horizon)
	c.int(&o.Scored)
}

func (f *Forecaster) code(c *codec) {
	c.int(&f.count)
	c.bool(&f.signed)
	f.filter.code(c)
	f.base.code(c)
	f.bands.code(c)
	if f.coarse != nil && c.err == nil {
		f.coarse.code(c)
		f.base.guide.code(c)
	}
}
