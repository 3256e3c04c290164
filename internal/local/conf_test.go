package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// golden compares with a file in testdata. UPDATE=1 rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		write(t, path, got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// testSettings are those of `up` without flags.
func testSettings() Settings {
	return Settings{
		Slots: 1, Spares: 1, TaskManagerMemory: 832 * mib, RestartDelay: 5 * time.Second,
		Scheduler: "adaptive", StateBackend: "hashmap",
		HeartbeatInterval: time.Second, HeartbeatTimeout: 5 * time.Second, JobRestartDelay: time.Second,
		Parallelism: 2, Interval: 10 * time.Second, Guarantee: "exactly-once", Capacity: 1000, StateKeys: 1,
		Load: "constant:1000", RecordBytes: 1000, Seed: 1,
	}.Complete()
}

func testCluster(s Settings) *Cluster {
	c := &Cluster{
		Name: "a", ID: "0badcafe", Home: "/state/a", Settings: s,
		Java: "/jdk/bin/java", FlinkDist: "/cache/flink", KafkaLibs: "/cache/kafka",
		Ports: ports{20001, 20002, 20003, 20004, 20005, 20006, []int{20007, 20008, 20009}},
	}
	c.address()
	return c
}

func TestConfiguration(t *testing.T) {
	s := testSettings()
	golden(t, "config-2.3.yaml", string(flinkYAML(testCluster(s).flinkOptions())))
	s.Flink, s.Scheduler, s.StateBackend, s.HA = flink1, "default", "rocksdb", true
	s.Options = map[string]string{"heartbeat.timeout": "50 s", "my.quote": `a "b": c`}
	golden(t, "config-1.20-ha-rocksdb.yaml", string(flinkYAML(testCluster(s).flinkOptions())))
	c := testCluster(s)
	golden(t, "server.properties", string(c.serverProperties()))
	golden(t, "zoo.cfg", string(c.zooCFG()))
}

func TestCommands(t *testing.T) {
	s := testSettings()
	s.CPU, s.HA = 0.5, true
	c := testCluster(s)
	var text strings.Builder
	for _, p := range []Process{
		{Role: Kafka, Index: 1},
		{Role: ZooKeeper, Index: 1},
		{Role: JobManager, Index: 1},
		{Role: TaskManager, Index: 2, ResourceID: "tm2-0badcafe-1"},
	} {
		cmd, err := c.command(p)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("# " + p.Name() + "\n")
		text.WriteString(strings.Join(append(cmd.env, cmd.args...), "\n") + "\n\n")
	}
	text.WriteString("# job\n" + strings.Join(c.jobArguments(), "\n") + "\n")
	golden(t, "commands.txt", text.String())
}

func TestJobText(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0", 10 * time.Second: "10000ms", 1500 * time.Millisecond: "1500ms"} {
		if got := jobText(d); got != want {
			t.Errorf("jobText(%v) = %q, want %q", d, got, want)
		}
	}
}
