"""Prophet without its samples: intervals come from the trials. Time is the local clock, so seasons follow the clock of people."""

import logging
import sys

import numpy as np

from kinds.linear_regression import fading
from seasons import DAY_MS

PARAMS = {
    "growth": {"enum": ["linear", "flat"]},
    "seasonalityMode": {"enum": ["additive", "multiplicative"]},
    "yearly": {"enum": ["auto", True, False]},
    "weekly": {"enum": ["auto", True, False]},
    "daily": {"enum": ["auto", True, False]},
    "changepointPriorScale": {"type": "number", "exclusiveMinimum": 0, "maximum": 10},
    "changepointRange": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
}


def fit_predict(series, horizon, params):
    # Plots are not wanted, and their package takes as long to load as all others.
    sys.modules.setdefault("matplotlib", None)
    for name in ("cmdstanpy", "prophet", "prophet.plot"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
        logger.setLevel(logging.CRITICAL)
    import pandas
    from prophet import Prophet

    n = series.n
    scale = series.y.std() or 1.0
    center = series.y.mean() if params.get("seasonalityMode") != "multiplicative" else 0.0
    frame = pandas.DataFrame({"ds": pandas.to_datetime(_ds(series), unit="ms"), "y": np.nan})
    frame.loc[: n - 1, "y"] = np.where(series.seen, (series.y - center) / scale, np.nan)
    names = [f"x{row}" for row in range(len(series.x))]
    for row, name in enumerate(names):
        frame[name] = series.x[row, : n + horizon]
    found = {season.name for season in series.seasons.all}
    model = Prophet(
        growth=params.get("growth", "linear"),
        seasonality_mode=params.get("seasonalityMode", "additive"),
        yearly_seasonality=_season(params, "yearly", "year" in found),
        weekly_seasonality=_season(params, "weekly", "week" in found and _is_within(series, 7 * DAY_MS)),
        daily_seasonality=_season(params, "daily", "day" in found),
        changepoint_prior_scale=params.get("changepointPriorScale", 0.05),
        changepoint_range=params.get("changepointRange", 0.8),
        n_changepoints=min(25, max(1, n // 4)),
        uncertainty_samples=0,
    )
    for name in names:
        model.add_regressor(name)
    model.fit(frame.iloc[:n].dropna(subset=["y"]), seed=params.get("seed", 1))
    predicted = model.predict(frame.drop(columns="y"))["yhat"].to_numpy()
    return center + scale * (predicted[n:] + fading(frame["y"].to_numpy()[:n] - predicted[:n], horizon))


def _ds(series):
    """Local time. Prophet asks for distinct times, so an hour that comes twice is moved by a minute."""
    local = series.local.copy()
    for place in np.flatnonzero(np.diff(local) <= 0) + 1:
        local[place] = local[place - 1] + 60_000
    return local


def _season(params, name, by_history):
    asked = params.get(name, "auto")
    return by_history if asked == "auto" else asked


def _is_within(series, length):
    return series.clock.months is None and (series.clock.days or 1) * DAY_MS <= length
