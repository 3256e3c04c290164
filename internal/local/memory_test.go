package local

import (
	"testing"

	"pgregory.net/rapid"
)

// By hand: 832 − 128 − 64 − 192 − 83 = 365 MiB are left; network max(32,
// ⌊0.09·365⌋ = 32), managed ⌊0.35·365⌋ = 127, and 206 for the task's heap. The
// recipe was tried with 32, 128 and 204.
func TestMemoryOf832MiB(t *testing.T) {
	got, err := memoryOf(832*mib, "hashmap")
	want := taskMemory{
		frameworkHeap: 128 * mib, taskHeap: 206 * mib, frameworkOffHeap: 64 * mib,
		network: 32 * mib, managed: 127 * mib, metaspace: 192 * mib, overhead: 83 * mib,
	}
	if err != nil || got != want {
		t.Errorf("memoryOf = %+v, %v, want %+v", got, err, want)
	}
}

// The parts are positive and add up to the whole; RocksDB has more managed
// memory.
func TestMemoryAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(leastTaskManager, 1<<38).Draw(t, "total")
		m, err := memoryOf(total, "hashmap")
		if err != nil {
			t.Fatal(err)
		}
		parts := []int64{m.frameworkHeap, m.taskHeap, m.frameworkOffHeap, m.network, m.managed, m.metaspace, m.overhead}
		var sum int64
		for _, p := range parts {
			if p <= 0 {
				t.Errorf("a part of %d bytes: %+v", p, m)
			}
			sum += p
		}
		if sum != total {
			t.Errorf("parts add up to %d, want %d", sum, total)
		}
		if r, _ := memoryOf(total, "rocksdb"); r.managed <= m.managed {
			t.Errorf("RocksDB has %d managed, hashmap %d", r.managed, m.managed)
		}
	})
}

func TestMemoryTooSmall(t *testing.T) {
	_, err := memoryOf(500*mib, "hashmap")
	wantError(t, err, "taskmanager-memory: 500 MiB, want at least 640")
}
