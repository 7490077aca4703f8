"""The settings among which trials choose where a search is ordered: 12 of a kind at most, the default first."""

from itertools import product

SETTINGS_MAX = 12


def _all(**choices):
    return [dict(zip(choices, values)) for values in product(*choices.values())]


SETTINGS = {
    "linear_regression": _all(trend=["linear", "none"], ridge=[0.1, 0.01, 1, 10, 100]),
    "xgboost": _all(maxDepth=[4, 2, 6], eta=[0.06, 0.03, 0.12]),
    "sarimax": [{"order": [p, d, q]} for p, d, q in ((1, 1, 1), (0, 1, 1), (2, 1, 2), (1, 0, 1), (2, 0, 0), (0, 2, 2))],
    "prophet": _all(changepointPriorScale=[0.05, 0.005, 0.5], seasonalityMode=["additive", "multiplicative"]),
}


def settings_of(name, params):
    """The settings of a kind. What the order names itself stays."""
    found = []
    for setting in SETTINGS.get(name, []):
        free = {key: value for key, value in setting.items() if key not in params}
        if free and free not in found:
            found.append(free)
    return found[:SETTINGS_MAX]
