package job

// Source says where a quantity comes from.
type Source string

// From the best evidence to the worst.
const (
	Measured   Source = "measured"   // seen, on this job or on one like it
	Configured Source = "configured" // follows from a setting
	Assumed    Source = "assumed"    // a default with a reason, nothing better being known
)

// Units of quantities, as they are printed and stored.
const (
	Seconds       = "seconds"
	PerSecond     = "records_per_second"
	Bytes         = "bytes"
	Ratio         = "ratio"
	Cores         = "cores"
	Count         = "count"
	SecondsPerSec = "seconds_per_second"
)

// Quantity is one thing known, and how well.
type Quantity struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Spread float64 `json:"spread"` // half of (95 % − 5 %), in Unit
	Source Source  `json:"source"`
	// Samples is how many observations stand behind a measured value; 0 for
	// what is configured or assumed.
	Samples    int      `json:"samples"`
	AgeSeconds *float64 `json:"age_seconds,omitempty"` // since the newest sample
	Note       string   `json:"note,omitempty"`        // one sentence where the source needs it
}

// Lack is something that could not be seen: what, why, and how to see it.
type Lack struct {
	Quantity string `json:"quantity"`
	Why      string `json:"why"`
	How      string `json:"how"`
}
