package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixture writes mountinfo and cgroup files that point into a folder. TREE in
// the texts is that folder.
func cgroupFixture(t *testing.T, mountinfo, self string) (cgroupFS, string) {
	t.Helper()
	dir := t.TempDir()
	f := cgroupFS{filepath.Join(dir, "mountinfo"), filepath.Join(dir, "self")}
	tree := filepath.Join(dir, "tree")
	write(t, f.mounts, strings.ReplaceAll(mountinfo, "TREE", tree))
	write(t, f.self, self)
	return f, tree
}

// As a Debian 12 with cgroups of version 1 shows itself.
const (
	mounts1 = `22 1 0:20 / /proc rw - proc proc rw
30 25 0:26 / TREE/cpuacct rw,relatime - cgroup cgroup rw,cpuacct
31 25 0:27 / TREE/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu
40 25 0:36 / TREE/unified rw,relatime - cgroup2 cgroup2 rw
`
	self1 = "2:cpuacct:/\n1:cpu:/jobs/7\n0::/\n"
)

// As systemd shows it with version 2.
const (
	mounts2 = "35 24 0:30 / TREE rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	self2   = "0::/user.slice/user-1000.slice/session-1.scope\n"
)

func TestLimitVersion1(t *testing.T) {
	f, tree := cgroupFixture(t, mounts1, self1)
	p, err := f.parent()
	if want := (cpuParent{filepath.Join(tree, "cpu", "jobs", "7"), 1}); err != nil || p != want {
		t.Fatalf("parent = %v, %v, want %v", p, err, want)
	}
	c := &Cluster{Cgroup: filepath.Join(p.dir, "rebound-a-1"), CgroupVersion: p.version}
	dir, err := c.limit("taskmanager-1", 0.4)
	if err != nil {
		t.Fatal(err)
	}
	// 0.4 cores of a period of 100 ms are 40 ms.
	wantText(t, filepath.Join(dir, "cpu.cfs_quota_us"), "40000")
	wantText(t, filepath.Join(dir, "cpu.cfs_period_us"), "100000")
	emptyCgroup(t, dir)
	if err := c.removeCgroups(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Cgroup); !os.IsNotExist(err) {
		t.Errorf("the cluster's cgroup is still there: %v", err)
	}
	if err := c.removeCgroups(t.Context()); err != nil {
		t.Errorf("removing what is gone: %v", err)
	}
}

func TestLimitVersion2(t *testing.T) {
	f, tree := cgroupFixture(t, mounts2, self2)
	// Our own scope and the user's slice have no CPU controller to give; the
	// one above does.
	session := filepath.Join(tree, "user.slice", "user-1000.slice", "session-1.scope")
	if err := os.MkdirAll(session, 0o755); err != nil {
		t.Fatal(err)
	}
	readOnly(t, filepath.Join(session, "cgroup.subtree_control"), "")
	readOnly(t, filepath.Join(filepath.Dir(session), "cgroup.subtree_control"), "memory pids\n")
	write(t, filepath.Join(tree, "user.slice", "cgroup.subtree_control"), "cpu memory pids\n")
	p, err := f.parent()
	if want := (cpuParent{filepath.Join(tree, "user.slice"), 2}); err != nil || p != want {
		t.Fatalf("parent = %v, %v, want %v", p, err, want)
	}
	c := &Cluster{Cgroup: filepath.Join(p.dir, "rebound-a-1"), CgroupVersion: p.version}
	write(t, filepath.Join(c.Cgroup, "cgroup.subtree_control"), "cpu\n") // the kernel would make the file
	dir, err := c.limit("taskmanager-1", 1.5)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(dir, "cpu.max"), "150000 100000")
}

func TestNoCPUController(t *testing.T) {
	f, _ := cgroupFixture(t, "22 1 0:20 / /proc rw - proc proc rw\n", self2)
	_, err := f.parent()
	wantError(t, err, "no cgroup file system")
	f, tree := cgroupFixture(t, mounts2, "0::/\n")
	readOnly(t, filepath.Join(tree, "cgroup.subtree_control"), "memory\n")
	_, err = f.parent()
	wantError(t, err, "lets its children have the CPU controller")
}

// In a container, the cgroup that we are in is what is mounted.
func TestParentInAContainer(t *testing.T) {
	f, tree := cgroupFixture(t, "31 25 0:27 /docker/abc TREE rw - cgroup cgroup rw,cpu,cpuacct\n", "1:cpu,cpuacct:/docker/abc\n")
	p, err := f.parent()
	if want := (cpuParent{tree, 1}); err != nil || p != want {
		t.Errorf("parent = %v, %v, want %v", p, err, want)
	}
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%s holds %q, %v, want %q", path, b, err, want)
	}
}

// readOnly makes what the kernel would refuse to write: a folder in the file's
// place refuses root too.
func readOnly(t *testing.T, path, text string) {
	t.Helper()
	if os.Getuid() != 0 {
		write(t, path, text)
		if err := os.Chmod(path, 0o444); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// emptyCgroup removes the files of a cgroup, which a kernel removes with it.
func emptyCgroup(t *testing.T, dir string) {
	t.Helper()
	for _, f := range []string{"cpu.cfs_quota_us", "cpu.cfs_period_us"} {
		if err := os.Remove(filepath.Join(dir, f)); err != nil {
			t.Fatal(err)
		}
	}
}
