package local

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"path/filepath"
)

// serverProperties let exactly-once work on one broker. The broker's maximum of
// a transaction's time-out is Kafka's default, 15 minutes.
func (c *Cluster) serverProperties() []byte {
	return fmt.Appendf(nil, `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:%[2]d
listeners=PLAINTEXT://127.0.0.1:%[1]d,CONTROLLER://127.0.0.1:%[2]d
advertised.listeners=PLAINTEXT://127.0.0.1:%[1]d
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=%[3]s
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
transaction.max.timeout.ms=900000
transaction.abort.timed.out.transaction.cleanup.interval.ms=2000
log.cleaner.dedupe.buffer.size=4194304
log.cleaner.threads=1
num.network.threads=2
num.io.threads=2
`, c.Ports.Kafka, c.Ports.Controller, c.path("kafka"))
}

func (c *Cluster) kafkaClassPath() string { return filepath.Join(c.KafkaLibs, "*") }

// formatKafka prepares the broker's data folder.
func (c *Cluster) formatKafka(ctx context.Context, run runner) error {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	args := c.java(Process{Role: "kafka-format"}, c.kafkaClassPath(), "-Xmx128m", "kafka.tools.StorageTool", "format",
		// one argument: the id may begin with a dash
		"--cluster-id="+base64.RawURLEncoding.EncodeToString(id), "--config", c.path("conf", "server.properties"))
	if _, err := run(ctx, c.Home, args[0], args[1:]...); err != nil {
		return fmt.Errorf("format Kafka's data folder: %w", err)
	}
	return nil
}

func (c *Cluster) kafkaCommand(p Process) command {
	return command{args: c.java(p, c.kafkaClassPath(),
		"-Xms256m", fmt.Sprintf("-Xmx%d", kafkaHeap), "kafka.Kafka", c.path("conf", "server.properties"))}
}
