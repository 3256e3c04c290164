//go:build e2e

package e2e

import (
	"testing"

	"rebound/internal/job"
)

// The older Flink, its default scheduler and a state on disk.
func TestFlink1RocksDB(t *testing.T) {
	b := newBed(t)
	c := b.up(t, "e2e-old", "--flink", "1.20", "--state", "rocksdb", "--scheduler", "default", "--interval", "5s")
	b.settle(t, c)
	j := b.checkOne(t, 0, c, "--target", "120s")
	wantRecoveries(t, c, j)
	if j.Verdict != job.Met {
		t.Errorf("verdict %s, want met", j.Verdict)
	}
	wantExactlyOnce(t, b.drill(t, c, job.ProcessFailure))
	b.down(t, c)
}

// With high availability even the JobManager may die.
func TestHighAvailability(t *testing.T) {
	b := newBed(t)
	c := b.up(t, "e2e-ha", "--ha", "--interval", "5s")
	wantExactlyOnce(t, b.drill(t, c, job.JobManagerFailure))
	b.down(t, c)
}
