package store

import (
	"fmt"
	"io"
	"time"
)

// The alphabet of IDs: Crockford's base 32, whose order is that of its digits
// and which has no letters that are mistaken for others.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// Digits of an ID: 9 of the time in ms (2^45 ms: until the year 3084) and 6 of
// chance, so that two of the same millisecond differ but once in 10⁹.
const (
	timeDigits   = 9
	chanceDigits = 6
)

// newID returns a short name that sorts by time.
func newID(at time.Time, entropy io.Reader) (string, error) {
	var chance [chanceDigits]byte
	if _, err := io.ReadFull(entropy, chance[:]); err != nil {
		return "", fmt.Errorf("draw an ID: %w", err)
	}
	id := make([]byte, timeDigits+chanceDigits)
	ms := at.UnixMilli()
	for i := timeDigits - 1; i >= 0; i-- {
		id[i] = alphabet[ms&31]
		ms >>= 5
	}
	for i, b := range chance {
		id[timeDigits+i] = alphabet[b&31]
	}
	return string(id), nil
}

// layout is how times are stored: UTC, of one width, so that text sorts as time.
const layout = "2006-01-02T15:04:05.000000Z"

func text(t time.Time) string { return t.UTC().Format(layout) }

// orNull keeps an unknown time unknown.
func orNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return text(t)
}

// parse reads what text wrote; the zero time of what was NULL.
func parse(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return time.Parse(layout, s)
}
