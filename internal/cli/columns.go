package cli

import (
	"fmt"
	"slices"
	"strings"

	"rebound/internal/trace"
)

// named sets the headers that a user has given by --column NAME=HEADER.
func named(known []trace.Column, headers map[string]string) ([]trace.Column, error) {
	for name, header := range headers {
		i := slices.IndexFunc(known, func(k trace.Column) bool { return k.Name == name })
		if i < 0 {
			names := make([]string, len(known))
			for k := range known {
				names[k] = known[k].Name
			}
			return nil, &exit{exitUsage, fmt.Errorf("--column %s=%s: no such column, want one of %s", name, header, strings.Join(names, ", "))}
		}
		known[i].Header = header
	}
	return known, nil
}

// timeColumn is when a row is of, under the names that files give it.
func timeColumn() trace.Column {
	return trace.Column{Name: "time", Kind: trace.Time, Aliases: []string{"t_s", "t", "timestamp", "time_s", "ts", "date", "datetime", "at"}}
}

// required is a column that must be there.
func required(c trace.Column) trace.Column {
	c.Required = true
	return c
}
