// Package arch checks that packages import only what their layer may.
package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "rebound/"

// layer is a row of the table in docs/architecture.md.
type layer int

const (
	vocabulary layer = iota
	maths
	decisions
	worlds
	surfaces
	assembly
	tests
)

// rule is where a package belongs and what it imports beyond its layer's rights.
type rule struct {
	layer layer
	third []string // modules of others, by prefix
	also  []string // our packages that its layer alone would not allow
}

// may lists every package. One that is not listed fails the test: decide first
// where it belongs.
var may = map[string]rule{
	"internal/job":        {layer: vocabulary},
	"internal/recovery":   {layer: maths},
	"internal/normal":     {layer: maths},
	"internal/forecast":   {layer: maths},
	"internal/gp":         {layer: maths},
	"internal/pareto":     {layer: maths},
	"internal/search":     {layer: maths},
	"internal/outage":     {layer: decisions},
	"internal/setting":    {layer: decisions},
	"internal/model":      {layer: decisions},
	"internal/learn":      {layer: decisions},
	"internal/hazard":     {layer: decisions},
	"internal/drill":      {layer: decisions},
	"internal/policy":     {layer: decisions},
	"internal/control":    {layer: decisions},
	"internal/approve":    {layer: worlds},
	"internal/plan":       {layer: decisions},
	"internal/explore":    {layer: decisions},
	"internal/facts":      {layer: decisions},
	"internal/trace":      {layer: worlds},
	"internal/twin":       {layer: worlds, third: []string{"github.com/goccy/go-yaml"}},
	"internal/twinserve":  {layer: worlds},
	"internal/flink":      {layer: worlds},
	"internal/kafka":      {layer: worlds, third: []string{"github.com/twmb/franz-go"}},
	"internal/store":      {layer: worlds, third: []string{"modernc.org/sqlite"}},
	"internal/local":      {layer: worlds, also: []string{"internal/flink", "internal/kafka", "jobs"}},
	"internal/live":       {layer: worlds, third: []string{"golang.org/x/sync"}, also: []string{"internal/flink", "internal/kafka", "internal/local"}},
	"internal/api":        {layer: surfaces, third: []string{"github.com/google/jsonschema-go"}},
	"internal/chart":      {layer: surfaces},
	"internal/report":     {layer: surfaces},
	"internal/experiment": {layer: assembly},
	"internal/config":     {layer: surfaces, third: []string{"github.com/goccy/go-yaml"}},
	"internal/cli": {layer: assembly, third: []string{
		"github.com/alecthomas/kong", "github.com/goccy/go-yaml", "golang.org/x/sync", "golang.org/x/term",
	}},
	"cmd/rebound":    {layer: assembly},
	"jobs":           {layer: vocabulary},
	"internal/arch":  {layer: tests},
	"internal/crash": {layer: tests},
	"e2e":            {layer: tests},
}

// sees lists which layers of ours a layer may import.
var sees = map[layer][]layer{
	vocabulary: {},
	maths:      {maths},
	decisions:  {vocabulary, maths, decisions},
	worlds:     {vocabulary, maths},
	surfaces:   {vocabulary, maths, decisions, surfaces},
	assembly:   {vocabulary, maths, decisions, worlds, surfaces, assembly},
}

// pure layers must not see the clock's loop, the network, files or a logger.
var impure = map[layer][]string{
	vocabulary: {"context", "log/slog", "net", "net/http", "os", "os/exec"},
	maths:      {"context", "log/slog", "net", "net/http", "os", "os/exec", "time", "io"},
	decisions:  {"net", "net/http", "os", "os/exec", "database/sql"},
}

// mayLog are the decisions that run something, and so log and take a context.
var mayLog = []string{"internal/control", "internal/drill"}

// The files are read through package os, not by running go list, so that the
// go command sees what this test depends on and does not answer from its cache.
func TestImports(t *testing.T) {
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "bench") {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../../")
		r, ok := may[name]
		if !ok {
			t.Errorf("%s is not in the table", name)
			return nil
		}
		for _, spec := range f.Imports {
			if why := refuse(name, r, strings.Trim(spec.Path.Value, `"`)); why != "" {
				t.Errorf("%s imports %s: %s", file, spec.Path.Value, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// refuse says why package name may not import imp, or nothing.
func refuse(name string, r rule, imp string) string {
	if ours, ok := strings.CutPrefix(imp, module); ok {
		to, known := may[ours]
		switch {
		case slices.Contains(r.also, ours) || known && slices.Contains(sees[r.layer], to.layer):
			return ""
		case !known:
			return "is not in the table"
		}
		return "its layer may not see that layer"
	}
	first, _, _ := strings.Cut(imp, "/")
	if strings.Contains(first, ".") {
		if r.layer == maths && strings.HasPrefix(imp, "gonum.org/v1/gonum") {
			return ""
		}
		if !slices.ContainsFunc(r.third, func(p string) bool { return strings.HasPrefix(imp, p) }) {
			return "a module that the table does not name"
		}
		return ""
	}
	switch {
	case first == "testing":
		return "it is not a test"
	case slices.Contains(impure[r.layer], imp):
		return "its layer is pure"
	case r.layer == decisions && (imp == "log/slog" || imp == "context") && !slices.Contains(mayLog, name):
		return "only the loop and the drill log and take a context"
	}
	return ""
}
