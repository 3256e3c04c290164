package hazard

import (
	"fmt"
	"math"

	"rebound/internal/job"
)

const (
	// fewAttempts are used up by one failure: nine were seen to fail, one a
	// second, into the slot of a killed process before its heartbeat failed.
	fewAttempts = 10
	// redeploySeconds is what an attempt into a dead slot takes beside the delay.
	redeploySeconds = 0.4
)

// restartStrategyMissing: the job ends at a failure, or after a few.
func restartStrategyMissing(s sight) []job.Hazard {
	key := s.Key("restart-strategy.type")
	fix := "Set " + key + ": exponential-delay, which never gives up."
	switch s.RestartStrategy() {
	case "none":
		return one("restart-strategy-missing", job.High, "There is no restart strategy: the first failure ends the job for good.", fix)
	case "fixed-delay":
		attempts, ok := s.Number("restart-strategy.fixed-delay.attempts")
		used := ""
		if s.Restarts != nil {
			attempts -= float64(*s.Restarts)
			used = " left"
		}
		if !ok || attempts > fewAttempts {
			return nil
		}
		return one("restart-strategy-missing", job.High,
			fmt.Sprintf("restart-strategy.fixed-delay.attempts has %s%s in the job's life; one lost process can use up %d: after the last the job ends.",
				plural(int(max(0, attempts)), "attempt"), used, fewAttempts-1), fix)
	case "failure-rate":
		return s.failureRate(fix)
	}
	return nil
}

// failureRate: attempts into the dead slot count as failures, too.
func (s sight) failureRate(fix string) []job.Hazard {
	most, ok1 := s.Number("restart-strategy.failure-rate.max-failures-per-interval")
	window, ok2 := s.Duration("restart-strategy.failure-rate.failure-rate-interval")
	wasted, ok3 := s.wastedAttempts(window)
	if !ok1 || !ok2 || !ok3 || most > float64(wasted) {
		return nil
	}
	return one("restart-strategy-missing", job.High,
		fmt.Sprintf("More than %.0f failures in %s end the job, and one lost process can cause %d: restarts into its slot fail until its heartbeat does.", most, say(window), wasted), fix)
}

// wastedAttempts is how many restarts fail in a dead slot within a time, the
// failure itself included.
func (s sight) wastedAttempts(within float64) (n int, ok bool) {
	slot, ok1 := s.SlotDetection()
	_, delay, ok2 := s.RestartDelay()
	if !ok1 || !ok2 || delay >= slot {
		return 1, ok1 && ok2
	}
	return 1 + int(math.Floor(min(slot, within)/(delay+redeploySeconds))), true
}
