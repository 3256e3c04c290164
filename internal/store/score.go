package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"rebound/internal/job"
)

// Score is a prediction beside what came of it. Seconds are absent where the
// prediction or the measurement has none.
type Score struct {
	PredictionID, MeasurementID string
	Identity                    job.Identity
	Failure                     job.Failure
	Kind                        Kind
	At                          time.Time // of the failure, our clock
	ModelVersion                string

	P05Seconds, MedianSeconds, P95Seconds *float64
	MeasuredSeconds                       *float64
	// LogRatio is ln(measured / median).
	LogRatio *float64
	// Inside says whether what was measured lies within p05 to p95, the ends
	// included; absent where that cannot be told.
	Inside *bool
}

// Score compares a prediction with a measurement of the same job and kind of
// failure. Doing it again replaces the first comparison.
func (j *Journal) Score(ctx context.Context, predictionID, measurementID string) error {
	p, err := j.Prediction(ctx, predictionID)
	if err != nil {
		return err
	}
	m, err := j.Measurement(ctx, measurementID)
	if err != nil {
		return err
	}
	if p.Identity != m.Identity || p.Recovery.Failure != m.Measurement.Failure {
		return fmt.Errorf("score %s: it predicts %s of %s, %s measured %s of %s", predictionID,
			p.Recovery.Failure, p.Identity, measurementID, m.Measurement.Failure, m.Identity)
	}
	return j.write(ctx, "score "+predictionID, func(tx *sql.Tx) error {
		return insertScore(ctx, tx, p, m, j.Now())
	})
}

func insertScore(ctx context.Context, tx *sql.Tx, p Prediction, m Measured, now time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO scores
			(prediction_id, measurement_id, schema_version, at, log_ratio, inside) VALUES (?, ?, ?, ?, ?, ?)`,
		p.ID, m.ID, schema, text(now), logRatio(p.Recovery, m.Measurement), inside(p.Recovery, m.Measurement))
	return err
}

func logRatio(r job.Recovery, m job.Measurement) *float64 {
	if r.MedianSeconds == nil || m.RecoverySeconds == nil || !(*r.MedianSeconds > 0) || !(*m.RecoverySeconds > 0) {
		return nil
	}
	return new(math.Log(*m.RecoverySeconds / *r.MedianSeconds))
}

// inside places what was measured against the interval. An upper end without a
// number is infinite; a recovery that was not waited for to its end lies
// outside as soon as the bound passes the upper end, and is undecided before.
func inside(r job.Recovery, m job.Measurement) *bool {
	open := r.P95Seconds == nil && (r.P95Outcome == job.Never || r.P95Outcome == job.BeyondHorizon)
	switch {
	case r.P05Seconds == nil || r.P95Seconds == nil && !open:
		return nil
	case m.RecoverySeconds != nil:
		return new(*m.RecoverySeconds >= *r.P05Seconds && (open || *m.RecoverySeconds <= *r.P95Seconds))
	case m.AtLeastSeconds != nil && open && *m.AtLeastSeconds >= *r.P05Seconds:
		return new(true)
	case m.AtLeastSeconds != nil && !open && *m.AtLeastSeconds > *r.P95Seconds:
		return new(false)
	}
	return nil
}

// Scored returns what was scored, by the time of the failure, newest first.
func (j *Journal) Scored(ctx context.Context, q Query) ([]Score, error) {
	clause, args := q.clause("measurements", "at")
	return list(ctx, j, "read scores", `SELECT scores.prediction_id, scores.measurement_id,
			measurements.cluster, measurements.namespace, measurements.name, measurements.failure,
			predictions.kind, measurements.at, predictions.model_version,
			predictions.p05_seconds, predictions.median_seconds, predictions.p95_seconds,
			measurements.recovery_seconds, scores.log_ratio, scores.inside
		FROM measurements JOIN scores ON scores.measurement_id = measurements.id
			JOIN predictions ON predictions.id = scores.prediction_id`+clause, args, scanScore)
}

func scanScore(scan func(...any) error) (s Score, err error) {
	var at string
	err = scan(&s.PredictionID, &s.MeasurementID, &s.Identity.Cluster, &s.Identity.Namespace, &s.Identity.Name,
		&s.Failure, &s.Kind, &at, &s.ModelVersion,
		&s.P05Seconds, &s.MedianSeconds, &s.P95Seconds, &s.MeasuredSeconds, &s.LogRatio, &s.Inside)
	if err != nil {
		return s, err
	}
	s.At, err = parse(at)
	return s, err
}
