package config

import (
	"slices"

	"rebound/internal/policy"
)

// scalar reads one value of a knob.
type scalar func(value) (float64, bool)

// knobs are the ranges in which each may be turned. One that is left out stays as
// the job has it.
func knobs(v value, k *policy.Knobs) {
	v.mapping(fields{
		"checkpointInterval": func(v value) { span(v, &k.CheckpointInterval, value.seconds) },
		"parallelism":        func(v value) { span(v, &k.Parallelism, value.whole) },
		"slots":              func(v value) { span(v, &k.Slots, value.whole) },
		"cpu":                func(v value) { span(v, &k.CPU, value.cores) },
		"memory":             func(v value) { span(v, &k.Memory, value.size) },
	})
}

// whole is a count, at least 1.
func (v value) whole() (float64, bool) {
	n, ok := v.count(1)
	return float64(n), ok
}

// span reads {min, max, step}, a list, or one value.
func span(v value, to *policy.Range, one scalar) {
	if v.isList() {
		list(v, to, one)
		return
	}
	if !v.isMapping() {
		x, ok := one(v)
		set(to, policy.Range{List: []float64{x}}, ok)
		return
	}
	r, step := policy.Range{}, true
	seen := v.mapping(fields{
		"min":  func(v value) { x, ok := one(v); set(&r.Min, x, ok) },
		"max":  func(v value) { x, ok := one(v); set(&r.Max, x, ok) },
		"step": func(v value) { r.Step, step = one(v) },
	})
	v.require(seen, "min", "the least value")
	v.require(seen, "max", "the greatest value")
	if r.Min > 0 && r.Max > 0 && r.Min > r.Max {
		v.wrong("min %v is above max %v", r.Min, r.Max)
		return
	}
	if step && r.Step > 0 && r.Max > r.Min && r.Step > r.Max-r.Min {
		v.wrong("step %v is longer than from min to max: leave it out, or list the values", r.Step)
		return
	}
	*to = r
}

// list is a choice of values, ascending in the policy whatever the file has.
func list(v value, to *policy.Range, one scalar) {
	var out []float64
	for _, i := range v.items() {
		x, ok := one(i)
		switch {
		case !ok:
		case slices.Contains(out, x):
			i.wrong("%s is listed twice", i.shown())
		default:
			out = append(out, x)
		}
	}
	if len(v.items()) == 0 {
		v.wrong("an empty list: leave the knob out to keep it as it is")
	}
	slices.Sort(out)
	*to = policy.Range{List: out}
}
