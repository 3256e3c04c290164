package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// line is a result, in the fields of the rivals' scripts.
type line struct {
	Bench       string  `json:"bench,omitempty"`
	Problem     string  `json:"problem,omitempty"`
	Rate        float64 `json:"rate,omitempty"`
	Rival       string  `json:"rival"`
	Seed        uint64  `json:"seed"`
	Evaluations int     `json:"evaluations,omitempty"`

	Hypervolume float64   `json:"hv,omitempty"`
	Quarters    []float64 `json:"hv_quarters,omitempty"`
	Percent     float64   `json:"hv_percent_of_best,omitempty"`
	CPUPerBatch float64   `json:"cpu_s_per_batch,omitempty"`
	Wall        float64   `json:"wall_s_per_batch,omitempty"`

	Trials      int                 `json:"trials,omitempty"`
	Hit         *int                `json:"hit,omitempty"`
	BadToHit    *int                `json:"bad_to_hit,omitempty"`
	BadLate     *float64            `json:"bad_late,omitempty"`
	Recommended float64             `json:"rec_ratio,omitempty"`
	Misses      *int                `json:"rec_bad,omitempty"`
	Reached     map[string]*float64 `json:"best_ratio,omitempty"`
	CPUPerAsk   float64             `json:"cpu_s_per_ask,omitempty"`
	First       *bool               `json:"first_feasible,omitempty"`
	Stopped     *int                `json:"stopped,omitempty"` // trials until it said that more is not worth it

	N       int     `json:"n,omitempty"`
	Step    string  `json:"step,omitempty"`
	Seconds float64 `json:"total_s,omitempty"`
	CPU     float64 `json:"cpu_s,omitempty"`
}

// same says whether two lines are of the same run.
func (l line) same(m line) bool {
	return l.Bench == m.Bench && l.Problem == m.Problem && l.Rate == m.Rate && l.Rival == m.Rival &&
		l.Seed == m.Seed && l.N == m.N && l.Step == m.Step
}

// store keeps lines in a file.
type store struct {
	file    *os.File // nil: none
	old     []line
	results []line // of this call
}

func open(name string) (*store, error) {
	s := &store{}
	if name == "" {
		return s, nil
	}
	old, err := read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s.old = old
	s.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return s, err
}

// read reads all lines of a file.
func read(name string) ([]line, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []line
	for r := bufio.NewScanner(f); ; {
		if !r.Scan() {
			return out, r.Err()
		}
		var l line
		if err := json.Unmarshal(r.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", name, len(out)+1, err)
		}
		out = append(out, l)
	}
}

// once runs work that is not in the store.
func (s *store) once(l line, run func(line) (line, error)) error {
	for _, old := range s.old {
		if l.same(old) {
			s.results = append(s.results, old)
			return nil
		}
	}
	done, err := run(l)
	if err != nil {
		return err
	}
	s.results = append(s.results, done)
	if s.file == nil {
		return nil
	}
	return json.NewEncoder(s.file).Encode(done)
}

func (s *store) print(w io.Writer) error {
	e := json.NewEncoder(w)
	for _, l := range s.results {
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) close() {
	if s.file != nil {
		s.file.Close()
	}
}
