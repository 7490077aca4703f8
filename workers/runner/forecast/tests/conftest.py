"""Series for the tests, and one call that makes a forecast of one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402
import pytest  # noqa: E402

from choose import forecast  # noqa: E402
from contract import read_order  # noqa: E402
from series import Clock, read_series  # noqa: E402

DAY = 86_400_000
HOUR = 3_600_000
NEW_YEAR = 1_704_067_200_000


def pytest_configure(config):
    config.addinivalue_line("markers", "models: needs the packages of all kinds; `npm run test:forecast` runs it")


@pytest.fixture
def predict():
    """Makes the forecast of values, or of a line, with an order that has defaults."""

    def run(values=None, line=None, **order):
        whole = read_order({"v": 1, "kind": "linear_regression", "horizon": 14, "step": DAY, **order})
        if line is None:
            line = {"t0": NEW_YEAR, "step": whole["step"], "y": [None if not np.isfinite(value) and not np.isinf(value) else float(value) for value in values]}
        series, notes = read_series({"id": 0, **line}, whole, Clock(whole["step"], whole["zone"]))
        return forecast(series, whole, notes, lambda text: None)

    return run


@pytest.fixture
def weekly():
    """Days with a week, a slope and noise."""

    def make(n=200, seed=1):
        places = np.arange(n)
        return 100 + 0.1 * places + 10 * np.sin(2 * np.pi * places / 7) + np.random.default_rng(seed).normal(0, 1, n)

    return make
