// Package forecast predicts an input rate: seasonal, drifting, bursty, with gaps.
//
// A Forecaster takes one observation a step and gives at any time the mean path
// and quantiles over a horizon. It works in three stages, each of which knows
// only what was observed before:
//
//  1. Members, small models of different families, each on the plain and on a
//     logarithmic scale, learn online: ridge autoregressions by recursive least
//     squares, of values and of seasonal differences, exponential smoothing with up
//     to two seasons, the last value, the last season. Which of them take part hangs
//     on how much history there is, from one point up.
//  2. Their paths are combined by a trimmed mean, with weights learned from their own
//     past forecasts. Combinations of simple models are hard to beat: S. Makridakis,
//     E. Spiliotis, V. Assimakopoulos, The M4 Competition, International Journal of
//     Forecasting 36(1), 2020.
//     Where the last forecasts of a horizon all missed by far on one side, the level
//     has shifted, and the combination is moved towards the last value.
//  3. Quantiles come from the errors that past forecasts of the same horizon made
//     (conformal prediction), with levels that are adapted online so that the
//     promised coverage holds when the series drifts.
//
// A step is too short to model a day or a week by itself where these have more
// than a few hundred steps; there the season is learned on sums of steps and the
// short run on single steps.
//
// Numbers are rates or counts; their unit is the caller's. Scaling or shifting the
// series scales or shifts the forecast, but for one rule: what was never seen
// negative is not forecast negative.
package forecast
