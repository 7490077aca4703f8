"""Intervals from the errors of trials. The width grows and shrinks with the steps ahead as the errors did.

Trials that overlap, and errors of a trial that all have one sign, are fewer observations than they are numbers. Without this the
80 % intervals of M3's quarterly series hold 66 % of the values. The next error is compared with so few that their own error counts
as well: the factor sqrt(1 + 1 / observations) of an interval of prediction."""

import math

import numpy as np

# Quantiles of Student's distribution by trials less one, and of the normal distribution, for the usual levels.
T_TABLE = {
    80: [3.078, 1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383, 1.372],
    90: [6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812],
    95: [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228],
    99: [63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169],
}
Z_TABLE = {80: 1.2816, 90: 1.6449, 95: 1.9600, 99: 2.5758}
FEW_MAX = 3.5
SHARE_MIN = 1e-3


def few_trials(level, trials):
    """The factor that makes up for few trials: at most 3.5."""
    near = min(T_TABLE, key=lambda known: abs(known - level))
    table = T_TABLE[near]
    freedom = max(1.0, trials - 1)
    if freedom > len(table):
        return 1.0
    return min(FEW_MAX, float(np.interp(freedom, np.arange(1, len(table) + 1), table)) / Z_TABLE[near])


def observations(errors, scale, apart):
    """How many trials the errors are worth, from 1 to the number of trials.

    @param apart how many trials without common values fit into the time of all trials"""
    ratios = errors / scale
    known = np.isfinite(ratios)
    means = np.where(known, ratios, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    power = np.mean(ratios[known] ** 2)
    lasting = max(np.mean(means**2) / power, SHARE_MIN) if power > 0 else 1.0
    return min(max(apart / lasting, 1.0), float(len(errors)))


def scale_of(errors):
    """The mean absolute error at each step ahead, smoothed over neighbouring steps."""
    magnitudes = np.abs(errors)
    with np.errstate(invalid="ignore"):
        counts = np.isfinite(magnitudes).sum(axis=0)
        sums = np.nansum(magnitudes, axis=0)
    horizon = len(sums)
    reach = max(1, horizon // 6)
    kernel = np.ones(2 * reach + 1)
    smooth_sums = np.convolve(sums, kernel, mode="same")
    smooth_counts = np.convolve(counts, kernel, mode="same")
    overall = sums.sum() / max(counts.sum(), 1)
    scale = np.where(smooth_counts > 0, smooth_sums / np.maximum(smooth_counts, 1), overall)
    return np.maximum(scale, overall * 0.1)


def widths(errors, levels, apart=None):
    """Half widths by level and step, from errors of trials (rows) at steps ahead (columns).

    @param apart how many trials without common values fit into the time of all trials; all of them by default"""
    trials, horizon = errors.shape
    scale = scale_of(errors)
    if not np.isfinite(scale).all() or scale.max() <= 0:
        return {level: np.zeros(horizon) for level in levels}
    ratios = np.sort((np.abs(errors) / scale)[np.isfinite(errors)])
    count = observations(errors, scale, trials if apart is None else apart)
    found = {}
    for level in levels:
        place = math.ceil((len(ratios) + 1) * level / 100) - 1
        quantile = ratios[min(place, len(ratios) - 1)]
        found[level] = quantile * scale * few_trials(level, count) * math.sqrt(1 + 1 / count)
    return found


def coverage(errors, levels, apart=None):
    """The share of the errors of each trial within the interval of all other trials."""
    trials = len(errors)
    if trials < 2:
        return {str(level): None for level in levels}
    inside = {level: [] for level in levels}
    left = None if apart is None else apart * (trials - 1) / trials
    for trial in range(trials):
        others = widths(np.delete(errors, trial, axis=0), levels, left)
        mine = np.abs(errors[trial])
        known = np.isfinite(mine)
        for level in levels:
            inside[level].append((mine[known] <= others[level][known] + 1e-12))
    return {str(level): float(np.concatenate(each).mean()) for level, each in inside.items()}
