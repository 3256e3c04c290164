package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"rebound/internal/job"
)

// AddProfile writes that a copy of a job is to run, before it is started. Adding
// the same ID again does nothing.
func (j *Journal) AddProfile(ctx context.Context, of job.Identity, p job.Profile) error {
	what := "write profile " + p.ID
	if p.ID == "" || p.State != job.ProfileRunning {
		return fmt.Errorf("%s: it must have an ID and be %s, not %q", what, job.ProfileRunning, p.State)
	}
	return j.write(ctx, what, func(tx *sql.Tx) error {
		doc, err := json.Marshal(p)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO profiles (id, schema_version, cluster, namespace, name,
				started_at, ended_at, state, core_hours, profile) VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)
				ON CONFLICT DO NOTHING`,
			p.ID, schema, of.Cluster, of.Namespace, of.Name, text(p.StartedAt), string(p.State), p.CPUCoreHours, string(doc))
		return err
	})
}

// EndProfile writes what a copy has shown. Of one that has ended already nothing is
// changed; of one that was never begun it is ErrNotFound.
func (j *Journal) EndProfile(ctx context.Context, of job.Identity, p job.Profile) error {
	what := "end profile " + p.ID
	if p.State == job.ProfileRunning {
		return fmt.Errorf("%s: it is still %s", what, p.State)
	}
	if p.At.IsZero() {
		p.At = j.Now()
	}
	return j.write(ctx, what, func(tx *sql.Tx) error {
		var ended bool
		err := tx.QueryRowContext(ctx, `SELECT ended_at IS NOT NULL FROM profiles
				WHERE id = ? AND cluster = ? AND namespace = ? AND name = ?`,
			p.ID, of.Cluster, of.Namespace, of.Name).Scan(&ended)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNotFound
		case err != nil || ended:
			return err
		}
		doc, err := json.Marshal(p)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE profiles SET ended_at = ?, state = ?, core_hours = ?, profile = ?
				WHERE id = ? AND cluster = ? AND namespace = ? AND name = ?`,
			text(p.At), string(p.State), p.CPUCoreHours, string(doc), p.ID, of.Cluster, of.Namespace, of.Name)
		return err
	})
}

// Profiles returns the newest n profiles of a job by when they were started,
// newest first, running ones among them; 0: all.
func (j *Journal) Profiles(ctx context.Context, of job.Identity, n int) ([]job.Profile, error) {
	return j.ProfilesSince(ctx, of, time.Time{}, n)
}

// ProfilesSince are those of them that were started at a time or later.
func (j *Journal) ProfilesSince(ctx context.Context, of job.Identity, since time.Time, n int) ([]job.Profile, error) {
	clause, args := Query{Identity: &of, Since: since, Limit: n}.clause("profiles", "started_at")
	return list(ctx, j, "read profiles", `SELECT profile FROM profiles`+clause, args, scanDocument[job.Profile])
}
