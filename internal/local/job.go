package local

import (
	"strconv"
	"strings"
	"time"
)

// failToken is the file whose existence makes a task of the job fail.
const failToken = "fail-token"

// jobArguments are what the benchmark job is told.
func (c *Cluster) jobArguments() []string {
	whole := strconv.Itoa
	return []string{
		"--brokers", strings.Join(c.Brokers, ","),
		"--input", c.Input, "--output", c.Output, "--group", c.Group, "--prefix", c.Prefix,
		"--name", c.JobName,
		"--seed", strconv.FormatUint(c.Seed, 10),
		"--campaigns", whole(c.Campaigns), "--ads-per-campaign", whole(c.AdsPerCampaign),
		"--parallelism", whole(c.Parallelism),
		"--interval", jobText(c.Interval), "--min-pause", jobText(c.MinPause),
		"--backend", c.StateBackend,
		"--guarantee", c.Guarantee,
		"--state-bytes", whole(c.StateBytes), "--state-keys", whole(c.StateKeys),
		"--capacity", strconv.FormatFloat(c.Capacity, 'f', -1, 64), "--work", whole(c.Work),
		"--fail-token", c.path(failToken),
	}
}

// jobText is a duration as the job reads it; it wants a bare 0 for none.
func jobText(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}
