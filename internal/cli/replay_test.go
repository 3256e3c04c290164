package cli

import (
	"os"
	"strings"
	"testing"
)

// The README shows what the replay prints, to the letter.
func TestReadmeShowsTheReplay(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := new(strings.Builder), new(strings.Builder)
	if code := Main(t.Context(), []string{"replay", "--fast"}, stdout, stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(string(readme), stdout.String()) {
		t.Errorf("the README does not have this output of rebound replay; put it in:\n%s", stdout)
	}
}
