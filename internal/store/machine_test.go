package store

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rebound/internal/job"

	"pgregory.net/rapid"
)

// kept is the dumb twin: what the journal should hold, oldest first.
type kept struct {
	id       string
	identity job.Identity
	failure  job.Failure
	at       time.Time
	state    DrillState
}

// The journal answers like plain slices, whatever is done in whatever order,
// and after it was opened anew. A file costs more than memory and is taken once
// in ten times.
func TestJournalIsASlice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { machine(t, rt, rapid.IntRange(0, 9).Draw(rt, "where") == 0) })
}

func machine(t *testing.T, rt *rapid.T, file bool) {
	path := Memory
	if file {
		path = filepath.Join(t.TempDir(), "journal.db")
	}
	clock := noon
	open := func() *Journal {
		j, err := Open(t.Context(), path)
		if err != nil {
			rt.Fatal(err)
		}
		j.Now = func() time.Time { return clock }
		return j
	}
	j := open()
	defer func() { j.Close() }()
	var predictions, measurements, drills []kept
	identity := rapid.Custom(func(rt *rapid.T) job.Identity {
		return job.Identity{Cluster: "c", Namespace: rapid.SampledFrom([]string{"", "a"}).Draw(rt, "namespace"), Name: rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "name")}
	})
	failure := rapid.SampledFrom(job.Failures())
	check := func(err error) {
		if err != nil {
			rt.Fatal(err)
		}
	}
	rt.Repeat(map[string]func(*rapid.T){
		"": func(rt *rapid.T) {
			clock = clock.Add(time.Second)
			q := Query{Limit: rapid.IntRange(0, 3).Draw(rt, "limit")}
			if rapid.Bool().Draw(rt, "by job") {
				q.Identity = new(identity.Draw(rt, "identity"))
			}
			if rapid.Bool().Draw(rt, "by failure") {
				q.Failure = failure.Draw(rt, "failure")
			}
			switch rapid.IntRange(0, 2).Draw(rt, "look at") {
			case 0:
				p, err := j.Predictions(t.Context(), q)
				check(err)
				same(rt, "predictions", chosen(predictions, q), ids(p, func(p Prediction) string { return p.ID }))
			case 1:
				m, err := j.Measurements(t.Context(), q)
				check(err)
				same(rt, "measurements", chosen(measurements, q), ids(m, func(m Measured) string { return m.ID }))
			default:
				d, err := j.OpenDrills(t.Context())
				check(err)
				same(rt, "open drills", chosen(opens(drills), Query{}), ids(d, func(d Drill) string { return d.ID }))
			}
		},
		"predict": func(rt *rapid.T) {
			p := prediction()
			p.Identity, p.Recovery.Failure = identity.Draw(rt, "identity"), failure.Draw(rt, "failure")
			id, err := j.AddPrediction(t.Context(), p)
			check(err)
			predictions = append(predictions, kept{id: id, identity: p.Identity, failure: p.Recovery.Failure, at: clock})
		},
		"measure": func(rt *rapid.T) {
			m, of := measurement(), identity.Draw(rt, "identity")
			m.At, m.Failure = clock, failure.Draw(rt, "failure")
			id, err := j.AddMeasurement(t.Context(), of, m)
			check(err)
			measurements = append(measurements, kept{id: id, identity: of, failure: m.Failure, at: clock})
		},
		"begin": func(rt *rapid.T) {
			d := Drill{Identity: identity.Draw(rt, "identity"), Failure: failure.Draw(rt, "failure")}
			id, err := j.BeginDrill(t.Context(), d)
			if busy := slices.ContainsFunc(opens(drills), func(k kept) bool { return k.identity == d.Identity }); busy != errors.Is(err, ErrDrillOpen) {
				rt.Fatalf("open drill %v, got %v", busy, err)
			}
			if err == nil {
				drills = append(drills, kept{id: id, identity: d.Identity, failure: d.Failure, at: clock, state: DrillOpen})
			}
		},
		"end": func(rt *rapid.T) {
			if len(drills) == 0 {
				rt.Skip("no drill")
			}
			d := &drills[rapid.IntRange(0, len(drills)-1).Draw(rt, "drill")]
			end, state := func() error { return j.AbortDrill(t.Context(), d.id, "why") }, DrillAborted
			if rapid.Bool().Draw(rt, "close") {
				end, state = func() error { return j.CloseDrill(t.Context(), d.id, "", nil) }, DrillClosed
			}
			err := end()
			if (d.state == DrillOpen) != (err == nil) {
				rt.Fatalf("ending a drill that is %s: %v", d.state, err)
			}
			if err == nil {
				d.state = state
			}
		},
		"prune": func(rt *rapid.T) {
			age := time.Duration(rapid.IntRange(1, 30).Draw(rt, "age")) * time.Second
			_, err := j.Prune(t.Context(), Keep{Age: age})
			check(err)
			old := func(k kept) bool { return k.at.Before(clock.Add(-age)) && k.state != DrillOpen }
			predictions, measurements, drills = slices.DeleteFunc(predictions, old), slices.DeleteFunc(measurements, old), slices.DeleteFunc(drills, old)
		},
		"reopen": func(rt *rapid.T) {
			if !file {
				rt.Skip("memory is gone when closed")
			}
			j.Close()
			j = open()
		},
	})
}

// chosen are the IDs of what a query should find, newest first.
func chosen(all []kept, q Query) []string {
	found := []string{}
	for _, k := range slices.Backward(all) {
		if (q.Identity == nil || *q.Identity == k.identity) && (q.Failure == "" || q.Failure == k.failure) && (q.Limit == 0 || len(found) < q.Limit) {
			found = append(found, k.id)
		}
	}
	return found
}

func opens(drills []kept) []kept {
	return slices.DeleteFunc(slices.Clone(drills), func(k kept) bool { return k.state != DrillOpen })
}

func ids[T any](all []T, f func(T) string) []string {
	names := []string{}
	for _, v := range all {
		names = append(names, f(v))
	}
	return names
}

func same(rt *rapid.T, what string, want, got []string) {
	if !slices.Equal(want, got) {
		rt.Fatalf("%s: got %v, want %v", what, got, want)
	}
}
