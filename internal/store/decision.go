package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"rebound/internal/job"
)

// AddDecision writes a new decision and returns its ID: the one that it brings,
// or one that is made here. Its predictions must be in the journal.
func (j *Journal) AddDecision(ctx context.Context, d job.Decision) (string, error) {
	if d.At.IsZero() {
		d.At = j.Now()
	}
	if d.ID == "" {
		id, err := newID(d.At, j.Entropy)
		if err != nil {
			return "", err
		}
		d.ID = id
	}
	return d.ID, j.write(ctx, "write decision", func(tx *sql.Tx) error {
		closed, doc, err := j.seal(&d)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO decisions (id, schema_version, seed, input_hash, cluster, namespace, name,
				at, server_at, kind, state, closed_at, rolls_back, decision)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?)`,
			d.ID, schema, strconv.FormatUint(d.Seen.Seed, 10), d.Seen.InputHash, d.Job.Cluster, d.Job.Namespace, d.Job.Name,
			text(d.At), orNull(d.ServerAt), string(d.Kind), string(d.State), closed, d.RollsBack, doc)
		if err != nil {
			return err
		}
		return linkPredictions(ctx, tx, d)
	})
}

// UpdateDecision replaces what is stored of a decision. One that is closed stays
// as it is: ErrClosed. Closing it is an update too, in the same transaction as
// the last that is to be said of it.
func (j *Journal) UpdateDecision(ctx context.Context, d job.Decision) error {
	what := "update decision " + d.ID
	return j.write(ctx, what, func(tx *sql.Tx) error {
		var done bool
		err := tx.QueryRowContext(ctx, `SELECT closed_at IS NOT NULL FROM decisions
				WHERE id = ? AND cluster = ? AND namespace = ? AND name = ?`,
			d.ID, d.Job.Cluster, d.Job.Namespace, d.Job.Name).Scan(&done)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNotFound
		case err != nil:
			return err
		case done:
			return ErrClosed
		}
		closed, doc, err := j.seal(&d)
		if err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, `UPDATE decisions SET state = ?, closed_at = ?, rolls_back = nullif(?, ''), decision = ?
				WHERE id = ?`, string(d.State), closed, d.RollsBack, doc, d.ID); err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, `DELETE FROM decision_predictions WHERE decision_id = ?`, d.ID); err != nil {
			return err
		}
		return linkPredictions(ctx, tx, d)
	})
}

// seal stamps a decision that closes, once, and gives its columns.
func (j *Journal) seal(d *job.Decision) (closedAt any, doc string, err error) {
	switch {
	case !d.State.Closed():
		d.ClosedAt = time.Time{}
	case d.ClosedAt.IsZero():
		d.ClosedAt = j.Now()
	}
	b, err := json.Marshal(d)
	return orNull(d.ClosedAt), string(b), err
}

// linkPredictions keeps what a decision rests on while it is open.
func linkPredictions(ctx context.Context, tx *sql.Tx, d job.Decision) error {
	for i, p := range d.PredictionIDs {
		if _, err := tx.ExecContext(ctx, `INSERT INTO decision_predictions VALUES (?, ?, ?)`, d.ID, i, p); err != nil {
			return fmt.Errorf("prediction %s: %w", p, err)
		}
	}
	return nil
}

const selectDecisions = `SELECT decision FROM decisions`

// OpenDecisions are those of a job that are not closed, oldest first.
func (j *Journal) OpenDecisions(ctx context.Context, of job.Identity) ([]job.Decision, error) {
	return list(ctx, j, "read decisions", selectDecisions+` WHERE closed_at IS NULL AND cluster = ? AND namespace = ? AND name = ?
		ORDER BY at, rowid`, []any{of.Cluster, of.Namespace, of.Name}, scanDocument[job.Decision])
}

// Decisions are the newest n of a job, newest first; 0: all.
func (j *Journal) Decisions(ctx context.Context, of job.Identity, n int) ([]job.Decision, error) {
	return j.FindDecisions(ctx, Query{Identity: &of, Limit: n})
}

// FindDecisions returns decisions, newest first. Failure and Kind are of other
// rows and ignored.
func (j *Journal) FindDecisions(ctx context.Context, q Query) ([]job.Decision, error) {
	q.Failure, q.Kind = "", ""
	clause, args := q.clause("decisions", "at")
	return list(ctx, j, "read decisions", selectDecisions+clause, args, scanDocument[job.Decision])
}

// Decision returns one decision, or ErrNotFound.
func (j *Journal) Decision(ctx context.Context, id string) (job.Decision, error) {
	return one(ctx, j, "read decision "+id, selectDecisions+" WHERE id = ?", id, scanDocument[job.Decision])
}

// scanDocument reads a row that is one JSON document.
func scanDocument[T any](scan func(...any) error) (v T, err error) {
	var doc string
	if err = scan(&doc); err != nil {
		return v, err
	}
	return v, json.Unmarshal([]byte(doc), &v)
}
