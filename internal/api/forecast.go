package api

import (
	"encoding/json"
	"math"
	"time"
)

// Moment is a time as the input has it: RFC 3339 where that has dates, else seconds
// on an axis of its own.
type Moment struct {
	Seconds float64 // since 1970 where it is dated
	Dated   bool
}

// MarshalJSON writes to the millisecond.
func (m Moment) MarshalJSON() ([]byte, error) {
	ms := math.Round(m.Seconds * 1000)
	if m.Dated {
		return json.Marshal(time.UnixMilli(int64(ms)).UTC().Format(time.RFC3339Nano))
	}
	return json.Marshal(ms / 1000)
}

// Series says what was read. Its unit is the file's.
type Series struct {
	Column string `json:"column"` // header of the values
	Values int    `json:"values"` // steps with a value
	Gaps   int    `json:"gaps"`   // steps without one
	// StepSeconds is absent where the file has no time: then a row is a step.
	StepSeconds *float64 `json:"step_seconds,omitempty"`
}

// Forecast is what `rebound forecast` says of the steps that come next.
type Forecast struct {
	Header
	Series Series          `json:"series"`
	Points []ForecastPoint `json:"points"` // the next step first
	// Peak is the greatest value of all points, by the quantile.
	Peak map[string]float64 `json:"peak"`
	// Members took part, heaviest first.
	Members []string `json:"members"`
	// Season lists the seasons in use: seconds, or steps where the file has no
	// time.
	Season []float64 `json:"season"`
	// Widened is how many times wider than usual the intervals are because
	// forecasts were wrong lately; 1 in calm.
	Widened float64 `json:"widened"`
}

// ForecastPoint is one step. Quantiles are by their level as it was asked for:
// "0.05".
type ForecastPoint struct {
	Step      int                `json:"step"`           // 1 is the next
	Time      *Moment            `json:"time,omitempty"` // absent where the file has none
	Mean      float64            `json:"mean"`
	Quantiles map[string]float64 `json:"quantiles"`
}

// Backtest is how well forecasts of the last part of a series were that knew
// nothing but what was before each of them.
type Backtest struct {
	Header
	Series  Series `json:"series"`
	Horizon int    `json:"horizon"` // steps
	Trained int    `json:"trained"` // steps before the first forecast
	Origins int    `json:"origins"` // forecasts made, one each step
	// AverageOrigins: smape is of the mean of all forecasts made for a time, and not
	// over all of them.
	AverageOrigins bool `json:"average_origins"`
	BacktestScore
	// CoverageNominal is the share that the intervals promise to hold; Coverage is
	// the one that they held, Width their mean width as a share of the mean value.
	CoverageNominal float64   `json:"coverage_nominal"`
	Coverage        *float64  `json:"coverage,omitempty"`
	Width           *float64  `json:"width,omitempty"`
	FitSeconds      float64   `json:"fit_seconds"`    // of the first part, once
	UpdateSeconds   float64   `json:"update_seconds"` // of one value and a forecast after it
	Season          []float64 `json:"season"`         // as of a Forecast, at the first origin
	Rivals          []Rival   `json:"rivals"`
}

// BacktestScore is the error of one method.
type BacktestScore struct {
	SMAPE float64 `json:"smape"` // percent, 0 to 200
	// MASE is the mean absolute error in units of what the seasonal naive forecast
	// erred by in the first part; absent where that is nothing.
	MASE      *float64  `json:"mase,omitempty"`
	ByHorizon []float64 `json:"by_horizon"` // sMAPE, the next step first
}

// Rival is a simple method, on the same work.
type Rival struct {
	Method string `json:"method"` // last_value, last_day, seasonal_naive, holt_winters
	BacktestScore
}
