package local

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// command is how a process of the cluster is started.
func (c *Cluster) command(p Process) (command, error) {
	switch p.Role {
	case Kafka:
		return c.kafkaCommand(p), nil
	case ZooKeeper:
		return c.zooKeeperCommand(p), nil
	case JobManager:
		return c.jobManagerCommand(p), nil
	case TaskManager:
		return c.taskManagerCommand(p)
	case Supervisor:
		return c.supervisorCommand()
	}
	return command{}, fmt.Errorf("no command for a %s", p.Role)
}

// java runs a class with what every JVM here wants: its log and its temporary
// files in the cluster's folder, and no file in /tmp/hsperfdata.
func (c *Cluster) java(p Process, classPath string, args ...string) []string {
	return append([]string{
		c.Java, "-XX:+UseSerialGC", "-XX:-UsePerfData",
		"-Djava.io.tmpdir=" + c.path("tmp"),
		"-Dlog.file=" + c.Log(p),
		"-Dlog4j2.configurationFile=" + c.path("conf", "log4j2.properties"),
		"-cp", classPath,
	}, args...)
}

// flink runs a class of Flink. The modules are opened as Flink's own scripts do
// (env.java.default-opts.all in config.yaml).
func (c *Cluster) flink(p Process, jvm []string, args ...string) command {
	all := jvm
	for _, pkg := range []string{"java.rmi/sun.rmi.registry", "java.security.jgss/sun.security.krb5"} {
		all = append(all, "--add-exports="+pkg+"=ALL-UNNAMED")
	}
	for _, pkg := range []string{"api", "file", "parser", "tree", "util"} {
		all = append(all, "--add-exports=jdk.compiler/com.sun.tools.javac."+pkg+"=ALL-UNNAMED")
	}
	for _, pkg := range []string{
		"java.lang", "java.net", "java.io", "java.nio", "sun.nio.ch", "java.lang.reflect", "java.text", "java.time",
		"java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks",
	} {
		all = append(all, "--add-opens=java.base/"+pkg+"=ALL-UNNAMED")
	}
	return command{
		args: c.java(p, filepath.Join(c.FlinkDist, "lib", "*"), append(all, args...)...),
		env: []string{
			"FLINK_PLUGINS_DIR=" + filepath.Join(c.FlinkDist, "plugins"),
			"FLINK_LIB_DIR=" + filepath.Join(c.FlinkDist, "lib"),
			"FLINK_CONF_DIR=" + c.path("conf"),
		},
	}
}

// quickStart leaves out the optimizing compiler: no record passes through these
// processes, and on a small machine its work is what others wait for.
const quickStart = "-XX:TieredStopAtLevel=1"

func (c *Cluster) jobManagerCommand(p Process) command {
	return c.flink(p,
		[]string{
			fmt.Sprintf("-Xmx%d", jobManagerHeap), fmt.Sprintf("-Xms%d", jobManagerHeap),
			fmt.Sprintf("-XX:MaxMetaspaceSize=%d", jvmMetaspace),
			quickStart,
		},
		"org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
		"--configDir", c.path("conf"),
		"-D", fmt.Sprintf("jobmanager.memory.off-heap.size=%db", jobManagerOffHeap),
		"-D", "metrics.reporter.prom.port="+strconv.Itoa(c.Ports.JobManager))
}

func (c *Cluster) taskManagerCommand(p Process) (command, error) {
	m, err := memoryOf(c.TaskManagerMemory, c.StateBackend)
	if err != nil {
		return command{}, err
	}
	cores := c.CPU
	if cores == 0 {
		cores = float64(c.Slots)
	}
	return c.flink(p, m.jvm(), append([]string{
		"org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
		"--configDir", c.path("conf"),
		"-D", "taskmanager.resource-id=" + p.ResourceID,
		"-D", "taskmanager.cpu.cores=" + strconv.FormatFloat(cores, 'f', -1, 64),
		"-D", "external-resources=none",
		"-D", "metrics.reporter.prom.port=" + strconv.Itoa(c.Ports.TaskManagers[p.Index-1]),
	}, m.options()...)...), nil
}

// zooKeeperCommand runs the ZooKeeper that flink-dist carries.
func (c *Cluster) zooKeeperCommand(p Process) command {
	return c.flink(p, []string{fmt.Sprintf("-Xmx%d", zooKeeperHeap), quickStart},
		"org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer",
		"--zkConfigFile", c.path("conf", "zoo.cfg"), "--peerId", "1")
}

// zooCFG: sessions last at least two ticks.
func (c *Cluster) zooCFG() []byte {
	return fmt.Appendf(nil, `tickTime=500
initLimit=10
syncLimit=5
dataDir=%s
clientPort=%d
clientPortAddress=127.0.0.1
admin.enableServer=false
server.1=127.0.0.1:2888:3888
`, c.path("zookeeper"), c.Ports.ZooKeeper)
}
