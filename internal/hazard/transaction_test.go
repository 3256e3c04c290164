package hazard

import (
	"testing"

	"rebound/internal/job"
)

// The case "Transaction timeout": I 300 s, D 40 s, worst T_d 600 s: a
// transaction may stay open for 300 + 40 + 600 = 940 s.
func TestTransactionTimeout(t *testing.T) {
	five := both(durations(40), func(o *job.Observation) { o.Checkpointing.IntervalSeconds = new(300.0) })
	facts := func(timeout, broker float64) Facts {
		return Facts{
			TransactionTimeoutSeconds: &timeout, BrokerMaxTransactionTimeoutSeconds: &broker,
			DowntimeSeconds: map[job.Failure]float64{job.ProcessFailure: 300, job.NodeFailure: 600},
		}
	}
	not := facts(900, 900)
	not.ExactlyOnceSink = new(false)
	noDowntime := facts(900, 900)
	noDowntime.DowntimeSeconds = nil
	check(t, "transaction-timeout", map[string]row{
		"the case": {
			change: five, facts: facts(900, 900), severity: job.High,
			says: []string{"940 s", "allows 900 s", "downtime: 560 s", "above 940000", "transaction.max.timeout.ms", "interval: 260 s"},
		},
		"near": {change: five, facts: facts(1000, 2000), severity: job.Low, says: []string{"940 s"}},
		"far":  {change: five, facts: facts(1200, 2000)},
		// 940 + one more interval of 300.
		"one checkpoint has failed": {change: both(five, func(o *job.Observation) {
			h := job.Checkpoint{Status: "FAILED", TriggeredAt: noon, Failure: "declined"}
			o.Checkpointing.History = append([]job.Checkpoint{h}, o.Checkpointing.History...)
		}), facts: facts(1200, 2000), severity: job.High, says: []string{"1240 s"}},
		"no transactions":     {change: five, facts: not},
		"downtime is unknown": {change: five, facts: noDowntime},
		"timeout is unknown":  {change: five, facts: Facts{DowntimeSeconds: map[job.Failure]float64{job.NodeFailure: 600}}},
	})
	check(t, "transaction-above-broker", map[string]row{
		"the case":        {change: five, facts: facts(3600, 900), severity: job.High, says: []string{"3600000", "900000", "will not start", "transaction.max.timeout.ms to 3600000"}},
		"room below":      {facts: facts(3600, 900), severity: job.High, says: []string{"transaction.timeout.ms: 900000 or less"}}, // 10.1 + 600 s are needed
		"equal":           {change: five, facts: facts(900, 900)},
		"no transactions": {change: five, facts: not},
	})
}

// Oldest restored offsets 10 + 0.1 s, downtime 60 s.
func TestRetentionShort(t *testing.T) {
	facts := func(retention float64) Facts {
		return Facts{RetentionSeconds: &retention, DowntimeSeconds: map[job.Failure]float64{job.NodeFailure: 60}}
	}
	check(t, "retention-short", map[string]row{
		"too short": {facts: facts(60), severity: job.High, says: []string{"70.1 s", "140200"}},
		"barely":    {facts: facts(100), severity: job.Low},
		"enough":    {facts: facts(141)},
	})
}

// The case "Alignment cap": drift 2 s, update 1 s, μ/λ = 6, backlog 1800 s. Two
// seconds of event time a second, one of which is new: 1800/(2 − 1) = 1800 s,
// not 1800/(6 − 1) = 360 s.
func TestAlignmentCap(t *testing.T) {
	old := func(o *job.Observation) { o.FlinkVersion = "1.19.1" }
	facts := func(drift, update float64) Facts {
		return Facts{Utilization: new(1.0 / 6), BacklogSeconds: new(1800.0), AlignmentMaxDriftSeconds: &drift, AlignmentUpdateSeconds: &update}
	}
	check(t, "alignment-cap", map[string]row{
		"the case":         {change: old, facts: facts(2, 1), severity: job.Medium, says: []string{"1800 s drains in 1800 s, not in 360 s", "Flink 2.3", "slots"}},
		"Flink 2.3":        {facts: facts(2, 1)},
		"version unknown":  {change: func(o *job.Observation) { o.FlinkVersion = "" }, facts: facts(2, 1)},
		"wide":             {change: old, facts: facts(6, 1)},
		"slower than real": {change: old, facts: facts(1, 1), severity: job.High, says: []string{"never drains"}},
		"no alignment":     {change: old, facts: Facts{Utilization: new(1.0 / 6)}},
		"set in SQL": {change: both(old, func(o *job.Observation) {
			o.Config["scan.watermark.alignment.max-drift"], o.Config["scan.watermark.alignment.update-interval"] = "2 s", "1 s"
		}), facts: Facts{Utilization: new(1.0 / 6)}, severity: job.Medium, says: []string{"6×"}},
	})
}
