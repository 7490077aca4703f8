"""Least squares with a trend, waves for the seasons, and the regressors; a little ridge for what a short history cannot tell apart."""

import numpy as np

from seasons import fourier

PARAMS = {
    "trend": {"enum": ["linear", "none"]},
    "seasons": {"type": "array", "items": {"enum": ["day", "week", "year"]}},
    "ridge": {"type": "number", "minimum": 0, "maximum": 1000},
}
RIDGE = 0.1
# The share of an error that the next value has, and the pairs that tell it.
LASTING_MAX = 0.98
REST_MIN = 6


def fit_predict(series, horizon, params):
    n = series.n
    y = series.y
    center, scale = y.mean(), y.std() or 1.0
    terms = params.get("seasons")
    features = [fourier(series, terms)]
    if params.get("trend", "linear") == "linear":
        features.append(_trend(n, horizon))
    features.append(standard(series.x[:, : n + horizon].T, n))
    design = np.concatenate(features, axis=1)
    coefficients, intercept = ridge(design[:n], (y - center) / scale, series.seen, params.get("ridge", RIDGE))
    fitted = design @ coefficients + intercept
    return center + scale * (fitted[n:] + fading(np.where(series.seen, (y - center) / scale - fitted[:n], np.nan), horizon))


def effects(series, horizon):
    """What regressors add to the values over history and horizon, beside a trend and seasons."""
    n = series.n
    x = standard(series.x[:, : n + horizon].T, n)
    if x.shape[1] == 0:
        return np.zeros(n + horizon)
    design = np.concatenate([x, fourier(series), _trend(n, horizon)], axis=1)
    coefficients, _ = ridge(design[:n], series.y - series.y.mean(), series.seen, RIDGE)
    return x @ coefficients[: x.shape[1]]


def _trend(n, horizon):
    return np.linspace(-1, 1 + 2 * horizon / max(n - 1, 1), n + horizon)[:, None]


def fading(rest, horizon):
    """The error of the last value as it fades: errors of a line follow each other."""
    known = rest[np.isfinite(rest)]
    pairs = rest[1:] * rest[:-1]
    pairs = pairs[np.isfinite(pairs)]
    power = np.mean(known**2)
    if len(pairs) < REST_MIN or power <= 0 or not np.isfinite(rest[-1]):
        return np.zeros(horizon)
    found = pairs.mean() / power
    # A short history understates it (Kendall).
    share = min(max(found + (1 + 3 * found) / len(pairs), 0.0), LASTING_MAX) if found > 0 else 0.0
    return known[-1] * share ** np.arange(1, horizon + 1)


def standard(columns, n):
    """Columns with mean 0 and deviation 1 over the history."""
    if columns.shape[1] == 0:
        return columns
    deviation = columns[:n].std(axis=0)
    return (columns - columns[:n].mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def ridge(design, y, seen, strength):
    """Coefficients and intercept of the rows that were measured."""
    rows, target = design[seen], y[seen]
    means, mean = rows.mean(axis=0), target.mean()
    rows = rows - means
    gram = rows.T @ rows + strength * np.eye(rows.shape[1])
    coefficients = np.linalg.solve(gram, rows.T @ (target - mean)) if rows.shape[1] else np.zeros(0)
    return coefficients, mean - means @ coefficients
