package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rebound/internal/job"
)

// width of everything that is printed for people.
const width = 80

// short writes a length of time for people, to three digits.
func short(seconds float64) string {
	switch {
	case seconds < 9.95:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 600:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f min", seconds/60)
	default:
		return fmt.Sprintf("%.1f h", seconds/3600)
	}
}

// orOutcome is a time, or the word for why there is none.
func orOutcome(seconds *float64, o job.Outcome) string {
	switch {
	case seconds != nil:
		return short(*seconds)
	case o == job.Never:
		return "never"
	case o == job.BeyondHorizon:
		return "beyond"
	default:
		return "–"
	}
}

// plain is a number for a spreadsheet; what is unknown is empty.
func plain(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

// age writes how long ago, or for how long.
func age(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	default:
		return fmt.Sprintf("%.0f d", d.Hours()/24)
	}
}

// amount writes a quantity with its spread and unit.
func amount(q job.Quantity) string {
	scale, unit, digits := 1.0, "", 1
	switch q.Unit {
	case job.Ratio:
		scale, unit, digits = 100, "%", 0
	case job.PerSecond:
		unit, digits = "records/s", 0
	case job.Seconds:
		unit = "s"
	case job.Bytes:
		scale, unit = 1e-6, "MB"
		if q.Value < 1e6 {
			scale, unit = 1e-3, "kB"
		}
	default:
		unit = q.Unit
	}
	s := thousands(q.Value*scale, digits)
	if q.Spread > 0 {
		s += " ± " + thousands(q.Spread*scale, digits)
	}
	return s + " " + unit
}

// thousands groups the digits before the point by commas.
func thousands(v float64, digits int) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', digits, 64), ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

func phaseName(p job.Phase) string { return strings.ReplaceAll(string(p), "_", "-") }

// vertexName is the name of a vertex's first operator: the chain is long.
func vertexName(name string) string {
	first, rest, _ := strings.Cut(name, " -> ")
	if rest != "" {
		first += " …"
	}
	return first
}

func failureName(f job.Failure) string {
	if f == job.JobManagerFailure {
		return "JobManager"
	}
	return string(f)
}

func known(s string) string {
	if s == "" {
		return "of unknown version"
	}
	return s
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// clip cuts s to n characters, saying so.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// wrap prints text in lines of at most the width, each with the indent.
func wrap(w io.Writer, text, indent string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(indent+line+" "+word)) > width {
			fmt.Fprintln(w, indent+line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		fmt.Fprintln(w, indent+line)
	}
}
