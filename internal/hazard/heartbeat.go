package hazard

import (
	"fmt"
	"math"

	"rebound/internal/job"
)

// heartbeatSlow: a host that falls silent is noticed only after the heartbeat
// timeout, which leaves too little of the target, or nothing.
func heartbeatSlow(s sight) []job.Hazard {
	target := s.facts.TargetSeconds
	timeout, ok := s.Duration("heartbeat.timeout")
	if target == nil || !ok || s.stretched(timeout) < *target {
		return nil
	}
	word := "is"
	if s.IsDefault("heartbeat.timeout") {
		word = "is at its default,"
	}
	want := math.Max(2, math.Floor(*target*timeout/s.stretched(timeout)/4))
	return one("heartbeat-default", job.Medium,
		fmt.Sprintf("heartbeat.timeout %s %s: a silent host is noticed only then, and with the backlog that alone takes %s; target %s.", word, say(timeout), say(s.stretched(timeout)), say(*target)),
		fmt.Sprintf("Set heartbeat.timeout: %s and heartbeat.interval: %s; much less risks false alarms at long pauses of the JVM.", text(want), text(math.Max(1, math.Floor(want/5)))))
}

// deadSlotRestarts: until heartbeat calls to a killed process have failed, its
// slot is offered again, and restarts into it fail.
func deadSlotRestarts(s sight) []job.Hazard {
	target := s.facts.TargetSeconds
	slot, ok1 := s.SlotDetection()
	key, delay, ok2 := s.RestartDelay()
	if target == nil || !ok1 || !ok2 || delay >= slot || s.stretched(slot) < *target/2 {
		return nil
	}
	wasted, _ := s.wastedAttempts(math.Inf(1))
	interval, _ := s.Duration("heartbeat.interval")
	want := math.Max(1, math.Floor(*target/20))
	return one("dead-slot-restarts", job.Medium,
		fmt.Sprintf("A killed process keeps its slots for up to %s (heartbeats fail); about %s into them fail first, at a delay of %s; target %s.",
			say(slot), plural(wasted-1, "restart"), say(delay), say(*target)),
		fmt.Sprintf("Set heartbeat.interval: %s, so that the slots go after %s; or %s above that time.", text(want), say(slot*want/interval), key))
}
