package hazard

import (
	"fmt"

	"rebound/internal/job"
)

// longWebTimeout: one query to a dead process may take so long before the
// recovery that it hides is over.
const longWebTimeout = 60.0 // s

// webTimeout: a query to a killed TaskManager is waited for, and all metrics
// that REST answers with stand still meanwhile.
func webTimeout(s sight) []job.Hazard {
	timeout, ok := s.Duration("web.timeout")
	if !ok || timeout <= longWebTimeout {
		return nil
	}
	return one("web-timeout", job.Low,
		fmt.Sprintf("web.timeout is %s: when a TaskManager dies, the metrics that REST shows can stand still for that long; recovery is not seen.", say(timeout)),
		"Set web.timeout: 10 s, or read the metrics through a reporter.")
}
