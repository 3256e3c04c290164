package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"rebound/internal/job"
)

// DrillState is how far a drill has come.
type DrillState string

// States of a drill. One that is open while no process runs it was cut off: its
// failure may have been injected.
const (
	DrillOpen    DrillState = "open"
	DrillClosed  DrillState = "closed"
	DrillAborted DrillState = "aborted"
)

// Drill is an injected failure.
type Drill struct {
	ID          string // given by BeginDrill
	Identity    job.Identity
	Incarnation string // Flink's job ID
	Failure     job.Failure
	State       DrillState
	OpenedAt    time.Time // our clock; of BeginDrill: zero for now
	ServerAt    time.Time // the JobManager's, at the same instant; zero: unknown
	ClosedAt    time.Time // zero while open

	PredictionIDs []string   // made before the injection
	MeasurementID string     // "": nothing was measured
	Audit         *job.Audit // nil: not audited
	Reason        string     // of an aborted one; of a closed one what is worth knowing
}

// BeginDrill writes a drill, before its failure is injected, and returns its ID.
// It returns ErrDrillOpen where the job has an open one, of whatever process.
func (j *Journal) BeginDrill(ctx context.Context, d Drill) (string, error) {
	if d.OpenedAt.IsZero() {
		d.OpenedAt = j.Now()
	}
	id, err := newID(d.OpenedAt, j.Entropy)
	if err != nil {
		return "", err
	}
	return id, j.write(ctx, "begin drill", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO drills (id, schema_version, cluster, namespace, name, incarnation,
				failure, state, opened_at, server_at, reason) VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)`,
			id, schema, d.Identity.Cluster, d.Identity.Namespace, d.Identity.Name, d.Incarnation,
			string(d.Failure), text(d.OpenedAt), orNull(d.ServerAt), d.Reason)
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE {
			return ErrDrillOpen
		}
		for i, p := range d.PredictionIDs {
			if err == nil {
				_, err = tx.ExecContext(ctx, `INSERT INTO drill_predictions VALUES (?, ?, ?)`, id, i, p)
			}
		}
		return err
	})
}

// CloseDrill ends an open drill with what it measured.
func (j *Journal) CloseDrill(ctx context.Context, id, measurementID string, audit *job.Audit) error {
	var doc any
	if audit != nil {
		b, err := json.Marshal(audit)
		if err != nil {
			return fmt.Errorf("close drill %s: %w", id, err)
		}
		doc = string(b)
	}
	return j.endDrill(ctx, "close drill "+id,
		`UPDATE drills SET state = 'closed', closed_at = ?, measurement_id = nullif(?, ''), audit = ? WHERE id = ? AND state = 'open'`,
		text(j.Now()), measurementID, doc, id)
}

// AbortDrill ends an open drill that gave no measurement, and says why.
func (j *Journal) AbortDrill(ctx context.Context, id, reason string) error {
	return j.endDrill(ctx, "abort drill "+id,
		`UPDATE drills SET state = 'aborted', closed_at = ?, reason = ? WHERE id = ? AND state = 'open'`,
		text(j.Now()), reason, id)
}

func (j *Journal) endDrill(ctx context.Context, what, query string, args ...any) error {
	return j.write(ctx, what, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return fmt.Errorf("no open drill of this ID: %w", ErrNotFound)
	})
}

const selectDrills = `SELECT id, cluster, namespace, name, incarnation, failure, state, opened_at,
	coalesce(server_at, ''), coalesce(closed_at, ''), coalesce(measurement_id, ''), coalesce(audit, 'null'), reason,
	(SELECT coalesce(json_group_array(prediction_id ORDER BY place), '[]') FROM drill_predictions WHERE drill_id = drills.id)
	FROM drills`

// Drills returns the drills, newest first. Kind is of predictions and ignored.
func (j *Journal) Drills(ctx context.Context, q Query) ([]Drill, error) {
	q.Kind = ""
	clause, args := q.clause("drills", "opened_at")
	return list(ctx, j, "read drills", selectDrills+clause, args, scanDrill)
}

// Drill returns one drill, or ErrNotFound.
func (j *Journal) Drill(ctx context.Context, id string) (Drill, error) {
	return one(ctx, j, "read drill "+id, selectDrills+" WHERE id = ?", id, scanDrill)
}

// OpenDrills returns the drills that have been begun and not ended, newest first.
func (j *Journal) OpenDrills(ctx context.Context) ([]Drill, error) {
	return list(ctx, j, "read drills", selectDrills+" WHERE state = 'open' ORDER BY opened_at DESC, rowid DESC", nil, scanDrill)
}

func scanDrill(scan func(...any) error) (d Drill, err error) {
	var opened, server, closed, audit, predictions string
	err = scan(&d.ID, &d.Identity.Cluster, &d.Identity.Namespace, &d.Identity.Name, &d.Incarnation,
		&d.Failure, &d.State, &opened, &server, &closed, &d.MeasurementID, &audit, &d.Reason, &predictions)
	if err != nil {
		return d, err
	}
	for _, t := range []struct {
		to   *time.Time
		from string
	}{{&d.OpenedAt, opened}, {&d.ServerAt, server}, {&d.ClosedAt, closed}} {
		if *t.to, err = parse(t.from); err != nil {
			return d, err
		}
	}
	if err = json.Unmarshal([]byte(audit), &d.Audit); err != nil {
		return d, err
	}
	return d, json.Unmarshal([]byte(predictions), &d.PredictionIDs)
}
