"""The forecast of one series: trials, the kind, the mean and its intervals, and the figures about all of it."""

import time

import numpy as np

import conformal
from backtest import POINTS_MIN, Trials, figures, origins_of, trials_of
from contract import Refused, number, numbers
from kinds import naive
from kinds.registry import AUTO, kind_of
from search import settings_of

INTERVAL_POINTS_MIN = 5
# The greatest change between two values, times this, where no trial tells more.
UNTESTED_REACH = 2.0
BEATS_NAIVE = 0.98
GOOD_SKILL = 0.1
FAR_RANGES = 10
PAST_MAX = 500
FORM_TRIALS = 2
ERRORS = (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError)


def forecast(series, order, notes, log):
    """The outcome of a series, as one line of the result."""
    started = time.process_time()
    transform = Transform(order["transform"], series.y)
    worked = series.with_values(transform.forth(series.y))
    constant = worked.y.max() == worked.y.min()
    is_short = series.n < max(POINTS_MIN, 2 * series.seasons.naive) or series.n < POINTS_MIN
    if constant:
        notes["constant"] = True
        outcome = _constant(worked, order)
    elif is_short:
        notes["too_short_for_model"] = True
        outcome = _naive_alone(worked, order)
    else:
        outcome = _modelled(worked, order, notes, log)
    if series.seasons.unseen:
        notes["season_unseen"] = series.seasons.unseen
    return {**_shown(series, order, outcome, transform, notes), "cpuMs": round(1000 * (time.process_time() - started))}


class Transform:
    """Logarithms where they were asked for, and nothing otherwise."""

    def __init__(self, name, y):
        self.is_log = name == "log1p"
        if self.is_log and y.min() <= -1:
            raise Refused("forecast.invalid", "The transform log1p needs values above -1.")

    def forth(self, y):
        return np.log1p(y) if self.is_log else y

    def back(self, y):
        return np.expm1(np.minimum(y, 700)) if self.is_log else y


class Outcome:
    """A forecast, the trials of its kind, and the trials whose errors make its intervals."""

    def __init__(self, kind, mean, widths, trials, params=None, spread=None):
        self.kind = kind
        self.mean = mean
        self.widths = widths
        self.trials = trials
        self.spread = trials if spread is None else spread
        self.params = params or {}


def _constant(series, order):
    mean = np.full(series.horizon, series.y[-1])
    return Outcome("naive", mean, {level: np.zeros(series.horizon) for level in order["levels"]}, None)


def _naive_alone(series, order):
    mean = naive.fit_predict(series, series.horizon, {})
    if series.n < INTERVAL_POINTS_MIN:
        return Outcome("naive", mean, {}, None)
    # The error of a step grows with the square root of the steps ahead, as that of a random walk.
    errors = np.abs(np.diff(series.y))
    growth = np.sqrt(np.arange(1, series.horizon + 1))
    widths = {level: np.sort(errors)[-1] * UNTESTED_REACH * growth for level in order["levels"]}
    return Outcome("naive", mean, widths, None)


def _modelled(series, order, notes, log):
    origins = origins_of(series, order["folds"])
    if order["kind"] == "auto":
        name, params, trials, spread = _automatic(series, order, origins, notes, log)
    else:
        name = order["kind"]
        params, trials = _tried(series, name, order, origins, notes, log)
        spread = trials
    try:
        mean = np.asarray(kind_of(name).fit_predict(series, series.horizon, params), dtype=float)
        if mean.shape != (series.horizon,):
            raise Refused("forecast.engine", f"The kind {name} returned {mean.size} values for {series.horizon} steps.")
    except ERRORS as error:
        raise Refused("forecast.engine", f"The model {name} failed: {str(error)[:200] or type(error).__name__}") from error
    if _is_diverged(mean, series.y):
        notes["diverged"] = name
        name, params, trials = "naive", {}, trials_of(series, naive, {}, origins)
        spread = trials
        mean = naive.fit_predict(series, series.horizon, {})
    if len(origins) == 0:
        return Outcome(name, mean, _widths(series, order, spread), trials, params)
    kept, dropped = trials.without_diverged()
    if dropped:
        notes["foldsDropped"] = dropped
    spread = kept if spread is trials else spread.without_diverged()[0]
    return Outcome(name, mean, _widths(series, order, spread), kept, params, spread)


