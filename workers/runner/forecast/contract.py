"""The shapes of a forecast job: one line of JSON for the order, then one line for each series."""

import math

VERSION = 1
LEVEL_MIN, LEVEL_MAX = 50, 99
HORIZON_MAX = 10_000
FOLDS_MAX = 20
POINTS_MAX = 100_000
DAY_MS = 86_400_000
CALENDAR_STEPS = {"P1M": 1, "P3M": 3, "P1Y": 12}
GAPS = ("none", "zero", "previous", "interpolate")
DUPLICATES = ("mean", "sum", "min", "max", "last", "count", "error")
TRANSFORMS = ("none", "log1p")
METRICS = ("mase", "mae", "smape")
VALUE_MAX = 1e15


class Refused(Exception):
    """A series, or a whole job, that has no forecast, with the code and the sentence of its error."""

    def __init__(self, code, detail):
        super().__init__(detail)
        self.code = code
        self.detail = detail

    def as_json(self):
        return {"code": self.code, "detail": self.detail}


def read_order(line):
    """The order with its defaults. Raises Refused for what the engine cannot do."""
    if line.get("v") != VERSION:
        raise Refused("forecast.invalid", f"The order has version {line.get('v')}; this engine knows version {VERSION}.")
    order = {
        "kind": "auto",
        "params": {},
        "zone": "UTC",
        "levels": [80, 95],
        "folds": 5,
        "metric": "mase",
        "gaps": "interpolate",
        "duplicates": "mean",
        "transform": "none",
        "bounds": {},
        "keepOutliers": False,
        "seed": 1,
        "now": None,
        "regressors": [],
        "holidays": None,
        "search": False,
        "groupTimeout": 120,
        **line,
    }
    _require(isinstance(order.get("horizon"), int) and 1 <= order["horizon"] <= HORIZON_MAX, f"horizon must be from 1 to {HORIZON_MAX} steps")
    _require(0 <= order["folds"] <= FOLDS_MAX, f"folds must be from 0 to {FOLDS_MAX}")
    _require(all(LEVEL_MIN <= level <= LEVEL_MAX for level in order["levels"]), f"levels must be from {LEVEL_MIN} to {LEVEL_MAX}")
    _require(order["gaps"] in GAPS, f"gaps must be one of {', '.join(GAPS)}")
    _require(order["duplicates"] in DUPLICATES, f"duplicates must be one of {', '.join(DUPLICATES)}")
    _require(order["transform"] in TRANSFORMS, f"transform must be one of {', '.join(TRANSFORMS)}")
    _require(order["metric"] in METRICS, f"metric must be one of {', '.join(METRICS)}")
    low, high = order["bounds"].get("min"), order["bounds"].get("max")
    _require(low is None or high is None or low < high, "bounds.min must be less than bounds.max")
    check_step(order.get("step"))
    is_daily = isinstance(order["step"], int) and order["step"] <= DAY_MS
    _require(not order["holidays"] or is_daily, "holidays need a step of a day or less")
    return order


def check_step(step):
    """A step is a calendar step, or milliseconds that divide a day or are whole days."""
    if step in CALENDAR_STEPS:
        return
    is_whole = isinstance(step, int) and step > 0 and (step % DAY_MS == 0 or DAY_MS % step == 0)
    _require(is_whole, "step must be P1M, P3M or P1Y, divide a day, or be whole days")


def _require(holds, sentence):
    if not holds:
        raise Refused("forecast.invalid", f"{sentence[0].upper()}{sentence[1:]}.")


def numbers(values):
    """Numbers for JSON: null for what is not finite."""
    return [None if not math.isfinite(value) else float(f"{value:.10g}") for value in values]


def number(value):
    return None if value is None or not math.isfinite(value) else float(f"{value:.6g}")
