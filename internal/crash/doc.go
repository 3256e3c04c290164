// Package crash holds a test that kills rebound run again and again while the job
// that it looks after, a simulation in a process of its own, goes on: see
// crash_test.go. It is behind a build tag, since it takes minutes.
package crash
