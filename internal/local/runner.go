package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A runner runs a program to its end in a folder and returns its standard
// output. Its error has the end of what the program said.
type runner func(ctx context.Context, dir, name string, args ...string) (string, error)

// run is the runner of real programs.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	return runWith()(ctx, dir, name, args...)
}

// runWith runs programs with these environment entries beside ours. A program
// has a process group of its own: Ctrl-C is for us to pass on, to its children
// too.
func runWith(env ...string) runner {
	return func(ctx context.Context, dir, name string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env...)
		return output(ctx, cmd)
	}
}

func output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	var out, all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &all
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", fmt.Errorf("%s is not installed, or not in PATH", cmd.Path)
		}
		return "", fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, lastLines(all.String()+out.String(), 5))
	}
	return out.String(), nil
}

// lastLines is the end of a program's output on one line.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
