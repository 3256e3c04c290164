package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The README shows what the demo prints, to the letter but for where the page is; the
// page has the charts and the decisions.
func TestReadmeShowsTheDemo(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "day.html")
	stdout, stderr := new(strings.Builder), new(strings.Builder)
	if code := Main(t.Context(), []string{"demo", "--report", file}, stdout, stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	told, _, ok := strings.Cut(stdout.String(), "Charts, and every decision")
	if !ok || !strings.Contains(string(readme), told) {
		t.Errorf("the README does not have this output of make demo; put it in:\n%s", told)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Load, forecast and capacity", "<h3>Decisions</h3>", "Recovery time"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
