//go:build crash

package crash

import (
	"database/sql"
	"os/exec"
	"slices"
	"strings"
	"time"

	"rebound/internal/job"
	"rebound/internal/store"
	"rebound/internal/twin"

	"github.com/google/go-cmp/cmp"
)

// verify checks what must hold at the end.
func (b *bench) verify() {
	b.Helper()
	b.after()
	b.verifyFile()
	all := b.decisions()
	slices.Reverse(all) // oldest first
	b.verifyClosed(all)
	b.verifyReadable(all)
	b.verifyScores()
	b.verifyProfiles()
}

// verifyFile looks at the database as such.
func (b *bench) verifyFile() {
	b.Helper()
	db, err := sql.Open("sqlite", b.journal)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var whole string
	if err := db.QueryRowContext(b.Context(), "PRAGMA integrity_check").Scan(&whole); err != nil || whole != "ok" {
		b.Errorf("the file is damaged: %s, %v", whole, err)
	}
	var broken int
	if err := db.QueryRowContext(b.Context(), "SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil || broken != 0 {
		b.Errorf("%d references lead nowhere, %v", broken, err)
	}
}

func (b *bench) verifyClosed(all []job.Decision) {
	b.Helper()
	states := map[job.DecisionState]int{}
	for _, d := range all {
		states[d.State]++
		if !d.State.Closed() || d.ClosedAt.IsZero() {
			b.Errorf("decision %s of %v is still %s", d.ID, d.At, d.State)
		}
	}
	b.Logf("decisions: %v", states)
	if states[job.Verified] < 10 {
		b.Error("too few changes for the test to mean anything")
	}
}

// verifySettings: where no decision is open, the job has what the last one that
// came through says, and is never between two settings.
func (b *bench) verifySettings(all []job.Decision) {
	b.Helper()
	want, by := b.initial, "nobody"
	for _, d := range all {
		if d.Kind == job.Pace {
			continue
		}
		if !d.State.Closed() {
			return
		}
		if d.Applied != nil && (d.State == job.Verified || d.State == job.RolledBack) {
			want, by = of(d.Applied.Want, want), d.ID
		}
	}
	o := b.observe()
	got, ok := o.Knobs()
	if !ok {
		return // no TaskManager is there
	}
	if got != want {
		b.Errorf("at %v the job has %v, and decision %s left it at %v", o.At, got, by, want)
	}
	for _, v := range o.Vertices {
		if v.Parallelism != got.Parallelism || len(v.Subtasks) != got.Parallelism {
			b.Errorf("vertex %s has %d subtasks, the job %d", v.Name, len(v.Subtasks), got.Parallelism)
		}
	}
	for _, tm := range o.TaskManagers {
		if tm.Slots != got.Slots || *tm.CPUCores != got.CPUCores || *tm.MemoryBytes != got.MemoryBytes {
			b.Errorf("TaskManager %s is not as the settings say: %+v", tm.ID, tm)
		}
	}
}

// of puts settings over knobs.
func of(s job.Settings, k job.Knobs) job.Knobs {
	if v := s.CheckpointIntervalSeconds; v != nil {
		k.IntervalSeconds = *v
	}
	for _, n := range s.Parallelism {
		k.Parallelism = n // equal in all vertices of a simulation
	}
	if v := s.SlotsPerTaskManager; v != nil {
		k.Slots = *v
	}
	if v := s.TaskManagerResources.CPUCores; v != nil {
		k.CPUCores = *v
	}
	if v := s.TaskManagerResources.MemoryBytes; v != nil {
		k.MemoryBytes = *v
	}
	return k
}

// verifyReadable: the commands can tell all of it.
func (b *bench) verifyReadable(all []job.Decision) {
	b.Helper()
	commands := [][]string{{"history"}}
	for _, d := range all[max(0, len(all)-20):] {
		commands = append(commands, []string{"explain", d.ID})
	}
	for _, c := range commands {
		out, err := exec.CommandContext(b.Context(), b.program, append(c, "--journal", b.journal)...).CombinedOutput()
		if err != nil || len(out) == 0 {
			b.Errorf("rebound %s: %v\n%s", strings.Join(c, " "), err, out)
		}
	}
}

