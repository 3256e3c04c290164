package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"rebound/internal/job"
)

// AddWindow writes a window of what was seen, in short.
func (j *Journal) AddWindow(ctx context.Context, w job.Window) error {
	return j.write(ctx, "write window", func(tx *sql.Tx) error {
		doc, err := json.Marshal(w)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO windows (schema_version, cluster, namespace, name,
				at, to_at, server_to, situation, input_hash, window) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			schema, w.Job.Cluster, w.Job.Namespace, w.Job.Name,
			text(w.From), text(w.To), orNull(w.ServerTo), w.Situation, w.Hash, string(doc))
		return err
	})
}

// Windows returns what was seen, by the beginning of the windows, newest first.
// Of a query it heeds Identity, Since and Limit.
func (j *Journal) Windows(ctx context.Context, q Query) ([]job.Window, error) {
	q.Failure, q.Kind, q.State, q.Restarts = "", "", "", false
	clause, args := q.clause("windows", "at")
	return list(ctx, j, "read windows", `SELECT window FROM windows`+clause, args, scanDocument[job.Window])
}
