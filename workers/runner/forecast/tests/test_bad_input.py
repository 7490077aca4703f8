"""Input that is too short, has holes, or is not what it seems."""

import numpy as np
import pytest

from contract import Refused, read_order
from conftest import DAY, HOUR, NEW_YEAR


def refusal(call, *args, **named):
    with pytest.raises(Refused) as found:
        call(*args, **named)
    return found.value.code


@pytest.mark.parametrize("values", [[], [1.0], [np.nan, np.nan, np.nan]])
def test_fewer_than_two_values_have_no_forecast(predict, values):
    assert refusal(predict, values) == "forecast.too_short"


def test_few_values_are_repeated_and_not_modelled(predict):
    found = predict([1, 3], horizon=5)
    assert (found["kind"], found["quality"], found["lo95"]) == ("naive", "untested", None)
    assert found["mean"] == [3.0] * 5
    assert found["notes"]["too_short_for_model"] is True
    with_interval = predict([1, 3, 2, 4, 3], horizon=5)
    assert with_interval["lo95"][0] < with_interval["mean"][0] < with_interval["hi95"][0]


@pytest.mark.parametrize("value", [5.0, 0.0])
def test_a_constant_stays_constant_without_width(predict, value):
    found = predict([value] * 60, kind="auto")
    assert found["mean"] == [value] * 14
    assert found["lo95"] == found["hi95"] == [value] * 14
    assert found["notes"]["constant"] is True


def test_gaps_are_filled_as_asked_and_counted(predict, weekly):
    values = weekly()
    values[60:90] = np.nan
    assert predict(values)["notes"]["gaps"] == 30
    assert refusal(predict, values, gaps="none") == "forecast.gaps"
    zero = predict(values, gaps="zero", keepOutliers=True)
    assert zero["points"] == 170


def test_a_series_with_few_values_on_its_grid_is_sparse(predict):
    line = {"t": [NEW_YEAR + DAY * day for day in (0, 40, 90, 160, 161)], "y": [1, 2, 3, 4, 5]}
    assert refusal(predict, line=line) == "forecast.sparse"


def test_infinite_values_count_as_missing(predict, weekly):
    values = weekly()
    values[10] = np.inf
    line = {"t0": NEW_YEAR, "step": DAY, "y": [float(value) for value in values]}
    notes = predict(line=line)["notes"]
    assert (notes["infinite"], notes["gaps"]) == (1, 1)


@pytest.mark.parametrize("place", [100, 199])
def test_an_outlier_is_replaced_before_the_fit(predict, weekly, place):
    values = weekly()
    usual = predict(values.copy())
    values[place] = 1e6
    found = predict(values)
    assert found["notes"]["outliers"] == 1
    assert np.abs(np.array(found["mean"]) - np.array(usual["mean"])).max() < 5
    assert "outliers" not in predict(values, keepOutliers=True)["notes"]


def test_a_shift_of_the_level_is_no_outlier(predict, weekly):
    values = weekly()
    values[160:] += 500
    assert "outliers" not in predict(values)["notes"]


def test_values_of_a_yes_or_no_have_a_forecast(predict):
    values = (np.arange(200) % 7 < 2).astype(float)
    found = predict(values)
    assert np.allclose(found["mean"], (np.arange(200, 214) % 7 < 2), atol=0.2)


@pytest.mark.parametrize(("how", "expected"), [("mean", 3), ("sum", 6), ("last", 5), ("min", 1), ("max", 5), ("count", 2)])
def test_duplicates_become_one_value(predict, how, expected):
    times = [NEW_YEAR + DAY * day for day in range(8)]
    line = {"t": [times[7], *times, times[7]], "y": [None, 2, 2, 2, 2, 2, 2, 2, 1, 5]}
    found = predict(line=line, duplicates=how, horizon=2, keepOutliers=True)
    assert found["notes"]["duplicates"] == 1
    assert found["notes"]["unsorted"] is True
    assert found["mean"][0] == pytest.approx(expected) if found["kind"] == "naive" else True


