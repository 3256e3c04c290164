package trace

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readCSV takes the separator that the header line holds most of.
func readCSV(b []byte) (*grid, error) {
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma = separator(b)
	r.TrimLeadingSpace = r.Comma != '\t'
	headers, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, ErrEmpty
	}
	if err != nil {
		return nil, err
	}
	g := &grid{headers: headers}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return g, nil
		}
		if err != nil {
			return nil, err // names the line itself
		}
		line, _ := r.FieldPos(0)
		g.rows, g.lines = append(g.rows, row), append(g.lines, line)
	}
}

func separator(b []byte) rune {
	first, _, _ := strings.Cut(strings.TrimLeft(string(b[:min(len(b), 1<<16)]), "\r\n"), "\n")
	best := ','
	for _, c := range []rune{';', '\t'} {
		if strings.Count(first, string(c)) > strings.Count(first, string(best)) {
			best = c
		}
	}
	return best
}

// readLines reads one JSON object a line; keys may differ from line to line. They
// are in the order in which they first come.
func readLines(b []byte) (*grid, error) {
	g := &grid{}
	var objects []map[string]json.RawMessage
	keys := map[string]bool{}
	for n, line := range bytes.Split(b, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var o map[string]json.RawMessage
		if err := json.Unmarshal(line, &o); err != nil {
			return nil, fmt.Errorf("line %d: not a JSON object: %w", n+1, err)
		}
		objects, g.lines = append(objects, o), append(g.lines, n+1)
		if !known(keys, o) {
			g.headers = append(g.headers, news(line, keys)...)
		}
	}
	return g, g.fill(objects)
}

// known tells whether all keys of an object have come before.
func known(keys map[string]bool, o map[string]json.RawMessage) bool {
	for k := range o {
		if !keys[k] {
			return false
		}
	}
	return true
}

// news are the keys of a sound object that have not come before, in its order.
// They count as known from then on.
func news(object []byte, keys map[string]bool) []string {
	var out []string
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber() // a number beyond a float64 is a matter of the column that is read
	_, err := d.Token()
	for err == nil && d.More() {
		var key json.Token
		if key, err = d.Token(); err != nil {
			break
		}
		if k, ok := key.(string); ok && !keys[k] {
			keys[k], out = true, append(out, k)
		}
		var skipped json.RawMessage
		err = d.Decode(&skipped)
	}
	return out
}

// fill lays objects out under headers. A key that an object lacks, and null, are
// missing cells.
func (g *grid) fill(objects []map[string]json.RawMessage) error {
	if cells := len(objects) * len(g.headers); cells > MaxBytes {
		return fmt.Errorf("%d rows of %d different keys: want the same keys in each line", len(objects), len(g.headers))
	}
	column := map[string]int{}
	for i, k := range g.headers {
		column[k] = i
	}
	for _, o := range objects {
		row := make([]string, len(column))
		for k, raw := range o {
			row[column[k]] = cellText(raw)
		}
		g.rows = append(g.rows, row)
	}
	return nil
}

// cellText is a JSON value as a cell: strings without their quotes, the rest as
// it is written.
func cellText(raw json.RawMessage) string {
	var s string
	if err := json.Unmarshal(raw, &s); err == nil {
		return s
	}
	return string(raw)
}
