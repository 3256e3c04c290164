package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"rebound/internal/live"
)

// serveTwin runs rebound twin serve until the test ends, and returns its address.
func serveTwin(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- Main(ctx, append([]string{"twin", "serve"}, args...), w, io.Discard)
		w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if c := <-code; c != exitStopped {
			t.Errorf("twin serve ends with %d, want %d", c, exitStopped)
		}
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Fatalf("first line %q, %v", line, err)
	}
	return strings.TrimSpace(line)
}

func TestCheckReadsATwin(t *testing.T) {
	url := serveTwin(t, "constant", "--speed", "500")
	var out, log bytes.Buffer
	code := Main(t.Context(), []string{"check", "--flink", url, "--cluster", "twin", "--journal", t.TempDir() + "/none.db", "--target", "180s", "-o", "json"}, &out, &log)
	var doc struct {
		Jobs []struct {
			Identity   struct{ Cluster, Name string }
			Verdict    string
			Quantities []struct {
				Name  string
				Value float64
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || len(doc.Jobs) != 1 {
		t.Fatalf("exit %d, %v: %s%s", code, err, &out, &log)
	}
	if j := doc.Jobs[0]; j.Identity.Name != "constant" || j.Verdict == "unknown" || len(j.Quantities) == 0 {
		t.Errorf("exit %d, %+v", code, j)
	}
}

func TestTwinWaitsForWhoeverSteps(t *testing.T) {
	url := serveTwin(t, "constant", "--speed", "max")
	w, err := live.DialTwin(t.Context(), url, twinCluster)
	if err != nil {
		t.Fatal(err)
	}
	before := w.Now()
	if err := w.Wait(t.Context(), 90e9); err != nil || w.Now().Sub(before).Seconds() != 90 {
		t.Errorf("waited %v, %v", w.Now().Sub(before), err)
	}
	var truth twinTruth
	if err := w.Truth(t.Context(), &truth); err != nil || truth.In == 0 || truth.In != truth.Processed+truth.Waiting+truth.Lost {
		t.Errorf("truth %+v, %v", truth, err)
	}
}
