// Package recovery computes how long a stream processing job needs to recover
// from a failure, and the inverses: the longest checkpoint interval and the
// least capacity with which it recovers in time.
//
// The names are those of the model, with times in seconds and rates in records
// a second throughout:
//
//	λ    Rate, input
//	μ    Capacity, sustained with checkpoints on
//	ρ    utilization, λ/μ
//	I    checkpoint interval; P least pause between two; D duration of one
//	I_e  effective interval, max(I, D + P)
//	A    Age of the restored offsets at the failure
//	T_d  Downtime, from the failure to the first record processed again
//	R    recovery, from the failure until the job is where it would have been
//
// When processing resumes, A + T_d seconds of input wait, and drain at μ − λ:
//
//	R = (T_d + ρA)/(1 − ρ), and for ever where ρ ≥ 1.
//
// A restarted process may begin slower than it ends, so μ may warm up; rate and
// capacity may vary; subtasks differ, and the job is done when the last of them
// is ([Slowest]). What is not known exactly is drawn ([Scenario]).
//
// A time is never infinite: it has an [Outcome]. Arguments are finite and, where
// nothing else is said, not negative; one that is NaN makes the outcome Never or
// ok false rather than a number.
package recovery
