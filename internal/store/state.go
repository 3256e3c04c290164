package store

import (
	"context"
	"database/sql"
	"errors"

	"rebound/internal/job"
)

// StateKey names what a model has learned of a job. Version is that of the form
// of the bytes: a program finds only what it can read.
type StateKey struct {
	Identity job.Identity
	Kind     string
	Version  int
}

// SaveState replaces what was saved under the key.
func (j *Journal) SaveState(ctx context.Context, k StateKey, state []byte) error {
	if state == nil {
		state = []byte{}
	}
	return j.write(ctx, "save "+k.Kind+" of "+k.Identity.String(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO model_state
				(cluster, namespace, name, kind, version, schema_version, saved_at, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			k.Identity.Cluster, k.Identity.Namespace, k.Identity.Name, k.Kind, k.Version, schema, text(j.Now()), state)
		return err
	})
}

// LoadState returns what was saved under the key; ok is false where nothing was.
func (j *Journal) LoadState(ctx context.Context, k StateKey) (state []byte, ok bool, err error) {
	err = j.db.QueryRowContext(ctx, `SELECT bytes FROM model_state
			WHERE cluster = ? AND namespace = ? AND name = ? AND kind = ? AND version = ?`,
		k.Identity.Cluster, k.Identity.Namespace, k.Identity.Name, k.Kind, k.Version).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, j.explain("load "+k.Kind+" of "+k.Identity.String(), err)
	}
	return state, true, nil
}
