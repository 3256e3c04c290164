package hazard

import (
	"testing"
	"time"

	"rebound/internal/job"
)

func set(pairs ...string) func(*job.Observation) {
	return func(o *job.Observation) {
		for i := 0; i < len(pairs); i += 2 {
			o.Config[pairs[i]] = pairs[i+1]
		}
	}
}

func TestHAMissing(t *testing.T) {
	check(t, "ha-missing", map[string]row{
		"by default": {severity: job.High, says: []string{"high-availability.type: zookeeper"}},
		"none":       {change: set("high-availability.type", "none"), severity: job.High},
		"zookeeper":  {change: set("high-availability.type", "zookeeper")},
		"a factory":  {change: set("high-availability.type", "org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory")},
		"old name":   {change: func(o *job.Observation) { o.FlinkVersion = "1.16.3" }, severity: job.High, says: []string{"high-availability: zookeeper"}},
	})
}

func TestRestartStrategyMissing(t *testing.T) {
	fixed := func(attempts string) func(*job.Observation) {
		return set("restart-strategy.type", "fixed-delay", "restart-strategy.fixed-delay.attempts", attempts)
	}
	rate := func(pairs ...string) func(*job.Observation) {
		return set(append([]string{"restart-strategy.type", "failure-rate"}, pairs...)...)
	}
	check(t, "restart-strategy-missing", map[string]row{
		"by default": {},
		"none":       {change: set("restart-strategy.type", "none"), severity: job.High, says: []string{"first failure", "exponential-delay"}},
		"off":        {change: set("restart-strategy.type", "off"), severity: job.High},
		"without checkpoints": {change: func(o *job.Observation) {
			o.Checkpointing = job.Checkpointing{}
		}, severity: job.High},
		"one attempt by default": {change: set("restart-strategy.type", "fixed-delay"), severity: job.High, says: []string{"1 attempt"}},
		"few":                    {change: fixed("10"), severity: job.High, says: []string{"10 attempts"}},
		"many":                   {change: fixed("1000000")},
		"many, but used up": {change: both(fixed("100"), func(o *job.Observation) {
			o.Restarts = new(95)
		}), severity: job.High, says: []string{"5 attempts left"}},
		// Slots go after 2 × 10 s, a restart into one takes 1 + 0.4 s: the failure
		// and ⌊20/1.4⌋ = 14 restarts are 15.
		"failure rate":                   {change: rate("restart-strategy.failure-rate.max-failures-per-interval", "15"), severity: job.High, says: []string{"cause 15"}},
		"failure rate, enough":           {change: rate("restart-strategy.failure-rate.max-failures-per-interval", "16")},
		"failure rate, quick heartbeats": {change: rate("restart-strategy.failure-rate.max-failures-per-interval", "3", "heartbeat.interval", "1 s")},
		"unknown kind":                   {change: set("restart-strategy.type", "com.example.Mine")},
	})
}

func TestBackOffLevel(t *testing.T) {
	failed := func(ago ...time.Duration) func(*job.Observation) {
		return func(o *job.Observation) {
			for _, a := range ago {
				o.Exceptions = append(o.Exceptions, job.Exception{At: noon.Add(-a)})
			}
		}
	}
	// Ten failures: 1.5¹⁰ = 57.7 s.
	ten := failed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	check(t, "back-off-level", map[string]row{
		"calm":                    {},
		"ten just now":            {change: ten, severity: job.Medium, says: []string{"10 failures", "57.7 s", "max-backoff: 10 s"}},
		"one just now":            {change: failed(time.Second)},
		"ten before 1.19 doubled": {change: both(ten, func(o *job.Observation) { o.FlinkVersion = "1.18.1" })}, // fixed delay by default
		"ten long ago":            {change: failed(61*time.Minute, 62*time.Minute, 63*time.Minute)},
		// Each within an hour of the next keeps the level: 1.5⁶ = 11.4 s.
		"six, 50 min apart": {
			change:   failed(50*time.Minute, 100*time.Minute, 150*time.Minute, 200*time.Minute, 250*time.Minute, 300*time.Minute),
			severity: job.Medium, says: []string{"6 failures", "11.4 s"},
		},
		"another strategy": {change: both(ten, set("restart-strategy.type", "fixed-delay"))},
		"short target":     {facts: Facts{TargetSeconds: new(100.0)}, severity: job.Low, says: []string{"60 s", "max-backoff: 10 s"}},
		"long target":      {facts: Facts{TargetSeconds: new(130.0)}},
		// At ρ 0.5 a minute of delay costs two.
		"long target, busy": {facts: Facts{TargetSeconds: new(130.0), Utilization: new(0.5)}, severity: job.Low},
	})
}

func TestHeartbeats(t *testing.T) {
	target := func(s float64) Facts { return Facts{TargetSeconds: &s} }
	check(t, "heartbeat-default", map[string]row{
		"no target":     {},
		"longer target": {facts: target(51)},
		"short target":  {facts: target(40), severity: job.Medium, says: []string{"default, 50 s", "heartbeat.timeout: 10 s", "heartbeat.interval: 2 s"}},
		"set":           {change: set("heartbeat.timeout", "5000"), facts: target(40)},
		"set too long":  {change: set("heartbeat.timeout", "2 min"), facts: target(100), severity: job.Medium, says: []string{"is 120 s"}},
		// 50 s of silence at ρ 0.5 are 100 s of recovery.
		"busy": {facts: Facts{TargetSeconds: new(90.0), Utilization: new(0.5)}, severity: job.Medium, says: []string{"100 s"}},
	})
	check(t, "dead-slot-restarts", map[string]row{
		"short target":       {facts: target(40), severity: job.Medium, says: []string{"20 s", "14 restarts", "heartbeat.interval: 2 s", "after 4 s"}},
		"longer target":      {facts: target(41)},
		"delay is longer":    {change: set("restart-strategy.type", "fixed-delay", "restart-strategy.fixed-delay.delay", "20 s"), facts: target(40)},
		"fast heartbeats":    {change: set("heartbeat.interval", "1000", "heartbeat.timeout", "5000"), facts: target(40)},
		"timeout is shorter": {change: set("heartbeat.timeout", "12 s"), facts: target(24), severity: job.Medium, says: []string{"up to 12 s"}},
		// The threshold is off: only the timeout takes the slots away.
		"timeout only": {change: set("heartbeat.rpc-failure-threshold", "-1"), facts: target(100), severity: job.Medium, says: []string{"50 s"}},
	})
}

func TestWebTimeout(t *testing.T) {
	check(t, "web-timeout", map[string]row{
		"by default": {severity: job.Low, says: []string{"600 s", "web.timeout: 10 s"}},
		"short":      {change: set("web.timeout", "3000")},
	})
}
