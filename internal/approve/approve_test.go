package approve_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebound/internal/approve"
	"rebound/internal/job"
)

func decision() job.Decision {
	return job.Decision{ID: "d7", Job: job.Identity{Cluster: "c", Name: "words"}, Kind: job.Reconfigure, State: job.Waiting, Mode: job.ModeApply}
}

// script writes a program that Approve can start.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ask")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProgram(t *testing.T) {
	for name, tt := range map[string]struct {
		body   string
		yes    bool
		reason string
	}{
		"yes":           {"exit 0", true, "says yes"},
		"yes, and why":  {"echo; echo fine by me; echo more", true, "fine by me"},
		"no":            {"exit 3", false, "exit code 3"},
		"no, and why":   {"echo freeze until monday >&2; exit 1", false, "freeze until monday"},
		"reads stdin":   {`grep -q '"id":"d7"' && echo saw it`, true, "saw it"},
		"does not read": {"exec true", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			yes, reason := approve.Hook{Command: []string{script(t, tt.body)}}.Approve(t.Context(), decision())
			if yes != tt.yes || !strings.Contains(reason, tt.reason) {
				t.Errorf("%v, %q; want %v, …%s…", yes, reason, tt.yes, tt.reason)
			}
		})
	}
}

// What looks like shell is an argument like any other.
func TestNoShell(t *testing.T) {
	dir := t.TempDir()
	yes, reason := approve.Hook{Command: []string{script(t, `echo "$1"`), "$(touch " + dir + "/x); `id`"}}.Approve(t.Context(), decision())
	if !yes || !strings.HasPrefix(reason, "$(touch") {
		t.Errorf("%v, %q", yes, reason)
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("the argument was run by a shell")
	}
}

func TestNoAnswerIsNo(t *testing.T) {
	slow := approve.Hook{Command: []string{script(t, "exec sleep 60")}, Timeout: 50 * time.Millisecond}
	if yes, reason := slow.Approve(t.Context(), decision()); yes || !strings.Contains(reason, "no answer within 50ms") {
		t.Errorf("%v, %q", yes, reason)
	}
	block := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-block }))
	defer s.Close()
	defer close(block)
	if yes, reason := (approve.Hook{URL: s.URL, Timeout: 50 * time.Millisecond}).Approve(t.Context(), decision()); yes || !strings.Contains(reason, "no answer within 50ms") {
		t.Errorf("%v, %q", yes, reason)
	}
	for name, h := range map[string]approve.Hook{
		"no such program": {Command: []string{"/does/not/exist"}}, "no such host": {URL: "http://127.0.0.1:1"},
		"no URL": {URL: ":"}, "nobody": {},
	} {
		if yes, reason := h.Approve(t.Context(), decision()); yes || reason == "" {
			t.Errorf("%s: %v, %q", name, yes, reason)
		}
	}
}

func TestURL(t *testing.T) {
	var got job.Decision
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s", r.Method, r.Header)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		switch r.URL.Path {
		case "/yes":
			io.WriteString(w, "ticket 12\n")
		case "/login":
			http.Redirect(w, r, "/yes", http.StatusFound)
		default:
			http.Error(w, "freeze", http.StatusForbidden)
		}
	}))
	defer s.Close()
	for path, want := range map[string]struct {
		yes    bool
		reason string
	}{"/yes": {true, "ticket 12"}, "/no": {false, "freeze"}, "/login": {false, ""}} {
		yes, reason := approve.Hook{URL: s.URL + path}.Approve(t.Context(), decision())
		if yes != want.yes || !strings.Contains(reason, want.reason) {
			t.Errorf("%s: %v, %q", path, yes, reason)
		}
	}
	if got.ID != "d7" || got.State != job.Waiting {
		t.Errorf("posted %+v", got)
	}
}

// A long answer is cut.
func TestLongAnswer(t *testing.T) {
	yes, reason := approve.Hook{Command: []string{script(t, `head -c 100000 /dev/zero | tr '\0' é`)}}.Approve(t.Context(), decision())
	if !yes || len(reason) > 210 {
		t.Errorf("%v, %d bytes", yes, len(reason))
	}
}
