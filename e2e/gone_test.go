//go:build e2e

package e2e

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"rebound/internal/local"
)

// marked are the living processes that bear a cluster's name in their
// environment: those of its products, its supervisor, and what fetches or builds
// for it.
func marked(t *testing.T, name string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no /proc/PID/environ can be found")
	}
	var pids []int
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended, or is not ours
		}
		has := slices.ContainsFunc(bytes.Split(env, []byte{0}), func(entry []byte) bool {
			return bytes.HasPrefix(entry, []byte("REBOUND_CLUSTER="+name+"/"))
		})
		if has {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// wantGone fails if a process, a cgroup or a file of the cluster is left.
func wantGone(t *testing.T, c *local.Cluster) {
	t.Helper()
	if pids := marked(t, c.Name); len(pids) > 0 {
		t.Errorf("processes %v of cluster %s are left", pids, c.Name)
	}
	for what, path := range map[string]string{"folder": c.Home, "cgroup": c.Cgroup} {
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s %s of cluster %s is left: %v", what, path, c.Name, err)
		}
	}
}