// verifyScores: an outage of a calm job that is in the journal, that nothing else
// disturbed, and for which a prediction stood, has its score.
func (b *bench) verifyScores() {
	b.Helper()
	measured, err := b.look.Measurements(b.Context(), store.Query{Identity: &b.job})
	if err != nil {
		b.Fatal(err)
	}
	scores, err := b.look.Scored(b.Context(), store.Query{Identity: &b.job})
	if err != nil {
		b.Fatal(err)
	}
	scored := map[string]bool{}
	for _, s := range scores {
		scored[s.MeasurementID] = true
	}
	var truth struct{ Recoveries, Restarts []twin.Recovery }
	if err := b.twin.Truth(b.Context(), &truth); err != nil {
		b.Fatal(err)
	}
	predicted, err := b.look.Predictions(b.Context(), store.Query{Identity: &b.job, Kind: store.Standing})
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range measured {
		if !scored[m.ID] && m.Measurement.Disturbed == "" && stood(predicted, m.Measurement) && calm(slices.Concat(truth.Recoveries, truth.Restarts), m.Measurement.At) {
			b.Errorf("the outage of %v (%s%s) was measured and predicted, and has no score", m.Measurement.At, m.Measurement.Failure, m.Measurement.Change)
		}
	}
	b.verifySeen(truth.Recoveries, measured)
	b.Logf("%d outages measured, %d scored", len(measured), len(scored))
}

// verifyProfiles: each copy of the job that ran is in the journal, once, and with
// what it showed; no other is said to have run, and what they cost is within the
// budget of the days.
func (b *bench) verifyProfiles() {
	b.Helper()
	all, err := b.look.Profiles(b.Context(), b.job, 0)
	if err != nil {
		b.Fatal(err)
	}
	var truth struct{ Copies int }
	if err := b.twin.Truth(b.Context(), &truth); err != nil {
		b.Fatal(err)
	}
	ran := 0
	for _, p := range all {
		got, known, err := b.twin.Profile(b.Context(), p.ID)
		if err != nil {
			b.Fatal(err)
		}
		if p.State == job.ProfileRunning {
			b.Errorf("the profile %s is not ended", p.ID)
		}
		if !known {
			continue
		}
		ran++
		if got.Reason = p.Reason; !cmp.Equal(got, p) {
			b.Errorf("the profile %s: -shown +journal\n%s", p.ID, cmp.Diff(got, p))
		}
	}
	if ran != truth.Copies {
		b.Errorf("%d copies ran, %d of them are in the journal", truth.Copies, ran)
	}
	b.Logf("%d copies of the job ran, %d are in the journal", truth.Copies, len(all))
}

// stands is how old a prediction may be that still stands: the loop renews it
// every ten minutes at the latest.
const stands = 11 * time.Minute

// stood tells whether the journal had a prediction of an outage when it began.
func stood(predicted []store.Prediction, m job.Measurement) bool {
	return slices.ContainsFunc(predicted, func(p store.Prediction) bool {
		return p.Recovery.Failure == m.Failure && p.At.Before(m.At) && m.At.Sub(p.At) < stands
	})
}

// calm tells whether the job was not busy with another outage.
func calm(all []twin.Recovery, at time.Time) bool {
	return !slices.ContainsFunc(all, func(r twin.Recovery) bool {
		end := r.At.Add(time.Duration(r.Seconds * float64(time.Second)))
		return r.At.Before(at.Add(-10*time.Second)) && end.Add(time.Minute).After(at)
	})
}

// lived says whether one loop ran all the time.
func (b *bench) lived(from, to time.Time) bool {
	return slices.ContainsFunc(b.alive, func(s span) bool { return s.from.Before(from) && s.to.After(to) })
}

// verifySeen: a failure that one loop saw from well before to well after, on a disk
// with space, is in the journal.
func (b *bench) verifySeen(all []twin.Recovery, measured []store.Measured) {
	b.Helper()
	watched := 0
	for _, r := range all {
		end := r.At.Add(time.Duration(r.Seconds * float64(time.Second)))
		if !r.Done || r.Interrupted || r.DuringCatchUp || !b.lived(r.At.Add(-10*time.Minute), end.Add(10*time.Minute)) {
			continue
		}
		watched++
		if !slices.ContainsFunc(measured, func(m store.Measured) bool { return m.Measurement.At.Sub(r.At).Abs() < misjudged }) {
			b.Errorf("the failure of %v was watched from before to after, and is not in the journal", r.At)
		}
	}
	b.Logf("%d failures, %d watched from well before to well after", len(all), watched)
}

// misjudged is by how much a loop may be wrong about when a failure began.
const misjudged = 30 * time.Second
