"""From the points of a series to a grid without holes: order, duplicates, gaps, outliers, and the local clock."""

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np

from contract import CALENDAR_STEPS, DAY_MS, POINTS_MAX, VALUE_MAX, Refused
from free_days import columns_of
from seasons import seasons_of

SPARSE_SHARE = 0.8
SEASON_MADS = 12
WHOLE_MADS = 20
SEASON_MEMBERS_MIN = 5
OUTLIERS_TOGETHER_MAX = 3
OUTLIERS_SHARE_MAX = 0.05
HOUR_MS = 3_600_000
EPOCH = date(1970, 1, 1)


class Clock:
    """The buckets of a step in a zone: numbers of buckets, the instants at which they begin, and local time."""

    def __init__(self, step, zone):
        self.step = step
        self.zone = ZoneInfo(zone)
        self.months = CALENDAR_STEPS.get(step)
        self.days = step // DAY_MS if self.months is None and step % DAY_MS == 0 else None
        self.offsets = {}

    def offset(self, hour):
        """The offset of local time in an hour since the epoch, in milliseconds."""
        known = self.offsets.get(hour)
        if known is None:
            instant = datetime.fromtimestamp(hour * 3600, timezone.utc).astimezone(self.zone)
            known = self.offsets[hour] = round(instant.utcoffset().total_seconds() * 1000)
        return known

    def local(self, instants):
        """Local time as if it were UTC."""
        hours = instants // HOUR_MS
        unique, places = np.unique(hours, return_inverse=True)
        return instants + np.array([self.offset(int(hour)) for hour in unique], dtype=np.int64)[places]

    def buckets(self, instants):
        if self.months is None and self.days is None:
            return instants // self.step
        days = self.local(instants) // DAY_MS
        if self.days is not None:
            return days // self.days
        months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        return months // self.months

    def begins(self, buckets):
        """The instants at which buckets begin."""
        if self.months is None and self.days is None:
            return buckets * self.step
        return np.array([self._begin(int(bucket)) for bucket in buckets], dtype=np.int64)

    def _begin(self, bucket):
        if self.days is not None:
            day = EPOCH + timedelta(days=bucket * self.days)
        else:
            month = bucket * self.months
            day = date(1970 + month // 12, 1 + month % 12, 1)
        return round(datetime(day.year, day.month, day.day, tzinfo=self.zone).timestamp() * 1000)


class Series:
    """A grid of values with its future: `y` has no holes, `seen` is where a value was measured, `raw` has outliers as they came."""

    def __init__(self, clock, first, y, seen, x, horizon):
        self.clock = clock
        self.first = first
        self.y = self.raw = y
        self.seen = seen
        self.x = x
        self.horizon = horizon
        self.keys = first + np.arange(len(y) + horizon, dtype=np.int64)
        self.t = clock.begins(self.keys)
        self.local = clock.local(self.t)
        self.seasons = seasons_of(clock, self)

    @property
    def n(self):
        return len(self.y)

    def cut(self, n, horizon):
        """The series as it was after `n` values, with the next `horizon` as its future."""
        other = object.__new__(Series)
        end = n + horizon
        other.clock, other.first, other.horizon = self.clock, self.first, horizon
        other.y, other.raw, other.seen = self.y[:n], self.raw[:n], self.seen[:n]
        other.x = self.x[:, :end]
        other.keys, other.t, other.local = self.keys[:end], self.t[:end], self.local[:end]
        other.seasons = seasons_of(other.clock, other, self.seasons)
        return other

    def with_values(self, y):
        other = object.__new__(Series)
        other.__dict__.update(self.__dict__)
        other.y = y
        return other

    @property
    def season_keys(self):
        """The places of buckets on the local clock, in steps."""
        if self.clock.months is not None or self.clock.days is not None:
            return self.keys
        return self.local // self.clock.step


def read_series(line, order, clock):
    """A series and the notes about what was done to it. Raises Refused."""
    notes = {}
    instants, values = _points(line)
    x = _regressors(line, order, len(values))
    is_infinite = np.isinf(values)
    if is_infinite.any():
        notes["infinite"] = int(is_infinite.sum())
        values = np.where(is_infinite, np.nan, values)
    if np.nanmax(np.abs(values), initial=0) > VALUE_MAX:
        raise Refused("forecast.too_large", "A value is beyond 1e15.")
    buckets = clock.buckets(instants)
    buckets, values, x = _without_open(buckets, values, x, order, clock)
    if np.isfinite(values).sum() < 2:
        raise Refused("forecast.too_short", "The series has fewer than 2 values.")
    first, grid, rows, ahead = _grid(buckets, values, x, order, notes)
    y, seen = _filled(grid, order["gaps"], notes)
    future = _future(line.get("xf") or ahead, order, rows, len(y))
    series = Series(clock, first, y, seen, future, order["horizon"])
    if order["horizon"] > series.n and series.n >= 8:
        raise Refused("forecast.horizon", f"The horizon of {order['horizon']} steps is longer than the history of {series.n} steps.")
    free = columns_of(order, series.local)
    series.x = np.concatenate([series.x, free])
    if not order["keepOutliers"]:
        series = _without_outliers(series, free[:, : series.n].any(axis=0), notes)
    return series, notes


def _regressors(line, order, n):
    rows = line.get("x") or []
    if len(rows) != len(order["regressors"]) or any(len(row) != n for row in rows):
        raise Refused("forecast.invalid", "A regressor must have a value or null for each point.")
    return np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=float).reshape(len(rows), n)


