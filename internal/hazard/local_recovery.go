package hazard

import "rebound/internal/job"

const localRecoveryKey = "execution.state-recovery.from-local"

func (s sight) localRecovery() bool { return s.Config.Is(localRecoveryKey, "true") }

// localRecoveryNodeLoss: the local copy of the state is lost with its host, so
// that restarts measured with it promise too much for that failure.
func localRecoveryNodeLoss(s sight) []job.Hazard {
	if !s.Checkpointing.Enabled || !s.localRecovery() {
		return nil
	}
	return one("local-recovery-node-loss", job.Low,
		"Local recovery ("+s.Key(localRecoveryKey)+") does not help when a host is lost: its state is then read from remote storage, which takes longer.",
		"Count on the longer restore for node failures. For process failures set process.taskmanager.working-dir and a fixed taskmanager.resource-id.")
}
