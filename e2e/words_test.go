//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"rebound/internal/api"
)

// columns is the width of a terminal that every table fits.
const columns = 80

func wantFits(t *testing.T, table string) {
	t.Helper()
	if strings.Count(table, "\n") < 3 {
		t.Errorf("not a table:\n%s", table)
	}
	for line := range strings.Lines(table) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// wantSentence checks that stderr holds one line with these words, and stdout
// nothing.
func wantSentence(t *testing.T, o outcome, words ...string) {
	t.Helper()
	line, rest, _ := strings.Cut(o.stderr, "\n")
	if rest != "" || o.stdout != "" || !strings.HasPrefix(line, "rebound: ") {
		t.Errorf("want one sentence, got\nstdout:\n%s\nstderr:\n%s", o.stdout, o.stderr)
	}
	for _, w := range words {
		if !strings.Contains(line, w) {
			t.Errorf("%q lacks %q", line, w)
		}
	}
}

func auditWords(d api.Drill) string {
	if d.Audit == nil {
		return "not audited"
	}
	a := d.Audit
	return fmt.Sprintf("%d sent, %d seen, %d lost, %d duplicated: %s %s", a.Sent, a.Seen, a.Lost, a.Duplicated, a.Verdict, a.Confidence)
}

func number(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

func optional(p *float64) string {
	if p == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2f", *p)
}
