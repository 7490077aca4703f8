"""What the kinds know, and what their intervals hold."""

import numpy as np
import pytest

import bench
import choose
import conformal
from backtest import Trials
from conftest import DAY, NEW_YEAR
from kinds.linear_regression import fading
from kinds.registry import AUTO, BUILT_IN, kind_of
from contract import Refused
from series import Clock


ALL = ["linear_regression", *(pytest.param(kind, marks=pytest.mark.models) for kind in ("xgboost", "sarimax", "prophet"))]


@pytest.mark.parametrize("kind", ALL)
def test_each_kind_finds_a_week_and_a_slope(predict, weekly, kind):
    values = weekly()
    found = predict(values, kind=kind, folds=3)
    places = np.arange(200, 214)
    truth = 100 + 0.1 * places + 10 * np.sin(2 * np.pi * places / 7)
    assert found["kind"] == kind
    assert np.abs(np.array(found["mean"]) - truth).mean() < 1.5
    assert all(low <= mean <= high for low, mean, high in zip(found["lo95"], found["mean"], found["hi95"]))
    assert found["backtest"]["folds"] == 3
    assert found["error"] is None


@pytest.mark.parametrize("kind", ALL)
def test_each_kind_uses_a_regressor(predict, kind):
    """Every eleventh day or so is a holiday, on which the value falls by 50."""
    rng = np.random.default_rng(5)
    holiday = (rng.random(230) < 0.15).astype(float)
    values = 100 + 10 * np.sin(2 * np.pi * np.arange(230) / 7) - 50 * holiday + rng.normal(0, 1, 230)
    line = {"t0": NEW_YEAR, "step": DAY, "y": values[:200].tolist(), "x": [holiday[:200].tolist()], "xf": [holiday[200:].tolist()]}
    known = predict(line=line, regressors=[{"future": "column"}], kind=kind, horizon=30, folds=0)
    blind = predict(line={key: value for key, value in line.items() if key not in ("x", "xf")}, kind=kind, horizon=30, folds=0)
    error = [np.abs(np.array(found["mean"]) - values[200:]).mean() for found in (known, blind)]
    assert error[0] < 0.6 * error[1]


@pytest.mark.models
def test_auto_takes_what_is_best_and_never_worse_than_naive(predict, weekly):
    assert predict(weekly(), kind="auto", folds=3)["kind"] in AUTO
    walk = np.cumsum(np.random.default_rng(2).normal(0, 1, 120))
    found = predict(walk, kind="auto", folds=3)
    assert found["backtest"]["skill"] >= 0


@pytest.mark.parametrize("kind", ALL)
def test_each_kind_predicts_two_years_of_days_within_a_minute_of_cpu(predict, kind):
    places = np.arange(730)
    year = 20 * np.sin(2 * np.pi * places / 365.25)
    values = 100 + 0.05 * places + 10 * np.sin(2 * np.pi * places / 7) + year + np.random.default_rng(1).normal(0, 3, 730)
    found = predict(values, kind=kind, horizon=60)
    assert found["kind"] == kind
    for name in ("mean", "lo80", "hi80", "lo95", "hi95"):
        assert len(found[name]) == 60 and np.isfinite(found[name]).all()
    assert found["cpuMs"] < 60_000


@pytest.mark.models
def test_a_fit_of_sarimax_takes_less_than_a_second_once_its_form_is_chosen(predict):
    places = np.arange(730)
    values = 100 + 10 * np.sin(2 * np.pi * places / 7) + np.random.default_rng(1).normal(0, 3, 730)
    for form in ("fourier", "seasonal"):
        predict(values, kind="sarimax", folds=0, params={"form": form})
        assert predict(values, kind="sarimax", folds=0, params={"form": form})["cpuMs"] < 1_000


@pytest.mark.models
@pytest.mark.parametrize("kind", ["linear_regression", "sarimax", "xgboost", "prophet", "auto"])
def test_the_monthly_series_of_m3(kind):
    """The measures of `npm run bench:forecast` for twenty series; of Prophet for the quarterly series as well."""
    rows = [bench.measure(kind, *one) for one in bench.m3("monthly", "P1M", 18, 20)]
    mase, _, low, high, _ = np.mean(np.array(rows, dtype=float), axis=0)
    assert low >= 0.75 and high >= 0.9
    assert mase <= 1 or kind not in ("auto", "sarimax")
    if kind == "prophet":
        rows = [bench.measure(kind, *one) for one in bench.m3("quarterly", "P3M", 8, 20)]
        _, _, low, high, _ = np.mean(np.array(rows, dtype=float), axis=0)
        assert low >= 0.75 and high >= 0.9


