package hazard

import (
	"fmt"
	"math"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// nearTransaction is the share of the timeout above which the bound is near: a
// checkpoint a little longer than any seen would pass it.
const nearTransaction = 0.9

// transactionTimeout: an open transaction must outlive I_e + D + T_d, with
// failed checkpoints in a row an interval more each; else the broker aborts what
// a checkpoint has promised.
func transactionTimeout(s sight) []job.Hazard {
	timeout := s.facts.TransactionTimeoutSeconds
	bound, ok := s.transactionBound()
	if timeout == nil || !ok || !s.exactlyOnce() {
		return nil
	}
	severity, verdict := job.High, "data can be lost"
	switch {
	case bound > *timeout:
	case bound > nearTransaction**timeout:
		severity, verdict = job.Low, "no failure may take longer"
	default:
		return nil
	}
	downtime, _ := s.worstDowntime()
	effective, duration, _ := s.effective()
	interval := *timeout - (bound - effective)
	if s.taken.failedRow > 0 || interval < recovery.EffectiveInterval(1, s.pause(), duration) {
		interval = 0 // no interval brings it down far enough
	}
	return one("transaction-timeout", severity,
		fmt.Sprintf("A transaction may stay open for %s (interval, duration, worst downtime %s); transaction.timeout.ms allows %s: %s. Longest safe downtime: %s.",
			say(bound), say(downtime), say(*timeout), verdict, say(max(0, *timeout-(bound-downtime)))),
		s.transactionFix(bound, interval))
}

// transactionFix: longer time-outs, or an interval that leaves them as they are.
func (s sight) transactionFix(bound, interval float64) string {
	fix := fmt.Sprintf("Set transaction.timeout.ms above %.0f", bound*1000)
	if most := s.facts.BrokerMaxTransactionTimeoutSeconds; most != nil && *most <= bound {
		fix += ", and the broker's transaction.max.timeout.ms with it"
	}
	if interval >= 1 {
		fix += fmt.Sprintf("; or execution.checkpointing.interval: %s or less", text(math.Floor(interval)))
	}
	return fix + "."
}

// transactionAboveBroker: the broker refuses every transaction, and with it
// every attempt to start the job.
func transactionAboveBroker(s sight) []job.Hazard {
	timeout, most := s.facts.TransactionTimeoutSeconds, s.facts.BrokerMaxTransactionTimeoutSeconds
	if timeout == nil || most == nil || *timeout <= *most || !s.exactlyOnce() {
		return nil
	}
	fix := fmt.Sprintf("Set transaction.timeout.ms: %.0f or less, or raise the broker's transaction.max.timeout.ms.", *most*1000)
	if bound, ok := s.transactionBound(); ok && bound > *most { // lowering it would lose data
		fix = fmt.Sprintf("Raise the broker's transaction.max.timeout.ms to %.0f; less than %.0f is too short for the worst downtime.", *timeout*1000, bound*1000)
	}
	return one("transaction-above-broker", job.High,
		fmt.Sprintf("transaction.timeout.ms is %.0f, the broker allows %.0f: the job will not start, each attempt fails at the sink.", *timeout*1000, *most*1000), fix)
}

// transactionBound is how long a transaction may stay open.
func (s sight) transactionBound() (seconds float64, ok bool) {
	effective, duration, ok1 := s.effective()
	downtime, ok2 := s.worstDowntime()
	return recovery.TransactionBound(effective, duration, downtime, s.taken.failedRow), ok1 && ok2
}

// exactlyOnce: a transaction timeout is known only of a sink that has
// transactions, so that not knowing counts as yes.
func (s sight) exactlyOnce() bool { e := s.facts.ExactlyOnceSink; return e == nil || *e }
