package learn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Version of the stored form. What another version has stored is not read: the job
// is then learned anew from the journal.
const Version = 1

// ErrVersion says that what is stored has another form.
var ErrVersion = errors.New("learned state of another version")

type stored struct {
	Version int   `json:"version"`
	State   state `json:"state"`
}

// MarshalBinary writes all that was learned. A Job that reads it goes on as this
// one does, to the bit.
func (j *Job) MarshalBinary() ([]byte, error) {
	return json.Marshal(stored{Version, j.state})
}

// UnmarshalBinary reads what MarshalBinary has written; after an error the Job is as
// before. The identity stays.
func (j *Job) UnmarshalBinary(b []byte) error {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return fmt.Errorf("learned state: %w", err)
	}
	if head.Version != Version {
		return fmt.Errorf("%w: %d, want %d", ErrVersion, head.Version, Version)
	}
	var s stored
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return fmt.Errorf("learned state: %w", err)
	}
	if err := s.State.validate(); err != nil {
		return fmt.Errorf("learned state: %w", err)
	}
	j.state, j.belief = s.State, nil
	return nil
}

// validate reports what would make a state unusable.
func (s *state) validate() error {
	k := &s.Known
	var errs []error
	check := func(ok bool, what string) {
		if !ok {
			errs = append(errs, errors.New(what))
		}
	}
	check(k.Latency.Line.sound(2), "latency: want a line of 2 columns")
	check(k.Down.Restore.sound(restores), fmt.Sprintf("restore: want a line of %d columns", restores))
	check(k.Length.Count == 0 || k.Length.Line.sound(2), "checkpoint duration: want a line of 2 columns")
	for _, w := range []*warmth{&k.Cold, &k.Warm} {
		check(len(w.Likelihood) == 0 || len(w.Likelihood) == warmStarts*warmTaus, "warm-up: want a grid of another size")
	}
	check(len(k.Cells) <= mostCells, "capacity: too many cells")
	for i := range k.Cells {
		c := &k.Cells[i]
		check(c.At.valid() && c.Busy.Weight >= 0 && c.Full.Weight >= 0 && math.Abs(c.Busy.Mean) < 100 && math.Abs(c.Full.Mean) < 100 && c.Load >= 0 && c.Load <= 1,
			fmt.Sprintf("capacity: cell %d is not one", i))
	}
	check(len(s.Heard) <= mostHeard, "profiles: too many")
	check(len(s.CatchUp.Looks) <= mostCatchLooks && len(s.Open.Blocks) <= mostKept, "open stretch: too long")
	for _, l := range s.CatchUp.Looks {
		check(l.Weight > 0 && l.Weight <= 1 && l.From >= 0 && l.To > l.From && math.Abs(l.Log) < 100 && l.Ckpt >= 0 && l.Ckpt < 1, "catch-up: a look is not one")
	}
	check(len(s.Open.Blocks) == 0 || s.Open.Unit > 0 && s.Open.At.valid(), "open stretch: without a unit")
	for _, n := range []noise{k.Scatter, k.Length.Scatter, k.Latency.Scatter, k.Down.Scatter} {
		check(n.Square >= 0 && n.Weight >= 0, "scatter: below 0")
	}
	check(k.Cost.QQ >= 0 && k.Cost.RR >= 0 && k.Cost.Weight >= 0, "checkpoint loss: below 0")
	return errors.Join(errs...)
}

// sound says whether a regression has d columns and a prior.
func (r *regression) sound(d int) bool {
	if len(r.Mean) != d || len(r.Deviation) != d || len(r.XX) != d*d || len(r.XY) != d {
		return false
	}
	for _, v := range r.Deviation {
		if !(v > 0) {
			return false
		}
	}
	return true
}
