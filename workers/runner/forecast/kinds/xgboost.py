"""Trees that learn how far the seasonal naive forecast is off, from pairs of an origin and a number of steps ahead."""

import numpy as np

from kinds import naive
from kinds.linear_regression import effects
from seasons import phase

PARAMS = {
    "rounds": {"type": "integer", "minimum": 1, "maximum": 1000},
    "maxDepth": {"type": "integer", "minimum": 1, "maximum": 10},
    "eta": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "lags": {"type": "integer", "minimum": 1, "maximum": 100},
}
PAIRS_MAX = 20_000


def fit_predict(series, horizon, params):
    import xgboost

    # Trees hardly split by days that are rare, so least squares take what regressors add; trees learn the rest.
    added = effects(series, horizon)
    series = series.with_values(series.y - added[: series.n])
    n, season = series.n, series.seasons.naive
    origins, ahead = _pairs(n, horizon, season, params.get("seed", 1))
    scale = _scale(series)
    calendar = _calendar(series)
    lags = min(params.get("lags", 7), max(1, n // 4))
    features = _features(series, origins, ahead, calendar, lags, scale)
    base = _naive(series, origins, ahead)
    target = (series.y[origins + ahead] - base) / scale
    weight = series.seen[origins + ahead].astype(float)
    settings = {
        "objective": "reg:pseudohubererror",
        "max_depth": params.get("maxDepth", 4),
        "eta": params.get("eta", 0.06),
        "subsample": 0.8,
        "colsample_bytree": 0.8,
        "min_child_weight": 3,
        "nthread": 1,
        "seed": params.get("seed", 1),
        "base_score": 0.0,
        "verbosity": 0,
    }
    model = xgboost.train(settings, xgboost.DMatrix(features, target, weight=weight), params.get("rounds", 120))
    last = np.full(horizon, n - 1)
    steps = np.arange(1, horizon + 1)
    correction = model.predict(xgboost.DMatrix(_features(series, last, steps, calendar, lags, scale)))
    return naive.fit_predict(series, horizon, {}) + scale * correction + added[n:]


def _pairs(n, horizon, season, seed):
    """Origins that have a season before them, each with steps whose values are known."""
    first = min(n - 2, max(season, 4))
    origins = np.arange(first, n - 1)
    steps = np.arange(1, horizon + 1)
    grid_origins, grid_steps = np.meshgrid(origins, steps, indexing="ij")
    known = grid_origins + grid_steps < n
    pairs = np.stack([grid_origins[known], grid_steps[known]])
    if pairs.shape[1] > PAIRS_MAX:
        chosen = np.random.default_rng(seed).choice(pairs.shape[1], PAIRS_MAX, replace=False)
        pairs = pairs[:, np.sort(chosen)]
    return pairs[0], pairs[1]


def _naive(series, origins, ahead):
    season = series.seasons.naive
    back = -(-ahead // season)
    return series.y[np.maximum(origins + ahead - back * season, 0)]


def _scale(series):
    season = series.seasons.naive
    differences = np.abs(series.y[season:] - series.y[:-season]) if series.n > season else np.abs(np.diff(series.y))
    return float(differences.mean()) or float(series.y.std()) or 1.0


def _calendar(series):
    columns = [phase(series, season.name) for season in series.seasons.all]
    if series.clock.months is None:
        columns.append(phase(series, "week") * 7 // 1)
    return np.stack(columns, axis=1) if columns else np.zeros((len(series.keys), 0))


def _features(series, origins, ahead, calendar, lags, scale):
    y, season = series.y, series.seasons.naive
    base = _naive(series, origins, ahead)
    sums = np.concatenate([[0.0], np.cumsum(y)])

    def mean(end, size):
        begin = np.maximum(end - size, 0)
        return (sums[end] - sums[begin]) / np.maximum(end - begin, 1)

    end = origins + 1
    level = mean(end, season)
    before = mean(np.maximum(end - season, 1), season)
    columns = [ahead, (level - before) / scale, (base - level) / scale]
    for lag in range(lags):
        place = np.maximum(origins - lag, 0)
        columns.append((y[place] - y[np.maximum(place - season, 0)]) / scale)
    last = min(season, 3)
    columns.append((mean(end, last) - level) / scale)
    target = origins + ahead
    return np.column_stack([*columns, calendar[target], series.x[:, target].T, series.x[:, origins].T])
