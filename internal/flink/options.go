package flink

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// presentKey is the name that Flink 2.x has for an option: FLINK-36015, FLIP-406,
// FLIP-464 and the renames of 1.20. A key that was not renamed is its own.
func presentKey(key string) string {
	const adaptive = "jobmanager.adaptive-scheduler."
	switch key {
	case adaptive + "resource-wait-timeout":
		return adaptive + "submission.resource-wait-timeout"
	case adaptive + "resource-stabilization-timeout":
		return adaptive + "submission.resource-stabilization-timeout"
	case adaptive + "scaling-interval.min":
		return adaptive + "executing.cooldown-after-rescaling"
	case adaptive + "scaling-interval.max":
		return adaptive + "executing.resource-stabilization-timeout"
	case adaptive + "max-delay-for-scale-trigger":
		return adaptive + "rescale-trigger.max-delay"
	case adaptive + "scale-on-failed-checkpoints-count":
		return adaptive + "rescale-trigger.max-checkpoint-failures"
	case "execution.checkpointing.unaligned":
		return "execution.checkpointing.unaligned.enabled"
	case "state.backend.local-recovery":
		return "execution.state-recovery.from-local"
	case "restart-strategy":
		return "restart-strategy.type"
	case "state.backend":
		return "state.backend.type"
	case "state.checkpoints.dir":
		return "execution.checkpointing.dir"
	case "state.savepoints.dir", "state.savepoint.dir":
		return "execution.checkpointing.savepoint-dir"
	case "state.checkpoint-storage":
		return "execution.checkpointing.storage"
	case "state.backend.incremental":
		return "execution.checkpointing.incremental"
	case "state.checkpoints.num-retained":
		return "execution.checkpointing.num-retained"
	case "kubernetes.jobmanager.cpu":
		return "kubernetes.jobmanager.cpu.amount"
	case "high-availability":
		return "high-availability.type"
	}
	if rest, ok := strings.CutPrefix(key, "kubernetes.operator.job.autoscaler."); ok {
		return "job.autoscaler." + rest
	}
	return key
}

// effective is the cluster's configuration overlaid with what is known of the job's
// own, which wins.
func effective(cluster map[string]string, checkpoints *wireCheckpointConfig, execution executionConfig) map[string]string {
	config := make(map[string]string, len(cluster)+16)
	maps.Copy(config, cluster)
	if checkpoints != nil {
		checkpoints.options(config)
	}
	restartOptions(execution.Restart, config)
	return config
}

// options adds what the job's checkpoints are set to, which may come from its code.
func (w wireCheckpointConfig) options(config map[string]string) {
	const p = "execution.checkpointing."
	set := func(key string, n number, unit string) {
		if n.ok && n.v >= 0 && n.v < maxMillis {
			config[key] = strconv.FormatFloat(n.v, 'f', -1, 64) + unit
		}
	}
	if !w.enabled() {
		delete(config, p+"interval")
	}
	set(p+"interval", w.Interval, " ms")
	set(p+"timeout", w.Timeout, " ms")
	set(p+"min-pause", w.MinPause, " ms")
	set(p+"aligned-checkpoint-timeout", w.AlignedTimeout, " ms")
	set(p+"max-concurrent-checkpoints", w.MaxConcurrent, "")
	set(p+"tolerable-failed-checkpoints", w.Tolerable, "")
	if w.Mode != "" {
		config[p+"mode"] = strings.ToUpper(w.Mode)
	}
	if w.Unaligned != nil {
		config[p+"unaligned.enabled"] = strconv.FormatBool(*w.Unaligned)
	}
	config[p+"externalized-checkpoint-retention"] = w.retention()
	if b := w.backend(); b != "" {
		config["state.backend.type"] = b
	}
	if s := w.storage(); s != "" {
		config[p+"storage"] = s
	}
}

func (w wireCheckpointConfig) retention() string {
	switch {
	case !w.Externalization.Enabled:
		return "NO_EXTERNALIZED_CHECKPOINTS"
	case w.Externalization.Delete:
		return "DELETE_ON_CANCELLATION"
	}
	return "RETAIN_ON_CANCELLATION"
}

// A restartSentence is how Flink's RestartStrategyDescriptionUtils describes a
// strategy, with the options that its groups hold. The text is the same in 1.20
// and 2.3.
type restartSentence struct {
	kind    string
	pattern string
	keys    []string
}

func restartSentences() []restartSentence {
	return []restartSentence{
		{"fixed-delay", `^Restart with fixed delay \((\S+)\)\. #(\d+) restart attempts`, []string{"delay", "attempts"}},
		{
			"exponential-delay", `^Restart with exponential delay: starting at (\S+), increasing by (\S+), with maximum (\S+)\. Delay resets after (\S+) with jitter (\S+)`,
			[]string{"initial-backoff", "backoff-multiplier", "max-backoff", "reset-backoff-threshold", "jitter-factor"},
		},
		{
			"failure-rate", `^Failure rate restart with maximum of (\d+) failures within interval (\S+) and fixed delay (\S+)\.`,
			[]string{"max-failures-per-interval", "failure-rate-interval", "delay"},
		},
		{"disable", `^Restart deactivated`, nil},
	}
}

// restartOptions reads the sentence in which /jobs/:jobid/config puts the job's
// restart strategy. "Cluster level default restart strategy" and sentences of
// versions to come leave the cluster's options as they are.
func restartOptions(sentence string, config map[string]string) {
	for _, r := range restartSentences() {
		m := regexp.MustCompile(r.pattern).FindStringSubmatch(sentence)
		if m == nil {
			continue
		}
		config["restart-strategy.type"] = r.kind
		for i, key := range r.keys {
			config["restart-strategy."+r.kind+"."+key] = optionText(m[i+1])
		}
	}
}

// optionText spells what Java prints as an option is spelled: PT1M30S as
// "90000 ms", 1.500000 as 1.5.
func optionText(s string) string {
	if strings.HasPrefix(s, "P") {
		if d, err := ParseDuration(s); err == nil {
			return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
		}
	}
	if strings.Contains(s, ".") {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return s
}
