package cli

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"rebound/internal/api"
	"rebound/internal/chart"
	"rebound/internal/drill"
	"rebound/internal/job"
)

// recorded is a drill on a local Flink 2.3.0, as rebound drill --record wrote it.
//
//go:embed recorded/drill.jsonl
var recorded []byte

type replayCmd struct {
	File string `arg:"" optional:"" help:"The recording (rebound drill --record); without one, a drill on a real Flink that comes with the program." type:"existingfile"`
	Fast bool   `help:"Do not wait between the events."`
}

func (replayCmd) Help() string {
	return `Replays a drill that was recorded: what was predicted, the kill of
a TaskManager, the phases of the recovery as they unfolded, and the verdict. Needs
neither Java nor a server. To see it live: rebound local up && rebound drill`
}

// replayTime is how long a replayed recovery takes, whatever the real one took.
const replayTime = 12 * time.Second

func (c *replayCmd) Run(e *env) error {
	tape := recorded
	if c.File != "" {
		b, err := os.ReadFile(c.File)
		if err != nil {
			return err
		}
		tape = b
	}
	events, err := readTape(bytes.NewReader(tape))
	if err != nil {
		return &exit{exitNoData, fmt.Errorf("read the recording: %w", err)}
	}
	length := events[len(events)-1].Seconds
	fmt.Fprintf(e.stdout, "A drill on a real Flink, as it was recorded; %s told in %.0f.\n\n", short(length), min(length, replayTime.Seconds()))
	if err := c.replay(e.ctx, e.stdout, events); err != nil {
		return err
	}
	return c.verdict(e.stdout, events)
}

// maxTapeLine bounds an event of a recording.
const maxTapeLine = 4 << 20

func readTape(r io.Reader) ([]drill.Event, error) {
	var events []drill.Event
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTapeLine)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var ev drill.Event
		if err := json.Unmarshal(lines.Bytes(), &ev); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(events)+1, err)
		}
		if ev.Kind == drill.Lateness && ev.LatenessSeconds == nil || ev.Kind == drill.Predicted && ev.Prediction == nil {
			return nil, fmt.Errorf("line %d: %s without its values", len(events)+1, ev.Kind)
		}
		events = append(events, ev)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, errors.New("it is empty; record one by rebound drill --record FILE")
	}
	return events, nil
}

// replay tells the events in their order, at the pace of the recovery.
func (c *replayCmd) replay(ctx context.Context, w io.Writer, events []drill.Event) error {
	s := newStory(w)
	pace := min(1, replayTime.Seconds()/max(1, events[len(events)-1].Seconds))
	at := 0.0
	for _, ev := range events {
		if wait := (ev.Seconds - at) * pace; wait > 0 && !c.Fast {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Duration(wait * float64(time.Second))):
			}
		}
		at = max(at, ev.Seconds)
		s.event(ev)
	}
	s.moving.clear()
	return nil
}

// verdict draws the lateness of the output and sets prediction and measurement
// side by side.
func (c *replayCmd) verdict(w io.Writer, events []drill.Event) error {
	var prediction *drill.Prediction
	var m *job.Measurement
	curve := chart.Area{Width: width, Height: 6, Format: short, Points: []chart.Point{{X: 0, Y: 0}}}
	for _, ev := range events {
		switch ev.Kind { //nolint:exhaustive // the others have been told already
		case drill.Predicted:
			prediction = ev.Prediction
		case drill.Lateness:
			curve.Points = append(curve.Points, chart.Point{X: ev.Seconds, Y: *ev.LatenessSeconds})
		case drill.PhaseEnded:
			curve.Marks = append(curve.Marks, chart.Mark{X: ev.Seconds, Name: phaseName(ev.Phase)})
		case drill.Scored:
			m = ev.Measured
		}
	}
	if prediction == nil || m == nil {
		return &exit{exitNoData, errors.New("the recording ends before the drill does")}
	}
	fmt.Fprintln(w, "\nHow late the output was, with where each phase ended:")
	curve.Draw(w)
	fmt.Fprintln(w)
	oneDrill(w, api.Drill{
		Job: prediction.Observed.Job, Failure: prediction.Failure,
		Predicted: prediction.Conditional, Unconditional: prediction.Unconditional, Measured: *m, Audit: m.Audit,
	})
	fmt.Fprint(w, "\nTo see it live, on a real Flink and a real Kafka on this machine:\n  bin/rebound local up && bin/rebound check && bin/rebound drill\n")
	return nil
}
