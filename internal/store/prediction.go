package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"
	"time"

	"rebound/internal/job"
)

// Kind says what a prediction was made for.
type Kind string

// Kinds of predictions.
const (
	Conditional   Kind = "conditional"   // of a drill, given the checkpoint's age at that instant
	Unconditional Kind = "unconditional" // of a drill, for a failure at a random moment
	Checked       Kind = "check"         // shown by a check; nothing fails on purpose
	Standing      Kind = "standing"      // of the loop: holds until its next one
)

// Prediction is a predicted recovery with what it was made from.
type Prediction struct {
	ID          string // given by AddPrediction
	Identity    job.Identity
	Incarnation string    // Flink's job ID
	At          time.Time // our clock; of AddPrediction: zero for now
	ServerAt    time.Time // the JobManager's clock; zero: unknown
	Kind        Kind
	Recovery    job.Recovery
	Settings    job.Settings

	ModelVersion string // of the program's model
	Seed         uint64 // of its draws
	InputHash    string // of the window of observations that it saw
}

// AddPrediction writes a prediction and returns its ID.
func (j *Journal) AddPrediction(ctx context.Context, p Prediction) (string, error) {
	if err := j.name(&p); err != nil {
		return "", err
	}
	return p.ID, j.write(ctx, "write prediction", func(tx *sql.Tx) error { return insertPrediction(ctx, tx, p) })
}

// AddPredictions writes what the loop expects from now on, all or nothing, and
// returns the IDs in order.
func (j *Journal) AddPredictions(ctx context.Context, standing []job.Standing) ([]string, error) {
	ids, rows := make([]string, len(standing)), make([]Prediction, len(standing))
	for i, s := range standing {
		rows[i] = Prediction{
			Identity: s.Job, Incarnation: s.Incarnation, At: s.At, ServerAt: s.ServerAt, Kind: Standing,
			Recovery: s.Recovery, Settings: s.Settings,
			ModelVersion: s.ModelVersion, Seed: s.Seed, InputHash: s.InputHash,
		}
		if err := j.name(&rows[i]); err != nil {
			return nil, err
		}
		ids[i] = rows[i].ID
	}
	err := j.write(ctx, "write predictions", func(tx *sql.Tx) error {
		for _, p := range rows {
			if err := insertPrediction(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// name gives a new prediction its time, where it has none, and its ID.
func (j *Journal) name(p *Prediction) (err error) {
	if p.At.IsZero() {
		p.At = j.Now()
	}
	p.ID, err = newID(p.At, j.Entropy)
	return err
}

func insertPrediction(ctx context.Context, tx *sql.Tx, p Prediction) error {
	recovery, err := json.Marshal(p.Recovery)
	if err != nil {
		return err
	}
	settings, err := json.Marshal(p.Settings)
	if err != nil {
		return err
	}
	r := p.Recovery
	_, err = tx.ExecContext(ctx, `INSERT INTO predictions (id, schema_version, model_version, seed, input_hash,
			cluster, namespace, name, incarnation, at, server_at, failure, kind, outcome,
			age_seconds, p05_seconds, median_seconds, p95_seconds, recovery, settings)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.ID, schema, p.ModelVersion, strconv.FormatUint(p.Seed, 10), p.InputHash,
		p.Identity.Cluster, p.Identity.Namespace, p.Identity.Name, p.Incarnation,
		text(p.At), orNull(p.ServerAt), string(r.Failure), string(p.Kind), string(r.Outcome),
		r.AgeSeconds, r.P05Seconds, r.MedianSeconds, r.P95Seconds, string(recovery), string(settings))
	return err
}

const selectPredictions = `SELECT id, model_version, seed, input_hash, cluster, namespace, name, incarnation,
	at, coalesce(server_at, ''), kind, recovery, settings FROM predictions`

// Predictions returns what was predicted, newest first.
func (j *Journal) Predictions(ctx context.Context, q Query) ([]Prediction, error) {
	clause, args := q.clause("predictions", "at")
	return list(ctx, j, "read predictions", selectPredictions+clause, args, scanPrediction)
}

// Prediction returns one prediction, or ErrNotFound.
func (j *Journal) Prediction(ctx context.Context, id string) (Prediction, error) {
	return one(ctx, j, "read prediction "+id, selectPredictions+" WHERE id = ?", id, scanPrediction)
}

func scanPrediction(scan func(...any) error) (p Prediction, err error) {
	var at, serverAt, seed, recovery, settings string
	err = scan(&p.ID, &p.ModelVersion, &seed, &p.InputHash,
		&p.Identity.Cluster, &p.Identity.Namespace, &p.Identity.Name, &p.Incarnation,
		&at, &serverAt, &p.Kind, &recovery, &settings)
	if err != nil {
		return p, err
	}
	if p.At, err = parse(at); err != nil {
		return p, err
	}
	if p.ServerAt, err = parse(serverAt); err != nil {
		return p, err
	}
	if p.Seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
		return p, err
	}
	// A planned restart has no kind of failure, which the name of one may not be.
	doc := struct {
		*job.Recovery
		Failure string `json:"failure"`
	}{Recovery: &p.Recovery}
	if err = json.Unmarshal([]byte(recovery), &doc); err != nil {
		return p, err
	}
	p.Recovery.Failure = job.Failure(doc.Failure)
	return p, json.Unmarshal([]byte(settings), &p.Settings)
}
