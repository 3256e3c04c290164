package store

import (
	"context"
	"database/sql"
	"errors"

	"rebound/internal/job"
)

// AddRequest writes what a user asks of the daemon, which is another process,
// and returns its ID.
func (j *Journal) AddRequest(ctx context.Context, r job.Request) (string, error) {
	if r.At.IsZero() {
		r.At = j.Now()
	}
	id, err := newID(r.At, j.Entropy)
	if err != nil {
		return "", err
	}
	return id, j.write(ctx, "write request", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO requests (id, schema_version, cluster, namespace, name,
				at, verb, decision_id, until, by, answer) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, '')`,
			id, schema, r.Job.Cluster, r.Job.Namespace, r.Job.Name,
			text(r.At), string(r.Verb), r.Decision, orNull(r.Until), r.By)
		return err
	})
}

// AnswerRequest says what became of a request. It is answered once: ErrClosed.
func (j *Journal) AnswerRequest(ctx context.Context, r job.Request) error {
	if r.DoneAt.IsZero() {
		r.DoneAt = j.Now()
	}
	return j.write(ctx, "answer request "+r.ID, func(tx *sql.Tx) error {
		var done bool
		err := tx.QueryRowContext(ctx, `SELECT done_at IS NOT NULL FROM requests WHERE id = ?`, r.ID).Scan(&done)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNotFound
		case err != nil:
			return err
		case done:
			return ErrClosed
		}
		_, err = tx.ExecContext(ctx, `UPDATE requests SET answer = ?, done_at = ? WHERE id = ?`, r.Answer, text(r.DoneAt), r.ID)
		return err
	})
}

const selectRequests = `SELECT id, cluster, namespace, name, at, verb, coalesce(decision_id, ''),
	coalesce(until, ''), by, answer, coalesce(done_at, '') FROM requests`

// Requests are those of a job that nobody has answered, oldest first.
func (j *Journal) Requests(ctx context.Context, of job.Identity) ([]job.Request, error) {
	return list(ctx, j, "read requests", selectRequests+` WHERE done_at IS NULL AND cluster = ? AND namespace = ? AND name = ?
		ORDER BY at, rowid`, []any{of.Cluster, of.Namespace, of.Name}, scanRequest)
}

// Request returns one request, answered or not, or ErrNotFound.
func (j *Journal) Request(ctx context.Context, id string) (job.Request, error) {
	return one(ctx, j, "read request "+id, selectRequests+" WHERE id = ?", id, scanRequest)
}

func scanRequest(scan func(...any) error) (r job.Request, err error) {
	var at, until, done string
	err = scan(&r.ID, &r.Job.Cluster, &r.Job.Namespace, &r.Job.Name, &at, &r.Verb, &r.Decision, &until, &r.By, &r.Answer, &done)
	if err != nil {
		return r, err
	}
	if r.At, err = parse(at); err != nil {
		return r, err
	}
	if r.Until, err = parse(until); err != nil {
		return r, err
	}
	r.DoneAt, err = parse(done)
	return r, err
}
