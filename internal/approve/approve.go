// Package approve asks somebody outside whether a decision may be carried out: a
// program, which gets it as JSON on its standard input and says yes by exit code
// 0, or a URL, to which it is posted and which says yes by a status of 2xx.
//
// There is no shell: the program is started with the arguments as they are. What
// it prints, or the first line of a body, is the reason. No answer in time is a
// no, and so is one that cannot be had.
package approve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"rebound/internal/job"
)

// Hook asks a program or a URL; exactly one of Command and URL is set.
type Hook struct {
	Command []string // argv: the program and its arguments
	URL     string
	Timeout time.Duration // 0: a minute
	Client  *http.Client  // nil: one of its own, which follows no redirects
}

const (
	defaultTimeout = time.Minute
	// mostSaid is how much of an answer is read as the reason.
	mostSaid = 4 << 10
	// mostReason is how much of it is kept.
	mostReason = 200
	// closing is how long a program that was told to end may take.
	closing = 5 * time.Second
)

// Approve asks about d and returns the answer with its reason.
func (h Hook) Approve(ctx context.Context, d job.Decision) (yes bool, reason string) {
	doc, err := json.Marshal(d)
	if err != nil {
		return false, "the decision cannot be written as JSON: " + err.Error()
	}
	timeout := h.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case len(h.Command) > 0:
		yes, reason = h.run(ctx, doc)
	case h.URL != "":
		yes, reason = h.post(ctx, doc)
	default:
		return false, "nobody to ask: neither a program nor a URL is set"
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && !yes {
		return false, fmt.Sprintf("no answer within %s", timeout)
	}
	return yes, reason
}

func (h Hook) run(ctx context.Context, doc []byte) (bool, string) {
	said := &limited{}
	c := exec.CommandContext(ctx, h.Command[0], h.Command[1:]...) //nolint:gosec // the user's own program, without a shell
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(doc), said, said
	c.WaitDelay = closing // for children that keep the output open
	err := c.Run()
	reason := said.first()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return false, or(reason, fmt.Sprintf("%s says no (exit code %d)", h.Command[0], exit.ExitCode()))
	}
	if err != nil && ctx.Err() == nil {
		return false, fmt.Sprintf("%s cannot be run: %v", h.Command[0], err)
	}
	return err == nil, or(reason, h.Command[0]+" says yes")
}

func (h Hook) post(ctx context.Context, doc []byte) (bool, string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(doc))
	if err != nil {
		return false, "approval URL: " + err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.client().Do(req)
	if err != nil {
		return false, "nobody answers: " + err.Error()
	}
	defer resp.Body.Close()
	said := &limited{}
	_, _ = io.Copy(said, io.LimitReader(resp.Body, mostSaid)) // the status is the answer
	yes := resp.StatusCode >= 200 && resp.StatusCode < 300
	return yes, or(said.first(), "status "+resp.Status)
}

// client follows no redirects: a login page that answers 200 is not a yes.
func (h Hook) client() *http.Client {
	if h.Client != nil {
		return h.Client
	}
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// limited keeps the beginning of what is written to it.
type limited struct{ b bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := mostSaid - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// first is the first line that says something.
func (l *limited) first() string {
	for line := range strings.Lines(l.b.String()) {
		if line = strings.TrimSpace(line); line != "" {
			if len(line) > mostReason {
				line = strings.ToValidUTF8(line[:mostReason], "") + "…"
			}
			return line
		}
	}
	return ""
}
