package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"rebound/internal/api"
)

// schemaCmd writes docs/schema, so that it cannot differ from the types.
type schemaCmd struct {
	Dir string `arg:"" help:"Folder to write to." type:"existingdir"`
}

func (c *schemaCmd) Run(*env) error {
	schemas, err := api.Schemas()
	if err != nil {
		return err
	}
	var errs []error
	for kind, s := range schemas {
		b, err := json.MarshalIndent(s, "", "  ")
		if err == nil {
			err = os.WriteFile(filepath.Join(c.Dir, kind+".json"), append(b, '\n'), 0o644) //nolint:gosec // for everybody to read
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
