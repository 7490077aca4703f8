"""Buckets, seasons and the local clock."""

import numpy as np
import pytest

from conftest import DAY, HOUR
from series import Clock

MARCH = 1_709_251_200_000  # 2024-03-01T00:00Z


def test_a_day_is_a_local_day_of_23_or_25_hours():
    clock = Clock(DAY, "Europe/Zurich")
    begins = clock.begins(clock.buckets(np.array([MARCH + 29 * DAY, MARCH + 30 * DAY, MARCH + 31 * DAY])))
    assert (np.diff(begins) / HOUR).tolist() == [24, 23]


def test_a_month_is_a_calendar_month():
    clock = Clock("P1M", "UTC")
    begins = clock.begins(clock.buckets(np.array([MARCH - 1])) + np.arange(3))
    assert (np.diff(begins) / DAY).tolist() == [29, 31]


def test_a_quarter_and_a_year_begin_in_january():
    assert Clock("P3M", "UTC").begins(np.array([0, 1]))[1] == 90 * DAY
    assert Clock("P1Y", "UTC").begins(np.array([1])).tolist() == [365 * DAY]


@pytest.mark.parametrize("kind", ["naive", "linear_regression"])
def test_seasons_follow_the_local_clock_after_a_change_of_clocks(predict, kind):
    """Four weeks of hours before the change, one week after it."""
    n, horizon = 24 * 35, 24 * 7
    begin = MARCH + 31 * DAY - HOUR * n + HOUR * 12
    clock = Clock(HOUR, "Europe/Zurich")
    instants = begin + HOUR * np.arange(n + horizon)
    local = (clock.local(instants) % DAY) / DAY
    truth = 50 + 20 * np.sin(2 * np.pi * local) + 10 * np.sin(4 * np.pi * local)
    noise = np.random.default_rng(3).normal(0, 2, n + horizon)
    found = predict(line={"t0": int(begin), "step": HOUR, "y": (truth + noise)[:n].tolist()}, step=HOUR, zone="Europe/Zurich", horizon=horizon, kind=kind)
    error = np.abs(np.array(found["mean"]) - truth[n:])
    before, after = error[:10].mean(), error[24:].mean()
    assert after <= 1.5 * max(before, 1.6)


def test_the_naive_forecast_repeats_the_week(predict, weekly):
    values = weekly()
    assert predict(values, kind="naive", horizon=7)["mean"] == pytest.approx(values[-7:])
    assert predict(values, kind="naive", horizon=7)["season"] == "week"


def test_months_repeat_the_year(predict):
    values = 100 + np.arange(60) % 12 * 5.0
    found = predict(line={"t": [int(value) for value in Clock("P1M", "UTC").begins(np.arange(648, 708))], "y": values.tolist()}, step="P1M", horizon=12, kind="naive")
    assert found["mean"] == pytest.approx(values[:12])
    assert found["season"] == "year"


def test_two_weeks_of_five_minutes_do_not_know_a_week(predict):
    n = 288 * 14
    values = 50 + 20 * np.sin(2 * np.pi * np.arange(n) / 288) + np.random.default_rng(1).normal(0, 1, n)
    found = predict(values, step=300_000, horizon=288)
    assert found["notes"]["season_unseen"] == "week"
    assert found["season"] == "day"
