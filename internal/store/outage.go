package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebound/internal/job"
)

// sameOutage is how far apart two accounts of one failure may put it: a loop
// that was killed finds it again, by other looks. Failures of one job cannot
// follow each other so fast, since being found takes longer.
const sameOutage = time.Second

// AddOutage writes, all at once, a recovery as the loop saw it, the score of the
// prediction that stood when it began, and, where there is one, the prediction
// given the age at the failure with its score. An outage that is there already
// is left alone. A standing prediction that has been pruned has no score.
func (j *Journal) AddOutage(ctx context.Context, of job.Identity, m job.Measurement, standing string, conditional *job.Recovery) error {
	row := Measured{Identity: of, RecordedAt: j.Now(), Measurement: m}
	given := Prediction{Identity: of, At: m.At, Kind: Conditional, Settings: m.Settings}
	var err error
	if row.ID, err = newID(m.At, j.Entropy); err != nil {
		return err
	}
	if err = j.name(&given); err != nil {
		return err
	}
	return j.write(ctx, "write outage", func(tx *sql.Tx) error {
		known, err := outageKnown(ctx, tx, of, m.At)
		if err != nil || known {
			return err
		}
		if err := insertOutage(ctx, tx, row); err != nil {
			return err
		}
		p, err := scanPrediction(tx.QueryRowContext(ctx, selectPredictions+" WHERE id = ?", standing).Scan)
		switch {
		case err == nil:
			if err := scoreOutage(ctx, tx, p, row); err != nil {
				return err
			}
			given.Incarnation, given.ModelVersion, given.Seed, given.InputHash = p.Incarnation, p.ModelVersion, p.Seed, p.InputHash
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		if conditional == nil {
			return nil
		}
		given.Recovery = *conditional
		if err := insertPrediction(ctx, tx, given); err != nil {
			return err
		}
		return scoreOutage(ctx, tx, given, row)
	})
}

func outageKnown(ctx context.Context, tx *sql.Tx, of job.Identity, at time.Time) (known bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM outages
			WHERE cluster = ? AND namespace = ? AND name = ? AND at > ? AND at < ?)`,
		of.Cluster, of.Namespace, of.Name, text(at.Add(-sameOutage)), text(at.Add(sameOutage))).Scan(&known)
	return known, err
}

func insertOutage(ctx context.Context, tx *sql.Tx, row Measured) error {
	if err := insertMeasurement(ctx, tx, row); err != nil {
		return err
	}
	of := row.Identity
	_, err := tx.ExecContext(ctx, `INSERT INTO outages (measurement_id, schema_version, cluster, namespace, name, at)
		VALUES (?, ?, ?, ?, ?, ?)`, row.ID, schema, of.Cluster, of.Namespace, of.Name, text(row.Measurement.At))
	return err
}

// scoreOutage refuses to compare what does not belong together.
func scoreOutage(ctx context.Context, tx *sql.Tx, p Prediction, row Measured) error {
	if p.Identity != row.Identity || p.Recovery.Failure != row.Measurement.Failure {
		return fmt.Errorf("prediction %s is of %q of %s, the outage is %q of %s",
			p.ID, p.Recovery.Failure, p.Identity, row.Measurement.Failure, row.Identity)
	}
	return insertScore(ctx, tx, p, row, row.RecordedAt)
}

// Scores are what the loop predicted of the outages of a job with what came of
// it, newest first, at most n; 0: all. Each outage is there once: with the
// prediction given its age where there is one, else with the one that stood.
func (j *Journal) Scores(ctx context.Context, of job.Identity, n int) ([]job.Scored, error) {
	limit := -1 // SQLite's word for all
	if n > 0 {
		limit = n
	}
	return list(ctx, j, "read scores", `SELECT predictions.id, measurements.at, measurements.failure,
			predictions.p05_seconds, predictions.median_seconds, predictions.p95_seconds,
			measurements.recovery_seconds, scores.inside
		FROM outages JOIN measurements ON measurements.id = outages.measurement_id
			JOIN scores ON scores.measurement_id = measurements.id
			JOIN predictions ON predictions.id = scores.prediction_id
		WHERE outages.cluster = ? AND outages.namespace = ? AND outages.name = ?
			AND (predictions.kind = 'conditional' OR NOT EXISTS (
				SELECT 1 FROM scores AS s JOIN predictions AS p ON p.id = s.prediction_id
				WHERE s.measurement_id = measurements.id AND p.kind = 'conditional'))
		ORDER BY outages.at DESC, outages.rowid DESC LIMIT ?`,
		[]any{of.Cluster, of.Namespace, of.Name, limit}, scanScored)
}

func scanScored(scan func(...any) error) (s job.Scored, err error) {
	var at string
	err = scan(&s.PredictionID, &at, &s.Failure, &s.P05Seconds, &s.MedianSeconds, &s.P95Seconds, &s.MeasuredSeconds, &s.Inside)
	if err != nil {
		return s, err
	}
	s.At, err = parse(at)
	return s, err
}
