package job

import "testing"

func vertex(id string, inputs []string, subtasks ...Subtask) Vertex {
	return Vertex{ID: id, Name: id, Inputs: inputs, Subtasks: subtasks}
}

func TestTopology(t *testing.T) {
	one := Observation{Vertices: []Vertex{
		vertex("a", nil, Subtask{TaskManager: "tm1"}, Subtask{}),
		vertex("b", []string{"a"}, Subtask{TaskManager: "tm1"}),
	}}
	if got := one.Topology(); got != OneTaskManager {
		t.Errorf("all in tm1, one not deployed yet: %s", got)
	}
	two := Observation{Vertices: []Vertex{vertex("a", nil, Subtask{TaskManager: "tm1"}, Subtask{TaskManager: "tm2"})}}
	if got := two.Topology(); got != Spread {
		t.Errorf("in tm1 and tm2: %s", got)
	}
}

// A source that does not tell makes the job's rate unknown, not smaller.
func TestInputRate(t *testing.T) {
	o := Observation{Vertices: []Vertex{
		vertex("a", nil, Subtask{RecordsInPerSecond: new(100.0)}, Subtask{RecordsInPerSecond: new(50.0)}),
		vertex("b", []string{"a"}, Subtask{RecordsInPerSecond: new(7.0)}),
	}}
	if got := o.InputRate(); got == nil || *got != 150 {
		t.Errorf("got %v, want 150", got)
	}
	o.Vertices[0].Subtasks[1].RecordsInPerSecond = nil
	if got := o.InputRate(); got != nil {
		t.Errorf("got %v, want unknown", *got)
	}
	if got := (Observation{}).InputRate(); got != nil {
		t.Errorf("without a source: got %v, want unknown", *got)
	}
}

func TestSettled(t *testing.T) {
	o := Observation{Vertices: []Vertex{vertex("a", nil, Subtask{State: "RUNNING"}, Subtask{Index: 1, State: "DEPLOYING"})}}
	if w, ok := o.Settled(); ok || w.Subtask != 1 {
		t.Errorf("got %v, %v; want subtask 1", w, ok)
	}
	o.Vertices[0].Subtasks[1].State = "RUNNING"
	if _, ok := o.Settled(); !ok {
		t.Error("all are RUNNING")
	}
}
