package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"rebound/internal/drill"
	"rebound/internal/job"
	"rebound/internal/model"
	"rebound/internal/recovery"
	"rebound/internal/store"
)

// drillJournal is the journal as a drill uses it.
type drillJournal struct{ j *store.Journal }

func (d drillJournal) Begin(ctx context.Context, p drill.Prediction) (string, error) {
	hash, err := inputHash(p.Observed)
	if err != nil {
		return "", err
	}
	row := store.Prediction{
		Identity: p.Observed.Job, Incarnation: p.Observed.ID, ServerAt: p.Observed.ServerTime,
		Settings: p.Observed.Settings, ModelVersion: model.Version, Seed: p.Seed, InputHash: hash,
	}
	ids := make([]string, 0, 2)
	for _, k := range []struct {
		kind     store.Kind
		recovery job.Recovery
	}{{store.Conditional, p.Conditional}, {store.Unconditional, p.Unconditional}} {
		row.Kind, row.Recovery = k.kind, k.recovery
		id, err := d.j.AddPrediction(ctx, row)
		if err != nil {
			return "", err
		}
		ids = append(ids, id)
	}
	return d.j.BeginDrill(ctx, store.Drill{
		Identity: row.Identity, Incarnation: row.Incarnation, Failure: p.Failure, ServerAt: row.ServerAt, PredictionIDs: ids,
	})
}

func (d drillJournal) Finish(ctx context.Context, id string, m job.Measurement) error {
	open, err := d.j.Drill(ctx, id)
	if err != nil {
		return err
	}
	measured, err := d.j.AddMeasurement(ctx, open.Identity, m)
	if err != nil {
		return err
	}
	for _, p := range open.PredictionIDs {
		if err := d.j.Score(ctx, p, measured); err != nil {
			return err
		}
	}
	return d.j.CloseDrill(ctx, id, measured, m.Audit)
}

func (d drillJournal) Abort(ctx context.Context, id, reason string) error {
	return d.j.AbortDrill(ctx, id, reason)
}

func (d drillJournal) Evidence(ctx context.Context, id job.Identity) (model.Evidence, error) {
	return evidence(ctx, d.j, id)
}

// pastLimit bounds what is read of the journal: older recoveries count little.
const (
	pastLimit  = 500
	scoreLimit = 100
)

// evidence is what the journal knows of a job and of jobs like it. No journal
// knows nothing.
func evidence(ctx context.Context, j *store.Journal, id job.Identity) (model.Evidence, error) {
	var e model.Evidence
	if j == nil {
		return e, nil
	}
	rows, err := j.Measurements(ctx, store.Query{Limit: pastLimit})
	if err != nil {
		return e, err
	}
	for _, r := range rows {
		e.Past = append(e.Past, model.Past{Measurement: r.Measurement, Old: r.AgeSeconds, SameJob: r.Identity == id})
	}
	e.Scores, err = scored(ctx, j)
	return e, err
}

// scored is how earlier predictions of this model did, with their intervals as
// they were before they were stretched: what is asked is how much that must be.
func scored(ctx context.Context, j *store.Journal) ([]recovery.Scored, error) {
	scores, err := j.Scored(ctx, store.Query{Kind: store.Conditional, Limit: scoreLimit})
	if err != nil {
		return nil, err
	}
	var out []recovery.Scored
	for _, s := range scores {
		if s.ModelVersion != model.Version || s.P05Seconds == nil || s.MedianSeconds == nil || s.P95Seconds == nil || s.MeasuredSeconds == nil {
			continue
		}
		p, err := j.Prediction(ctx, s.PredictionID)
		if err != nil {
			return nil, err
		}
		stretch := 1.0
		if v := p.Recovery.IntervalScale; v != nil {
			stretch = *v
		}
		before := func(v float64) float64 { return *s.MedianSeconds * math.Pow(v / *s.MedianSeconds, 1/stretch) }
		out = append(out, recovery.Scored{P05: before(*s.P05Seconds), Median: *s.MedianSeconds, P95: before(*s.P95Seconds), Measured: *s.MeasuredSeconds})
	}
	return out, nil
}

// inputHash names what a prediction was made from.
func inputHash(o job.Observation) (string, error) {
	b, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("hash what was observed: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}
