package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// referenceCmd writes docs/commands.md, so that the page cannot differ from what
// the parser takes.
type referenceCmd struct{}

func (referenceCmd) Run(e *env) error {
	parser, err := newParser(&commands{})
	if err != nil {
		return err
	}
	return reference(e.stdout, parser.Model)
}

func reference(w io.Writer, app *kong.Application) error {
	fmt.Fprintf(w, `<!-- Written by `+"`make docs`"+`: change the command, not this page. -->
# Commands

%s

Results go to stdout, everything else to stderr. Exit codes: 0 fine; 1 error;
3 target missed or infeasible; 4 not enough data, or contradictory data; 64 the
command line makes no sense; 130 interrupted.

Flags of every command:

`, app.Help)
	flagTable(w, app.Flags)
	for _, leaf := range app.Leaves(true) {
		command(w, leaf)
	}
	return nil
}

// command is one section.
func command(w io.Writer, n *kong.Node) {
	fmt.Fprintf(w, "\n## %s\n\n%s\n", n.FullPath(), n.Help)
	if n.Detail != "" {
		fmt.Fprintf(w, "\n```\n%s\n```\n", strings.TrimSpace(n.Detail))
	}
	for _, a := range n.Positional {
		fmt.Fprintf(w, "\n`%s`: %s\n", a.Summary(), a.Help)
	}
	if flags := visible(n.Flags); len(flags) > 0 {
		fmt.Fprintln(w)
		flagTable(w, flags)
	}
}

func visible(flags []*kong.Flag) []*kong.Flag {
	var out []*kong.Flag
	for _, f := range flags {
		if !f.Hidden && f.Name != "help" {
			out = append(out, f)
		}
	}
	return out
}

func flagTable(w io.Writer, flags []*kong.Flag) {
	fmt.Fprintln(w, "| flag | meaning | default |\n| --- | --- | --- |")
	cell := strings.NewReplacer("|", "\\|", "\n", " ")
	for _, f := range visible(flags) {
		name := "--" + f.Name
		if f.Short != 0 {
			name = fmt.Sprintf("-%c, %s", f.Short, name)
		}
		if !f.IsBool() {
			name += "=" + f.FormatPlaceHolder()
		}
		def := f.Default
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", cell.Replace(name), cell.Replace(f.Help), cell.Replace(def))
	}
}
