package store

import (
	"context"
	"database/sql"
	"errors"

	"rebound/internal/job"
)

// SaveState replaces what was saved of a job under a kind, such as "model", and
// a version. The version is that of the form of the bytes: a program finds only
// what it can read.
func (j *Journal) SaveState(ctx context.Context, of job.Identity, kind string, version int, state []byte) error {
	if state == nil {
		state = []byte{}
	}
	return j.write(ctx, "save "+kind+" of "+of.String(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO model_state
				(cluster, namespace, name, kind, version, schema_version, saved_at, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			of.Cluster, of.Namespace, of.Name, kind, version, schema, text(j.Now()), state)
		return err
	})
}

// LoadState returns what was saved under the same words; ok is false where
// nothing was.
func (j *Journal) LoadState(ctx context.Context, of job.Identity, kind string, version int) (state []byte, ok bool, err error) {
	err = j.db.QueryRowContext(ctx, `SELECT bytes FROM model_state
			WHERE cluster = ? AND namespace = ? AND name = ? AND kind = ? AND version = ?`,
		of.Cluster, of.Namespace, of.Name, kind, version).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, j.explain("load "+kind+" of "+of.String(), err)
	}
	return state, true, nil
}
