package trace

import (
	"fmt"
	"strings"
)

// find returns which header is column c, or −1 where an optional one is absent.
func (c Column) find(headers []string) (int, error) {
	names := append([]string{c.Name}, c.Aliases...)
	if c.Header != "" {
		names = []string{c.Header}
	}
	for _, name := range names {
		at, n := -1, 0
		for i, h := range headers {
			if fold(h) == fold(name) {
				at, n = i, n+1
			}
		}
		if n > 1 {
			return -1, fmt.Errorf("column %q is there %d times: rename all but one", name, n)
		}
		if n == 1 {
			return at, nil
		}
	}
	if !c.Required && c.Header == "" {
		return -1, nil
	}
	return -1, missing(names, headers)
}

// fold is what two headers are compared by.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// missing says that a column is not there, and what the user may have meant.
func missing(names, headers []string) error {
	best, least := "", 1<<30
	for _, name := range names {
		for _, h := range headers {
			if d := distance(fold(name), fold(h)); d < least {
				best, least = h, d
			}
		}
	}
	// A third of the letters may differ, or two of a short name.
	if best != "" && least <= max(2, len(best)/3) {
		return fmt.Errorf("no column %q: did you mean %q?", names[0], best)
	}
	return fmt.Errorf("no column %q: the file has %s", names[0], strings.Join(headersSorted(headers), ", "))
}

// distance counts the letters to insert, delete or exchange to turn a into b
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
