package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

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

// Profile is a copy of a job.
type Profile struct {
	Identity job.Identity
	job.Profile
}

// Profiles returns the newest n profiles of a job by when they were started,
// newest first, running ones among them; 0: all.
func (j *Journal) Profiles(ctx context.Context, of job.Identity, n int) ([]job.Profile, error) {
	all, err := j.FindProfiles(ctx, Query{Identity: &of, Limit: n})
	out := make([]job.Profile, 0, len(all))
	for _, p := range all {
		out = append(out, p.Profile)
	}
	return out, err
}

// FindProfiles returns profiles by when they were started, newest first. Of a query
// it heeds Identity, Since and Limit.
func (j *Journal) FindProfiles(ctx context.Context, q Query) ([]Profile, error) {
	q.Failure, q.Kind, q.State, q.Restarts = "", "", "", false
	clause, args := q.clause("profiles", "started_at")
	return list(ctx, j, "read profiles", `SELECT cluster, namespace, name, profile FROM profiles`+clause, args,
		func(scan func(...any) error) (p Profile, err error) {
			var doc string
			if err := scan(&p.Identity.Cluster, &p.Identity.Namespace, &p.Identity.Name, &doc); err != nil {
				return p, err
			}
			return p, json.Unmarshal([]byte(doc), &p.Profile)
		})
}
