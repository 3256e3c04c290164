package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// value is one node of a document, with the names of the fields that lead to it.
type value struct {
	doc  *document
	path string
	node ast.Node
}

// fields are what a mapping may have.
type fields map[string]func(value)

// wrong notes that v cannot be used.
func (v value) wrong(format string, args ...any) {
	v.doc.add(v.node, v.path, fmt.Sprintf(format, args...))
}

// mapping hands each field to its reader and returns which were there; nil where
// v is no mapping.
func (v value) mapping(known fields) (seen map[string]bool) {
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		v.wrong("%s, want fields: %s", v.shown(), strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		return nil
	}
	seen = map[string]bool{}
	for _, entry := range m.Values {
		key := entry.Key.GetToken().Value
		read, ok := known[key]
		if !ok {
			v.doc.add(entry.Key, v.path, unknown(key, slices.Sorted(maps.Keys(known))))
			continue
		}
		seen[key] = true
		field := value{doc: v.doc, path: join(v.path, key), node: entry.Value}
		if _, null := entry.Value.(*ast.NullNode); null {
			field.wrong("no value: give it one, or leave the field out")
			continue
		}
		read(field)
	}
	return seen
}

// entries hands over each field of a mapping whose keys are free.
func (v value) entries(each func(key string, v value)) {
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		v.wrong("%s, want a mapping", v.shown())
		return
	}
	for _, e := range m.Values {
		key := e.Key.GetToken().Value
		each(key, value{doc: v.doc, path: join(v.path, key), node: e.Value})
	}
}

// require notes that a field is missing.
func (v value) require(seen map[string]bool, name, want string) {
	if !seen[name] {
		v.wrong("%s is missing: want %s", name, want)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// items are the values of a list; nil where v is none.
func (v value) items() []value {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		v.wrong("%s, want a list", v.shown())
		return nil
	}
	out := make([]value, 0, len(s.Values))
	for i, n := range s.Values {
		out = append(out, value{doc: v.doc, path: fmt.Sprintf("%s[%d]", v.path, i), node: n})
	}
	return out
}

func (v value) isList() bool    { _, ok := v.node.(*ast.SequenceNode); return ok }
func (v value) isMapping() bool { _, ok := v.node.(*ast.MappingNode); return ok }

// shown is v in a message.
func (v value) shown() string {
	switch n := v.node.(type) {
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.AliasNode, *ast.AnchorNode, *ast.TagNode:
		return "an anchor, alias or tag, which are not understood here"
	case *ast.IntegerNode, *ast.FloatNode:
		return n.GetToken().Value
	case ast.ScalarNode:
		return strconv.Quote(n.GetToken().Value)
	default:
		return n.Type().YAMLName()
	}
}
