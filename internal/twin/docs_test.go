package twin_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"rebound/internal/twin"
)

// The reference page names every field and every scenario.
func TestTheReferencePageIsWhole(t *testing.T) {
	b, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, w := range regexp.MustCompile(`[A-Za-z0-9_]+`).FindAllString(string(b), -1) {
		words[w] = true
	}
	for name := range fields(reflect.TypeFor[twin.Scenario]()) {
		if !words[name] {
			t.Errorf("docs/scenarios.md lacks the field %s", name)
		}
	}
	for _, name := range twin.Names() {
		if !strings.Contains(string(b), "`"+name+"`") {
			t.Errorf("docs/scenarios.md lacks the scenario %s", name)
		}
	}
}

func fields(t reflect.Type) map[string]bool {
	all := map[string]bool{}
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return all
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		all[name] = true
		for inner := range fields(f.Type) {
			all[inner] = true
		}
	}
	return all
}
