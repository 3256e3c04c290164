package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"rebound/internal/api"
	"rebound/internal/job"
)

// The whole page of a plan, to the letter.
func TestPlanTable(t *testing.T) {
	const want = `prod/ads/views: a change is proposed

  ~ checkpointInterval  30 s → 20 s
  ~ parallelism         8 → 12
    slots               2
    cpu                 2 cores
    memory              4 GiB
  way: in place, the scheduler rescales

                           NOW     THEN
  cost an hour           0.410    0.610
  recovery, process      214 s    162 s
  wanted at most         180 s    180 s
  utilization             88 %     61 %
  capacity /s           80,000  116,000
The change itself takes 46 s until caught up, worth 0.050.

The load is about to rise from 62,000 to 70,000 records/s, at which recovery
would take 214 s of 180 s.

What binds
  recovery time: 162 s of 180 s; at p 11 it is 183 s

Cheaper, and why not
  0.510  p 10 in 5 × 2 cores, 4 GiB, every 30 s
         recovery time: 191 s of 180 s

1,792 settings were looked at. Load: 62,000 records/s now, up to 70,000 (74,000
at the risk taken) within 60 min; forecast by seasonal.
`
	b := new(strings.Builder)
	if err := planTable(b, grow(), 180); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Every knob has its place in a FlinkDeployment.
func TestPatch(t *testing.T) {
	p := grow()
	p.Want.Slots, p.Want.CPUCores, p.Want.MemoryBytes = 4, 1.5, 6*job.GiB
	const want = `# prod/ads/views: kubectl patch flinkdeployment NAME --type merge --patch-file FILE
spec:
  flinkConfiguration:
    execution.checkpointing.interval: 20000 ms
    taskmanager.numberOfTaskSlots: "4"
  job:
    parallelism: 12
  taskManager:
    resource:
      cpu: 1.5
      memory: 6144m
`
	b := new(strings.Builder)
	if err := writePatch(b, p); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// What a plan says of itself, whatever came of it.
func TestPlanVerdict(t *testing.T) {
	paced, stays, stuck, forced := grow(), grow(), grow(), grow()
	paced.Want, paced.Way, paced.PaceSeconds = paced.Now, "", new(12.0)
	stays.Want, stays.Way = stays.Now, ""
	stuck.Want, stuck.Way, stuck.Feasible = stuck.Now, "", false
	forced.Feasible = false
	for want, tt := range map[string]struct {
		p    job.Plan
		code int
	}{
		"a change is proposed": {grow(), exitChange}, "no restart; checkpoints": {paced, exitChange},
		"nothing to change": {stays, exitOK}, "none pays": {stuck, exitMissed}, "though NO settings": {forced, exitMissed},
	} {
		code := exitOK
		if err := (&planCmd{DetailedExitcode: true}).exit(tt.p); err != nil {
			code = err.(*exit).code //nolint:forcetypeassert,errorlint // it returns no other
		}
		if got := verdictOf(tt.p); !strings.Contains(got, want) || code != tt.code {
			t.Errorf("%q, exit code %d, want %q and %d", got, code, want, tt.code)
		}
	}
}

// What is printed for people fits a terminal of 80 columns, with numbers as long
// and reasons as many as they come.
func TestDecisionPagesFit(t *testing.T) {
	d := grown(noon())
	d.Job.Name = strings.Repeat("enrichment-of-clicks-", 1)
	d.Proposed.Now.MemoryBytes, d.Proposed.Now.CPUCores, d.Proposed.Now.Parallelism = 123.456*job.GiB, 12.3456, 1024
	d.Proposed.Present.Recovery = []job.Recovery{{Failure: job.JobManagerFailure, Outcome: job.Never, AtRiskOutcome: job.Never, Phases: []job.PhaseTime{}}}
	d.Proposed.Reason = strings.Repeat("because of what was seen ", 20)
	d.Seen.Lacks = []job.Lack{{Quantity: "pending records", Why: strings.Repeat("long ", 40), How: "ask again"}}
	d.Outcome = strings.Repeat("outcome ", 30)
	other := d
	other.Job.Name, other.Job.Namespace = "o", "ns"
	b := new(strings.Builder)
	explain(b, api.Decision{Decision: d, Predictions: []api.Predicted{{ID: "1ke5qtspgygz748", Recovery: seconds(46), Scored: &job.Scored{}}, {Recovery: seconds(1)}}})
	if err := planTable(b, d.Proposed, 180); err != nil {
		t.Fatal(err)
	}
	if err := historyTable(b, []job.Decision{d, other}, true); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
