package local

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fixedOptions are the Flink options that users cannot set: the cluster is
// reached, sized or cleaned up by them.
var fixedOptions = []string{ //nolint:gochecknoglobals // a constant list
	"rest.port", "rest.address", "rest.bind-address", "rest.bind-port",
	"jobmanager.rpc.address", "jobmanager.rpc.port", "jobmanager.bind-host",
	"taskmanager.host", "taskmanager.bind-host", "taskmanager.resource-id", "taskmanager.numberOfTaskSlots",
	"high-availability.type", "high-availability.zookeeper.quorum", "high-availability.storageDir",
	"io.tmp.dirs", "web.tmpdir", "web.upload.dir", "jobmanager.scheduler", "state.backend.type",
}

// flinkText is a duration as Flink reads it; it takes no decimals.
func flinkText(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

// flinkOptions are the settings of JobManager and TaskManagers alike.
func (c *Cluster) flinkOptions() map[string]string {
	o := map[string]string{
		"jobmanager.rpc.address":        "127.0.0.1",
		"jobmanager.rpc.port":           strconv.Itoa(c.Ports.RPC),
		"jobmanager.bind-host":          "127.0.0.1",
		"taskmanager.host":              "127.0.0.1",
		"taskmanager.bind-host":         "127.0.0.1",
		"rest.address":                  "127.0.0.1",
		"rest.bind-address":             "127.0.0.1",
		"rest.port":                     strconv.Itoa(c.Ports.REST),
		"taskmanager.numberOfTaskSlots": strconv.Itoa(c.Slots),
		"jobmanager.scheduler":          c.Scheduler,

		"restart-strategy.type":                 "fixed-delay",
		"restart-strategy.fixed-delay.delay":    flinkText(c.JobRestartDelay),
		"restart-strategy.fixed-delay.attempts": "1000000", // a drill fails the job often
		"heartbeat.interval":                    flinkText(c.HeartbeatInterval),
		"heartbeat.timeout":                     flinkText(c.HeartbeatTimeout),
		// TaskManagers start together with the JobManager; by default one that
		// comes first tries again only after 10 s.
		"cluster.registration.error-delay": "500 ms",

		"web.refresh-interval":                         "200 ms", // /jobs/:id is cached that long, by default 3 s
		"web.timeout":                                  "3 s",    // with 10 min metrics freeze when a TaskManager dies
		"web.checkpoints.history":                      "50",
		"metrics.fetcher.update-interval":              "1 s",
		"io.tmp.dirs":                                  c.path("tmp"),
		"web.tmpdir":                                   c.path("tmp"),
		"web.upload.dir":                               c.path("upload"),
		"state.backend.type":                           c.StateBackend,
		"execution.checkpointing.incremental":          strconv.FormatBool(c.StateBackend == "rocksdb"),
		c.key("execution.checkpointing.dir"):           "file://" + c.path("checkpoints"),
		c.key("execution.checkpointing.savepoint-dir"): "file://" + c.path("savepoints"),
	}
	if c.Prometheus {
		o["metrics.reporter.prom.factory.class"] = "org.apache.flink.metrics.prometheus.PrometheusReporterFactory"
	}
	if c.HA {
		maps.Copy(o, map[string]string{
			"high-availability.type":             "zookeeper",
			"high-availability.storageDir":       "file://" + c.path("ha"),
			"high-availability.zookeeper.quorum": "127.0.0.1:" + strconv.Itoa(c.Ports.ZooKeeper),
			"high-availability.cluster-id":       "/" + c.Name,
			// A killed JobManager holds its leadership until its session ends.
			"high-availability.zookeeper.client.session-timeout":    "5000",
			"high-availability.zookeeper.client.connection-timeout": "5000",
		})
	}
	maps.Copy(o, c.Options)
	return o
}

// key is how the version that runs spells an option that Flink 2 renamed.
func (c *Cluster) key(name string) string {
	if !strings.HasPrefix(c.Flink, "1.") {
		return name
	}
	switch name {
	case "execution.checkpointing.dir":
		return "state.checkpoints.dir"
	case "execution.checkpointing.savepoint-dir":
		return "state.savepoints.dir"
	}
	return name
}

// flinkYAML is config.yaml: one key a line, every value a quoted string.
func flinkYAML(options map[string]string) []byte {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(options)) {
		fmt.Fprintf(&b, "%s: %q\n", k, options[k])
	}
	return []byte(b.String())
}

// log4j2 writes what a process logs to the file that it is told, and keeps one
// older file, so that a cluster left alone does not fill the disk.
const log4j2 = `rootLogger.level = INFO
rootLogger.appenderRef.file.ref = file
appender.file.name = file
appender.file.type = RollingFile
appender.file.fileName = ${sys:log.file}
appender.file.filePattern = ${sys:log.file}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %c{1.} %x - %m%n
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 50MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 1
`
