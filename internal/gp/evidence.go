package gp

import (
	"errors"
	"math"
	"slices"

	"rebound/internal/normal"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// ErrSingular says that the kernel matrix has no Cholesky factor, even with
// jitter: the hyper-parameters are beyond what float64 can tell apart.
var ErrSingular = errors.New("gp: kernel matrix is singular")

// The diagonal gets jitter times the signal variance: as much as is needed for
// the factor to exist where points lie close and noise is small.
const minJitter, maxJitter = 1e-8, 1e-4

// system computes the evidence of hyper-parameters over and over for the same
// data. Pairs of points are packed by rows of the strict lower triangle: pair
// (i, j < i) is number i(i-1)/2 + j.
type system struct {
	*standard
	squares [][]float64 // by input, squared differences of pairs
	s2      []float64   // 5r² of pairs
	cov     []float64   // k of pairs
	slope   []float64   // ∂k/∂log ℓ_j over the squared difference in length scales

	factor []float64 // n×n by rows, lower triangle L
	target []float64 // y, or what stands for a censored one
	noise2 []float64 // the variance of target
	alpha  []float64 // (K+N)⁻¹ target
	jitter float64
	sites  sites
	powers *normal.Powers
}

func newSystem(s *standard) *system {
	n, d := len(s.y), len(s.x[0])
	pairs := n * (n - 1) / 2
	sys := &system{
		standard: s, squares: make([][]float64, d),
		s2: make([]float64, pairs), cov: make([]float64, pairs), slope: make([]float64, pairs),
		factor: make([]float64, n*n), alpha: make([]float64, n), powers: normal.NewPowers(),
	}
	for k := range d {
		sq := make([]float64, 0, pairs)
		for i := range n {
			for j := range i {
				diff := s.x[i][k] - s.x[j][k]
				sq = append(sq, diff*diff)
			}
		}
		sys.squares[k] = sq
	}
	return sys
}

// kernel computes the covariances of all pairs and their slopes:
// ∂k/∂log ℓ_j = σ_f²·(5/3)(1+s)e⁻ˢ·(u_j-v_j)²/ℓ_j².
func (s *system) kernel(h Hyper) {
	clear(s.s2)
	for j, l := range h.Lengths {
		floats.AddScaled(s.s2, 5/(l*l), s.squares[j])
	}
	for p, s2 := range s.s2 {
		r := math.Sqrt(s2)
		e := h.Signal * s.powers.Exp(r)
		s.cov[p] = (1 + r + s2/3) * e
		s.slope[p] = 5. / 3 * (1 + r) * e
	}
}

// solve factorizes K+N under h and solves for alpha. Censored observations are
// first replaced by what stands for them.
func (s *system) solve(h Hyper) error {
	s.kernel(h)
	s.target, s.noise2 = s.y, s.variances(h)
	if len(s.censored) > 0 {
		if err := s.replaceCensored(h); err != nil {
			return err
		}
	}
	n := len(s.y)
	for s.jitter = minJitter; s.jitter < 2*maxJitter; s.jitter *= 10 {
		fillLower(s.factor, s.cov, n)
		for i := range n {
			s.factor[i*n+i] = h.Signal*(1+s.jitter) + s.noise2[i]
		}
		if factorize(s.factor, n) {
			copy(s.alpha, s.target)
			lapack64.Potrs(lowerTriangle(s.factor, n), blas64.General{Rows: n, Cols: 1, Stride: 1, Data: s.alpha})
			return nil
		}
	}
	return ErrSingular
}

// fillLower writes packed pairs below the diagonal.
func fillLower(dst, packed []float64, n int) {
	for i := range n {
		copy(dst[i*n:i*n+i], packed[i*(i-1)/2:])
	}
}

// factorize replaces the lower triangle of a by its Cholesky factor.
func factorize(a []float64, n int) bool {
	_, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: a, Uplo: blas.Lower})
	for i := 0; ok && i < n; i++ {
		ok = a[i*n+i] > 0 // NaN passes through the factorization
	}
	return ok
}

func lowerTriangle(a []float64, n int) blas64.Triangular {
	return blas64.Triangular{N: n, Stride: n, Data: a, Uplo: blas.Lower, Diag: blas.NonUnit}
}

// evidence is minus the log marginal likelihood of h, [RW] equation 2.30, and
// where grad is not nil its gradient by the logarithms of h, equation 5.9.
func (s *system) evidence(h Hyper, grad []float64) (float64, error) {
	if err := s.solve(h); err != nil {
		return 0, err
	}
	n := len(s.y)
	value := floats.Dot(s.target, s.alpha)/2 + float64(n)/2*math.Log(2*math.Pi) - s.sites.logNorm
	for i := range n {
		value += math.Log(s.factor[i*n+i])
	}
	if s.learnsNoise() && s.replicates > 0 {
		value += s.replicates/2*math.Log(2*math.Pi*h.Noise) + s.within/(2*h.Noise)
	}
	if grad != nil {
		return value, s.gradient(h, grad)
	}
	return value, nil
}

// gradient uses W = αα' - (K+N)⁻¹ and destroys the factor.
func (s *system) gradient(h Hyper, grad []float64) error {
	n, d := len(s.y), len(h.Lengths)
	inv, ok := lapack64.Potri(lowerTriangle(s.factor, n))
	if !ok {
		return ErrSingular
	}
	diagonal, noise := 0.0, 0.0
	for i := range n {
		w := s.alpha[i]*s.alpha[i] - inv.Data[i*n+i]
		diagonal += w
		if s.learnsNoise() && !slices.Contains(s.censored, i) {
			noise += w * h.Noise * s.share[i]
		}
	}
	signal := 0.0
	for i := range n {
		first, a := i*(i-1)/2, s.alpha[i]
		row := inv.Data[i*n : i*n+i]
		slope, cov := s.slope[first:first+i], s.cov[first:first+i]
		for j, v := range row {
			w := a*s.alpha[j] - v
			signal += w * cov[j]
			slope[j] *= w
		}
	}
	// Each pair stands for two entries of the symmetric matrix, which cancels
	// the half.
	for j, l := range h.Lengths {
		grad[j] = -floats.Dot(s.slope, s.squares[j]) / (l * l)
	}
	grad[d] = -signal - diagonal*h.Signal*(1+s.jitter)/2
	if s.learnsNoise() {
		grad[d+1] = -noise/2 + s.replicates/2 - s.within/(2*h.Noise) - s.sites.noiseSlope
	}
	return nil
}
