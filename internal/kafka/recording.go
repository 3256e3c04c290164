package kafka

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxRows bounds a recording: a week in seconds fits.
const maxRows = 1 << 20

// readKnots reads a recording: comma separated with a header, one row a sample.
// Time is the column t_s, t, time, date or timestamp, else the first: seconds, or a date
// (2006-01-02 15:04:05 or RFC 3339); the first row becomes 0. Rate is the named column,
// else rate_rps, else the only one besides time. Between the rows the rate is linear.
func readKnots(r io.Reader, column string) (knots, error) {
	rows := csv.NewReader(r)
	rows.ReuseRecord = true
	rows.TrimLeadingSpace = true
	head, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	t, rate, err := columns(head, column)
	if err != nil {
		return nil, err
	}
	var p knots
	var origin float64
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, err // names the line itself
		}
		if len(p) == maxRows {
			return nil, fmt.Errorf("more than %d rows", maxRows)
		}
		at, err := seconds(row[t])
		line, _ := rows.FieldPos(0)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(row[rate]), 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: rate %q is no number", line, row[rate])
		}
		if len(p) == 0 {
			origin = at
		}
		p = append(p, Knot{at - origin, v})
	}
}

func columns(head []string, column string) (t, rate int, err error) {
	t = max(0, slices.IndexFunc(head, func(h string) bool {
		return slices.Contains([]string{"t_s", "t", "time", "date", "timestamp"}, h)
	}))
	switch {
	case column != "":
		rate = slices.Index(head, column)
	case len(head) == 2:
		rate = 1 - t
	default:
		column = "rate_rps"
		rate = slices.Index(head, column)
	}
	if rate < 0 || rate == t {
		return 0, 0, fmt.Errorf("no column %q of rates among %q", column, head)
	}
	return t, rate, nil
}

func seconds(s string) (float64, error) {
	s = strings.TrimSpace(s)
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v, nil
	}
	for _, layout := range []string{time.DateTime, time.RFC3339} {
		if at, err := time.Parse(layout, s); err == nil {
			return float64(at.UnixMilli()) / 1000, nil
		}
	}
	return 0, fmt.Errorf("time %q: want seconds or a date such as 2006-01-02 15:04:05", s)
}
