package control_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// block is one command of a script, in the form of cockroachdb/datadriven:
// comments, the command, a line of dashes, what it says, an empty line.
type block struct {
	comment []string
	words   []string // the command and its arguments
	says    string
	line    int
}

// runScripts runs every script in a folder. With UPDATE in the environment the
// answers are written into the scripts instead of being compared.
func runScripts(t *testing.T, dir string, begin func(t *testing.T) func(t *testing.T, words []string) string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s (%v)", dir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			run, update := begin(t), os.Getenv("UPDATE") != ""
			var out strings.Builder
			for _, b := range parseScript(t, string(text)) {
				got := run(t, b.words)
				if !update && got != b.says {
					t.Errorf("%s:%d: %s\ngot:\n%swant:\n%s", file, b.line, strings.Join(b.words, " "), got, b.says)
				}
				for _, c := range b.comment {
					out.WriteString(c + "\n")
				}
				out.WriteString(strings.Join(b.words, " ") + "\n----\n" + got + "\n")
			}
			if update {
				if err := os.WriteFile(file, []byte(strings.TrimSuffix(out.String(), "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func parseScript(t *testing.T, text string) (blocks []block) {
	t.Helper()
	var b block
	answering := false
	for i, line := range strings.Split(text+"\n", "\n") {
		switch {
		case answering && line == "":
			blocks, b, answering = append(blocks, b), block{}, false
		case answering:
			b.says += line + "\n"
		case line == "----":
			answering = true
		case strings.HasPrefix(line, "#"):
			b.comment = append(b.comment, line)
		case line != "" && b.words == nil:
			b.words, b.line = strings.Fields(line), i+1
		case line != "":
			t.Fatalf("line %d: two commands without ---- between them", i+1)
		}
	}
	return blocks
}
