package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/store"
)

type explainCmd struct {
	output  `embed:""`
	journal `embed:""`
	ID      string `arg:"" help:"The decision, from rebound history."`
}

func (explainCmd) Help() string {
	return `Tells one decision in sentences, with the numbers that it rests on: what was seen
and forecast, what was proposed and what was passed over, what each guard said,
what was done, how it ended, and whether what was predicted came true.

  rebound explain 01hq3v8k2b7d5ma`
}

func (c *explainCmd) Run(e *env) (err error) {
	j, err := c.look(e.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	d, err := oneDecision(e.ctx, j, c.ID)
	if err != nil {
		return err
	}
	predicted, err := predictions(e.ctx, j, d)
	if err != nil {
		return err
	}
	doc := api.Decision{Header: api.NewHeader("Decision"), Decision: d, Predictions: predicted}
	return c.output.write(e.stdout, view{
		doc:   doc,
		table: func(w io.Writer) error { explain(w, doc); return nil },
		rows:  func() [][]string { return historyRows([]job.Decision{d}) },
	})
}

// predictions are those that a decision rests on, with their scores. One that has
// been pruned is left out.
func predictions(ctx context.Context, j *store.Journal, d job.Decision) ([]api.Predicted, error) {
	out := []api.Predicted{}
	scores, err := j.Scores(ctx, d.Job, 0)
	if err != nil {
		return nil, err
	}
	for _, id := range d.PredictionIDs {
		p, err := j.Prediction(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		one := api.Predicted{ID: id, Recovery: p.Recovery}
		for i := range scores {
			if scores[i].PredictionID == id {
				one.Scored = &scores[i]
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// explain tells a decision from what was seen to how it ended.
func explain(w io.Writer, doc api.Decision) {
	d := doc.Decision
	fmt.Fprintf(w, "Decision %s about %s: %s\n", d.ID, d.Job, kindWords(d))
	fmt.Fprintf(w, "made %s, mode %s; it is %s\n", d.At.UTC().Format(time.RFC3339), d.Mode, strings.ReplaceAll(string(d.State), "_", " "))
	part(w, "What was seen", seenWords(d.Seen)...)
	part(w, "What was expected", expectedWords(d)...)
	part(w, "What was proposed", proposedWords(d)...)
	if len(d.Proposed.Binding) > 0 {
		planBinding(w, d.Proposed.Binding)
	}
	planAlternatives(w, d.Proposed.Alternatives)
	part(w, "What the guards said", guardWords(d.Guards)...)
	part(w, "What was done", doneWords(d)...)
	part(w, "How it ended", endWords(doc)...)
}

// part is a heading with sentences; without any it is left out.
func part(w io.Writer, title string, sentences ...string) {
	if len(sentences) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, s := range sentences {
		wrap(w, s, "  ")
	}
}
