// Package cli is the command line. Each command is a struct whose fields are
// its flags and whose Run method does the work, in a file of its own; this
// package alone knows which concrete types stand behind the interfaces of the
// others.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/alecthomas/kong"

	"rebound/internal/experiment"
	"rebound/internal/twin"
)

// Exit codes, the same for every command. Never exitOK for "could not decide".
const (
	exitOK      = 0
	exitFailed  = 1  // the command ran and failed
	exitMissed  = 3  // target missed or infeasible
	exitNoData  = 4  // not enough data, or contradictory data
	exitUsage   = 64 // the command line makes no sense
	exitStopped = 130
)

type commands struct {
	LogLevel slog.Level `help:"Least level that is logged (debug, info, warn, error)." default:"info"`

	Check     checkCmd     `cmd:"" help:"Show how long running jobs would need to recover."`
	Demo      demoCmd      `cmd:"" help:"Watch Rebound keep a target through a day, on a simulated job."`
	Replay    replayCmd    `cmd:"" help:"Watch a drill that was recorded on a real Flink."`
	Drill     drillCmd     `cmd:"" help:"Inject a failure into a local job, measure and score it."`
	Local     localCmd     `cmd:"" help:"Run a real Flink and a real Kafka on this machine."`
	Incidents incidentsCmd `cmd:"" help:"Find outages in recorded series and measure their recovery."`
	Fit       fitCmd       `cmd:"" help:"Fit downtime, capacity and age of offsets to measured recoveries."`
	Forecast  forecastCmd  `cmd:"" help:"Forecast a recorded load, or measure how good forecasts of it are."`
	Simulate  simulateCmd  `cmd:"" help:"Run policies on a simulated job and compare what happened."`
	Run       runCmd       `cmd:"" help:"Watch a job and keep its recovery time within the policy's target."`
	Plan      planCmd      `cmd:"" help:"Show the settings that would keep the target at the least cost."`
	Profile   profileCmd   `cmd:"" help:"Measure other settings by copies of a job, as far as that pays."`
	History   historyCmd   `cmd:"" help:"List what was decided, newest first."`
	Explain   explainCmd   `cmd:"" help:"Tell one decision in sentences, with all numbers."`
	Rollback  rollbackCmd  `cmd:"" help:"Ask the daemon to take a decision back."`
	Pause     pauseCmd     `cmd:"" help:"Ask the daemon to change nothing for a while."`
	Resume    resumeCmd    `cmd:"" help:"Ask the daemon to go on."`
	Approve   approveCmd   `cmd:"" help:"Answer a decision that waits for approval."`
	Config    configCmd    `cmd:"" help:"Check files of policies and facts."`
	Twin      twinCmd      `cmd:"" help:"Run a simulated job as a process of its own."`
	Version   versionCmd   `cmd:"" help:"Print the version."`
	Reference referenceCmd `cmd:"" hidden:"" help:"Write the reference of all commands."`
	Schema    schemaCmd    `cmd:"" hidden:"" help:"Write the JSON Schemas of all documents."`
}

// env is what a command may touch of the world.
type env struct {
	ctx    context.Context
	stdout io.Writer // results, and nothing else
	stderr io.Writer // progress
	log    *slog.Logger
}

// exit is an error that chooses its exit code. A nil err says that everything
// has been said already, by the result itself.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// Main runs the program and returns its exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c commands
	code := -1
	parser, err := newParser(&c, kong.Writers(stdout, stderr), kong.Exit(func(n int) { code = n }))
	if err != nil {
		fmt.Fprintf(stderr, "rebound: %v\n", err)
		return exitFailed
	}
	parsed, err := parser.Parse(args)
	if code >= 0 {
		return code // --help has been printed
	}
	if err != nil {
		fmt.Fprintf(stderr, "rebound: %v\nTry: rebound --help\n", err)
		return exitUsage
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: c.LogLevel}))
	return conclude(ctx, parsed.Run(&env{ctx, stdout, stderr, log}), stderr)
}

// newParser is also what the command reference is generated from.
func newParser(c *commands, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append([]kong.Option{
		kong.Name("rebound"),
		kong.Description("Keeps the recovery time of Apache Flink jobs within a target."),
		kong.UsageOnError(),
		kong.Vars{"scenarios": strings.Join(twin.Names(), ", "), "contenders": strings.Join(experiment.Names(), ", ")},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	}, options...)...)
}

// conclude says what went wrong, once, and turns it into an exit code.
func conclude(ctx context.Context, err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	e, ok := errors.AsType[*exit](err)
	switch {
	case ok && e.err == nil:
		return e.code
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "rebound: interrupted")
		return exitStopped
	}
	fmt.Fprintf(stderr, "rebound: %v\n", err)
	if ok {
		return e.code
	}
	return exitFailed
}
