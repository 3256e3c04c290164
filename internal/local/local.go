// Package local runs Apache Flink and Apache Kafka as plain processes of this
// machine: a test bed with a real JobManager, real TaskManagers and a real
// broker, in which failures are real too. A cluster has a name; several run
// side by side.
//
// Up fetches what is not in the cache, starts the processes, submits the
// benchmark job and leaves one supervisor behind, which runs the load generator
// and restarts what dies. Down ends all of it. Whatever happens in between, at
// any instant, Down finds every process again: each start is recorded before
// and after, and every process carries the cluster's mark in its environment.
//
// Everything listens on 127.0.0.1. Flink's Prometheus reporters have no setting
// for it and would listen on all addresses: they are there only when asked for.
//
// Linux only. How Flink and Kafka want to be started without their scripts is
// that of Flink 1.20 and 2.3 and Kafka 4.3:
// https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/
// https://kafka.apache.org/documentation/#configuration
package local

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Versions that are fetched. Every one has a file in checksums.
const (
	flink2       = "2.3.0"
	flink1       = "1.20.5"
	kafkaVersion = "4.3.1"
)

// kafkaPOM names the jars of a broker.
//
//go:embed kafka-pom.xml
var kafkaPOM []byte

// Dirs are where things are kept.
type Dirs struct {
	Cache string // what is fetched and built; stays
	State string // a folder for each cluster; goes with it
}

// DefaultDirs follow the XDG base directory specification.
func DefaultDirs() (Dirs, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Dirs{}, err
	}
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return Dirs{}, err
		}
		state = filepath.Join(home, ".local", "state")
	}
	return Dirs{filepath.Join(cache, "rebound"), filepath.Join(state, "rebound", "local")}, nil
}

// Open reads the cluster of this name in the default folders.
func Open(name string) (*Cluster, error) {
	d, err := DefaultDirs()
	if err != nil {
		return nil, err
	}
	return d.Open(name)
}

// List returns the clusters that are there, whether they run or not, by name.
func List() ([]*Cluster, error) {
	d, err := DefaultDirs()
	if err != nil {
		return nil, err
	}
	return d.List()
}

// ErrNoCluster says that there is no cluster of a name.
var ErrNoCluster = errors.New("no such local cluster")

// Open reads the cluster of this name. It fails with ErrNoCluster if there is
// none.
func (d Dirs) Open(name string) (*Cluster, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	c, err := readCluster(d.home(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q: %w; start it with: rebound local up --name %s", name, ErrNoCluster, name)
	}
	return c, err
}

// List returns the clusters that are there, by name.
func (d Dirs) List() ([]*Cluster, error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	clusters := make([]*Cluster, 0, len(names))
	for _, name := range names {
		c, err := d.Open(name)
		if errors.Is(err, ErrNoCluster) {
			continue // it has just gone, or up was ended before it began
		}
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, c)
	}
	return clusters, nil
}

// names are the names that have a folder, whatever is in it.
func (d Dirs) names() ([]string, error) {
	entries, err := os.ReadDir(d.State)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && checkName(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d Dirs) home(name string) string { return filepath.Join(d.State, name) }

// checkName keeps names to what is safe in paths, cgroups, topics and
// transactional ids.
func checkName(name string) error {
	if !regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`).MatchString(name) {
		return fmt.Errorf("cluster name %q: want 1 to 32 lower-case letters, digits and dashes", name)
	}
	return nil
}

// minor is the first two numbers of a version.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
