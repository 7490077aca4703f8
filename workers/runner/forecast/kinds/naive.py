"""The value of the same time of the season before: the measure of all kinds."""

import numpy as np

PARAMS = {}


def fit_predict(series, horizon, params):
    season = series.seasons.naive
    keys = series.season_keys
    known = keys[: series.n]
    wanted = keys[series.n : series.n + horizon]
    back = np.ceil(np.maximum(wanted - known[-1], 1) / season).astype(np.int64)
    # After a change of clocks an hour is missing or doubled on the local clock: the nearest one before it stands in.
    places = np.searchsorted(known, wanted - back * season, side="right") - 1
    return series.y[np.clip(places, 0, series.n - 1)]
