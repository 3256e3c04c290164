package local

import (
	"testing"
	"time"
)

func TestComplete(t *testing.T) {
	s := Settings{Parallelism: 5, Slots: 2, Flink: "1.20"}.Complete()
	if s.TaskManagers != 3 || s.Partitions != 10 || s.Flink != flink1 || s.Campaigns != 100 || s.AdsPerCampaign != 10 {
		t.Errorf("Complete = %+v, want 3 TaskManagers for 5 slots of 2, 10 partitions, Flink %s", s, flink1)
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Settings){
		"":                                      func(*Settings) {},
		`flink: "1.19.1", want 2.3.0 or 1.20.5`: func(s *Settings) { s.Flink = "1.19.1" },
		"parallelism: 3, want at most the 2 slots of 2 TaskManagers": func(s *Settings) { s.Parallelism = 3 },
		"record-bytes: 99, want at least 100":                        func(s *Settings) { s.RecordBytes = 99 },
		"spares: -1, want at least 0":                                func(s *Settings) { s.Spares = -1 },
		"heartbeat-timeout: 1s, want more than the interval of 1s":   func(s *Settings) { s.HeartbeatTimeout = time.Second },
		"interval: 1.5ms, want whole milliseconds":                   func(s *Settings) { s.Interval = 1500 * time.Microsecond },
		"taskmanager-memory: 100 MiB":                                func(s *Settings) { s.TaskManagerMemory = 100 * mib },
		"option rest.port: it is part of":                            func(s *Settings) { s.Options = map[string]string{"rest.port": "8081"} },
		"option taskmanager.memory.managed.size: it is part of": func(s *Settings) {
			s.Options = map[string]string{"taskmanager.memory.managed.size": "1g"}
		},
	} {
		s := testSettings()
		change(&s)
		wantError(t, s.Validate(), want)
	}
	wantError(t, Settings{}.Validate(), "scheduler") // and no panic
}

func TestNames(t *testing.T) {
	for _, ok := range []string{"a", "default", "ab-9"} {
		wantError(t, checkName(ok), "")
	}
	for _, bad := range []string{"", "..", "a/b", "A", "-a", "a-", "a b", "a0123456789012345678901234567890123"} {
		wantError(t, checkName(bad), "want 1 to 32")
	}
}
