// Command search measures our search beside stored results of other optimizers, on
// problems whose best value is known.
//
//	go run ./bench/search -problem c2dtlz2 -seeds 0:20
//	go run ./bench/search -problem stream -rate mid -seeds 0:20
//	go run ./bench/search -problem speed -n 50
//
// It prints a table, or with -json a line of JSON for each run, in the fields of
// the rivals' scripts. Lines are kept in the file of -lines, and what is there is
// not run again; with -rivals GLOB stored lines of others are in the table too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := do(ctx, os.Stdout, os.Args[1:])
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "search:", err)
	stop()
	os.Exit(1) //nolint:gocritic // stop has been called
}

// work is what is measured.
type work struct {
	Problem string
	Rate    string
	Way     string
	Budget  int
	N       int
	Repeats int
	First   uint64
	Last    uint64 // excluded
}

func do(ctx context.Context, w io.Writer, args []string) error {
	f := flag.NewFlagSet("search", flag.ContinueOnError)
	var k work
	f.StringVar(&k.Problem, "problem", "c2dtlz2", "a problem over the unit box, stream or speed")
	f.StringVar(&k.Rate, "rate", "mid", "of the stream job: low, mid or high")
	f.StringVar(&k.Way, "way", "", "of ours: known-noise (boxes), physics or transfer (stream)")
	f.IntVar(&k.Budget, "budget", 40, "trials on the stream job")
	f.IntVar(&k.N, "n", 50, "trials known where speed is measured")
	f.IntVar(&k.Repeats, "repeats", 5, "of speed, the median counts")
	seeds := f.String("seeds", "0:20", "first:last, the last excluded")
	lines := f.String("lines", "", "file in which lines are kept")
	rivals := f.String("rivals", "", "files with lines of others, such as '../shared/rivals/results/*.jsonl'")
	json := f.Bool("json", false, "print lines of JSON, not a table")
	if err := f.Parse(args); err != nil {
		return err
	}
	var err error
	if k.First, k.Last, err = span(*seeds); err != nil {
		return err
	}
	kept, err := open(*lines)
	if err != nil {
		return err
	}
	defer kept.close()
	switch k.Problem {
	case "speed":
		err = k.speed(ctx, kept)
	case "stream":
		err = k.stream(ctx, kept)
	default:
		err = k.boxes(ctx, kept)
	}
	if err != nil {
		return err
	}
	if *json {
		return kept.print(w)
	}
	return table(w, kept.results, *rivals)
}

// span is a range of seeds.
func span(s string) (first, last uint64, err error) {
	a, b, ok := strings.Cut(s, ":")
	if ok {
		first, err = strconv.ParseUint(a, 10, 32)
	}
	if ok && err == nil {
		last, err = strconv.ParseUint(b, 10, 32)
	}
	if !ok || err != nil || last <= first {
		return 0, 0, fmt.Errorf("seeds: %q, want first:last with last above first", s)
	}
	return first, last, nil
}

// known says what is wrong with a value that is not one of those that are.
func known(name, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return fmt.Errorf("%s: %q, want one of %q", name, value, values)
}
