"""Holidays, searches, and values of the past that are not usual."""

import numpy as np
import pytest

from conftest import DAY, HOUR, NEW_YEAR
from contract import Refused, read_order
from free_days import columns_of
from search import SETTINGS, SETTINGS_MAX, settings_of
from series import Clock

MAY_DAY = 19_844 - NEW_YEAR // DAY  # 2024-05-01


def free_days(n):
    """Christmas, New Year and the other holidays of Switzerland."""
    days = NEW_YEAR + DAY * np.arange(n)
    return columns_of({"holidays": {"country": "CH"}}, days)[0]


def shop(n, seed=5):
    """A shop that is closed on holidays."""
    free = free_days(n)
    week = 100 + 10 * np.sin(2 * np.pi * np.arange(n) / 7)
    return week * (1 - free) + np.random.default_rng(seed).normal(0, 1, n)


def test_holidays_of_a_country_and_of_a_part_of_it_are_days_of_the_local_clock():
    swiss = free_days(366)
    assert swiss[0] == 1 and swiss[1] == 0
    zurich = columns_of({"holidays": {"country": "CH-ZH"}}, NEW_YEAR + DAY * np.arange(366))[0]
    assert zurich[MAY_DAY] == 1 and zurich.sum() > swiss.sum()
    clock = Clock(HOUR, "Asia/Tokyo")
    local = clock.local(np.array([NEW_YEAR - 10 * HOUR, NEW_YEAR - 9 * HOUR]))
    assert columns_of({"holidays": {"days": [{"date": "2024-01-01", "name": "x"}]}}, local)[0].tolist() == [0, 1]


def test_own_days_are_a_regressor_for_each_name():
    days = [{"date": "2024-01-02", "name": "sale"}, {"date": "2024-01-04", "name": "sale"}, {"date": "2024-01-03", "name": "stocktaking"}]
    rows = columns_of({"holidays": {"country": None, "days": days}}, NEW_YEAR + DAY * np.arange(5))
    assert rows.tolist() == [[0, 1, 0, 1, 0], [0, 0, 1, 0, 0]]


def test_unknown_countries_and_long_steps_are_refused():
    for place in ("QQ", "CH-QQ"):
        with pytest.raises(Refused) as refused:
            columns_of({"holidays": {"country": place}}, np.array([NEW_YEAR]))
        assert refused.value.code == "forecast.invalid"
    with pytest.raises(Refused):
        read_order({"v": 1, "horizon": 7, "step": 7 * DAY, "holidays": {"country": "CH"}})


KINDS = ["linear_regression", *(pytest.param(kind, marks=pytest.mark.models) for kind in ("sarimax", "xgboost", "prophet"))]


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_knows_the_holidays_ahead(predict, kind):
    values = shop(366)
    horizon = 30
    known = predict(values[:-horizon], kind=kind, horizon=horizon, folds=0, holidays={"country": "CH"})
    blind = predict(values[:-horizon], kind=kind, horizon=horizon, folds=0)
    error = [np.abs(np.array(found["mean"]) - values[-horizon:]).mean() for found in (known, blind)]
    assert error[0] < 0.7 * error[1]


def test_holidays_are_no_outliers(predict):
    assert "outliers" in predict(shop(300), horizon=14)["notes"]
    assert "outliers" not in predict(shop(300), horizon=14, holidays={"country": "CH"})["notes"]


def test_a_search_has_twelve_settings_at_most_and_keeps_what_is_given():
    assert all(len(settings) <= SETTINGS_MAX for settings in SETTINGS.values())
    assert settings_of("linear_regression", {"trend": "none"}) == [{"ridge": value} for value in (0.1, 0.01, 1, 10, 100)]
    assert settings_of("naive", {}) == []


def test_a_search_takes_the_setting_that_is_best_in_trials(predict):
    """A season without a trend: a line through a step goes on rising."""
    values = np.where(np.arange(200) < 60, 50.0, 100.0) + 10 * np.sin(2 * np.pi * np.arange(200) / 7) + np.random.default_rng(4).normal(0, 1, 200)
    usual = predict(values, kind="linear_regression")
    found = predict(values, kind="linear_regression", search=True)
    assert found["notes"]["searched"] == 10
    assert found["params"]["ridge"] != 0.1 or found["params"]["trend"] == "none"
    assert found["backtest"]["mae"] <= usual["backtest"]["mae"]
    given = predict(values, kind="linear_regression", search=True, params={"trend": "linear", "ridge": 3})
    assert given["params"] == {"trend": "linear", "ridge": 3}


@pytest.mark.models
def test_auto_searches_the_kind_that_it_takes(predict, weekly):
    found = predict(weekly(120), kind="auto", folds=2, search=True)
    assert found["kind"] == "naive" or found["notes"]["searched"] > 1


def test_values_of_the_past_outside_of_the_interval_are_anomalies(predict, weekly):
    values = weekly()
    values[-3] += 60
    values[-5] -= 60
    past = predict(values)["past"]
    assert len(past["t"]) == len(past["anomaly"]) == len(past["mean"]) == 14
    assert past["y"][-3] == pytest.approx(values[-3])
    assert (past["anomaly"][-3], past["anomaly"][-5]) == (1, -1)
    assert sum(1 for place in past["anomaly"] if place) <= 4
    assert past["lo95"][0] < past["lo80"][0] < past["mean"][0] < past["hi80"][0] < past["hi95"][0]
    assert predict(values, folds=1)["past"]["anomaly"] is None
    assert predict([1, 3, 2, 4, 3], horizon=5)["past"]["anomaly"] is None


def test_a_gap_is_no_anomaly(predict, weekly):
    values = weekly()
    values[-2] = np.nan
    past = predict(values)["past"]
    assert past["anomaly"][-2] is None and past["y"][-2] is None
