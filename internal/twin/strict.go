package twin

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// unknownFields compares the keys of a document with the fields of Scenario. What
// is no YAML, or has another shape, is left to the decoder.
func unknownFields(b []byte) error {
	var doc map[string]any
	if yaml.Unmarshal(b, &doc) != nil {
		return nil //nolint:nilerr // the decoder reports it with its place
	}
	return errors.Join(unknown("", doc, reflect.TypeFor[Scenario]())...)
}

func unknown(place string, v any, t reflect.Type) (errs []error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return nil
		}
		for i, e := range v {
			errs = append(errs, unknown(fmt.Sprintf("%s[%d]", place, i), e, t.Elem())...)
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return nil
		}
		known := fieldsOf(t)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := strings.TrimPrefix(place+"."+key, ".")
			f, ok := known[key]
			if !ok {
				errs = append(errs, fmt.Errorf("%s: no such field%s", at, meant(key, slices.Sorted(maps.Keys(known)))))
				continue
			}
			errs = append(errs, unknown(at, v[key], f)...)
		}
	}
	return errs
}

func fieldsOf(t reflect.Type) map[string]reflect.Type {
	known := make(map[string]reflect.Type, t.NumField())
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		known[name] = f.Type
	}
	return known
}

// meant asks for the nearest of the known words, if one is near.
func meant(word string, known []string) string {
	best, least := "", 1+len(word)/2
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// distance is the number of single-character edits between two words (Levenshtein).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, q := range y {
			cost := diagonal
			if r != q {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