@pytest.mark.parametrize("kind", ["naive", *ALL])
def test_a_forecast_is_the_same_twice(predict, weekly, kind):
    assert predict(weekly(), kind=kind, folds=0)["mean"] == predict(weekly(), kind=kind, folds=0)["mean"]


def test_figures_know_the_naive_forecast_and_the_share_within_the_interval(predict, weekly):
    found = predict(weekly(), folds=5)
    backtest = found["backtest"]
    assert backtest["mae"] == pytest.approx(0.85, abs=0.25)
    assert backtest["naive"]["mae"] > backtest["mae"]
    assert backtest["skill"] == pytest.approx(1 - backtest["mae"] / backtest["naive"]["mae"], abs=1e-4)
    assert backtest["coverage"]["95"] >= 0.9
    assert found["quality"] == "good"
    assert predict(np.round((weekly() - 110) / 5), folds=5)["backtest"]["mape"] is None


def test_few_trials_widen_intervals_at_most_three_and_a_half_times():
    assert conformal.few_trials(95, 2) == 3.5
    assert conformal.few_trials(80, 1) == pytest.approx(3.078 / 1.2816)
    assert conformal.few_trials(95, 5) == pytest.approx(2.776 / 1.96)
    assert conformal.few_trials(95, 4.5) == pytest.approx((3.182 + 2.776) / 2 / 1.96)
    assert conformal.few_trials(80, 50) == 1


def test_trials_that_overlap_or_drift_count_less():
    rng = np.random.default_rng(7)
    noise, drift = rng.normal(0, 1, (5, 8)), np.ones((5, 8)) * rng.normal(0, 1, (5, 1))
    scale = np.ones(8)
    assert conformal.observations(drift, scale, 5) == pytest.approx(5)
    assert conformal.observations(drift, scale, 2.5) == pytest.approx(2.5)
    assert conformal.observations(noise, scale, 2.5) == 5
    assert conformal.widths(drift, [95], 2.5)[95][0] > 1.5 * conformal.widths(drift, [95], 5)[95][0]


def test_intervals_of_overlapping_trials_hold_what_they_promise(predict):
    """Quarters that drift: each trial shares values with the next one."""
    inside = {80: [], 95: []}
    for seed in range(60):
        values = 100 + np.cumsum(np.random.default_rng(seed).normal(0.3, 1, 56))
        instants = [int(value) for value in Clock("P3M", "UTC").begins(np.arange(80, 128))]
        found = predict(line={"t": instants, "y": values[:48].tolist()}, step="P3M", horizon=8, folds=5)
        for level in inside:
            low, high = np.array(found[f"lo{level}"]), np.array(found[f"hi{level}"])
            inside[level].append(((values[48:] >= low) & (values[48:] <= high)).mean())
    assert np.mean(inside[80]) >= 0.75
    assert np.mean(inside[95]) >= 0.9


def test_intervals_of_auto_count_the_luck_of_the_choice():
    """Twenty kinds whose errors are chance alone: the best one of five trials is not better in the next one."""
    inside = {}
    for seed in range(120):
        rng = np.random.default_rng(seed)
        actual = np.zeros((5, 8))
        every = [Trials(np.arange(5) * 8, actual, rng.normal(0, 1, (5, 8)) + rng.normal(0, 1, (5, 1)), actual, scale=1.0, last=32) for _ in range(20)]
        next_error = rng.normal(0, 1, 8) + rng.normal(0, 1)
        lucky, spread = every[choose._chosen(every, "mae")], choose._spread(every, "mae")
        for name, trials in (("lucky", lucky), ("spread", spread)):
            widths = conformal.widths(trials.errors, [80], trials.apart)
            inside.setdefault(name, []).append((np.abs(next_error) <= widths[80]).mean())
    assert np.mean(inside["lucky"]) < 0.8
    assert np.mean(inside["spread"]) >= 0.84


def test_a_short_history_has_trials_that_end_with_it(predict):
    years = [int(value) for value in Clock("P1Y", "UTC").begins(np.arange(20, 34))]
    values = (100 + 3 * np.arange(14) + np.random.default_rng(1).normal(0, 2, 14)).tolist()
    found = predict(line={"t": years, "y": values}, step="P1Y", horizon=6, folds=5)
    assert found["backtest"]["folds"] == 1
    assert found["past"]["mean"] is not None
    assert found["backtest"]["coverage"]["95"] is not None
    assert np.isfinite(found["hi95"]).all()
    assert predict(line={"t": years, "y": values}, step="P1Y", horizon=6, folds=1)["backtest"]["coverage"]["95"] is None


