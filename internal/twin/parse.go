package twin

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed scenarios/*.yaml
var builtin embed.FS

// Names are the scenarios that come with Rebound, in alphabetical order.
func Names() []string {
	files, err := fs.Glob(builtin, "scenarios/*.yaml")
	if err != nil {
		return nil // the pattern is well formed
	}
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".yaml"))
	}
	return names
}

// Source is the text of a scenario that comes with Rebound.
func Source(name string) ([]byte, error) {
	b, err := builtin.ReadFile("scenarios/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no scenario %q%s: there are %s", name, meant(name, Names()), strings.Join(Names(), ", "))
	}
	return b, nil
}

// Builtin is a scenario that comes with Rebound.
func Builtin(name string) (Scenario, error) {
	b, err := Source(name)
	if err != nil {
		return Scenario{}, err
	}
	return Parse(b)
}

// Parse reads a scenario from YAML. A field that it does not know is an error,
// with the one that may have been meant.
func Parse(b []byte) (Scenario, error) {
	var s Scenario
	if err := unknownFields(b); err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	if err := yaml.NewDecoder(bytes.NewReader(b), yaml.Strict()).Decode(&s); err != nil {
		return Scenario{}, fmt.Errorf("scenario: %s", strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	if err := s.Validate(); err != nil {
		return Scenario{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return s.withDefaults(), nil
}
