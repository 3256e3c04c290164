package cli

import (
	"os"
	"strings"
	"testing"
)

// The README shows what the demo prints, to the letter.
func TestReadmeShowsTheDemo(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := new(strings.Builder), new(strings.Builder)
	if code := Main(t.Context(), []string{"demo", "--fast"}, stdout, stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(string(readme), stdout.String()) {
		t.Errorf("the README does not have this output of make demo; put it in:\n%s", stdout)
	}
}
