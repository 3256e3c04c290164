package local

import "fmt"

const mib = 1 << 20

// jobManagerMemory is what a JobManager process may use: heap 371 MiB, off-heap
// 128, metaspace 192, and a tenth of all for the JVM.
const (
	jobManagerMemory   = 768 * mib
	jobManagerHeap     = 371 * mib
	jobManagerOffHeap  = 128 * mib
	jvmMetaspace       = 192 * mib
	kafkaMemory        = 600 * mib // a heap of 384 MiB and the rest of the JVM; 365 MiB were seen after half an hour
	kafkaHeap          = 384 * mib
	zooKeeperMemory    = 150 * mib // 93 MiB were seen
	zooKeeperHeap      = 64 * mib
	leastTaskManager   = 640 * mib
	frameworkHeap      = 128 * mib
	frameworkOffHeap   = 64 * mib
	leastNetwork       = 32 * mib // 1024 buffers of 32 KiB, enough for a shuffle of 16 × 16
	supervisorMemory   = 100 * mib
	memoryKept         = 500 * mib // for everything else on the machine
	hashmapManaged     = 0.35      // share of what is left; the sort of Flink's batch operators may want some
	rocksdbManaged     = 0.50      // RocksDB's block cache and memtables live there
	networkShare       = 0.09
	jvmOverheadDivisor = 10
)

// taskMemory is the memory of a TaskManager split as Flink does it, in bytes. A
// TaskManager that is not started by Flink's scripts wants every part spelled
// out. The parts of 832 MiB with hashmap state are those with which the recipe
// was tried: heap 332, network 32, managed 128.
type taskMemory struct {
	frameworkHeap, taskHeap, frameworkOffHeap, network, managed, metaspace, overhead int64
}

// memoryOf splits the total of a process.
func memoryOf(total int64, backend string) (taskMemory, error) {
	if total < leastTaskManager {
		return taskMemory{}, fmt.Errorf("taskmanager-memory: %d MiB, want at least %d", total/mib, leastTaskManager/mib)
	}
	share := hashmapManaged
	if backend == "rocksdb" {
		share = rocksdbManaged
	}
	whole := func(bytes float64) int64 { return int64(bytes) / mib * mib }
	m := taskMemory{
		frameworkHeap:    frameworkHeap,
		frameworkOffHeap: frameworkOffHeap,
		metaspace:        jvmMetaspace,
		overhead:         whole(float64(total) / jvmOverheadDivisor),
	}
	left := total - m.frameworkHeap - m.frameworkOffHeap - m.metaspace - m.overhead
	m.network = max(leastNetwork, whole(networkShare*float64(left)))
	m.managed = whole(share * float64(left))
	m.taskHeap = left - m.network - m.managed
	return m, nil
}

func (m taskMemory) heap() int64 { return m.frameworkHeap + m.taskHeap }

// jvm are the options of the JVM. Managed memory is allocated outside of what
// the JVM counts as direct.
func (m taskMemory) jvm() []string {
	return []string{
		fmt.Sprintf("-Xmx%d", m.heap()), fmt.Sprintf("-Xms%d", m.heap()),
		fmt.Sprintf("-XX:MaxDirectMemorySize=%d", m.frameworkOffHeap+m.network),
		fmt.Sprintf("-XX:MaxMetaspaceSize=%d", m.metaspace),
	}
}

// options are Flink's own, for the command line.
func (m taskMemory) options() []string {
	var args []string
	for _, o := range []struct {
		key   string
		bytes int64
	}{
		{"framework.heap.size", m.frameworkHeap},
		{"task.heap.size", m.taskHeap},
		{"framework.off-heap.size", m.frameworkOffHeap},
		{"task.off-heap.size", 0},
		{"network.min", m.network},
		{"network.max", m.network},
		{"managed.size", m.managed},
		{"jvm-metaspace.size", m.metaspace},
		{"jvm-overhead.min", m.overhead},
		{"jvm-overhead.max", m.overhead},
	} {
		args = append(args, "-D", fmt.Sprintf("taskmanager.memory.%s=%db", o.key, o.bytes))
	}
	return args
}
