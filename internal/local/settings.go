package local

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Settings are what a user chooses of a cluster. Two clusters with equal
// settings are the same but for ports and names.
type Settings struct {
	Flink     string `json:"flink"`                // version, such as 2.3.0
	FlinkHome string `json:"flink_home,omitempty"` // an existing distribution instead of a fetched one

	TaskManagers      int           `json:"taskmanagers"` // without spares
	Spares            int           `json:"spares"`       // TaskManagers beyond what the job needs
	Slots             int           `json:"slots"`        // of each TaskManager
	TaskManagerMemory int64         `json:"taskmanager_memory_bytes"`
	CPU               float64       `json:"cpu_cores,omitempty"` // of each TaskManager, by cgroup; 0 no limit
	RestartDelay      time.Duration `json:"restart_delay_ns"`    // after which the supervisor restarts what died

	Scheduler         string            `json:"scheduler"`     // adaptive or default
	StateBackend      string            `json:"state_backend"` // hashmap or rocksdb, incremental
	HA                bool              `json:"ha"`            // ZooKeeper, and so JobManager failover
	HeartbeatInterval time.Duration     `json:"heartbeat_interval_ns"`
	HeartbeatTimeout  time.Duration     `json:"heartbeat_timeout_ns"`
	JobRestartDelay   time.Duration     `json:"job_restart_delay_ns"` // of Flink's fixed-delay strategy
	Prometheus        bool              `json:"prometheus"`           // reporters, which listen on all addresses
	Options           map[string]string `json:"options,omitempty"`    // Flink options; they win over ours

	NoJob          bool          `json:"no_job"` // neither the job nor its load
	Parallelism    int           `json:"parallelism"`
	Interval       time.Duration `json:"interval_ns"` // between checkpoints; 0 none
	MinPause       time.Duration `json:"min_pause_ns"`
	Guarantee      string        `json:"guarantee"` // exactly-once, at-least-once or none
	Capacity       float64       `json:"capacity"`  // paced input records a second of each keyed subtask; 0 not paced
	Work           int           `json:"work"`      // CPU work a view, iterations of a hash
	StateBytes     int           `json:"state_bytes"`
	StateKeys      int           `json:"state_keys"`
	Partitions     int           `json:"partitions"` // of the input topic
	Load           string        `json:"load"`       // as the load generator reads it
	RecordBytes    int           `json:"record_bytes"`
	Seed           uint64        `json:"seed"`
	Campaigns      int           `json:"campaigns"`
	AdsPerCampaign int           `json:"ads_per_campaign"`
}

// The parameter range of the benchmark: 100 campaigns with 10 ads each are
// those of S. Chintapalli et al., Benchmarking Streaming Computation Engines,
// IPDPS Workshops 2016.
const (
	campaigns      = 100
	adsPerCampaign = 10
)

// Complete fills what depends on the rest and was left at zero.
func (s Settings) Complete() Settings {
	s.Flink = pinned(s.Flink)
	if s.TaskManagers == 0 && s.Slots > 0 {
		s.TaskManagers = (s.Parallelism + s.Slots - 1) / s.Slots
	}
	if s.Partitions == 0 {
		s.Partitions = 2 * s.Parallelism
	}
	if s.Campaigns == 0 {
		s.Campaigns = campaigns
	}
	if s.AdsPerCampaign == 0 {
		s.AdsPerCampaign = adsPerCampaign
	}
	return s
}

// pinned turns a minor version into the release that is fetched.
func pinned(version string) string {
	switch version {
	case "", "2", "2.3":
		return flink2
	case "1", "1.20":
		return flink1
	}
	return version
}

// Validate reports everything that is wrong with s, one line a field.
func (s Settings) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	oneOf := func(name, got string, want ...string) {
		check(slices.Contains(want, got), "%s: %q, want %s", name, got, strings.Join(want, " or "))
	}
	if s.FlinkHome == "" {
		oneOf("flink", s.Flink, flink2, flink1)
	}
	oneOf("scheduler", s.Scheduler, "adaptive", "default")
	oneOf("state", s.StateBackend, "hashmap", "rocksdb")
	oneOf("guarantee", s.Guarantee, "exactly-once", "at-least-once", "none")
	for _, f := range []struct {
		name       string
		got, least int
	}{
		{"taskmanagers", s.TaskManagers, 1},
		{"spares", s.Spares, 0},
		{"slots", s.Slots, 1},
		{"parallelism", s.Parallelism, 1},
		{"partitions", s.Partitions, 1},
		{"record-bytes", s.RecordBytes, 100},
		{"work", s.Work, 0},
		{"state-bytes", s.StateBytes, 0},
		{"state-keys", s.StateKeys, 1},
		{"campaigns", s.Campaigns, 1},
		{"ads-per-campaign", s.AdsPerCampaign, 1},
	} {
		check(f.got >= f.least, "%s: %d, want at least %d", f.name, f.got, f.least)
	}
	check(s.NoJob || s.Parallelism <= s.TaskManagers*s.Slots,
		"parallelism: %d, want at most the %d slots of %d TaskManagers", s.Parallelism, s.TaskManagers*s.Slots, s.TaskManagers)
	check(s.CPU >= 0 && s.CPU < 1000, "cpu: %v, want 0 (no limit) or cores", s.CPU)
	check(s.Capacity >= 0 && s.Capacity < 1e9, "capacity: %v, want 0 (not paced) or records a second", s.Capacity)
	for name, d := range map[string]time.Duration{
		"restart-delay": s.RestartDelay, "job-restart-delay": s.JobRestartDelay,
		"interval": s.Interval, "min-pause": s.MinPause,
	} {
		check(d >= 0 && d == d.Truncate(time.Millisecond), "%s: %v, want whole milliseconds from 0 on", name, d)
	}
	check(s.HeartbeatInterval > 0, "heartbeat-interval: %v, want more than 0", s.HeartbeatInterval)
	check(s.HeartbeatTimeout > s.HeartbeatInterval, "heartbeat-timeout: %v, want more than the interval of %v",
		s.HeartbeatTimeout, s.HeartbeatInterval)
	if _, err := memoryOf(s.TaskManagerMemory, s.StateBackend); err != nil {
		errs = append(errs, err)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Options)) {
		fixed := slices.Contains(fixedOptions, key) || strings.HasPrefix(key, "taskmanager.memory.")
		check(!fixed, "option %s: it is part of how a local cluster is built", key)
	}
	return errors.Join(errs...)
}

// processes are the TaskManagers with the spares.
func (s Settings) allTaskManagers() int { return s.TaskManagers + s.Spares }