@pytest.mark.models
@pytest.mark.parametrize(("subset", "step", "horizon"), [("quarterly", "P3M", 8), ("yearly", "P1Y", 6)])
def test_the_intervals_of_auto_hold_short_series_of_m3(subset, step, horizon):
    rows = [bench.measure("auto", *one) for one in bench.m3(subset, step, horizon, 40)]
    mase, _, low, high, _ = np.mean(np.array(rows, dtype=float), axis=0)
    naive = np.mean([bench.measure("naive", *one)[0] for one in bench.m3(subset, step, horizon, 40)])
    assert low >= 0.8 and high >= 0.95
    assert mase < 0.95 * naive


def test_intervals_hold_what_they_promise():
    rng = np.random.default_rng(7)
    inside = {80: [], 95: []}
    for _ in range(200):
        errors = rng.normal(0, 1, (6, 12)) * np.linspace(1, 3, 12)
        widths = conformal.widths(errors[:5], [80, 95])
        for level in inside:
            inside[level].append((np.abs(errors[5]) <= widths[level]).mean())
    assert np.mean(inside[80]) >= 0.78
    assert np.mean(inside[95]) >= 0.93


def test_intervals_of_few_trials_hold_the_next_one_too():
    """Each trial has an error of its own, as a trend that was wrong brings."""
    rng = np.random.default_rng(7)
    inside = {80: [], 95: []}
    for _ in range(400):
        errors = rng.normal(0, 1, (6, 1)) + 0.2 * rng.normal(0, 1, (6, 8))
        widths = conformal.widths(errors[:5], [80, 95])
        for level in inside:
            inside[level].append((np.abs(errors[5]) <= widths[level]).mean())
    assert np.mean(inside[80]) >= 0.8
    assert np.mean(inside[95]) >= 0.95


def test_the_error_of_the_last_value_fades_as_errors_follow_each_other():
    rest = [1.0]
    for value in np.random.default_rng(3).normal(0, 1, 400):
        rest.append(0.8 * rest[-1] + value)
    faded = fading(np.array(rest), 4)
    assert faded == pytest.approx(rest[-1] * 0.8 ** np.arange(1, 5), rel=0.3)
    alternating = np.array([1.0, -1.0] * 20)
    assert fading(alternating, 2).tolist() == [0, 0]
    assert fading(np.array([1.0, 2.0, np.nan]), 2).tolist() == [0, 0]


@pytest.mark.parametrize("kind", ALL[:1] + ALL[3:])
def test_a_level_that_drifts_is_followed_to_its_last_value(predict, kind):
    """Values that stay where they are: a smooth trend alone begins beside the last one."""
    off = []
    for seed in range(4):
        walk = 100 + np.cumsum(np.random.default_rng(seed).normal(0, 1, 80))
        off.append(abs(predict(walk, kind=kind, horizon=4, folds=0)["mean"][0] - walk[-1]))
    assert np.mean(off) < 1


def test_a_trial_that_is_far_off_does_not_widen_intervals(predict, weekly, monkeypatch):
    from kinds import linear_regression

    honest = linear_regression.fit_predict

    def sometimes(series, horizon, params):
        return honest(series, horizon, params) + (1e5 if series.n < 170 else 0)

    usual = predict(weekly(), folds=5)
    monkeypatch.setattr(linear_regression, "fit_predict", sometimes)
    found = predict(weekly(), folds=5)
    assert found["notes"]["foldsDropped"] >= 1
    assert np.max(found["hi95"]) < 2 * np.max(usual["hi95"])


@pytest.mark.models
def test_the_golden_numbers_of_carbon_dioxide(predict):
    """Monthly means of Mauna Loa, as statsmodels ships them; the last 24 months are to be predicted."""
    from statsmodels.datasets import co2

    monthly = co2.load_pandas().data["co2"].resample("MS").mean().interpolate()
    instants = [int(instant.timestamp() * 1000) for instant in monthly.index]
    golden = {"naive": 1.8823, "linear_regression": 0.6347, "xgboost": 0.5297, "sarimax": 0.3671, "prophet": 0.2387}
    for kind, expected in golden.items():
        found = predict(line={"t": instants[:-24], "y": monthly.to_numpy()[:-24].tolist()}, step="P1M", kind=kind, horizon=24, folds=1)
        error = np.abs(np.array(found["mean"]) - monthly.to_numpy()[-24:]).mean()
        assert error == pytest.approx(expected, rel=0.01 if kind in ("naive", "linear_regression") else 0.1), kind


def test_unknown_kinds_are_refused():
    with pytest.raises(Refused):
        kind_of("lstm")
    with pytest.raises(Refused):
        kind_of("custom:../main")
