package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rebound/internal/policy"
)

// golden compares with a file, which UPDATE=1 rewrites.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %v, %d files", pattern, err, len(found))
	}
	return found
}

func load(t *testing.T, file string) (name string, b []byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(file), b
}

// Policies that are fine, with every default filled in.
func TestGoodPolicies(t *testing.T) {
	for _, file := range files(t, "*.good.yaml") {
		name, b := load(t, file)
		p, err := Policy(name, b)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		got, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".json", string(got)+"\n")
	}
}

// Files that are not: everything that is wrong is said, each with its place.
func TestBadFiles(t *testing.T) {
	for _, file := range files(t, "*.bad.yaml") {
		name, b := load(t, file)
		_, err := Policy(name, b)
		if strings.HasPrefix(name, "facts-") {
			_, err = Facts(name, b)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".txt", err.Error()+"\n")
	}
}

// An empty policy is the default one, but for the target.
func TestDefaults(t *testing.T) {
	name, b := load(t, "testdata/minimal.good.yaml")
	got, err := Policy(name, b)
	if err != nil {
		t.Fatal(err)
	}
	got.RecoveryTime = 0
	if diff := cmp.Diff(policy.Default(), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Lengths of time and memory as different people write them.
func TestUnits(t *testing.T) {
	const head = "apiVersion: rebound.dev/v1alpha1\nkind: RecoveryPolicy\nrecoveryTime: "
	for text, seconds := range map[string]float64{"90s": 90, "1m30s": 90, "90 s": 90, "2 min": 120, "1 d": 86400, "1500 ms": 1.5, "'3 min'": 180} {
		p, err := Policy("p", []byte(head+text+"\n"))
		if err != nil || p.RecoveryTime.Seconds() != seconds {
			t.Errorf("%s: %v, %v, want %v s", text, p.RecoveryTime, err, seconds)
		}
	}
	for _, text := range []string{"90", "0s", "-5s", "soon", "[90s]", "1e400 s", "99999999999999 d", "true"} {
		if p, err := Policy("p", []byte(head+text+"\n")); err == nil {
			t.Errorf("%s: %v, want an error", text, p.RecoveryTime)
		}
	}
	for text, bytes := range map[string]float64{"4G": 4e9, "4Gi": 1 << 32, "4g": 1 << 32, "2048m": 1 << 31, "1024": 1024} {
		p, err := Policy("p", []byte(head+"3m\nlimits: {memory: "+text+"}\n"))
		if err != nil || p.Limits.MemoryBytes != bytes {
			t.Errorf("%s: %v, %v, want %v", text, p.Limits.MemoryBytes, err, bytes)
		}
	}
}

// Whatever bytes a file has: an error that names the file, or a policy whose
// numbers make sense.
func FuzzPolicy(f *testing.F) {
	for _, pattern := range []string{"*.yaml"} {
		found, _ := filepath.Glob(filepath.Join("testdata", pattern))
		for _, file := range found {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Policy("p.yaml", b)
		switch {
		case err != nil:
			if !strings.HasPrefix(err.Error(), "p.yaml:") {
				t.Errorf("no place: %v", err)
			}
		case !(p.RecoveryTime > 0 && p.Risk > 0 && p.Risk < 0.5 && p.Utilization > 0 && p.Utilization <= 1 && p.Cooldown > 0):
			t.Errorf("%+v", p)
		case p.Knobs.Memory.Free() && len(p.Knobs.Memory.List) == 0 && p.Knobs.Memory.Min > p.Knobs.Memory.Max:
			t.Errorf("%+v", p.Knobs)
		}
		if x, err := Facts("f.yaml", b); err == nil && !(x.Risk > 0 && x.Risk < 0.5) {
			t.Errorf("%+v", x)
		}
	})
}
