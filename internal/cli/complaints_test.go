package cli

import (
	"errors"
	"testing"
	"time"
)

// Each kind of error is news once, whatever decision it names and however often
// looks without one come in between, until ten minutes have passed without any.
func TestComplaintsAreSaidOnce(t *testing.T) {
	var c complaints
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	full := errors.New("store decision 1ke5: disk full")
	for i, s := range []struct {
		after      time.Duration
		err        error
		news, well bool
	}{
		{0, nil, false, false},
		{time.Second, full, true, false},
		{2 * time.Second, nil, false, false},
		{3 * time.Second, errors.New("store decision 1ke6: disk full"), false, false},
		{4 * time.Second, errors.Join(full, errors.New("store a window: disk full")), true, false},
		{5 * time.Second, errors.New("store a window: disk full"), false, false},
		{10 * time.Minute, nil, false, false},
		{10*time.Minute + 5*time.Second, nil, false, true},
		{11 * time.Minute, nil, false, false},
		{12 * time.Minute, full, true, false},
	} {
		if news, well := c.hear(start.Add(s.after), s.err); news != s.news || well != s.well {
			t.Errorf("step %d: news %v, well %v; want %v, %v", i, news, well, s.news, s.well)
		}
	}
}
