package main

import (
	"encoding/json"
	"io"
	"syscall"
	"time"
)

// line is one result, with the names of the rivals' scripts. Percentages are sMAPE and
// WAPE, shares are of 1, times are seconds or, where the name says so, milliseconds.
type line struct {
	Protocol string `json:"protocol"`
	Rival    string `json:"rival"`
	Model    string `json:"model"`

	// Of one series, forecast from rolling origins.
	Series string  `json:"series,omitempty"`
	Grain  string  `json:"grain,omitempty"`
	N      int     `json:"n,omitempty"`
	Test   int     `json:"test,omitempty"`
	H      int     `json:"h,omitempty"`
	SMAPE  float64 `json:"smape"`
	WAPE   float64 `json:"wape,omitempty"`
	// Cover90 is absent for a method without intervals.
	Cover90             *float64 `json:"cover90,omitempty"`
	Failed              int      `json:"failed"`
	FitSeconds          float64  `json:"fit_s"`
	FitCPUSeconds       float64  `json:"fit_cpu_s"`
	UpdateForecastMs    float64  `json:"update_forecast_ms"`
	UpdateForecastCPUMs float64  `json:"update_forecast_cpu_ms"`
}

// total is the result of a method on a collection.
type total struct {
	Protocol string  `json:"protocol"`
	Rival    string  `json:"rival"`
	Model    string  `json:"model"`
	Series   int     `json:"series"`
	SMAPE    float64 `json:"smape"`
	MASE     float64 `json:"mase"`
	OWA      float64 `json:"owa"`
	// MSIS95 and Cover95 are absent for a method without intervals.
	MSIS95              *float64 `json:"msis95,omitempty"`
	Cover95             *float64 `json:"cover95,omitempty"`
	WallSeconds         float64  `json:"wall_s"`
	CPUSeconds          float64  `json:"cpu_s"`
	CPUSecondsPerSeries float64  `json:"cpu_s_per_series"`
	// NaNSeries could not be scored: a constant history has no scale.
	NaNSeries int `json:"nan_series"`
}

func printLines[T any](w io.Writer, all []T) error {
	enc := json.NewEncoder(w)
	for _, l := range all {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// stopwatch measures wall time and this process' CPU time.
type stopwatch struct {
	wall time.Time
	cpu  float64
}

func start() stopwatch { return stopwatch{time.Now(), cpuSeconds()} }

func (s stopwatch) seconds() (wall, cpu float64) {
	return time.Since(s.wall).Seconds(), cpuSeconds() - s.cpu
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
