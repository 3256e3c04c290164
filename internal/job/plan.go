package job

// Plan is what a planner proposes, with what it rejected and why.
type Plan struct {
	Job  Identity `json:"job"`
	Now  Knobs    `json:"now"`
	Want Knobs    `json:"want"` // equal to Now where nothing is worth changing
	// PaceSeconds is the period in which checkpoints are to be asked for, without
	// a restart; absent where the configured interval is to rule.
	PaceSeconds *float64 `json:"pace_seconds,omitempty"`
	Way         Way      `json:"way,omitempty"` // of the change; empty where no restart is proposed
	Feasible    bool     `json:"feasible"`      // whether Want satisfies every limit

	Predicted Predicted `json:"predicted"` // of Want
	Present   Predicted `json:"present"`   // of Now, kept as it is
	// Binding is what keeps it from being cheaper, or, where nothing is feasible,
	// what is violated, with what would be needed.
	Binding      []Binding     `json:"binding"`
	Alternatives []Alternative `json:"alternatives"` // the cheaper ones, the cheapest first, and what each would violate
	Front        []FrontPoint  `json:"front"`        // cost against latency among the feasible
	Reason       string        `json:"reason"`       // one or two sentences with the numbers
	Considered   int           `json:"considered"`   // settings looked at
	Forecast     LoadSummary   `json:"forecast"`     // that it rests on
	// Explore is the profile of other settings that would pay best; absent where
	// none would, or none can be had.
	Explore *Exploration `json:"explore,omitempty"`
}

// Predicted is what settings are expected to bring over the horizon.
type Predicted struct {
	CostPerHour float64    `json:"cost_per_hour"`
	Recovery    []Recovery `json:"recovery"` // at the worst time of the horizon, by kind of failure
	// Utilization, at its highest in the horizon: the upper bound.
	Utilization    *float64 `json:"utilization,omitempty"`
	LatencySeconds *float64 `json:"latency_seconds,omitempty"` // upper bound of the p95
	VisibleSeconds *float64 `json:"visible_seconds,omitempty"` // I_e + D, upper bound
	Capacity       *float64 `json:"capacity_per_second,omitempty"`
	// ChangeSeconds is the recovery from the change itself; ChangeCost what it is
	// worth: (downtime + catch-up) × present cost per hour × disruptionWeight.
	ChangeSeconds *float64 `json:"change_seconds,omitempty"`
	ChangeCost    *float64 `json:"change_cost,omitempty"`
}

// Binding is one limit that decides.
type Binding struct {
	Limit  string  `json:"limit"` // recovery_time, utilization, latency, visibility, cpu, memory, cost, change, transaction_timeout, range
	Value  float64 `json:"value"`
	Bound  float64 `json:"bound"`
	Unit   string  `json:"unit"`
	Detail string  `json:"detail,omitempty"` // in words, with what would be needed
}

// Alternative is a candidate that lost.
type Alternative struct {
	Knobs       Knobs     `json:"knobs"`
	CostPerHour float64   `json:"cost_per_hour"`
	Violates    []Binding `json:"violates"` // empty: it would do, but does not pay
	Why         string    `json:"why"`
}

// FrontPoint is a setting that none beats in both cost and latency.
type FrontPoint struct {
	Knobs          Knobs   `json:"knobs"`
	CostPerHour    float64 `json:"cost_per_hour"`
	LatencySeconds float64 `json:"latency_seconds"`
	SpreadSeconds  float64 `json:"spread_seconds"`
	// SustainedPerSecond is the greatest rate that these settings recover from within
	// the target at the risk taken, with the capacity as it is believed to be; P05 and
	// P95 with the 5 and 95 % quantiles of the capacity. Absent where nobody asked.
	SustainedPerSecond    *float64 `json:"sustained_per_second,omitempty"`
	SustainedP05PerSecond *float64 `json:"sustained_p05_per_second,omitempty"`
	SustainedP95PerSecond *float64 `json:"sustained_p95_per_second,omitempty"`
}

// LoadSummary is the forecast in a few numbers.
type LoadSummary struct {
	NowPerSecond   float64  `json:"now_per_second"`
	PeakPerSecond  float64  `json:"peak_per_second"`       // of the mean path in the horizon
	UpperPerSecond float64  `json:"peak_upper_per_second"` // of the (1 − risk) path
	HorizonSeconds float64  `json:"horizon_seconds"`
	Members        []string `json:"members"`
}
