package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// period is how often the kernel gives a cgroup its share anew, its default.
const period = 100 * time.Millisecond

// cgroupFS finds the CPU controller of cgroups, version 1 or 2; see cgroups(7).
// Only version 1 has been run on a real kernel, 2 on a copy of its files.
type cgroupFS struct {
	mounts string // /proc/self/mountinfo
	self   string // /proc/self/cgroup
}

func realCgroups() cgroupFS { return cgroupFS{"/proc/self/mountinfo", "/proc/self/cgroup"} }

// A cpuParent is a folder in which CPU-limited cgroups can be made.
type cpuParent struct {
	dir     string
	version int // of cgroups
}

// parent finds our own cgroup, or the nearest one above it that lets its
// children have the CPU controller.
func (f cgroupFS) parent() (cpuParent, error) {
	mounts, err1 := os.ReadFile(f.mounts)
	self, err2 := os.ReadFile(f.self)
	if err := errors.Join(err1, err2); err != nil {
		return cpuParent{}, err
	}
	if dir, root, ok := mounted(string(mounts), "cgroup", "cpu"); ok {
		own := ownPath(string(self), "cpu")
		return cpuParent{filepath.Join(dir, within(own, root)), 1}, nil
	}
	dir, root, ok := mounted(string(mounts), "cgroup2", "")
	if !ok {
		return cpuParent{}, errors.New("no cgroup file system with the CPU controller is mounted")
	}
	for at := filepath.Join(dir, within(ownPath(string(self), ""), root)); ; at = filepath.Dir(at) {
		if delegatesCPU(at) {
			return cpuParent{at, 2}, nil
		}
		if at == dir || len(at) < len(dir) {
			return cpuParent{}, errors.New("no cgroup from ours upwards lets its children have the CPU controller")
		}
	}
}

// mounted finds the mount of a file system type with an option; it returns the
// mount point and the folder of the file system that is mounted there.
func mounted(mountinfo, fstype, option string) (point, root string, ok bool) {
	for line := range strings.SplitSeq(mountinfo, "\n") {
		before, after, found := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !found || len(left) < 5 || len(right) < 3 || right[0] != fstype {
			continue
		}
		if option == "" || hasField(right[2], option) {
			return left[4], left[3], true
		}
	}
	return "", "", false
}

// ownPath is our cgroup in the hierarchy with a controller; "" is version 2.
func ownPath(self, controller string) string {
	for line := range strings.SplitSeq(self, "\n") {
		f := strings.SplitN(line, ":", 3)
		if len(f) == 3 && (controller == "" && f[1] == "" || controller != "" && hasField(f[1], controller)) {
			return f[2]
		}
	}
	return "/"
}

// within makes a cgroup's path relative to what is mounted.
func within(path, root string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(root, "/")); ok {
		return rest
	}
	return "/"
}

func hasField(list, want string) bool {
	for f := range strings.SplitSeq(list, ",") {
		if f == want {
			return true
		}
	}
	return false
}

// delegatesCPU looks whether children of a version 2 cgroup have the CPU
// controller, and lets them if it may.
func delegatesCPU(dir string) bool {
	file := filepath.Join(dir, "cgroup.subtree_control")
	on := func() bool {
		b, err := os.ReadFile(file)
		return err == nil && hasField(strings.Join(strings.Fields(string(b)), ","), "cpu")
	}
	if on() {
		return true
	}
	return os.WriteFile(file, []byte("+cpu"), 0o644) == nil && on()
}
