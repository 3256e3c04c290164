package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// limitAll makes the cgroups of the TaskManagers. Where that is not allowed, the
// cluster says so and goes on without.
func (c *Cluster) limitAll() error {
	parent, err := realCgroups().parent()
	if err == nil {
		c.Cgroup, c.CgroupVersion = filepath.Join(parent.dir, "rebound-"+c.Name+"-"+c.ID), parent.version
		if err := c.save(); err != nil {
			return err
		}
		for i := range c.allTaskManagers() {
			_, e := c.limit(Process{Role: TaskManager, Index: i + 1}.Name(), c.CPU)
			err = errors.Join(err, e)
		}
	}
	if err == nil {
		return nil
	}
	c.Warnings = append(c.Warnings, fmt.Sprintf("CPU is not limited: %v", err))
	_ = removeTree(c.Cgroup) // nothing is in it
	c.Cgroup = ""
	return c.save()
}

// limit makes a cgroup with this many cores below the cluster's, and returns
// its folder.
func (c *Cluster) limit(name string, cores float64) (string, error) {
	if c.CgroupVersion == 2 {
		if err := os.MkdirAll(c.Cgroup, 0o755); err != nil {
			return "", err
		}
		if !delegatesCPU(c.Cgroup) {
			return "", fmt.Errorf("%s: the CPU controller is not available", c.Cgroup)
		}
	}
	dir := filepath.Join(c.Cgroup, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	quota := strconv.FormatInt(int64(math.Round(cores*float64(period.Microseconds()))), 10)
	us := strconv.FormatInt(period.Microseconds(), 10)
	if c.CgroupVersion == 2 {
		return dir, os.WriteFile(filepath.Join(dir, "cpu.max"), []byte(quota+" "+us), 0o644)
	}
	return dir, errors.Join(
		os.WriteFile(filepath.Join(dir, "cpu.cfs_period_us"), []byte(us), 0o644),
		os.WriteFile(filepath.Join(dir, "cpu.cfs_quota_us"), []byte(quota), 0o644))
}

// removeCgroups removes the cluster's cgroups, whose processes have ended. A
// cgroup is removed by removing its folder, whatever files it shows; that fails
// until the kernel is done with the last thread.
func (c *Cluster) removeCgroups(ctx context.Context) error {
	if c.Cgroup == "" {
		return nil
	}
	return until(ctx, 20*time.Millisecond, func(context.Context) error { return removeTree(c.Cgroup) })
}

func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(err, os.Remove(dir))
}
