//go:build e2e

package e2e

import (
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/local"
)

// A newcomer's first hour: start, check, kill, see prediction and measurement
// agree, stop. The steps build on each other.
func TestDefaults(t *testing.T) {
	b := newBed(t)
	c := b.up(t, "e2e-main", "--interval", "5s")
	steps := []struct {
		name string
		run  func(*testing.T, *bed, *local.Cluster)
	}{
		{"check", checkFirst},
		{"check quick", checkQuick},
		{"drill process", drillProcess},
		{"check learns", checkLearns},
		{"drill task", func(t *testing.T, b *bed, c *local.Cluster) { wantExactlyOnce(t, b.drill(t, c, job.TaskFailure)) }},
		{"drill node", func(t *testing.T, b *bed, c *local.Cluster) { wantExactlyOnce(t, b.drill(t, c, job.NodeFailure)) }},
		{"status", status},
		{"live tests", liveTests},
		{"down after a crash", downAfterCrash},
	}
	for _, s := range steps {
		if !t.Run(s.name, func(t *testing.T) { s.run(t, b, c) }) && b.ctx.Err() != nil {
			t.Fatal(b.ctx.Err())
		}
	}
}

// checkOne runs check and returns its one job.
func (b *bed) checkOne(t *testing.T, code int, c *local.Cluster, args ...string) api.JobCheck {
	t.Helper()
	o := b.want(t, code, append([]string{"check", "--flink", c.REST, "-o", "json"}, args...)...)
	doc := decode[api.Check](t, o)
	if doc.Header != api.NewHeader("Check") || len(doc.Jobs) != 1 {
		t.Fatalf("not a check of one job:\n%s", o.stdout)
	}
	return doc.Jobs[0]
}

// wantRecoveries checks a prediction for each kind of failure: ordered quantiles
// and phases that add up to the median. Without high availability, nothing
// recovers from the loss of the JobManager.
func wantRecoveries(t *testing.T, c *local.Cluster, j api.JobCheck) {
	t.Helper()
	var kinds []job.Failure
	for _, r := range j.Recovery {
		kinds = append(kinds, r.Failure)
		if r.Failure == job.JobManagerFailure && !c.HA {
			if r.Outcome != job.Never || r.MedianSeconds != nil {
				t.Errorf("without high availability the loss of the JobManager is %+v, want never", r)
			}
			continue
		}
		if r.Outcome != job.Recovers || r.P05Seconds == nil || r.P95Seconds == nil || r.AtRiskSeconds == nil || r.WorstSeconds == nil {
			t.Errorf("%s: %+v, want a recovery with all its numbers", r.Failure, r)
			continue
		}
		sum := 0.0
		for _, p := range r.Phases {
			sum += p.Seconds
		}
		if math.Abs(sum-*r.MedianSeconds) > 0.01 || len(r.Phases) != len(job.Phases()) {
			t.Errorf("%s: phases %+v add up to %.2f s, the median is %.2f s", r.Failure, r.Phases, sum, *r.MedianSeconds)
		}
		if !slices.IsSorted([]float64{0.001, *r.P05Seconds, *r.MedianSeconds, *r.P95Seconds, *r.AtRiskSeconds}) {
			t.Errorf("%s: quantiles are not in order: %+v", r.Failure, r)
		}
		t.Logf("%s: %.1f s (%.1f–%.1f), at risk %.1f s", r.Failure, *r.MedianSeconds, *r.P05Seconds, *r.P95Seconds, *r.AtRiskSeconds)
	}
	if !slices.Equal(kinds, job.Failures()) {
		t.Errorf("recoveries from %v, want from %v", kinds, job.Failures())
	}
}

// settle waits until the job has caught up with what came in while it was
// started, and the one-minute averages of a quick check have filled.
func (b *bed) settle(t *testing.T, c *local.Cluster) {
	t.Helper()
	began := time.Now()
	b.eventually(t, 2*time.Minute, func() (string, bool) {
		o := b.quietly(t, b.ctx, "check", "--flink", c.REST, "--quick", "--target", "120s")
		return o.stderr + o.stdout, o.code == 0
	})
	t.Logf("%5.1f s  until the job was settled", time.Since(began).Seconds())
}

