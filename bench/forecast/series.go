package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// series is one measured series of a fixed step.
type series struct {
	Name, Grain string
	Values      []float64 // NaN where a cell is empty
}

// grain is the step of a series and how far ahead it is forecast.
type grain struct {
	seconds float64
	horizon int
}

// grains are those of the load series' authors.
func grains() map[string]grain {
	return map[string]grain{"5min": {300, 1}, "15min": {900, 4}, "30min": {1800, 4}, "1h": {3600, 12}}
}

// readSeries reads a CSV file with a header. The grain is in the name, NAME_GRAIN.csv,
// unless it is given.
func readSeries(path, given string, column int) (series, error) {
	s := series{Name: strings.TrimSuffix(filepath.Base(path), ".csv"), Grain: given}
	if given == "" {
		cut := strings.LastIndex(s.Name, "_")
		if cut < 0 {
			return s, fmt.Errorf("%s: the name does not end in _GRAIN.csv; give -grain", path)
		}
		s.Name, s.Grain = s.Name[:cut], s.Name[cut+1:]
	}
	if _, ok := grains()[s.Grain]; !ok {
		return s, fmt.Errorf("%s: the grain is %q, want 5min, 15min, 30min or 1h; give -grain", path, s.Grain)
	}
	rows, err := readRows(path)
	if err != nil {
		return s, err
	}
	for i, row := range rows {
		if column >= len(row) {
			return s, fmt.Errorf("%s: row %d has %d columns, want column %d", path, i+2, len(row), column)
		}
		v, err := number(row[column])
		if err != nil {
			return s, fmt.Errorf("%s: row %d: %w", path, i+2, err)
		}
		s.Values = append(s.Values, v)
	}
	return s, nil
}

// readCollection reads a file of the M4 competition: after the header each row is a
// name and the values of one series, of any length.
func readCollection(path string) (names []string, values map[string][]float64, err error) {
	rows, err := readRows(path)
	if err != nil {
		return nil, nil, err
	}
	values = make(map[string][]float64, len(rows))
	for _, row := range rows {
		var y []float64
		for _, cell := range row[1:] {
			if cell == "" {
				continue
			}
			v, err := number(cell)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: series %s: %w", path, row[0], err)
			}
			y = append(y, v)
		}
		if _, twice := values[row[0]]; twice {
			return nil, nil, fmt.Errorf("%s: series %s is there twice", path, row[0])
		}
		names, values[row[0]] = append(names, row[0]), y
	}
	return names, values, nil
}

func readRows(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: %w", path, errors.New("want a header and at least one row"))
	}
	return rows[1:], nil
}

func number(cell string) (float64, error) {
	if cell = strings.TrimSpace(cell); cell == "" {
		return math.NaN(), nil
	}
	return strconv.ParseFloat(cell, 64)
}
