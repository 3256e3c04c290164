// Package gp implements Gaussian process regression for small data sets (up to
// some hundred observations) of which many candidates are asked.
//
// The model is y = m(x) + c + f(x) + ε. The prior mean m is the caller's, for
// instance a formula of physics; c is the mean of what it leaves; f is a
// Gaussian process with a Matérn kernel of smoothness 5/2 and a length scale for
// each input; ε is noise of a known variance for each observation, or of one
// variance that is learned. An observation may be censored: then only a lower
// bound of it is known.
//
// Names follow C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for
// Machine Learning, MIT Press 2006 (http://gaussianprocess.org/gpml), written
// [RW] below: X the inputs, y the targets, K the kernel matrix, L its Cholesky
// factor, ℓ a length scale.
//
// Inputs should be mapped into the unit cube by the caller, and those that are
// rounded before they are used (integers) be rounded before they are passed:
// the priors of the length scales are made for the unit cube. Outputs may have
// any scale: they are standardized inside, and results are in the units of Y.
//
// What a session of search does with it:
//
//	g, err := gp.Fit(gp.Data{X: x, Y: y}, gp.Options{})  // O(n³) each evaluation
//	grid := g.Grid(candidates)                           // O(n²m)
//	grid.Append(x, y, noise)                             // O(nm)
//	draws := g.Draw(rng, candidates, 16)                 // noisy: fronts from draws
//	draws.Append(rng, x)                                 // a pending point
//
// Few observations: the most probable hyper-parameters make predictions too
// certain, by a factor of 3 in the standard deviation at ten observations of four
// inputs. That does little harm where a search only ranks candidates by what they
// may gain. Where a probability is to be believed, such as that a target is
// missed, mix [GP.Alternatives].
//
// Guarantees: the same inputs give the same bits, whatever GOMAXPROCS. Slices
// that are passed in are copied, never kept. NaN and Inf are refused by Fit with
// an error that names the field. Points may repeat, outputs may be constant.
// Prior variance never grows by data.
package gp
