"""Trials on the past: the series is cut at several origins, and the values that followed are compared with the forecast."""

import numpy as np

from kinds import naive

POINTS_MIN = 8
DIVERGED = 10
MAPE_ZERO = 0.01
# A trial that ends with the history has this part of the horizon at least.
PART_MIN = 3


class Trials:
    """What a kind predicted at each origin, beside what came and what the naive forecast said.

    `last` is the last origin whose trial does not end early with the history."""

    def __init__(self, origins, actual, predicted, base, *, scale, last):
        self.origins = origins
        self.actual = actual
        self.predicted = predicted
        self.base = base
        self.scale = scale
        self.last = last

    def of_rows(self, rows):
        parts = (part[rows] for part in (self.origins, self.actual, self.predicted, self.base))
        return Trials(*parts, scale=self.scale, last=self.last)

    @property
    def errors(self):
        return self.actual - self.predicted

    @property
    def apart(self):
        """How many trials without common values fit into the time of these."""
        horizon = self.actual.shape[1]
        return min(len(self.origins), 1 + (np.max(self.origins) - np.min(self.origins)) / horizon)

    def with_more(self, later):
        joined = [np.concatenate([getattr(self, name), getattr(later, name)]) for name in ("origins", "actual", "predicted", "base")]
        return Trials(*joined, scale=self.scale, last=self.last)

    def without(self, place):
        """All trials but one."""
        return self.of_rows(np.arange(len(self.origins)) != place)

    @property
    def whole(self):
        """The trials over the whole horizon; all trials where none is."""
        rows = self.origins <= self.last
        return self.of_rows(rows) if rows.any() else self

    @staticmethod
    def of_places(all_trials, chosen):
        """At each origin the trial of one of several kinds, by its place."""
        first = all_trials[0]
        predicted = np.array([all_trials[which].predicted[place] for place, which in enumerate(chosen)])
        return Trials(first.origins, first.actual, predicted, first.base, scale=first.scale, last=first.last)

    def without_diverged(self):
        """Trials that are far off would widen all intervals."""
        own = np.nanmean(np.abs(self.errors), axis=1)
        usual = np.nanmean(np.abs(self.actual - self.base), axis=1)
        floor = max(float(np.nanmedian(usual)), 1e-12)
        keep = own <= DIVERGED * np.maximum(usual, floor)
        if keep.all() or not keep.any():
            return self, 0
        return self.of_rows(keep), int((~keep).sum())


def origins_of(series, folds):
    """Origins over the longest season that the history has at least twice, the last one a horizon before the end. A history
    that is too short for so many has later ones too, whose trials end with it."""
    n, horizon = series.n, series.horizon
    season = series.seasons.naive
    least = max(POINTS_MIN, 2 * season)
    last = n - horizon
    if folds < 1 or last < least:
        return np.zeros(0, dtype=int)
    longest = max((season.period for season in series.seasons.all), default=1)
    # A trial without the longest season would be one of another model.
    least = min(last, max(least, int(np.ceil(1.3 * longest))))
    reach = min(last - least, max(longest * (folds - 1) / folds, horizon * (folds - 1) / 2))
    stride = max(1, int(reach / max(folds - 1, 1)))
    # A stride of whole seasons would look at the same hour of each.
    if stride > 1 and season > 1 and stride % season == 0:
        stride -= 1
    origins = last - stride * np.arange(folds)
    origins = np.sort(origins[origins >= least])
    missing = folds - len(origins)
    if missing == 0:
        return origins
    later = np.linspace(last, n - max(1, horizon // PART_MIN), missing + 1)[1:]
    return np.unique(np.concatenate([origins, later.astype(int)]))


def trials_of(series, kind, params, origins, log=None):
    """Trials of a kind. A trial that fails has no values."""
    horizon = series.horizon
    actual, predicted, base = [], [], []
    for origin in origins:
        past = series.cut(int(origin), horizon)
        truth = np.full(horizon, np.nan)
        known = series.y[origin : origin + horizon]
        truth[: len(known)] = np.where(series.seen[origin : origin + horizon], known, np.nan)
        actual.append(truth)
        base.append(naive.fit_predict(past, horizon, {}))
        try:
            values = base[-1] if kind is naive else np.asarray(kind.fit_predict(past, horizon, params), dtype=float)
        except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError) as error:
            if log is not None:
                log(f"a trial failed: {error}")
            values = np.full(horizon, np.nan)
        predicted.append(values if values.shape == (horizon,) else np.full(horizon, np.nan))
    parts = (np.array(part) for part in (actual, predicted, base))
    return Trials(np.asarray(origins), *parts, scale=mase_scale(series), last=series.n - horizon)


def mase_scale(series):
    season = series.seasons.naive
    y = series.y
    if len(y) <= season:
        return 0.0
    return float(np.mean(np.abs(y[season:] - y[:-season])))


def figures(actual, predicted, scale):
    """The errors of a forecast, as people know them."""
    known = np.isfinite(actual) & np.isfinite(predicted)
    if not known.any():
        return {"mae": np.inf, "rmse": np.inf, "smape": np.inf, "mape": None, "mase": np.inf}
    truth, guess = actual[known], predicted[known]
    error = np.abs(truth - guess)
    both = np.abs(truth) + np.abs(guess)
    smape = np.where(both > 0, 2 * error / np.where(both > 0, both, 1), 0)
    span = float(np.max(truth) - np.min(truth)) or float(np.max(np.abs(truth))) or 1.0
    is_near_zero = np.abs(truth) < MAPE_ZERO * max(span, float(np.max(np.abs(truth))))
    mape = None if is_near_zero.any() else float(100 * np.mean(error / np.abs(truth)))
    mae = float(error.mean())
    return {
        "mae": mae,
        "rmse": float(np.sqrt(np.mean(error**2))),
        "smape": float(100 * smape.mean()),
        "mape": mape,
        "mase": mae / scale if scale > 0 else None,
    }