def _widths(series, order, trials):
    if len(trials.origins) == 0:
        return _naive_alone(series, order).widths
    widths = conformal.widths(trials.errors, order["levels"], trials.apart)
    if series.seasons.unseen and len(trials.origins):
        usual = conformal.widths(trials.actual - trials.base, order["levels"], trials.apart)
        widths = {level: np.maximum(width, usual[level]) for level, width in widths.items()}
    return widths


def _tried(series, name, order, origins, notes, log):
    """The parameters of a kind and its trials. Of several settings the one that is best in the newest trials is taken."""
    params = {"seed": order["seed"], **order["params"]}
    kind = kind_of(name)
    if name == "sarimax" and series.n > kind.POINTS_MAX:
        notes["used"] = kind.POINTS_MAX
    settings = [] if len(origins) == 0 else _settings(series, name, params, order, origins)
    if len(settings) < 2:
        return params, trials_of(series, kind, params, origins, log)
    if order["search"]:
        notes["searched"] = len(settings)
    # Trials that end early do not count for the choice.
    count = FORM_TRIALS + int((origins > series.n - series.horizon).sum())
    newest = [(tried, trials_of(series, kind, tried, origins[-count:], log)) for tried in settings]
    params, trials = min(newest, key=lambda each: _error(each[1], order["metric"]))
    earlier = origins[:-count]
    return params, trials if len(earlier) == 0 else trials_of(series, kind, params, earlier, log).with_more(trials)


def _settings(series, name, params, order, origins):
    """The forms of SARIMAX, and the settings of a search."""
    found = []
    if name == "sarimax" and {"form", "order", "seasonalOrder"}.isdisjoint(params):
        kind = kind_of(name)
        for form in kind.FORMS:
            tried = {**params, "form": form}
            if form == "searched":
                tried["found"] = kind.search(series.cut(int(origins[0]), 1))
            found.append(tried)
    if order["search"]:
        found.extend({**params, **setting} for setting in settings_of(name, params))
    return found


def _automatic(series, order, origins, notes, log):
    """The kind with the least error in trials, if it beats the naive forecast."""
    measure = trials_of(series, naive, {}, origins)
    if len(origins) == 0:
        return "naive", {}, measure, measure
    plain = {**order, "params": {}, "search": False}
    tried = [("naive", {}, measure)]
    for name in AUTO:
        tried.append((name, *_tried(series, name, plain, origins, notes, log)))
    every = [trials for _, _, trials in tried]
    best = tried[_chosen(every, order["metric"])]
    spread = _spread(every, order["metric"])
    if not order["search"] or best[0] == "naive":
        return *best, spread
    params, trials = _tried(series, best[0], {**order, "params": {}}, origins, notes, log)
    found = (best[0], params, trials) if _error(trials, order["metric"]) < _error(best[2], order["metric"]) else best
    return *found, spread


def _chosen(every, metric):
    """The place of the trials with the least error; the naive forecast has the first place."""
    errors = [_error(trials, metric) for trials in every]
    errors[0] *= BEATS_NAIVE
    return int(np.argmin(errors))


def _spread(every, metric):
    """At each origin the trial of the kind that is best at all others.

    The errors of the kind that was chosen for them are too small: it was the luckiest one."""
    count = len(every[0].origins)
    if count < 2:
        return every[_chosen(every, metric)]
    return Trials.of_places(every, [_chosen([trials.without(place) for trials in every], metric) for place in range(count)])


def _error(trials, metric):
    whole = trials.whole
    return figures(whole.actual, whole.predicted, whole.scale)["smape" if metric == "smape" else "mae"]


def _is_diverged(mean, y):
    low, high = y.min(), y.max()
    reach = FAR_RANGES * (high - low)
    return not np.isfinite(mean).all() or mean.min() < low - reach or mean.max() > high + reach


