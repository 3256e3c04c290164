package store

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
)

// raw opens a file past the journal's own code.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db := made[*sql.DB](t)(sql.Open("sqlite", path))
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func TestRefusesFilesThatAreNotItsOwn(t *testing.T) {
	for name, tt := range map[string]struct {
		make func(t *testing.T, path string)
		want []string
	}{
		"newer": {func(t *testing.T, path string) {
			opened(t, path).Close()
			run(t, raw(t, path), "PRAGMA user_version = 99")
		}, []string{"schema 99", fmt.Sprint("up to ", schema), "upgrade", "--journal"}},
		"another program's": {func(t *testing.T, path string) {
			run(t, raw(t, path), "CREATE TABLE songs (title TEXT)")
		}, []string{"another program", "--journal"}},
		"not a database": {func(_ *testing.T, path string) {
			os.WriteFile(path, []byte(strings.Repeat("no database\n", 999)), 0o600)
		}, []string{"damaged", "move it aside", "journal.db"}},
		"damaged": {func(t *testing.T, path string) {
			opened(t, path).Close()
			f := made[*os.File](t)(os.OpenFile(path, os.O_WRONLY, 0))
			f.WriteAt([]byte(strings.Repeat("\xa5", 4000)), 96) // the page of the schema, behind the header's start
			f.Close()
		}, []string{"journal.db"}},
		"a folder": {func(_ *testing.T, path string) { os.Mkdir(path, 0o700) }, []string{"journal.db"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			tt.make(t, path)
			before, _ := os.ReadFile(path)
			for how, f := range map[string]func(context.Context, string) (*Journal, error){"write": Open, "read": OpenReadOnly} {
				j, err := f(t.Context(), path)
				if err == nil {
					j.Close()
					t.Fatalf("%s: opened", how)
				}
				for _, w := range tt.want {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("%s: %q does not say %q", how, err, w)
					}
				}
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestLockOfAnotherIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	opened(t, path)
	j := made[*Journal](t)(open(t.Context(), path, time.Millisecond))
	defer j.Close()
	other := raw(t, path)
	run(t, other, "BEGIN IMMEDIATE")

	_, err := j.AddPrediction(t.Context(), prediction())
	if err == nil || !strings.Contains(err.Error(), "another process") || !strings.Contains(err.Error(), path) {
		t.Fatalf("under a foreign lock: %v", err)
	}
	if _, err := j.Predictions(t.Context(), Query{}); err != nil {
		t.Errorf("reading is locked too: %v", err)
	}
	run(t, other, "ROLLBACK")
	made[string](t)(j.AddPrediction(t.Context(), prediction()))
}

// The lock is let go while the writer waits, or before it asks: either way it
// must get through.
func TestLockOfAnotherIsWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := opened(t, path), raw(t, path)
	run(t, other, "BEGIN IMMEDIATE")
	done := make(chan error)
	go func() {
		_, err := j.AddPrediction(t.Context(), prediction())
		done <- err
	}()
	run(t, other, "COMMIT")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCancellationEndsTheWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := opened(t, path), raw(t, path)
	run(t, other, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.AddPrediction(ctx, prediction()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestReopenWithoutClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	id := made[string](t)(opened(t, path).BeginDrill(t.Context(), Drill{Identity: ads, Failure: job.ProcessFailure}))
	again := opened(t, path) // the first is still open
	open := made[[]Drill](t)(again.OpenDrills(t.Context()))
	if len(open) != 1 || open[0].ID != id {
		t.Errorf("open drills: %v", open)
	}
}

// A process that writes without end is killed; every ID that it has told of must
// be there, and the file must be sound.
func TestKilledWriterLosesNothingItPromised(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	mine := opened(t, path) // writes at the same time
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWriterProcess$")
	cmd.Env = append(os.Environ(), "STORE_TEST_JOURNAL="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var told []string
	for s := bufio.NewScanner(out); s.Scan(); {
		if id, ok := strings.CutPrefix(s.Text(), "wrote "); ok {
			told = append(told, id, made[string](t)(mine.AddPrediction(t.Context(), prediction())))
		}
		if len(told) == 40 {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	if len(told) < 40 {
		t.Fatalf("the writer told of %d rows before its end", len(told)/2)
	}
	j := opened(t, path)
	for _, id := range told {
		if _, err := j.Prediction(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	var check string
	if err := j.db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity: %s, %v", check, err)
	}
}

// TestWriterProcess is not a test but the other process of the one above.
func TestWriterProcess(t *testing.T) {
	path, ok := os.LookupEnv("STORE_TEST_JOURNAL")
	if !ok {
		t.Skip("runs only as the other process of TestKilledWriterLosesNothingItPromised")
	}
	for j := opened(t, path); ; {
		fmt.Println("wrote " + made[string](t)(j.AddPrediction(t.Context(), prediction()))) //nolint:forbidigo // stdout is the pipe to the other process
	}
}
