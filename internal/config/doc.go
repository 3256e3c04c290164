// Package config reads the files that users write: policies (kind RecoveryPolicy)
// and facts of a job (kind Facts). Both are YAML with apiVersion and kind.
//
// Reading is strict. An unknown field is an error, with the nearest known one; a
// value out of range is an error, with what would do; and all that is wrong in a
// file is said at once, a line each, as FILE:LINE:COLUMN: field: what is wrong.
// Lengths of time are written as Go or Flink write them (90s, 1h30m, 10 min),
// memory as Kubernetes or Flink do (4Gi, 4g; see job.ParseSize).
//
// docs/policy.md and docs/facts.md list the fields.
package config
