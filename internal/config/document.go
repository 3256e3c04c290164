package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// APIVersion of the files, the same as that of all documents.
const APIVersion = "rebound.dev/v1alpha1"

// Kinds of files.
const (
	PolicyKind = "RecoveryPolicy"
	FactsKind  = "Facts"
)

// document is one file while it is read. It collects what is wrong.
type document struct {
	name  string // of the file, for messages
	wrong []mistake
}

// schema is what a kind of file may and must have, beside apiVersion and kind.
type schema struct {
	kind   string
	fields fields
	needs  []need
}

// need is a field that must be there, and what it is.
type need struct{ field, want string }

// maxBytes bounds a file: one that a person has written is much shorter.
const maxBytes = 1 << 20

// read walks a file of one document.
func (s schema) read(name string, b []byte) error {
	if len(b) > maxBytes {
		return fmt.Errorf("%s: %d bytes, want at most %d", name, len(b), maxBytes)
	}
	d := &document{name: name}
	file, err := parser.ParseBytes(b, 0)
	if err != nil {
		return d.syntax(err)
	}
	bodies := make([]ast.Node, 0, 1)
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return fmt.Errorf("%s: it is empty, want apiVersion: %s, kind: %s and the fields", name, APIVersion, s.kind)
	case 1:
	default:
		return fmt.Errorf("%s: %d documents, want one a file", name, len(bodies))
	}
	s.fields["apiVersion"] = func(v value) { v.constant(APIVersion) }
	s.fields["kind"] = func(v value) { v.constant(s.kind) }
	top := value{doc: d, node: bodies[0]}
	if seen := top.mapping(s.fields); seen != nil {
		for _, n := range append([]need{{"apiVersion", "apiVersion: " + APIVersion}, {"kind", "kind: " + s.kind}}, s.needs...) {
			top.require(seen, n.field, n.want)
		}
	}
	return d.err()
}

// syntax says what the parser could not read, with the place.
func (d *document) syntax(err error) error {
	e, ok := errors.AsType[yaml.Error](err)
	if !ok || e.GetToken() == nil || e.GetToken().Position == nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return fmt.Errorf("%s: %s", d.name, first)
	}
	at := e.GetToken().Position
	return fmt.Errorf("%s:%d:%d: %s", d.name, at.Line, at.Column, e.GetMessage())
}

// mistake is one thing that is wrong, and where.
type mistake struct {
	line, column int
	text         string
}

// add notes a mistake at a node.
func (d *document) add(n ast.Node, path, text string) {
	if path != "" {
		text = path + ": " + text
	}
	m := mistake{text: text}
	if t := begin(n); t != nil && t.Position != nil {
		m.line, m.column = t.Position.Line, t.Position.Column
	}
	d.wrong = append(d.wrong, m)
}

// begin is the first token of a node: of a mapping in block form that is its first
// key, while the node's own token is the colon behind it.
func begin(n ast.Node) *token.Token {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken()
	}
	return n.GetToken()
}

// err is all mistakes, in the order of the file.
func (d *document) err() error {
	slices.SortStableFunc(d.wrong, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	errs := make([]error, 0, len(d.wrong))
	for _, m := range d.wrong {
		errs = append(errs, fmt.Errorf("%s:%d:%d: %s", d.name, m.line, m.column, m.text))
	}
	return errors.Join(errs...)
}

// Kind says what kind of file it is, "" where that cannot be read.
func Kind(b []byte) string {
	var header struct {
		Kind string `yaml:"kind"`
	}
	if err := yaml.Unmarshal(b, &header); err != nil {
		return ""
	}
	return header.Kind
}
