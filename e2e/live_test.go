//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rebound/internal/local"
)

// The adapters' own tests that need a product, on that of c.
func liveTests(t *testing.T, b *bed, c *local.Cluster) {
	for _, l := range []struct{ pkg, call, variable, address string }{
		{"flink", "live(t)", "REBOUND_TEST_FLINK", c.REST},
		{"kafka", "broker(t)", "REBOUND_TEST_KAFKA", c.Brokers[0]},
	} {
		names := testsThatCall(t, l.pkg, l.call)
		cmd := exec.CommandContext(b.ctx, "go", "test", "-count=1", "-v", "-run", "^("+strings.Join(names, "|")+")$", "rebound/internal/"+l.pkg)
		cmd.Env = append(os.Environ(), l.variable+"="+l.address)
		out, err := cmd.CombinedOutput()
		os.Stdout.Write(out) // as it is: its lines count as ours do
		if err != nil {
			t.Errorf("%s: %v", l.pkg, err)
		}
		for _, name := range names {
			if !strings.Contains(string(out), "--- PASS: "+name) {
				t.Errorf("%s: %s has not passed", l.pkg, name)
			}
		}
	}
}

// testsThatCall are the tests of an adapter that ask for its product by call,
// and are skipped elsewhere.
func testsThatCall(t *testing.T, pkg, call string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "internal", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile(`(?ms)^func (Test\w+)\(t \*testing\.T\) \{\n(.*?)^\}`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range test.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[2], call) {
				names = append(names, m[1])
			}
		}
	}
	if len(names) == 0 {
		t.Fatalf("no test of %s calls %s", pkg, call)
	}
	return names
}
