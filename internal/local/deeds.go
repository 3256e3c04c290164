package local

import (
	"context"
	"io/fs"
	"path/filepath"
)

// deeds are what a start does to the world.
type deeds struct {
	cache             cache
	held              *held
	flink, kafka, job entry
}

// choose names the entries of the cache that the cluster is made of.
func (d *deeds) choose(c *Cluster, source fs.FS) (err error) {
	d.flink, d.kafka = d.cache.flinkEntry(c.Flink), d.cache.kafkaEntry(kafkaVersion)
	if !c.NoJob {
		d.job, err = d.cache.jobEntry(source, minor(c.Flink))
	}
	return err
}

// starter is the real one.
func (d *deeds) starter() starter {
	return starter{fetch: d.fetch, format: d.format, command: d.command, reached: reached, submit: submitJob}
}

func (d *deeds) fetch(ctx context.Context, c *Cluster) (err error) {
	c.FlinkDist = c.FlinkHome
	if c.FlinkDist == "" {
		if c.FlinkDist, err = d.cache.take(ctx, d.flink); err != nil {
			return err
		}
	}
	if c.KafkaLibs, err = d.cache.take(ctx, d.kafka); err != nil || c.NoJob {
		return err
	}
	dir, err := d.cache.take(ctx, d.job)
	c.JobJar = filepath.Join(dir, "job.jar")
	return err
}

func (d *deeds) format(ctx context.Context, c *Cluster) error {
	return c.formatKafka(ctx, d.cache.run)
}

// command frees the ports of a process that is about to start.
func (d *deeds) command(c *Cluster, p Process) (command, error) {
	switch p.Role {
	case Kafka:
		d.held.free(c.Ports.Kafka, c.Ports.Controller)
	case ZooKeeper:
		d.held.free(c.Ports.ZooKeeper)
	case JobManager:
		d.held.free(c.Ports.RPC, c.Ports.REST, c.Ports.JobManager)
	case TaskManager:
		d.held.free(c.Ports.TaskManagers[p.Index-1])
	case Supervisor:
		d.held.freeAll()
	}
	return c.command(p)
}