def _points(line):
    values = np.array([np.nan if value is None else value for value in line["y"]], dtype=float)
    if "t" in line:
        instants = np.array(line["t"], dtype=np.int64)
    else:
        instants = int(line["t0"]) + int(line["step"]) * np.arange(len(values), dtype=np.int64)
    if len(instants) != len(values):
        raise Refused("forecast.invalid", "The series has as many times as values.")
    if len(values) > POINTS_MAX:
        raise Refused("forecast.too_many", f"The series has more than {POINTS_MAX} points.")
    return instants, values


def _without_open(buckets, values, x, order, clock):
    """The bucket that is still open has only a part of its values, so nothing is learned from it."""
    if order["now"] is None:
        return buckets, values, x
    now = int(clock.buckets(np.array([order["now"]], dtype=np.int64))[0])
    return buckets, np.where(buckets < now, values, np.nan), x


def _grid(buckets, values, x, order, notes):
    duplicates = order["duplicates"]
    arranged = np.argsort(buckets, kind="stable")
    if (np.diff(buckets) < 0).any():
        notes["unsorted"] = True
    buckets, values = buckets[arranged], values[arranged]
    x = x[:, arranged]
    is_known = np.isfinite(values)
    first, last = int(buckets[is_known][0]), int(buckets[is_known][-1])
    inside = (buckets >= first) & (buckets <= last)
    ahead = _rows_ahead(buckets, x, last, order["horizon"])
    buckets, values, is_known = buckets[inside], values[inside], is_known[inside]
    x = x[:, inside]
    size = last - first + 1
    if size > POINTS_MAX:
        raise Refused("forecast.too_many", f"The series has more than {POINTS_MAX} steps from its first to its last value.")
    places = buckets - first
    count = np.bincount(places[is_known], minlength=size)
    if (count > 1).any():
        notes["duplicates"] = int((count[count > 1] - 1).sum())
        if duplicates == "error":
            raise Refused("forecast.duplicates", "A step has more than one value.")
    known_places, known = places[is_known], values[is_known]
    grid = np.full(size, np.nan)
    if duplicates in ("mean", "error", "sum"):
        sums = np.bincount(known_places, weights=known, minlength=size)
        divisor = np.ones(size) if duplicates == "sum" else np.maximum(count, 1)
        grid[count > 0] = (sums / divisor)[count > 0]
    elif duplicates == "count":
        grid[count > 0] = count[count > 0]
    elif duplicates == "last":
        grid[known_places] = known
    else:
        extreme, pick = (np.inf, np.minimum) if duplicates == "min" else (-np.inf, np.maximum)
        filled = np.full(size, extreme)
        pick.at(filled, known_places, known)
        grid[count > 0] = filled[count > 0]
    rows = np.full((x.shape[0], size), np.nan)
    for row in range(x.shape[0]):
        rows[row, places] = x[row]
    return first, grid, rows, ahead


