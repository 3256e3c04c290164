package api

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Every kind has a schema and an example in docs/schema: the schema is the one of
// the types, the example fits it, and what does not fit is refused.
func TestSchemas(t *testing.T) {
	const dir = "../../docs/schema"
	schemas, err := Schemas()
	if err != nil {
		t.Fatal(err)
	}
	for kind, s := range schemas {
		t.Run(kind, func(t *testing.T) {
			want, err := json.MarshalIndent(s, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, kind+".json"))
			if err != nil || string(got) != string(want)+"\n" {
				t.Errorf("docs/schema/%s.json is not that of the types (%v): run make docs", kind, err)
			}
			valid, err := s.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			example, err := os.ReadFile(filepath.Join(dir, kind+".example.json"))
			if err != nil {
				t.Fatal(err)
			}
			var doc map[string]any
			if err := json.Unmarshal(example, &doc); err != nil {
				t.Fatal(err)
			}
			if err := valid.Validate(doc); err != nil {
				t.Errorf("the example: %v", err)
			}
			doc["kind"] = "Weather"
			if valid.Validate(doc) == nil {
				t.Error("a document of another kind fits")
			}
		})
	}
}
