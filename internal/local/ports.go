package local

import (
	"fmt"
	"hash/fnv"
	"net"
	"strconv"
)

// Ports are taken from below the range that Linux gives to outgoing connections
// (32768 and up), so that a process which is restarted finds its own port free.
const firstPort, lastPort = 20000, 32000

// ports are the loopback ports of a cluster; a TaskManager has only that of its
// reporter, since Flink finds the others itself.
type ports struct {
	Kafka        int   `json:"kafka"`
	Controller   int   `json:"controller"`
	ZooKeeper    int   `json:"zookeeper,omitempty"`
	RPC          int   `json:"rpc"`
	REST         int   `json:"rest"`
	JobManager   int   `json:"jobmanager_metrics"`
	TaskManagers []int `json:"taskmanager_metrics"`
}

// held are free ports that are listened on until somebody else needs them. They
// cannot be handed over: between free and the new owner's bind another program
// may take one, which then shows as a process that does not start.
type held struct {
	listeners map[int]net.Listener
	next      int
}

// hold begins its search at a place that depends on the name, so that clusters
// which start at the same time seldom meet.
func hold(name string) *held {
	h := fnv.New32a()
	h.Write([]byte(name))
	return &held{map[int]net.Listener{}, firstPort + int(h.Sum32()%(lastPort-firstPort))}
}

// take finds a free port and holds it.
func (h *held) take() (int, error) {
	for range lastPort - firstPort {
		port := h.next
		if h.next++; h.next >= lastPort {
			h.next = firstPort
		}
		if !free(port) {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			h.listeners[port] = l
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port on 127.0.0.1 between %d and %d", firstPort, lastPort)
}

// free looks on all addresses: Flink's Prometheus reporters listen on them.
func free(port int) bool {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// free gives ports to whoever is about to listen on them.
func (h *held) free(ports ...int) {
	for _, p := range ports {
		if l, ok := h.listeners[p]; ok {
			_ = l.Close()
			delete(h.listeners, p)
		}
	}
}

// freeAll gives up what is still held.
func (h *held) freeAll() {
	for p := range h.listeners {
		h.free(p)
	}
}

// takePorts finds and holds the ports for a cluster of n TaskManagers.
func (h *held) takePorts(n int) (ports, error) {
	var p ports
	for _, to := range []*int{&p.Kafka, &p.Controller, &p.ZooKeeper, &p.RPC, &p.REST, &p.JobManager} {
		var err error
		if *to, err = h.take(); err != nil {
			return ports{}, err
		}
	}
	for range n {
		port, err := h.take()
		if err != nil {
			return ports{}, err
		}
		p.TaskManagers = append(p.TaskManagers, port)
	}
	return p, nil
}
