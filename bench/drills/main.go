// Command drills runs the series of drills behind docs/benchmarks.md on real local
// clusters, one after the other, and appends each result to a file of JSON lines.
// It goes on where an earlier call stopped: a run whose results are in the file is
// not done again. What the drills learn is in a journal beside the results.
//
//	go run ./bench/drills -rebound bin/rebound -out results.jsonl
//	go run ./bench/drills -out results.jsonl -report
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"rebound/internal/api"
)

// line is one line of the results: a drill, with the run that it belongs to.
type line struct {
	Run   run       `json:"run"`
	Drill api.Drill `json:"drill"`
}

func main() {
	rebound := flag.String("rebound", "bin/rebound", "the program")
	out := flag.String("out", "results.jsonl", "results, appended to")
	only := flag.String("only", "", "pattern of the runs to do, such as 'hashmap-*'")
	report := flag.Bool("report", false, "print the tables of what is there, and do nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := do(ctx, *rebound, *out, *only, *report); err != nil {
		fmt.Fprintln(os.Stderr, "drills:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}

func do(ctx context.Context, rebound, out, only string, report bool) error {
	lines, err := read(out)
	if err != nil {
		return err
	}
	if report {
		return tables(os.Stdout, lines)
	}
	var errs []error
	for _, r := range series() {
		if ok, err := filepath.Match(only, r.Name); only != "" && (err != nil || !ok) {
			continue
		}
		done := 0
		for _, l := range lines {
			if l.Run.Name == r.Name {
				done++
			}
		}
		if r.Repeat -= done; r.Repeat <= 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, err)...)
		}
		errs = append(errs, drills(ctx, rebound, out, r))
	}
	lines, err = read(out)
	return errors.Join(append(errs, err, tables(os.Stdout, lines))...)
}

// drills does one run: a cluster up, its drills, the cluster down.
func drills(ctx context.Context, rebound, out string, r run) (err error) {
	fmt.Fprintf(os.Stderr, "%s  %s: %d drills\n", time.Now().Format(time.TimeOnly), r.Name, r.Repeat)
	defer func() {
		down := exec.CommandContext(context.WithoutCancel(ctx), rebound, "local", "down", r.Name) //nolint:gosec // the program under test
		down.Stderr = os.Stderr
		err = errors.Join(err, down.Run())
	}()
	up := exec.CommandContext(ctx, rebound, slices.Concat([]string{"local", "up"}, r.Up)...) //nolint:gosec // the program under test
	up.Stdout, up.Stderr = os.Stderr, os.Stderr
	if err := up.Run(); err != nil {
		return fmt.Errorf("%s: local up: %w", r.Name, err)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(r.Settle) * time.Second):
	}
	// One at a time, so that a series that stops loses nothing.
	for range r.Repeat {
		args := slices.Concat([]string{"drill", "--name", r.Name, "-o", "json", "--journal", out + ".db"}, r.Drill)
		cmd := exec.CommandContext(ctx, rebound, args...) //nolint:gosec // the program under test
		cmd.Stderr = os.Stderr
		// An interrupted drill makes its cluster whole again before it ends.
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		b, err := cmd.Output()
		// A report is a result, also where it says that records were lost.
		if len(b) > 0 {
			err = keep(out, r, b)
		}
		if err != nil {
			return fmt.Errorf("%s: drill: %w", r.Name, err)
		}
	}
	return nil
}

func keep(out string, r run, b []byte) error {
	var doc api.DrillReport
	if err := json.Unmarshal(b, &doc); err != nil {
		return fmt.Errorf("%s: read the report: %w", r.Name, err)
	}
	f, err := os.OpenFile(out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // results are for everybody
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	for _, d := range doc.Drills {
		if err := enc.Encode(line{r, d}); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

func read(path string) ([]line, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lines []line
	for text := range slices.Values(split(b)) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}
