// Package trace reads recorded series from files: CSV with a header line (comma,
// semicolon or tab), or JSON lines.
//
// A caller names the [Column]s that it wants; headers are matched without regard
// to case, by name, then by alias. What is not asked for is not looked at. Input
// is bounded and every complaint names the line and the column. A cell that
// holds no value is missing, not zero: it is NaN inside a [Table] and nowhere else.
package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// MaxBytes bounds one file: half a million rows of a dozen columns, or six days
// at one sample a second.
const MaxBytes = 64 << 20

// ErrEmpty says that there is no row at all.
var ErrEmpty = errors.New("no rows: want a header line and at least one row, or JSON lines")

// Kind says what the cells of a column are.
type Kind int

// The zero Kind is Number.
const (
	Number Kind = iota
	Time        // seconds, epoch s, ms, µs or ns, or RFC 3339: see Times
	Text
)

// Column is one that the caller wants to have.
type Column struct {
	Name     string
	Aliases  []string // other headers that mean the same, best first
	Required bool
	Kind     Kind
	// Header is the one header to use, where the user named it: Name and Aliases
	// are then not looked for, and the column is required.
	Header string
	// MinusOneMissing reads −1 as missing, as connectors write it where they do
	// not know a lag or a latency.
	MinusOneMissing bool
}

// Table holds the columns that were found.
type Table struct {
	lines   []int // in the file, from 1, by row
	found   map[string]*cells
	headers []string
	numeric []string
}

type cells struct {
	header  string
	numbers []float64 // NaN: missing
	texts   []string
	dated   bool
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.lines) }

// Line is where row i stands in the file, from 1.
func (t *Table) Line(i int) int { return t.lines[i] }

// Header is the file's own name for a column, and whether it was found.
func (t *Table) Header(name string) (string, bool) {
	c, ok := t.found[name]
	if !ok {
		return "", false
	}
	return c.header, true
}

// Unused are the headers that no column was read from, sorted: a misspelt one is
// among them.
func (t *Table) Unused() []string {
	used := map[string]bool{}
	for _, c := range t.found {
		used[c.header] = true
	}
	return slices.DeleteFunc(headersSorted(t.headers), func(h string) bool { return used[h] })
}

// Numeric are the headers of the columns whose first value is a number, in the
// order of the file.
func (t *Table) Numeric() []string { return t.numeric }

// Floats returns a Number or Time column, with NaN for a missing cell; ok is
// false where the file has no such column. The caller must not change it.
func (t *Table) Floats(name string) (values []float64, ok bool) {
	c, ok := t.found[name]
	if !ok || c.numbers == nil {
		return nil, false
	}
	return c.numbers, true
}

// Texts returns a Text column. The caller must not change it.
func (t *Table) Texts(name string) (values []string, ok bool) {
	c, ok := t.found[name]
	if !ok || c.texts == nil {
		return nil, false
	}
	return c.texts, true
}

// Dated tells whether a Time column holds moments, as seconds since 1970, and
// not seconds on an axis of its own.
func (t *Table) Dated(name string) bool {
	c, ok := t.found[name]
	return ok && c.dated
}

// Read reads all of r. It fails for input without a row, for a required column
// that is not there, and for cells that are not what their column should hold.
func Read(r io.Reader, columns []Column) (*Table, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("more than %d MiB: cut the file to the time of interest, or sample it more coarsely", MaxBytes>>20)
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	var g *grid
	if bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) {
		g, err = readLines(b)
	} else {
		g, err = readCSV(b)
	}
	if err != nil {
		return nil, err
	}
	if len(g.rows) == 0 {
		return nil, ErrEmpty
	}
	return g.table(columns)
}

// grid is a file as text: rows of cells under headers.
type grid struct {
	headers []string
	rows    [][]string
	lines   []int
}

func (g *grid) table(columns []Column) (*Table, error) {
	t := &Table{lines: g.lines, found: map[string]*cells{}, headers: g.headers, numeric: g.numeric()}
	var errs []error
	for _, c := range columns {
		at, err := c.find(g.headers)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if at < 0 {
			continue
		}
		cs, err := g.parse(c, at)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t.found[c.Name] = cs
	}
	return t, errors.Join(errs...)
}

// numeric looks at the first cell of each column that is not missing.
func (g *grid) numeric() []string {
	var out []string
	for at, h := range g.headers {
		i := slices.IndexFunc(g.rows, func(row []string) bool { return !absent(strings.TrimSpace(row[at])) })
		if i < 0 {
			continue
		}
		if _, err := number(g.rows[i][at]); err == nil {
			out = append(out, h)
		}
	}
	return out
}

// parse reads one column, and stops at its first bad cell: the next thousand
// are bad for the same reason.
func (g *grid) parse(c Column, at int) (*cells, error) {
	texts := make([]string, len(g.rows))
	for i, row := range g.rows {
		texts[i] = row[at]
	}
	out := &cells{header: g.headers[at]}
	bad, err := -1, error(nil)
	switch c.Kind {
	case Text:
		out.texts = texts
	case Time:
		out.numbers, out.dated, bad, err = times(texts)
	case Number:
		out.numbers, bad, err = numbers(texts)
		if c.MinusOneMissing {
			dropMinusOne(out.numbers)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("line %d, column %q: %w", g.lines[bad], out.header, err)
	}
	return out, nil
}

func dropMinusOne(v []float64) {
	for i := range v {
		if v[i] == -1 {
			v[i] = math.NaN()
		}
	}
}

// headersSorted is for messages.
func headersSorted(h []string) []string {
	h = slices.Clone(h)
	slices.Sort(h)
	return h
}
