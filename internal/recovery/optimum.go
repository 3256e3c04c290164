package recovery

import "math"

// The optimal time between checkpoints where failures are Poisson, m seconds
// apart in the mean, and a checkpoint costs c seconds of work, both more than 0.
// Bounds and first guesses, since a target for recovery asks for something else.

// Young is the first-order optimum √(2cm): J. W. Young, A first order
// approximation to the optimum checkpoint interval, CACM 17(9), 1974.
func Young(c, m float64) float64 { return math.Sqrt(2 * c * m) }

// Daly is the higher-order estimate of the work between two checkpoints, without
// the checkpoint: J. T. Daly, A higher order estimate of the optimum checkpoint
// interval for restart dumps, FGCS 22(3), 2006, eq. 37.
func Daly(c, m float64) float64 {
	if c >= 2*m {
		return m
	}
	x := c / (2 * m)
	return math.Sqrt(2*c*m)*(1+math.Sqrt(x)/3+x/9) - c
}

// Exact is the interval T, checkpoint included, that maximizes the share of time
// spent on work that is kept, U(T) = λ(T − c)/(e^(λT) − 1) with λ = 1/m:
//
//	T = (1 + x + W₀(−e^(−(1+x))))/λ, x = cλ.
//
// The argument of W₀ nears its branch point −1/e as x nears 0, where digits
// cancel, so that 1 + W₀ is solved for directly.
func Exact(c, m float64) float64 {
	x := c / m
	return m * (x + onePlusW(x))
}

// onePlusW is u = 1 + W₀(−e^(−(1+x))) for x ≥ 0, in [0, 1): the root of
// −u − ln(1 − u) = x. Both forms are convex, and Newton's method comes to the
// root from one side.
func onePlusW(x float64) float64 {
	if x > 0.4 { // v = 1 − u is small: v − ln v = 1 + x
		v := math.Exp(-1 - x)
		for range 50 {
			if v == 0 { // x is beyond 700
				break
			}
			step := (v - math.Log(v) - 1 - x) / (1 - 1/v)
			v -= step
			if math.Abs(step) <= 1e-15*v {
				break
			}
		}
		return 1 - v
	}
	u := math.Sqrt(2 * x)
	for range 50 {
		if u == 0 {
			break
		}
		step := (logExcess(u) - x) * (1 - u) / u
		u -= step
		if math.Abs(step) <= 1e-15*u {
			break
		}
	}
	return u
}

// logExcess is −u − ln(1 − u) = u²/2 + u³/3 + …, without cancellation for
// small u.
func logExcess(u float64) float64 {
	if u > 0.1 {
		return -u - math.Log1p(-u)
	}
	sum, power := 0.0, u
	for k := 2.0; k <= 20; k++ { // 0.1²⁰ is below the last digit
		power *= u
		sum += power / k
	}
	return sum
}

// IntervalForTarget is the interval with which a job that has to recover within
// target needs the least raw capacity, d being the duration of a checkpoint and
// beta the share of capacity lost while one runs: shorter ones cost capacity all
// the time, longer ones replay. With b = β·D lost for each checkpoint,
// μ(T) = μ₀(1 − b/T), it is b + √(b² + (R* + D)·b).
func IntervalForTarget(target, d, beta float64) float64 {
	b := beta * d
	return b + math.Sqrt(b*b+(target+d)*b)
}
