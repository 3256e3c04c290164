package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/outage"
)

// table is the form for people: a line an outage, then each with its phases and
// a picture.
func (r *recording) table(w io.Writer, doc api.Outages) error {
	r.heading(w)
	if len(doc.Outages) == 0 {
		_, err := fmt.Fprintln(w, "No outage.")
		return err
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "#\tFROM\tRESTORED\tCAUGHT UP\tRECOVERY\t±"+targetHeader(doc))
	for i, o := range doc.Outages {
		fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%s\t%s%s\n", i+1, r.at(outageStart(o)), sinceStart(o, o.RestoredAt), sinceStart(o, o.CaughtUpAt),
			outageLength(o), short(o.ResolutionSeconds), outageVerdict(doc, o))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i, o := range doc.Outages {
		fmt.Fprintf(w, "\n#%d\n", i+1)
		wrap(w, phaseLine(o), "    ")
		r.picture(w, o)
	}
	_, err := fmt.Fprintln(w, "\nf failure, or first impact · r restored: all subtasks run · c caught up")
	return err
}

func (r *recording) heading(w io.Writer) {
	t := r.series.Times
	fmt.Fprintf(w, "%d samples, %s to %s\n", len(t), r.at(t[0]), r.at(t[len(t)-1]))
	wrap(w, "read: "+strings.Join(r.from, ", "), "")
	if unused := r.file.Unused(); len(unused) > 0 {
		wrap(w, "not read: "+strings.Join(unused, ", "), "")
	}
}

// outageStart is where the recovery is counted from.
func outageStart(o job.Outage) float64 {
	if o.FailedAt != nil {
		return *o.FailedAt
	}
	return *o.FirstImpactAt
}

// at writes a moment on the file's own axis.
func (r *recording) at(t float64) string {
	if !r.dated {
		return strconv.FormatFloat(math.Round(t*10)/10, 'f', -1, 64)
	}
	return time.UnixMilli(int64(math.Round(t * 1000))).UTC().Format("2006-01-02T15:04:05Z")
}

// sinceStart writes a moment as the time since the start of its outage.
func sinceStart(o job.Outage, t *float64) string {
	if t == nil {
		return "–"
	}
	return "+" + short(*t-outageStart(o))
}

func outageLength(o job.Outage) string {
	if o.Censored {
		return "> " + short(*o.AtLeastSeconds)
	}
	return short(*o.RecoverySeconds)
}

func targetHeader(doc api.Outages) string {
	if doc.TargetSeconds == nil {
		return ""
	}
	return "\tTARGET " + short(*doc.TargetSeconds)
}

func outageVerdict(doc api.Outages, o job.Outage) string {
	switch {
	case doc.TargetSeconds == nil:
		return ""
	case o.Met == nil:
		return "\t" + string(job.Unknown)
	case *o.Met:
		return "\t" + string(job.Met)
	}
	return "\t" + string(job.Missed)
}

func phaseLine(o job.Outage) string {
	parts := make([]string, 0, len(o.Phases))
	for _, p := range o.Phases {
		part := phaseName(p.Phase) + " " + short(p.Seconds)
		if p.Note != "" {
			part += " (" + p.Note + ")"
		}
		parts = append(parts, part)
	}
	if o.Censored {
		parts = append(parts, "not recovered within "+short(*o.AtLeastSeconds))
	}
	return strings.Join(parts, " · ")
}

// picture draws the backlog around one outage, or the rate where none was
// recorded, and marks below it what the table names.
func (r *recording) picture(w io.Writer, o job.Outage) {
	const columns = 64
	values, name, unit := r.series.Lag, "lag", "records"
	switch {
	case values == nil:
		values, name, unit = r.series.Rate, "rate", "records/s"
	case r.series.LagUnit == outage.Seconds:
		name, unit = "age", "s"
	}
	if values == nil {
		return
	}
	last := r.series.Times[len(r.series.Times)-1]
	if o.CaughtUpAt != nil {
		last = *o.CaughtUpAt
	} else if o.AtLeastSeconds != nil {
		last = min(last, outageStart(o)+*o.AtLeastSeconds)
	}
	margin := max(0.1*(last-outageStart(o)), 3*o.ResolutionSeconds)
	from, to := outageStart(o)-margin, last+margin
	cells := resample(r.series.Times, values, [2]float64{from, to}, columns)
	fmt.Fprintf(w, "    %-5s%s\n", name, spark(cells))
	fmt.Fprintf(w, "    %-5s%s\n", "", marks(o, [2]float64{from, to}, columns))
	fmt.Fprintf(w, "         %s to %s, up to %s %s\n", r.at(from), r.at(to), strconv.FormatFloat(peak(cells), 'f', 0, 64), unit)
}

// resample takes the largest known value of each of n equal parts of a span, NaN
// where there is none. Between two samples that are not far apart it holds.
func resample(t, v []float64, span [2]float64, n int) []float64 {
	out := slices.Repeat([]float64{math.NaN()}, n)
	cell := func(x float64) int { return int(math.Floor(float64(n) * (x - span[0]) / (span[1] - span[0]))) }
	for i := range t {
		if math.IsNaN(v[i]) {
			continue
		}
		last := cell(t[i])
		if i > 0 && i+1 < len(t) && t[i+1]-t[i] < 3*(t[i]-t[i-1]) {
			last = max(last, cell(t[i+1])-1)
		}
		for k := max(0, cell(t[i])); k <= min(last, n-1); k++ {
			if math.IsNaN(out[k]) || v[i] > out[k] {
				out[k] = v[i]
			}
		}
	}
	return out
}

func peak(v []float64) float64 {
	top := math.NaN()
	for _, x := range v {
		if math.IsNaN(top) || x > top {
			top = x
		}
	}
	return top
}

// spark draws values by eighths of the largest; unknown ones are blank.
func spark(v []float64) string {
	levels, top := []rune("▁▂▃▄▅▆▇█"), peak(v)
	var b strings.Builder
	for _, x := range v {
		switch {
		case math.IsNaN(x):
			b.WriteRune(' ')
		case !(top > 0) || x <= 0:
			b.WriteRune(levels[0])
		default:
			b.WriteRune(levels[min(7, int(8*x/top))])
		}
	}
	return b.String()
}

func marks(o job.Outage, span [2]float64, n int) string {
	line := []rune(strings.Repeat(" ", n))
	for _, m := range []struct {
		at   *float64
		sign rune
	}{{o.RestoredAt, 'r'}, {o.CaughtUpAt, 'c'}, {new(outageStart(o)), 'f'}} {
		if m.at == nil {
			continue
		}
		if k := int(float64(n) * (*m.at - span[0]) / (span[1] - span[0])); k >= 0 && k < n {
			line[k] = m.sign
		}
	}
	return strings.TrimRight(string(line), " ")
}