def _rows_ahead(buckets, x, last, horizon):
    """Regressors of rows that lie ahead of the last value."""
    ahead = np.full((x.shape[0], horizon), np.nan)
    is_ahead = (buckets > last) & (buckets <= last + horizon)
    ahead[:, buckets[is_ahead] - last - 1] = x[:, is_ahead]
    return ahead


def _filled(grid, gaps, notes):
    seen = np.isfinite(grid)
    missing = int((~seen).sum())
    if missing / len(grid) > SPARSE_SHARE:
        raise Refused("forecast.sparse", f"{missing} of {len(grid)} steps have no value. Choose a longer step.")
    if missing == 0:
        return grid, seen
    if gaps == "none":
        raise Refused("forecast.gaps", f"{missing} of {len(grid)} steps have no value, and gaps are not to be filled.")
    notes["gaps"] = missing
    places = np.arange(len(grid))
    if gaps == "zero":
        return np.where(seen, grid, 0.0), seen
    if gaps == "previous":
        return grid[np.maximum.accumulate(np.where(seen, places, 0))], seen
    return np.interp(places, places[seen], grid[seen]), seen


def _future(ahead, order, rows, n):
    """Regressors over history and horizon. Holes of the history take the value before."""
    count = len(order["regressors"])
    whole = np.zeros((count, n + order["horizon"]))
    for row in range(count):
        past = rows[row]
        known = np.isfinite(past)
        if known.any():
            places = np.maximum.accumulate(np.where(known, np.arange(n), -1))
            past = np.where(places >= 0, past[np.maximum(places, 0)], past[known][0])
        else:
            past = np.zeros(n)
        kind = order["regressors"][row].get("future", "column") if isinstance(order["regressors"][row], dict) else "column"
        whole[row, :n] = past
        whole[row, n:] = _ahead(kind, past, ahead[row] if row < len(ahead) else [], order["horizon"])
    return whole


def _ahead(kind, past, given, horizon):
    if kind == "last":
        return past[-1]
    if kind == "zero":
        return 0.0
    values = np.array([np.nan if value is None else value for value in given[:horizon]], dtype=float)
    if len(values) < horizon or not np.isfinite(values).all():
        raise Refused("forecast.regressor_missing", "A regressor has no values for the whole horizon. Give them, or choose last or zero.")
    return values


def _without_outliers(series, is_free, notes):
    """Short runs of values far from the values of their season become the median of their season. Holidays stay as they are."""
    y = series.y
    season = series.seasons.naive
    position = series.season_keys[: series.n] % season
    replaced = np.zeros(series.n, dtype=bool)
    medians = np.full(series.n, np.median(y))
    whole_mad = np.median(np.abs(y - medians))
    is_far = np.abs(y - medians) > WHOLE_MADS * whole_mad if whole_mad > 0 else replaced.copy()
    order = np.argsort(position, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(position[order])) + 1):
        if season == 1 or len(members) < SEASON_MEMBERS_MIN:
            continue
        median = np.median(y[members])
        mad = np.median(np.abs(y[members] - median))
        medians[members] = median
        # A season that hardly varies says nothing alone: the value must be far for the whole series, too.
        if mad > 0:
            is_far[members] = (np.abs(y[members] - median) > SEASON_MADS * mad) & (np.abs(y[members] - median) > SEASON_MADS / 2 * whole_mad)
    is_far &= ~is_free
    if not is_far.any() or is_far.mean() > OUTLIERS_SHARE_MAX:
        return series
    places = np.flatnonzero(is_far)
    for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
        if len(run) <= OUTLIERS_TOGETHER_MAX:
            replaced[run] = True
    if not replaced.any():
        return series
    notes["outliers"] = int(replaced.sum())
    return series.with_values(np.where(replaced, medians, y))
