package config

import (
	"fmt"
	"math"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"rebound/internal/facts"
	"rebound/internal/job"
	"rebound/internal/setting"
)

// options are any options of Flink, by its keys. One that nearly has the name of
// an option on which recovery depends is a slip of the pen.
func options(v value, to job.Options) {
	v.entries(func(key string, x value) {
		s, ok := x.scalar()
		if b, is := x.node.(*ast.BoolNode); is {
			s, ok = strconv.FormatBool(b.Value), true
		}
		if !ok {
			x.wrong("%s, want a value as Flink writes it", x.shown())
			return
		}
		if meant := slip(key); meant != "" {
			x.wrong("unknown option: did you mean %s?", meant)
			return
		}
		to[key] = s
	})
}

// slip is the known option that a key is within two letters of.
func slip(key string) string {
	known := append(setting.Known(),
		"execution.checkpointing.interval", "execution.checkpointing.timeout", "execution.checkpointing.min-pause",
		"execution.checkpointing.mode", "execution.checkpointing.unaligned.enabled", "restart-strategy.type")
	best, least := "", 3
	for _, k := range known {
		if d := distance(key, k); d < least {
			best, least = k, d
		}
	}
	if least == 0 {
		return ""
	}
	return best
}

// restart is the restart strategy, kept as Flink's options, and the level at which
// an exponential delay stands.
func restart(v value, f *facts.Facts) {
	to := f.Config
	strategy := "exponential-delay"
	keys := map[string]string{}
	seen := v.mapping(fields{
		"strategy": func(v value) {
			s, ok := v.oneOf("exponential-delay", "fixed-delay", "failure-rate", "none")
			set(&strategy, s, ok)
		},
		"initial_delay":   func(v value) { option(v, keys, "initial-backoff") },
		"max_delay":       func(v value) { option(v, keys, "max-backoff") },
		"reset_threshold": func(v value) { option(v, keys, "reset-backoff-threshold") },
		"multiplier": func(v value) {
			if x, ok := v.number(1, 100); ok {
				keys["backoff-multiplier"] = fmt.Sprint(x)
			}
		},
		"delay": func(v value) { option(v, keys, "delay") },
		"level": func(v value) { v.some(&f.Downtime.BackOff, value.seconds) },
	})
	if seen == nil {
		return
	}
	to["restart-strategy.type"] = strategy
	exponential := seen["initial_delay"] || seen["max_delay"] || seen["reset_threshold"] || seen["multiplier"]
	switch {
	case exponential && strategy != "exponential-delay":
		v.wrong("strategy %s has only delay", strategy)
	case seen["delay"] && (strategy == "exponential-delay" || strategy == "none"):
		v.wrong("strategy %s has no delay, want initial_delay, max_delay, multiplier, reset_threshold", strategy)
	}
	for key, text := range keys {
		to["restart-strategy."+strategy+"."+key] = text
	}
}

func heartbeat(v value, to job.Options) {
	v.mapping(fields{
		"interval": func(v value) { option(v, to, "heartbeat.interval") },
		"timeout":  func(v value) { option(v, to, "heartbeat.timeout") },
	})
}

// option keeps a length of time as Flink writes it.
func option(v value, to map[string]string, key string) {
	if s, ok := v.seconds(); ok {
		to[key] = fmt.Sprintf("%.0f ms", math.Ceil(s*1000))
	}
}
