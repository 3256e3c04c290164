// Package e2e tests the whole program as a user has it: the binary, against a
// real Flink and a real Kafka that it starts on this machine itself. The tests
// have the build tag e2e and are run by make e2e; all they start is stopped
// again, also when they fail or are interrupted.
package e2e