def _shown(series, order, outcome, transform, notes):
    low, high = order["bounds"].get("min"), order["bounds"].get("max")

    def bounded(values):
        return numbers(np.clip(transform.back(values), low, high) if (low, high) != (None, None) else transform.back(values))

    bands = {}
    for level in order["levels"]:
        width = outcome.widths.get(level)
        bands[f"lo{level}"] = None if width is None else bounded(outcome.mean - width)
        bands[f"hi{level}"] = None if width is None else bounded(outcome.mean + width)
    backtest = _backtest(outcome, order, transform)
    return {
        "points": int(series.seen.sum()),
        "from": int(series.t[0]),
        "kind": outcome.kind,
        "t": [int(instant) for instant in series.t[series.n :]],
        "past": _past(series, order, outcome, transform),
        "endAt": int(series.clock.begins(series.keys[-1:] + 1)[0]),
        "mean": bounded(outcome.mean),
        **bands,
        "params": {key: value for key, value in outcome.params.items() if key != "seed"},
        "season": series.seasons.naive_name,
        "backtest": backtest,
        "quality": _quality(backtest),
        "notes": notes,
        "error": None,
    }


def _past(series, order, outcome, transform):
    """The end of the history, as long as the horizon at most, without what was filled, beside what the last trial said of it.

    `anomaly` is 1 above and -1 below the interval of the highest level, 0 within it."""
    count = min(series.n, series.horizon, PAST_MAX)
    begin = series.n - count
    y = np.where(series.seen, series.raw, np.nan)[begin:]
    past = {"t": [int(instant) for instant in series.t[begin : series.n]], "y": numbers(y)}
    trials, spread = outcome.trials, outcome.spread
    places = [] if trials is None else np.flatnonzero(trials.origins == trials.last)
    others = None if len(places) == 0 else spread.of_rows(spread.origins != spread.last)
    if others is None or len(others.origins) == 0:
        return {**past, "mean": None, "anomaly": None}
    last = int(places[0])
    widths = conformal.widths(others.errors, order["levels"], others.apart)
    mean = trials.predicted[last]
    bounds = {}
    for level in order["levels"]:
        bounds[level] = transform.back(mean - widths[level])[-count:], transform.back(mean + widths[level])[-count:]
    low, high = bounds[max(order["levels"])]
    anomaly = [None if not np.isfinite(value) or not np.isfinite(least) else int(value > most) - int(value < least) for value, least, most in zip(y, low, high)]
    shown = {}
    for level, (lower, upper) in bounds.items():
        shown[f"lo{level}"], shown[f"hi{level}"] = numbers(lower), numbers(upper)
    return {**past, "mean": numbers(transform.back(mean)[-count:]), **shown, "anomaly": anomaly}


def _backtest(outcome, order, transform):
    """The figures of trials over the whole horizon, and the share of errors of all trials within the intervals of the others."""
    if outcome.trials is None or len(outcome.trials.origins) == 0:
        return None
    trials, spread = outcome.trials.whole, outcome.spread
    actual, predicted, base = (transform.back(part) for part in (trials.actual, trials.predicted, trials.base))
    scale = trials.scale
    own, usual = figures(actual, predicted, scale), figures(actual, base, scale)
    if not np.isfinite(own["mae"]):
        return None
    skill = 1 - own["mae"] / usual["mae"] if usual["mae"] > 0 else (0.0 if own["mae"] == 0 else -1.0)
    coverage = conformal.coverage(spread.errors, order["levels"], spread.apart)
    return {
        "folds": len(trials.origins),
        **{name: number(value) for name, value in own.items()},
        "naive": {name: number(usual[name]) for name in ("mae", "smape", "mase")},
        "skill": number(skill),
        "coverage": {level: number(share) for level, share in coverage.items()},
    }


def _quality(backtest):
    if backtest is None:
        return "untested"
    if backtest["skill"] < 0:
        return "worse_than_naive"
    return "good" if backtest["skill"] >= GOOD_SKILL else "fair"
