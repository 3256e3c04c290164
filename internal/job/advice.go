package job

// Advice is one change that would help, in Flink's own key and text.
type Advice struct {
	Setting string `json:"setting"`
	Now     string `json:"now,omitempty"` // absent: unknown, or Flink's default
	Want    string `json:"want"`
	// Recovery is the predicted (1 − risk) recovery with the change alone, by kind of failure.
	Recovery map[Failure]float64 `json:"recovery,omitempty"`
	Why      string              `json:"why"`
}

// Severity orders hazards.
type Severity string

// How bad a hazard is: High loses data or never recovers, Medium makes recovery
// slow or restarts the job, Low is worth knowing.
const (
	High   Severity = "high"
	Medium Severity = "medium"
	Low    Severity = "low"
)

// Hazard is a setting or a sight that makes recovery slow, endless or lossy.
type Hazard struct {
	ID       string   `json:"id"` // stable, kebab-case
	Severity Severity `json:"severity"`
	Why      string   `json:"why"`
	Fix      string   `json:"fix"`
}

// Verdict is the answer to "does this job recover within the target".
type Verdict string

// Verdicts, from best to worst.
const (
	Met        Verdict = "met"
	Missed     Verdict = "missed"
	Infeasible Verdict = "infeasible" // no interval ≥ 1 s meets it at present capacity
	Unknown    Verdict = "unknown"
)
