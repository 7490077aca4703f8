"""ARIMA with seasons by statsmodels, in three forms. The trials decide which form a series gets."""

import warnings

import numpy as np

from kinds.linear_regression import ridge, standard
from seasons import fourier

PARAMS = {
    "form": {"enum": ["fourier", "seasonal", "searched"]},
    "order": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 5}, "minItems": 3, "maxItems": 3},
    "seasonalOrder": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 24}, "minItems": 4, "maxItems": 4},
}
FORMS = ("fourier", "seasonal", "searched")
POINTS_MAX = 3_000
FOURIER_SEASON_MAX = 12
SEASONAL_SEASON_MAX = 24
SEARCHED = ((0, 1), (1, 0), (1, 1), (2, 1), (2, 2))
ITERATIONS = 20
RIDGE = 1e-3
NO_SEASON = (0, 0, 0, 0)


def fit_predict(series, horizon, params):
    keep = min(series.n, POINTS_MAX)
    start = series.n - keep
    y = series.y[start:]
    scale = y.std() or 1.0
    center = y.mean()
    z = (y - center) / scale
    x = standard(series.x[:, start : series.n + horizon].T, keep)
    waves = fourier(series)[start : series.n + horizon]
    season = series.seasons.shortest
    if "order" in params or "seasonalOrder" in params:
        mean = _given(z, x, season, horizon, params)
    else:
        form = params.get("form", "fourier")
        mean = {"fourier": _fourier, "seasonal": _seasonal, "searched": _searched}[form](z, x, waves, season, horizon, params)
    return center + scale * mean


def _given(z, x, season, horizon, params):
    order = tuple(params.get("order", (1, 1, 1)))
    seasonal = tuple(params.get("seasonalOrder", NO_SEASON))
    seasonal = NO_SEASON if seasonal[3] < 2 else seasonal
    rest, ahead = _without(z, x, horizon)
    return _arima(rest, order, seasonal, horizon)[0] + ahead


def _fourier(z, x, waves, season, horizon, _params):
    """Waves by least squares on differences; ARIMA(2,1,1), with a seasonal part for short seasons."""
    n = len(z)
    design = np.concatenate([waves, x], axis=1)
    fitted = _least_squares_on_differences(z, design, n)
    rest = z - fitted[:n]
    seasonal = (0, 1, 1, season) if 2 <= season <= FOURIER_SEASON_MAX and n > 3 * season else NO_SEASON
    return _arima(rest, (2, 1, 1), seasonal, horizon)[0] + fitted[n:]


def _seasonal(z, x, waves, season, horizon, params):
    """The difference to the season before; ARMA(2,1) of it, with a seasonal average for short seasons."""
    n = len(z)
    if season < 2 or n < 2 * season + 8:
        return _fourier(z, x, waves[:, :0], 1, horizon, params)
    rest, ahead = _without(z, x, horizon)
    differences = rest[season:] - rest[:-season]
    seasonal = (0, 0, 1, season) if season <= SEASONAL_SEASON_MAX else NO_SEASON
    predicted = _arima(differences, (2, 0, 1), seasonal, horizon)[0]
    whole = np.concatenate([rest, np.zeros(horizon)])
    for step in range(horizon):
        whole[n + step] = whole[n + step - season] + predicted[step]
    return whole[n:] + ahead


def _searched(z, x, waves, _season, horizon, params):
    """Waves by least squares; the order by AICc per observation among a few, or the one that was found before."""
    rest, ahead = _without(z, np.concatenate([waves, x], axis=1), horizon)
    if "found" in params:
        return _arima(rest, tuple(params["found"]), NO_SEASON, horizon)[0] + ahead
    return min((_arima(rest, order, NO_SEASON, horizon) for order in _orders(rest)), key=lambda found: found[1])[0] + ahead


def search(series):
    """The order that the form `searched` uses for all trials of a series."""
    y = series.y[-POINTS_MAX:]
    z = (y - y.mean()) / (y.std() or 1.0)
    waves = fourier(series)[series.n - len(y) : series.n]
    rest, _ = _without(z, np.concatenate([waves, standard(series.x[:, series.n - len(y) : series.n].T, len(y))], axis=1), 0)
    return min(_orders(rest), key=lambda order: _arima(rest, order, NO_SEASON, 1)[1])


def _orders(rest):
    lagged = np.corrcoef(rest[1:], rest[:-1])[0, 1] if rest.std() > 0 else 0
    difference = 1 if lagged > 0.9 else 0
    return [(p, difference, q) for p, q in SEARCHED]


def _without(z, design, horizon):
    """What least squares leave of a series, and what they say of its future."""
    n = len(z)
    if design.shape[1] == 0:
        return z, np.zeros(horizon)
    coefficients, intercept = ridge(design[:n], z, np.ones(n, dtype=bool), RIDGE * n)
    fitted = design @ coefficients + intercept
    return z - fitted[:n], fitted[n:]


def _least_squares_on_differences(z, design, n):
    if design.shape[1] == 0:
        return np.zeros(len(design))
    rows = np.diff(design, axis=0)
    coefficients, _ = ridge(rows[: n - 1], np.diff(z), np.ones(n - 1, dtype=bool), RIDGE * n)
    return design @ coefficients


def _arima(z, order, seasonal, horizon):
    """The forecast, and AICc per observation."""
    from statsmodels.tsa.statespace.sarimax import SARIMAX

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d, D, s = order[1], seasonal[1], seasonal[3]
        values, undo = _differenced(z, d, D, s)
        model = SARIMAX(
            values,
            order=(order[0], 0, order[2]),
            seasonal_order=(seasonal[0], 0, seasonal[2], s) if seasonal[0] or seasonal[2] else NO_SEASON,
            trend="c" if d + D == 0 else None,
            simple_differencing=True,
            concentrate_scale=True,
        )
        # The filter of a stationary series soon repeats itself; then its matrices are not computed anew.
        model.ssm.tolerance = 1e-9
        result = model.fit(disp=0, maxiter=ITERATIONS, cov_type="none")
        mean = undo(np.asarray(result.forecast(horizon)))
    aicc = result.aicc if np.isfinite(result.aicc) else np.inf
    return mean, aicc / max(len(values), 1)


def _differenced(z, d, D, s):
    """A series after differences, and how a forecast of them becomes one of the series."""
    if D:
        inner, undo_inner = _differenced(z[s:] - z[:-s], d, D - 1, s)

        def undo_season(mean):
            changes = undo_inner(mean)
            whole = np.concatenate([z, np.zeros(len(changes))])
            for step in range(len(changes)):
                whole[len(z) + step] = whole[len(z) + step - s] + changes[step]
            return whole[len(z) :]

        return inner, undo_season
    if d:
        inner, undo_inner = _differenced(np.diff(z), d - 1, 0, s)
        return inner, lambda mean: z[-1] + np.cumsum(undo_inner(mean))
    return z, lambda mean: mean
