"""The seasons of a step: a day, a week, a year, as far as the history has them."""

from dataclasses import dataclass

import numpy as np

DAY_MS = 86_400_000
WEEK_MS = 7 * DAY_MS
YEAR_MS = 365.2425 * DAY_MS
# The epoch was a Thursday; a season of a week begins on Monday.
MONDAY_MS = 4 * DAY_MS
# Two years of days are some hours less than two years.
CYCLES = 1.99
PART_CYCLES = 1.25


@dataclass(frozen=True)
class Season:
    name: str
    #: Its length in steps; a year of days is no whole number.
    period: float
    #: How often the history has it.
    cycles: float


@dataclass(frozen=True)
class Seasons:
    #: Those that the history has about twice, the shortest first.
    all: tuple
    #: The season of the naive forecast, in steps; 1 repeats the last value.
    naive: int
    #: The name of that season; None without one.
    naive_name: str
    #: A season of the calendar that the history has less than three times.
    unseen: str

    @property
    def shortest(self):
        return round(self.all[0].period) if self.all else 1


def seasons_of(clock, series, longer=None):
    """@param longer the seasons of the series that this one was cut from: a trial has the terms of the forecast"""
    n = len(series.y)
    asked = {season.name for season in longer.all} if longer else set()
    seen = [Season(name, period, n / period) for name, period in _candidates(clock)]
    known = tuple(season for season in seen if season.cycles >= (PART_CYCLES if season.name in asked else CYCLES))
    whole = [season for season in known if season.cycles >= 2 and abs(season.period - round(season.period)) < 1e-9]
    naive = whole[-1] if whole else None
    # Three weeks tell a week apart from a day; with fewer, the day before is the better guess.
    if naive is not None and naive.name == "week" and len(whole) > 1 and naive.cycles < 3:
        naive = whole[0]
    unseen = None
    if clock.months is None and clock.days is None and n < 3 * WEEK_MS / clock.step:
        unseen = "week"
    return Seasons(known, 1 if naive is None else round(naive.period), None if naive is None else naive.name, unseen)


def _candidates(clock):
    if clock.months is not None:
        return [("year", 12 / clock.months)] if clock.months < 12 else []
    if clock.days is not None:
        found = [("week", 7 / clock.days)] if clock.days < 7 and 7 % clock.days == 0 else []
        if clock.days % 7 == 0 and 52 % (clock.days // 7) == 0:
            return [("year", 52 // (clock.days // 7))] if clock.days < 182 else []
        return [*found, ("year", YEAR_MS / DAY_MS / clock.days)] if clock.days < 182 else found
    step = clock.step
    found = [("day", DAY_MS / step)] if step < DAY_MS / 2 + 1 and DAY_MS / step >= 2 else []
    return [*found, ("week", WEEK_MS / step), ("year", YEAR_MS / step)]


def phase(series, name):
    """The share of a season that has passed at each bucket, by the local clock."""
    if series.clock.months is not None:
        return (series.keys * series.clock.months % 12) / 12
    local = series.local
    if name == "day":
        return (local % DAY_MS) / DAY_MS
    if name == "week":
        return ((local - MONDAY_MS) % WEEK_MS) / WEEK_MS
    return (local % YEAR_MS) / YEAR_MS


def waves(phases, orders):
    """Sines and cosines, one column each."""
    angles = 2 * np.pi * np.outer(phases, np.asarray(orders))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def fourier(series, terms=None):
    """The seasons of a series as waves over history and horizon."""
    columns = []
    periods = {season.name: season.period for season in series.seasons.all}
    for season in series.seasons.all:
        if terms is not None and season.name not in terms:
            continue
        orders = _orders(season, periods)
        if len(orders):
            columns.append(waves(phase(series, season.name), orders))
    return np.concatenate(columns, axis=1) if columns else np.zeros((len(series.keys), 0))


def _orders(season, periods):
    top = int(max(1, (season.period - 1e-9) // 2))
    if season.name == "day":
        return np.arange(1, min(top, 8) + 1)
    if season.name == "week":
        orders = np.arange(1, min(top, 27 if "day" in periods else 3) + 1)
        return orders[orders % 7 != 0] if "day" in periods else orders
    limit = 6 if season.cycles >= 3 else 3 if season.cycles >= CYCLES else 2
    return np.arange(1, min(top, limit) + 1)