func checkFirst(t *testing.T, b *bed, c *local.Cluster) {
	b.settle(t, c)
	began := time.Now()
	j := b.checkOne(t, 0, c, "--target", "120s")
	t.Logf("check took %v", time.Since(began))
	if j.ID != c.JobID || j.Identity.Name != c.JobName || j.Identity.Cluster != "local/"+c.Name {
		t.Errorf("job %+v with ID %s, want %s (%s)", j.Identity, j.ID, c.JobName, c.JobID)
	}
	if j.Verdict != job.Met || j.TargetSeconds == nil || *j.TargetSeconds != 120 || j.Risk != 0.01 {
		t.Errorf("verdict %s at target %v and risk %v, want met at 120 s and 0.01", j.Verdict, j.TargetSeconds, j.Risk)
	}
	wantRecoveries(t, c, j)
	if len(j.Quantities) == 0 {
		t.Error("no quantity says what the prediction rests on")
	}
	for _, q := range j.Quantities {
		if q.Name == "" || q.Unit == "" || !slices.Contains([]job.Source{job.Measured, job.Configured, job.Assumed}, q.Source) {
			t.Errorf("quantity %+v has no name, unit or source", q)
		}
	}
	// Without a flag it finds the one local cluster, and its table fits.
	table := b.want(t, 0, "check", "--target", "120s")
	t.Logf("\n%s", table.stdout)
	wantFits(t, table.stdout)
	if !strings.Contains(table.stdout, c.JobName) {
		t.Errorf("the table does not name the job %s", c.JobName)
	}
	if o := b.want(t, 3, "check", "--target", "1s"); !strings.Contains(o.stdout, "INFEASIBLE") {
		t.Errorf("a target of one second is not called infeasible:\n%s", o.stdout)
	}
}

func checkQuick(t *testing.T, b *bed, c *local.Cluster) {
	wantRecoveries(t, c, b.checkOne(t, 0, c, "--quick"))
	if o := b.want(t, 0, "check", "--quick"); !strings.Contains(o.stdout, "quick") {
		t.Errorf("the table does not say that it is a quick one:\n%s", o.stdout)
	}
}

func drillProcess(t *testing.T, b *bed, c *local.Cluster) {
	drills := b.drill(t, c, job.ProcessFailure, "--repeat", "2")
	wantExactlyOnce(t, drills)
	if len(drills) != 2 || drills[0].ID == drills[1].ID {
		t.Errorf("%d drills, want two", len(drills))
	}
	for _, d := range drills {
		if d.Failure != job.ProcessFailure || d.Predicted.AgeSeconds == nil || d.Measured.AgeSeconds == nil {
			t.Errorf("drill %s of a %s failure: the age of the checkpoint is not known", d.ID, d.Failure)
		}
	}
}

// What the drills measured is what the next check starts from.
func checkLearns(t *testing.T, b *bed, c *local.Cluster) {
	j := b.checkOne(t, 0, c)
	i := slices.IndexFunc(j.Recovery, func(r job.Recovery) bool { return r.Failure == job.ProcessFailure })
	if i < 0 {
		t.Fatal("no recovery from the loss of a process")
	}
	measured := 0
	for _, p := range j.Recovery[i].Phases {
		if p.Phase.Downtime() && p.Source == job.Measured && p.Samples > 0 {
			measured++
		}
	}
	if measured == 0 {
		t.Errorf("no phase of the downtime is measured after two drills: %+v", j.Recovery[i].Phases)
	}
}

func status(t *testing.T, b *bed, c *local.Cluster) {
	type document struct {
		Clusters []struct {
			Name     string `json:"name"`
			Ready    bool   `json:"ready"`
			JobID    string `json:"job_id"`
			JobState string `json:"job_state"`

			Generator *struct {
				Sent    float64 `json:"sent_per_second"`
				Records int64   `json:"records"`
			} `json:"generator"`
			Processes []struct {
				Name, State string
				PID         int
			} `json:"processes"`
		} `json:"clusters"`
	}
	o := b.want(t, 0, "local", "status", "-o", "json")
	doc := loose[document](t, o)
	if len(doc.Clusters) != 1 {
		t.Fatalf("want one cluster:\n%s", o.stdout)
	}
	s := doc.Clusters[0]
	if s.Name != c.Name || !s.Ready || s.JobID != c.JobID || s.JobState != "RUNNING" || s.Generator == nil || s.Generator.Records == 0 {
		t.Errorf("status of a running cluster:\n%s", o.stdout)
	}
	var names []string
	for _, p := range s.Processes {
		names = append(names, p.Name)
		if p.State != "running" || syscall.Kill(p.PID, 0) != nil {
			t.Errorf("%s (%d) is %s after the drills", p.Name, p.PID, p.State)
		}
	}
	slices.Sort(names)
	if want := []string{"jobmanager", "kafka", "supervisor", "taskmanager-1", "taskmanager-2", "taskmanager-3"}; !slices.Equal(names, want) {
		t.Errorf("processes %v, want %v", names, want)
	}
	wantFits(t, b.want(t, 0, "local", "status").stdout)
}

// The supervisor is what keeps things together; after its death down still
// finds everything.
func downAfterCrash(t *testing.T, b *bed, c *local.Cluster) {
	ps, err := c.Processes()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(ps, func(p local.Process) bool { return p.Role == local.Supervisor })
	if i < 0 {
		t.Fatalf("no supervisor among %+v", ps)
	}
	if err := syscall.Kill(ps[i].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.eventually(t, 10*time.Second, func() (string, bool) { return "the supervisor still lives", !ps[i].Alive() })
	if len(marked(t, c.Name)) == 0 {
		t.Fatal("nothing is left to clean up: the test looks in the wrong place")
	}
	b.down(t, c)
	if o := b.want(t, 0, "local", "status"); !strings.Contains(o.stdout, "no local cluster") {
		t.Errorf("after down:\n%s", o.stdout)
	}
}
