package forecast

// member is one small model. It works on the numbers of its scale, never sees NaN
// and is fed every step once. Its predictions use nothing later than what it was
// fed.
type member interface {
	// observe learns y, the value of the next step. The member's past does not hold
	// y yet; it will before predict is called.
	observe(y float64)
	// predict fills path with the values of the next len(path) steps.
	predict(path []float64)
	// code keeps the state; what spec.empty gives is filled by it.
	code(c *codec)
}
