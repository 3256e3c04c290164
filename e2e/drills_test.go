//go:build e2e

package e2e

import (
	"math"
	"path/filepath"
	"testing"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/local"
	"rebound/internal/store"
)

// drill injects failures of one kind into the job of c and returns what the
// program reports. Each must have recovered.
func (b *bed) drill(t *testing.T, c *local.Cluster, f job.Failure, args ...string) []api.Drill {
	t.Helper()
	return b.drillEnding(t, 0, c, f, args...)
}

// drillEnding is a drill that ends with this exit code.
func (b *bed) drillEnding(t *testing.T, code int, c *local.Cluster, f job.Failure, args ...string) []api.Drill {
	t.Helper()
	args = append([]string{"drill", "--name", c.Name, "--failure", string(f), "-o", "json"}, args...)
	o := b.want(t, code, args...)
	doc := decode[api.DrillReport](t, o)
	if doc.Header != api.NewHeader("DrillReport") || len(doc.Drills) == 0 {
		t.Fatalf("not a report of drills:\n%s", o.stdout)
	}
	for _, d := range doc.Drills {
		m := d.Measured
		if m.RecoverySeconds == nil || m.Outcome != job.Recovers {
			t.Fatalf("%s: not recovered\n%s%s", f, o.stderr, o.stdout)
		}
		t.Logf("%s: predicted %.1f s (%.1f–%.1f), measured %.1f s, of that down %.1f s; starved %s; %s", f,
			*d.Predicted.MedianSeconds, *d.Predicted.P05Seconds, *d.Predicted.P95Seconds, *m.RecoverySeconds, number(m.DowntimeSeconds),
			optional(m.StarvedRatio), auditWords(d))
		wantPhases(t, d)
	}
	b.wantJournal(t, c, doc.Drills)
	return doc.Drills
}

// wantPhases checks that what was measured is whole: the phases are those of the
// model, in order, and add up to the recovery.
func wantPhases(t *testing.T, d api.Drill) {
	t.Helper()
	sum, last := 0.0, -1
	order := map[job.Phase]int{}
	for i, p := range job.Phases() {
		order[p] = i
	}
	for _, p := range d.Measured.Phases {
		at, known := order[p.Phase]
		if !known || at <= last || p.Seconds < 0 || p.Source != job.Measured {
			t.Errorf("phase %+v is out of order, negative or not measured", p)
		}
		sum, last = sum+p.Seconds, at
	}
	if r := *d.Measured.RecoverySeconds; math.Abs(sum-r) > 0.05 {
		t.Errorf("the measured phases add up to %.2f s, the recovery took %.2f s: %+v", sum, r, d.Measured.Phases)
	}
}

// wantExactlyOnce checks the audit of every record.
func wantExactlyOnce(t *testing.T, drills []api.Drill) {
	t.Helper()
	for _, d := range drills {
		a := d.Audit
		if a == nil || a.Verdict != "exactly_once" || a.Lost != 0 || a.Duplicated != 0 || a.Sent == 0 || a.Seen == 0 {
			t.Errorf("%s: audit %+v, want exactly once", d.Failure, a)
		}
	}
}

// wantJournal checks that each drill was predicted, in the journal, before its
// failure was injected, and that it has been closed with what was measured.
func (b *bed) wantJournal(t *testing.T, c *local.Cluster, drills []api.Drill) {
	t.Helper()
	j, err := store.OpenReadOnly(t.Context(), filepath.Join(b.state, "rebound", "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, d := range drills {
		row, err := j.Drill(t.Context(), d.ID)
		if err != nil {
			t.Fatal(err)
		}
		if row.State != store.DrillClosed || row.MeasurementID == "" || row.Identity.Name != c.JobName || !row.OpenedAt.Before(d.Measured.At) {
			t.Errorf("journal: %+v of a failure at %v", row, d.Measured.At)
		}
		if len(row.PredictionIDs) != 2 {
			t.Fatalf("journal: predictions %v, want that for the moment and that for any", row.PredictionIDs)
		}
		for _, id := range row.PredictionIDs {
			p, err := j.Prediction(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if !p.At.Before(d.Measured.At) || p.Recovery.MedianSeconds == nil {
				t.Errorf("journal: prediction of %v for a failure at %v: %+v", p.At, d.Measured.At, p.Recovery)
			}
		}
	}
}
