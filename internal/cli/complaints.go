package cli

import (
	"strings"
	"time"
	"unicode"
)

// complaints are the errors that last, so that each kind is told once: with a full
// disk, looks that write something and looks that do not take turns.
type complaints struct {
	said map[string]bool
	last time.Time // of an error
}

// wellAfter is how long no error must be heard until all is well again.
const wellAfter = 10 * time.Minute

// hear says whether err is of a kind not heard yet, and whether all is well again.
func (c *complaints) hear(now time.Time, err error) (news, well bool) {
	if err == nil {
		if well = len(c.said) > 0 && now.Sub(c.last) >= wellAfter; well {
			c.said = nil
		}
		return false, well
	}
	c.last = now
	for line := range strings.Lines(err.Error()) {
		if k := kindOfError(line); !c.said[k] {
			if c.said == nil {
				c.said = map[string]bool{}
			}
			c.said[k], news = true, true
		}
	}
	return news, false
}

// kindOfError is what an error says without its IDs and numbers.
func kindOfError(s string) string {
	kept := []string{}
	for w := range strings.FieldsSeq(s) {
		if !strings.ContainsFunc(w, unicode.IsDigit) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
