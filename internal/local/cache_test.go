package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
)

func TestTakeMakesOnce(t *testing.T) {
	c := cache{dir: filepath.Join(t.TempDir(), "cache")}
	var made atomic.Int32
	e := entry{"thing-1", func(_ context.Context, dir string) error {
		made.Add(1)
		return os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o644)
	}}
	var wait sync.WaitGroup
	for range 4 { // at once: they wait for each other
		wait.Go(func() {
			path, err := c.take(t.Context(), e)
			if err != nil {
				t.Error(err)
				return
			}
			if b, err := os.ReadFile(filepath.Join(path, "f")); err != nil || string(b) != "x" {
				t.Errorf("entry holds %q, %v", b, err)
			}
		})
	}
	wait.Wait()
	if made.Load() != 1 {
		t.Errorf("made %d times, want once", made.Load())
	}
}

func TestTakeLeavesNothingHalfDone(t *testing.T) {
	c := cache{dir: t.TempDir()}
	broken := errors.New("the line is cut")
	_, err := c.take(t.Context(), entry{"thing-1", func(_ context.Context, dir string) error {
		write(t, filepath.Join(dir, "half"), "x")
		return broken
	}})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	wantFiles(t, c.dir)
	// A crash leaves the folder in which the entry was being made.
	write(t, filepath.Join(c.dir, "incoming", "half"), "x")
	path, err := c.take(t.Context(), entry{"thing-1", func(_ context.Context, dir string) error {
		write(t, filepath.Join(dir, "whole"), "x")
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	wantFiles(t, path, "whole")
	wantFiles(t, c.dir, "thing-1")
}

// The download is not what was recorded: nothing of it may be used.
func TestFetchRefusesWhatWasNotRecorded(t *testing.T) {
	for name, tt := range map[string]struct {
		entry func(cache) entry
		file  string
		want  string
	}{
		"flink":   {func(c cache) entry { return c.flinkEntry(flink2) }, "apache_flink_libraries-2.3.0-py2.py3-none-any.whl", "SHA-256 is"},
		"kafka":   {func(c cache) entry { return c.kafkaEntry(kafkaVersion) }, "kafka-clients-4.3.1.jar", "SHA-256 is"},
		"unknown": {func(c cache) entry { return c.flinkEntry("9.9.9") }, "", "no checksums are recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			c := cache{dir: t.TempDir()}
			c.run = func(_ context.Context, dir, _ string, args ...string) (string, error) {
				for _, a := range args { // Maven is told the folder so
					if to, ok := strings.CutPrefix(a, "-DoutputDirectory="); ok {
						dir = to
					}
				}
				write(t, filepath.Join(dir, tt.file), "something else")
				return "", nil
			}
			_, err := c.take(t.Context(), tt.entry(c))
			wantError(t, err, tt.want)
			wantFiles(t, c.dir)
		})
	}
}

func TestJobIsKeptByItsSource(t *testing.T) {
	c := cache{}
	name := func(source fstest.MapFS, flink string) string {
		e, err := c.jobEntry(source, flink)
		if err != nil {
			t.Fatal(err)
		}
		return e.name
	}
	source := fstest.MapFS{"pom.xml": {Data: []byte("<project/>")}, "src/main/A.java": {Data: []byte("class A {}")}}
	base := name(source, "2.3")
	if name(source, "2.3") != base {
		t.Error("the same source has two names")
	}
	if name(source, "1.20") == base {
		t.Error("two versions of Flink share a jar")
	}
	source["src/main/A.java"] = &fstest.MapFile{Data: []byte("class A { }")}
	if name(source, "2.3") == base {
		t.Error("changed source has the same name")
	}
}

func TestJobIsBuilt(t *testing.T) {
	c := cache{dir: t.TempDir()}
	c.run = func(_ context.Context, dir, _ string, _ ...string) (string, error) {
		if _, err := os.Stat(filepath.Join(dir, "pom.xml")); err != nil {
			t.Error(err)
		}
		write(t, filepath.Join(dir, "target", "jobs-1.jar"), "with dependencies")
		write(t, filepath.Join(dir, "target", "original-jobs-1.jar"), "without")
		return "", nil
	}
	e, err := c.jobEntry(fstest.MapFS{"pom.xml": {Data: []byte("<project/>")}}, "2.3")
	if err != nil {
		t.Fatal(err)
	}
	path, err := c.take(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(path, "job.jar")); string(b) != "with dependencies" {
		t.Errorf("job.jar holds %q", b)
	}
	wantFiles(t, c.dir, e.name)
}

// wantFiles checks the names in a folder.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %v, want %v", dir, got, want)
	}
}
