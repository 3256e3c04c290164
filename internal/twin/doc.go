// Package twin is a simulated Flink job on a virtual clock: a world like any
// other, in which policies can be tried on any load in seconds.
//
// The job is one fluid: records arrive in a log, are read at the rate that the
// settings give, and become visible at checkpoints. Records are counted in whole
// numbers, so that what came in is what was processed, what waits and what
// retention took away, to the record. Failures, changes, checkpoints and the
// warm-up after a restore fall at exact times; processing goes in steps of the
// scenario's length, 1 s by default, with the moments inside a step taken into
// account. A scenario states the laws; the same scenario and seed give the same
// bytes.
//
// Chance is drawn from one generator for each purpose, and the draws of the load,
// of the capacity's noise and of the failures are bound to time or to their
// number: what a policy does never changes them.
//
// Two views are kept apart. Observe shows what a cluster would show, with the same
// gaps, delays and lies, and is all that a policy may see. Truth is for reports.
//
// A Twin is used by one goroutine at a time.
package twin
