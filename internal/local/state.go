package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Cluster is a local cluster as its folder describes it: what it is made of and
// how to reach it. Its processes come and go; ask Processes for them.
type Cluster struct {
	Name      string    `json:"name"`
	ID        string    `json:"id"` // another one at each up; part of the mark of its processes
	Home      string    `json:"home"`
	CreatedAt time.Time `json:"created_at"`
	Ready     bool      `json:"ready"` // up has come to its end
	Settings

	Java      string `json:"java"`
	FlinkDist string `json:"flink_dist"` // folder with lib and plugins
	KafkaLibs string `json:"kafka_libs"` // folder with jars
	JobJar    string `json:"job_jar,omitempty"`
	Ports     ports  `json:"ports"`
	// Cgroup is the folder of the cluster's CPU cgroups; it is recorded before
	// it is made.
	Cgroup        string `json:"cgroup,omitempty"`
	CgroupVersion int    `json:"cgroup_version,omitempty"`

	REST    string   `json:"rest"` // URL of the JobManager
	Brokers []string `json:"brokers"`
	Input   string   `json:"input"`  // topic
	Output  string   `json:"output"` // topic
	Group   string   `json:"group"`
	Prefix  string   `json:"prefix"` // of the sink's transactional ids
	JobName string   `json:"job_name,omitempty"`
	JobID   string   `json:"job_id,omitempty"`

	Warnings []string `json:"warnings,omitempty"` // what was asked for and could not be had
}

const clusterFile = "cluster.json"

func readCluster(home string) (*Cluster, error) {
	c := new(Cluster)
	if err := readJSON(filepath.Join(home, clusterFile), c); err != nil {
		return nil, err
	}
	if c.Home != home { // a copied folder must not lead us to somebody else's files
		return nil, fmt.Errorf("%s describes %s", filepath.Join(home, clusterFile), c.Home)
	}
	return c, nil
}

func (c *Cluster) save() error { return writeJSON(filepath.Join(c.Home, clusterFile), c) }

func (c *Cluster) logDir() string { return filepath.Join(c.Home, "log") }

func (c *Cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.Home}, elem...)...)
}

// Log is the file that a process logs to.
func (c *Cluster) Log(p Process) string { return filepath.Join(c.logDir(), p.Name()+".log") }

// Processes are those that the cluster has, in the order in which they start,
// TaskManagers by index. What was to be started but has no pid yet is in it.
func (c *Cluster) Processes() ([]Process, error) {
	entries, err := os.ReadDir(c.path("processes"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ps []Process
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue // one that is being written
		}
		var p Process
		if err := readJSON(c.path("processes", e.Name()), &p); err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	order := []Role{Kafka, ZooKeeper, JobManager, TaskManager, Supervisor}
	slices.SortFunc(ps, func(a, b Process) int {
		if a.Role != b.Role {
			return slices.Index(order, a.Role) - slices.Index(order, b.Role)
		}
		return a.Index - b.Index
	})
	return ps, nil
}

// process finds the one that answers to want.
func (c *Cluster) process(want func(Process) bool) (Process, bool, error) {
	ps, err := c.Processes()
	if err != nil {
		return Process{}, false, err
	}
	i := slices.IndexFunc(ps, want)
	if i < 0 {
		return Process{}, false, nil
	}
	return ps[i], true, nil
}

// saveProcess records a process. Each has a file of its own, and one writer:
// up until the supervisor runs, then the supervisor.
func (c *Cluster) saveProcess(p Process) error {
	return writeJSON(c.path("processes", p.Name()+".json"), p)
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeJSON replaces a file as a whole: readers see the old or the new one, and
// so does who comes after a crash.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new")
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
