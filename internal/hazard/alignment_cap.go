package hazard

import (
	"fmt"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// alignmentCap: before Flink 2.3, watermark alignment lets a source advance by
// at most maximal drift of event time an update interval, however much capacity
// there is; in catch-up that is the limit.
func alignmentCap(s sight) []job.Hazard {
	drift, ok1 := s.alignment(s.facts.AlignmentMaxDriftSeconds, "scan.watermark.alignment.max-drift")
	update, ok2 := s.alignment(s.facts.AlignmentUpdateSeconds, "scan.watermark.alignment.update-interval")
	u := s.facts.Utilization
	if !s.Version.Before(2, 3) || !ok1 || !ok2 || update <= 0 || u == nil || *u <= 0 || *u >= 1 {
		return nil
	}
	// Both in seconds of event time a second: records of one second take ρ.
	speed, aligned := 1 / *u, recovery.AlignmentLimit(1, drift, update)
	if aligned >= speed {
		return nil
	}
	fix := fmt.Sprintf("Raise the alignment's max drift above %s or shorten its update interval (%s), or take Flink 2.3; more slots change nothing.", say(update*speed), say(update))
	backlog, ok := s.backlog()
	switch {
	case aligned <= 1:
		return one("alignment-cap", job.High,
			fmt.Sprintf("Watermark alignment (drift %s each %s) lets sources advance %.3g× real time, no faster than records come: a backlog never drains.", say(drift), say(update), aligned), fix)
	case ok:
		return one("alignment-cap", job.Medium,
			fmt.Sprintf("Watermark alignment (drift %s each %s) caps catch-up at %.3g× real time: a backlog of %s drains in %s, not in %s.",
				say(drift), say(update), aligned, say(backlog), say(backlog/(aligned-1)), say(backlog/(speed-1))), fix)
	}
	return one("alignment-cap", job.Medium,
		fmt.Sprintf("Watermark alignment (drift %s each %s) caps catch-up at %.3g× real time; capacity alone would do %.3g×.", say(drift), say(update), aligned, speed), fix)
}

func (s sight) alignment(fact *float64, key string) (seconds float64, ok bool) {
	if fact != nil {
		return *fact, true
	}
	return s.Config.Duration(key)
}

// backlog in seconds of event time: given, or A + T_d at their worst.
func (s sight) backlog() (seconds float64, ok bool) {
	if b := s.facts.BacklogSeconds; b != nil {
		return *b, true
	}
	effective, duration, ok1 := s.effective()
	downtime, ok2 := s.worstDowntime()
	_, age := recovery.AgeRange(effective, duration, s.taken.failedRow)
	return age + downtime, ok1 && ok2
}
