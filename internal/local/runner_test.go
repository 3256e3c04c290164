package local

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

func TestRunSaysWhatTheProgramSaid(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	out, err := runWith("REBOUND_CLUSTER=a/1")(t.Context(), ".", "sh", "-c", "echo $REBOUND_CLUSTER; echo no >&2")
	if err != nil || out != "a/1\n" {
		t.Errorf("run = %q, %v, want its standard output alone", out, err)
	}
	_, err = run(t.Context(), ".", "sh", "-c", "echo disk full >&2; exit 3")
	wantError(t, err, "sh: exit status 3: disk full")
	_, err = run(t.Context(), ".", "no-such-program-here")
	wantError(t, err, "not in PATH")
}

// An interrupted download takes its children with it.
func TestRunEndsChildrenToo(t *testing.T) {
	_, c := newCluster(t, "children")
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := runWith(c.mark())(ctx, ".", "sh", "-c", "sleep 600 & sleep 600; true")
		ended <- err
	}()
	err := until(t.Context(), time.Millisecond, func(context.Context) error {
		if pids, _ := realProc().withEnv(c.mark()); len(pids) < 3 {
			return errors.New("not all run yet")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	interrupt()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("run = %v, want %v", err, context.Canceled)
	}
	err = until(t.Context(), time.Millisecond, func(context.Context) error {
		if pids, _ := realProc().withEnv(c.mark()); len(pids) > 0 {
			return errors.New("children left")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
