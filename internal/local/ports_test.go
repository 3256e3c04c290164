package local

import (
	"net"
	"strconv"
	"testing"
)

func TestPortsAreHeld(t *testing.T) {
	a, b := hold("same"), hold("same") // both begin at the same place
	defer a.freeAll()
	defer b.freeAll()
	p, err := a.takePorts(3)
	if err != nil {
		t.Fatal(err)
	}
	q, err := b.takePorts(3)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, x := range []ports{p, q} {
		for _, port := range append([]int{x.Kafka, x.Controller, x.ZooKeeper, x.RPC, x.REST, x.JobManager}, x.TaskManagers...) {
			if seen[port] || port < firstPort || port >= lastPort {
				t.Errorf("port %d is given twice or out of range", port)
			}
			seen[port] = true
		}
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.REST))
	if l, err := net.Listen("tcp", address); err == nil {
		l.Close()
		t.Errorf("%s is free while it is held", address)
	}
	a.free(p.REST)
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("after it was freed: %v", err)
	}
	l.Close()
}