def test_duplicates_can_be_an_error(predict):
    line = {"t": [NEW_YEAR, NEW_YEAR, NEW_YEAR + DAY], "y": [1, 2, 3]}
    assert refusal(predict, line=line, duplicates="error") == "forecast.duplicates"


@pytest.mark.parametrize("factor", [-1.0, 1e12, 1e-9])
def test_scale_and_sign_do_not_matter(predict, weekly, factor):
    values = weekly()
    assert np.allclose(np.array(predict(values * factor)["mean"]) / factor, predict(values)["mean"], rtol=1e-6)


def test_values_beyond_the_largest_are_refused(predict, weekly):
    values = weekly()
    values[3] = 1.1e15
    assert refusal(predict, values) == "forecast.too_large"


def test_a_result_far_from_history_becomes_the_naive_forecast(predict, weekly, monkeypatch):
    from kinds import linear_regression

    monkeypatch.setattr(linear_regression, "fit_predict", lambda series, horizon, params: np.full(horizon, 1e9))
    found = predict(weekly())
    assert (found["kind"], found["notes"]["diverged"]) == ("naive", "linear_regression")


def test_a_model_that_fails_is_an_error_of_its_group(predict, weekly, monkeypatch):
    from kinds import linear_regression

    def fail(series, horizon, params):
        raise ValueError("no")

    monkeypatch.setattr(linear_regression, "fit_predict", fail)
    assert refusal(predict, weekly()) == "forecast.engine"


def test_a_regressor_needs_its_future(predict, weekly):
    line = {"t0": NEW_YEAR, "step": DAY, "y": weekly().tolist(), "x": [[0.0] * 200]}
    assert refusal(predict, line=line, regressors=[{"future": "column"}]) == "forecast.regressor_missing"
    assert refusal(predict, line={**line, "xf": [[1.0] * 13 + [None]]}, regressors=[{"future": "column"}]) == "forecast.regressor_missing"
    for future in ("last", "zero"):
        assert len(predict(line=line, regressors=[{"future": future}])["mean"]) == 14


def test_a_horizon_longer_than_the_history_is_refused(predict, weekly):
    assert refusal(predict, weekly(20), horizon=21) == "forecast.horizon"
    assert len(predict(weekly(20), horizon=20)["mean"]) == 20


def test_the_open_bucket_teaches_nothing(predict, weekly):
    values = weekly()
    values[-1] = -1000
    now = NEW_YEAR + DAY * 199 + HOUR
    found = predict(values, now=now)
    assert found["points"] == 199
    assert found["t"][0] == NEW_YEAR + DAY * 199


@pytest.mark.parametrize(
    "wrong",
    [
        {"horizon": 0},
        {"horizon": 10_001},
        {"folds": 21},
        {"levels": [49]},
        {"levels": [100]},
        {"gaps": "guess"},
        {"duplicates": "first"},
        {"transform": "sqrt"},
        {"bounds": {"min": 2, "max": 1}},
        {"step": 7 * HOUR},
        {"step": DAY + 1},
        {"step": "P2M"},
    ],
)
def test_orders_that_cannot_be_are_refused(wrong):
    assert refusal(read_order, {"v": 1, "horizon": 7, "step": DAY, **wrong}) == "forecast.invalid"


def test_bounds_hold_for_values_and_intervals(predict, weekly):
    found = predict(weekly() - 100, bounds={"min": 0, "max": 20}, horizon=30)
    for name in ("mean", "lo80", "hi80", "lo95", "hi95"):
        assert 0 <= min(found[name]) and max(found[name]) <= 20


def test_logarithms_keep_a_forecast_above_zero(predict):
    values = np.exp(np.sin(np.arange(200) * 2 * np.pi / 7) * 2) - 1 + 1e-3
    assert min(predict(np.maximum(values, 0), transform="log1p")["lo95"]) > -1
    assert refusal(predict, values - 5, transform="log1p") == "forecast.invalid"
