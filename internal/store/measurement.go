package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"rebound/internal/job"
)

// Measured is a measurement in the journal.
type Measured struct {
	ID          string
	Identity    job.Identity
	RecordedAt  time.Time // our clock
	AgeSeconds  float64   // now − the failure: what is learned from old ones fades
	Measurement job.Measurement
}

// AddMeasurement writes a recovery as it was seen and returns its ID.
func (j *Journal) AddMeasurement(ctx context.Context, of job.Identity, m job.Measurement) (string, error) {
	now := j.Now()
	id, err := newID(now, j.Entropy)
	if err != nil {
		return "", err
	}
	row := Measured{ID: id, Identity: of, RecordedAt: now, Measurement: m}
	return id, j.write(ctx, "write measurement", func(tx *sql.Tx) error { return insertMeasurement(ctx, tx, row) })
}

func insertMeasurement(ctx context.Context, tx *sql.Tx, row Measured) error {
	of, m := row.Identity, row.Measurement
	doc, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO measurements (id, schema_version, cluster, namespace, name,
			at, recorded_at, failure, topology, process, outcome, recovery_seconds, at_least_seconds, measurement)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		row.ID, schema, of.Cluster, of.Namespace, of.Name, text(m.At), text(row.RecordedAt),
		string(m.Failure), string(m.Topology), string(m.Process), string(m.Outcome),
		m.RecoverySeconds, m.AtLeastSeconds, string(doc))
	return err
}

const selectMeasurements = `SELECT id, cluster, namespace, name, recorded_at, measurement FROM measurements`

// Measurements returns what was measured, by the time of the failure, newest
// first. Kind is of predictions and ignored.
func (j *Journal) Measurements(ctx context.Context, q Query) ([]Measured, error) {
	q.Kind = ""
	clause, args := q.clause("measurements", "at")
	return list(ctx, j, "read measurements", selectMeasurements+clause, args, j.scanMeasured)
}

// Measurement returns one measurement, or ErrNotFound.
func (j *Journal) Measurement(ctx context.Context, id string) (Measured, error) {
	return one(ctx, j, "read measurement "+id, selectMeasurements+" WHERE id = ?", id, j.scanMeasured)
}

func (j *Journal) scanMeasured(scan func(...any) error) (m Measured, err error) {
	var recorded, doc string
	if err = scan(&m.ID, &m.Identity.Cluster, &m.Identity.Namespace, &m.Identity.Name, &recorded, &doc); err != nil {
		return m, err
	}
	if m.RecordedAt, err = parse(recorded); err != nil {
		return m, err
	}
	err = json.Unmarshal([]byte(doc), &m.Measurement)
	m.AgeSeconds = j.Now().Sub(m.Measurement.At).Seconds()
	return m, err
}
