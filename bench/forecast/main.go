// Command forecast measures our forecasts beside simple methods and, where they are
// installed, others' libraries: on single series with rolling origins, and on a
// collection in the form of the M4 competition.
//
//	go run ./bench/forecast rolling -files '../shared/data/load/*_1h.csv'
//	go run ./bench/forecast collection -train Hourly-train.csv -test Hourly-test.csv
//
// The first prints a table, or with -json a line of JSON for each series and method; the
// second prints lines, or with -json=false a table. With -rivals SCRIPT the same work is
// also given to that Python script, which prints such lines too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `usage:
  forecast rolling -files GLOB [-json] [-rivals SCRIPT]
  forecast collection -train FILE -test FILE [-every N] [-json=false] [-rivals SCRIPT]`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := do(ctx, os.Stdout, os.Args[1:])
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "forecast:", err)
	stop()
	os.Exit(1) //nolint:gocritic // stop has been called
}

func do(ctx context.Context, w io.Writer, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch args[0] {
	case "rolling":
		return rollingCommand(ctx, w, args[1:])
	case "collection":
		return collectionCommand(ctx, w, args[1:])
	}
	return fmt.Errorf("%s is not a protocol; %s", args[0], usage)
}

// output is where results go, and in which form.
type output struct {
	JSON   bool
	Rivals rivals
}

func (o *output) flags(f *flag.FlagSet) {
	f.BoolVar(&o.JSON, "json", o.JSON, "print lines of JSON, not a table")
	f.StringVar(&o.Rivals.Script, "rivals", "", "run this script of the rivals too")
	f.StringVar(&o.Rivals.Python, "python", "python3", "Python with the rivals' libraries")
	f.StringVar(&o.Rivals.Models, "models", "AutoTheta,AutoETS,MSTL", "models of the rivals, with commas")
}
