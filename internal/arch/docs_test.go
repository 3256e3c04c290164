package arch

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are the documents for people, from the root of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/design/*.md"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			all = append(all, strings.TrimPrefix(filepath.ToSlash(f), "../../"))
		}
	}
	return all
}

func read(t *testing.T, page string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every relative link leads to a file that is there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	links := 0
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.Contains(to, "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(page), to)); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
	if links == 0 {
		t.Error("no link in any page: the test reads the wrong files")
	}
}

// docs/architecture.md names every package, and each in its layer.
func TestArchitecturePage(t *testing.T) {
	names := map[layer]string{
		vocabulary: "VOCABULARY", maths: "MATHS", decisions: "DECISIONS", worlds: "WORLDS",
		surfaces: "SURFACES", assembly: "ASSEMBLY", tests: "TESTS",
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\| ([A-Z]+) \\| [^|]+ \\| ([^|]*)\\|$")
	said := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(read(t, "docs/architecture.md"), -1) {
		said[m[1]] = m[2:]
	}
	for name, r := range may {
		if s := said[name]; len(s) == 0 || s[0] != names[r.layer] {
			t.Errorf("%s: the page says %q, the table %s", name, s, names[r.layer])
			continue
		}
		for _, imp := range r.also {
			if !strings.Contains(said[name][1], "`"+imp+"`") {
				t.Errorf("%s may import %s: the page does not say so", name, imp)
			}
		}
	}
	for name := range said {
		if _, ok := may[name]; !ok {
			t.Errorf("%s is on the page and not in the table", name)
		}
	}
}

// docs/hazards.md has a row for every hazard that the rules can find.
func TestHazardsPage(t *testing.T) {
	files, err := filepath.Glob("../../internal/hazard/*.go")
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`one\("([a-z-]+)"`)
	page, found := read(t, "docs/hazards.md"), map[string]bool{}
	for _, file := range files {
		for _, m := range id.FindAllStringSubmatch(read(t, strings.TrimPrefix(filepath.ToSlash(file), "../../")), -1) {
			found[m[1]] = true
		}
	}
	for name := range found {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("hazard %s is not on the page", name)
		}
	}
	if len(found) == 0 {
		t.Error("no hazard in the code: the test reads the wrong files")
	}
}

// Every package says what it is, in one place.
func TestPackageComments(t *testing.T) {
	for name := range may {
		files, err := filepath.Glob(filepath.Join("../..", name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var commented []string
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc != nil {
				commented = append(commented, filepath.Base(file))
			}
		}
		if len(commented) != 1 {
			t.Errorf("%s has a package comment in %q, want it in one file", name, commented)
		}
	}
}
