package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/goccy/go-yaml"
)

// output is the flag of every command that prints a result.
type output struct {
	Output string `short:"o" help:"Form of the result: table, json, yaml or csv." enum:"table,json,yaml,csv" default:"table"`
}

// A view is a result that knows its forms for people and for spreadsheets; its
// JSON form is the document itself, and YAML is derived from that.
type view struct {
	doc   any                      // marshals to the document
	table func(w io.Writer) error  // at most 80 columns
	rows  func() (rows [][]string) // first the header; nil where there is no flat form
}

func (o output) write(w io.Writer, v view) error {
	switch o.Output {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(v.doc)
	case "yaml":
		b, err := json.Marshal(v.doc)
		if err != nil {
			return err
		}
		b, err = yaml.JSONToYAML(b)
		if err != nil {
			return fmt.Errorf("write yaml: %w", err)
		}
		_, err = w.Write(b)
		return err
	case "csv":
		if v.rows == nil {
			return &exit{exitUsage, errors.New("this result has no csv form, want -o table, json or yaml")}
		}
		return csv.NewWriter(w).WriteAll(v.rows())
	default:
		return v.table(w)
	}
}
