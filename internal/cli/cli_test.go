package cli

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"rebound": func() { os.Exit(Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the command lines in testdata/script. Set UPDATE=1 to
// rewrite what cmp expects.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"lives": lives},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}
