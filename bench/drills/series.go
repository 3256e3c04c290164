package main

import (
	"fmt"
	"strconv"
)

// A run is a local cluster with a job, and drills on it.
type run struct {
	Name    string   `json:"name"`
	Up      []string `json:"up"`    // flags of rebound local up
	Drill   []string `json:"drill"` // flags of rebound drill
	Repeat  int      `json:"repeat"`
	Settle  int      `json:"settle_seconds"` // after up, before the first drill
	Counted bool     `json:"counted"`        // one of the 22 that the figures are about
}

// rate of the paced runs: low enough to leave the machine idle, so that what is
// measured is Flink's recovery and not the machine's.
const (
	rate        = 1000 // records/s in all
	parallelism = 2
)

// paced is a job whose capacity is set by the clock: rate over parallelism is the
// wanted share of it.
func paced(name string, interval int, utilization float64, more ...string) []string {
	return append([]string{
		"--name", name, "--parallelism", strconv.Itoa(parallelism), "--taskmanagers", "2", "--slots", "1",
		"--interval", fmt.Sprintf("%ds", interval), "--load", fmt.Sprintf("constant:%d", rate), "--record-bytes", "500",
		"--capacity", fmt.Sprintf("%.0f", rate/parallelism/utilization),
		"--heartbeat-interval", "1s", "--heartbeat-timeout", "5s",
	}, more...)
}

// series is the whole of it: interval 5 s and 30 s by utilization 0.4 and 0.7,
// then RocksDB, a real CPU limit and the other failures, and the first four once
// more with the default scheduler.
func series() []run {
	process := []string{"--failure", "process"}
	var runs, repeated []run
	for _, interval := range []int{5, 30} {
		for _, utilization := range []float64{0.4, 0.7} {
			name := fmt.Sprintf("hashmap-%d-%.0f", interval, 100*utilization)
			runs = append(runs, run{Name: name, Up: paced(name, interval, utilization), Drill: process, Repeat: 3, Counted: true})
			name = "default-" + name
			repeated = append(repeated, run{Name: name, Up: paced(name, interval, utilization, "--scheduler", "default"), Drill: process, Repeat: 1})
		}
	}
	rocksdb := []string{"--state", "rocksdb", "--state-bytes", "500", "--state-keys", "200"}
	return append(append(runs,
		run{Name: "rocksdb-5-40", Up: paced("rocksdb-5-40", 5, 0.4, rocksdb...), Drill: process, Repeat: 3, Counted: true},
		run{Name: "rocksdb-10-60", Up: paced("rocksdb-10-60", 10, 0.6, rocksdb...), Drill: process, Repeat: 3, Counted: true},
		run{Name: "cpu-10", Drill: process, Repeat: 4, Counted: true, Settle: 60, Up: []string{
			"--name", "cpu-10", "--parallelism", "1", "--taskmanagers", "1", "--slots", "1", "--cpu", "0.4",
			"--interval", "10s", "--load", "step:500,3000@40s", "--record-bytes", "200", "--capacity", "0", "--work", cpuWork,
			"--heartbeat-interval", "1s", "--heartbeat-timeout", "5s",
		}},
	), append(repeated,
		run{Name: "node-10-50", Up: paced("node-10-50", 10, 0.5), Drill: []string{"--failure", "node"}, Repeat: 2},
		run{Name: "jobmanager-10-50", Up: paced("jobmanager-10-50", 10, 0.5, "--ha"), Drill: []string{"--failure", "jobmanager"}, Repeat: 2},
	)...)
}

// cpuWork makes 0.4 cores about half busy at 3,000 records a second: 160 µs for each
// of 1,000 views, and what reading and parsing take. The load begins at 500: a cold
// process with so little CPU would be minutes behind at once.
const cpuWork = "40000"
