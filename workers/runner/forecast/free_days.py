"""Holidays as regressors: the holidays of a country together, and days of an own list by their names."""

from datetime import date, timedelta

import numpy as np

from contract import DAY_MS, Refused

EPOCH = date(1970, 1, 1)


def columns_of(order, local):
    """One row for the holidays of the country and one for each name of the own days: 1 on the day, else 0.

    @param local the local begins of all buckets, as if they were UTC"""
    asked = order.get("holidays")
    if not asked:
        return np.zeros((0, len(local)))
    days = local // DAY_MS
    rows = []
    if asked.get("country"):
        rows.append(np.isin(days, _days_of(asked["country"], int(days[0]), int(days[-1]))))
    named = {}
    for day in asked.get("days", []):
        named.setdefault(day["name"], []).append((date.fromisoformat(day["date"]) - EPOCH).days)
    rows.extend(np.isin(days, numbers) for numbers in named.values())
    return np.array(rows, dtype=float).reshape(len(rows), len(local))


def _days_of(place, first, last):
    """The holidays of a country such as CH, or of a part of it such as CH-ZH, as days since the epoch."""
    import holidays

    country, _, part = place.partition("-")
    years = range((EPOCH + timedelta(days=first)).year, (EPOCH + timedelta(days=last)).year + 1)
    try:
        found = holidays.country_holidays(country, subdiv=part or None, years=years)
    except NotImplementedError as error:
        raise Refused("forecast.invalid", f"There are no holidays of {place}.") from error
    return [(day - EPOCH).days for day in found]
