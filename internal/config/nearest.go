package config

import (
	"fmt"
	"strings"
)

// unknown says that there is no such field, and what may have been meant.
func unknown(key string, known []string) string {
	if best := nearest(key, known); best != "" {
		return fmt.Sprintf("unknown field %q: did you mean %q?", key, best)
	}
	return fmt.Sprintf("unknown field %q, want one of %s", key, strings.Join(known, ", "))
}

// nearest is the word that most resembles s, whatever the case and the way in
// which words are joined: up to a third of its letters may differ, or two of a
// short one; one that is part of the other resembles it, too. It is empty where
// none does.
func nearest(s string, words []string) string {
	best, least := "", 1<<30
	for _, w := range words {
		if d := distance(fold(s), fold(w)); d < least {
			best, least = w, d
		}
	}
	for _, w := range words {
		if len(s) >= shortest && strings.Contains(fold(w), fold(s)) && least > 2 {
			return w
		}
	}
	if least > max(2, len(best)/3) || least >= len(best) {
		return ""
	}
	return best
}

// shortest is how long a part must be to tell what is meant.
const shortest = 4

// fold takes off what tells checkpoint_interval from checkpointInterval.
func fold(s string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(s))
}

// maxCompared bounds the work on a key that is no word at all.
const maxCompared = 100

// distance counts the letters to insert, delete or exchange to turn a into b
// (Levenshtein).
func distance(a, b string) int {
	if len(a) > maxCompared {
		return 1 << 30
	}
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
