package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"rebound/internal/twin"
	"rebound/internal/twinserve"
)

type twinCmd struct {
	Serve twinServeCmd `cmd:"" help:"Run a simulated job behind Flink's REST dialect."`
}

type twinServeCmd struct {
	Scenario string `arg:"" help:"The simulated job: a built-in scenario or a file." placeholder:"NAME|FILE"`
	Seed     uint64 `help:"Of the simulation." default:"1"`
	Speed    string `help:"Simulated seconds in a real one; max: time passes only, and at once, while a client waits for it." default:"60" placeholder:"N|max"`
	Listen   string `help:"Address to listen on; port 0 for a free one." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
}

func (twinServeCmd) Help() string {
	return `A simulated job as a process of its own, which answers as a JobManager does. The
address is the first line of what it prints.

  rebound twin serve daily --speed 60 --listen 127.0.0.1:8081
  rebound check --flink http://127.0.0.1:8081
  rebound run --policy policy.yaml --world twin --url http://127.0.0.1:8081`
}

// speed is 0 for max, as the server wants it.
func (c *twinServeCmd) speed() (float64, error) {
	if c.Speed == "max" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(c.Speed, 64)
	if err != nil || !(v > 0 && v <= maxSpeed) {
		return 0, fmt.Errorf("--speed=%s: want more than 0 and at most %d, or max", c.Speed, int(maxSpeed))
	}
	return v, nil
}

// maxSpeed is what one core simulates.
const maxSpeed = 1e5

func (c *twinServeCmd) Validate() error {
	_, err := c.speed()
	return err
}

func (c *twinServeCmd) Run(e *env) error {
	s, err := loadScenario(c.Scenario)
	if err != nil {
		return err
	}
	t, err := twin.New(s, c.Seed)
	if err != nil {
		return err
	}
	speed, err := c.speed()
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("%w: name another address by --listen", err)
	}
	server := &twinserve.Server{World: t, Clock: t, Speed: speed, Truth: func() any { return told(t.Truth()) }, Fail: t.Inject}
	if _, err := fmt.Fprintf(e.stdout, "http://%s\n", l.Addr()); err != nil {
		return err
	}
	return serve(e.ctx, l, server.Handler())
}

// serve answers until ctx ends.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	web := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends those who wait
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := web.Shutdown(end); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end serving: %w", err)
	}
	return ctx.Err()
}

// twinTruth is what a simulation tells of itself in numbers.
type twinTruth struct {
	In          int64            `json:"in"`
	Processed   int64            `json:"processed"`
	Waiting     int64            `json:"waiting"`
	Lost        int64            `json:"lost"`
	Recoveries  []twin.Recovery  `json:"recoveries"` // from failures
	Restarts    []twin.Recovery  `json:"restarts"`   // planned
	Changes     twin.Changes     `json:"changes"`
	Checkpoints twin.Checkpoints `json:"checkpoints"`
	Copies      int              `json:"copies"` // of the job that were profiled
}

func told(t twin.Truth) twinTruth {
	if t.Recoveries == nil {
		t.Recoveries = []twin.Recovery{}
	}
	if t.Restarts == nil {
		t.Restarts = []twin.Recovery{}
	}
	return twinTruth{t.In, t.Processed, t.Waiting, t.Lost, t.Recoveries, t.Restarts, t.Changes, t.Checkpoints, t.Copies}
}
