package hazard

import (
	"fmt"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// retentionMargin: below so many times what the worst failure needs, a second
// failure in the catch-up is already too much.
const retentionMargin = 2.0

// retentionShort: the oldest unread record, A + T_d old when processing resumes,
// may be deleted before it is read. From then on it gets younger.
func retentionShort(s sight) []job.Hazard {
	retention := s.facts.RetentionSeconds
	effective, duration, ok := s.effective()
	downtime, known := s.worstDowntime()
	if retention == nil || !ok || !known {
		return nil
	}
	_, age := recovery.AgeRange(effective, duration, s.taken.failedRow)
	need := age + downtime
	if *retention >= retentionMargin*need {
		return nil
	}
	severity, verdict := job.High, "records can be lost"
	if *retention >= need {
		severity, verdict = job.Low, "a second failure in the catch-up can lose records"
	}
	return one("retention-short", severity,
		fmt.Sprintf("After the worst failure the oldest unread record is %s old (checkpoint %s, downtime %s); the input is kept for %s: %s.",
			say(need), say(age), say(downtime), say(*retention), verdict),
		fmt.Sprintf("Set the topic's retention.ms above %.0f, better days, so that a person can repair a longer outage.", retentionMargin*need*1000))
}
