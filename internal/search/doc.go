// Package search proposes which settings to try next, so that few trials are
// needed: Bayesian optimization of one to three objectives, all minimized, under
// limits that are only learned by trying.
//
// Ask says what to try and why, Tell what came of it. Each output is a Gaussian
// process over the settings (package gp), or known, as a cost from a price list.
// What is asked has the greatest expected improvement of the hypervolume (package
// pareto), of cost where that alone is minimized, times the probability that
// limits are met:
//
//	log a(x) = log EI(x) + Σ_c log P(y_c(x) ≤ limit_c)
//
// Noise hides which points are best: EI is averaged over draws of what the tried
// settings truly do. Few observations make the best hyper-parameters too certain:
// probabilities are averages over other likely ones. See S. Daulton, M. Balandat
// and E. Bakshy, Parallel Bayesian Optimization of Multiple Noisy Objectives with
// Expected Hypervolume Improvement, NeurIPS 2021 (arXiv:2105.08195), and J. R.
// Gardner, M. J. Kusner, Z. Xu, K. Q. Weinberger and J. P. Cunningham, Bayesian
// Optimization with Inequality Constraints, ICML 2014.
//
// Where one known objective is minimized in a list of settings, such as cost from
// a price list, a trial is rather worth what it is expected to take off the cost of
// the cheapest setting that the limits are then sure enough to be met by, tried or
// not (knowledge gradient): so it walks down from what is safe, and tries what tells
// most about what is cheaper.
//
// A batch is picked one by one, and what is being tried counts as if it had
// brought what is expected (believer) or drawn. Settings of which all are listed
// are all scored; in a box candidates are spread, then refined around the best.
//
// Guarantees: what is asked depends on the problem, its seed, the trials told and
// those pending, in their order, and on nothing else: a search that is given an
// earlier one's history goes on with the same bits, whatever GOMAXPROCS. No
// setting whose predicted harm is above the bound is asked.
package search
