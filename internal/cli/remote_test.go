package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/live"
	"rebound/internal/twin"
)

// file writes text to a file of the test's own.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const cheaper = `
apiVersion: rebound.dev/v1alpha1
kind: RecoveryPolicy
recoveryTime: 5 min
mode: apply
knobs:
  parallelism: {min: 2, max: 16}
`

// A job that answers as a JobManager does is planned for from what it shows alone.
func TestPlanOfARunningJob(t *testing.T) {
	url := serveTwin(t, file(t, "roomy.yaml", roomy), "--speed", "500")
	var out, log bytes.Buffer
	code := Main(t.Context(), []string{"plan", "--flink", url, "--policy", file(t, "p.yaml", cheaper), "--journal", filepath.Join(t.TempDir(), "none.db"), "-o", "json"}, &out, &log)
	var p api.Plan
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		t.Fatalf("exit %d, %v: %s%s", code, err, &out, &log)
	}
	if code != exitOK || p.Job.Name != "roomy" || p.Now.Parallelism != 10 || p.Considered < 2 || len(p.Forecast.Members) != 1 {
		t.Errorf("exit %d, %+v", code, p)
	}
	// 20,000 records/s on 10 × 10,000: fewer would do.
	if p.Want.Parallelism >= 10 || p.Predicted.CostPerHour >= p.Present.CostPerHour {
		t.Errorf("wants %s: %s", p.Want, p.Reason)
	}
}

// A loop beside a simulation in another process changes it, and sees that it has.
func TestRunBesideATwin(t *testing.T) {
	url := serveTwin(t, file(t, "roomy.yaml", roomy), "--speed", "max")
	w, err := live.DialTwin(t.Context(), url, twinCluster)
	if err != nil {
		t.Fatal(err)
	}
	c := console{t, filepath.Join(t.TempDir(), "j.db")}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	p := stopped{w, func(now time.Duration) {
		if now > 40*time.Minute {
			stop()
		}
	}}
	if err := (&runCmd{journal: journal{c.journal}}).watch(quiet(ctx), shrinking(), p); err != nil {
		t.Fatal(err)
	}
	done := c.history(job.Verified)
	if len(done) == 0 {
		t.Fatalf("nothing was changed: %+v", c.history(""))
	}
	var truth twinTruth
	if err := w.Truth(t.Context(), &truth); err != nil || len(truth.Restarts) == 0 {
		t.Errorf("the simulation has seen %d planned restarts, %v", len(truth.Restarts), err)
	}
}

// stopped is a place in which somebody looks at the time.
type stopped struct {
	place
	look func(now time.Duration)
}

func (s stopped) Wait(ctx context.Context, d time.Duration) error {
	err := s.place.Wait(ctx, d)
	s.look(s.Now().Sub(twin.Epoch()))
	return err
}
