"""The kinds by their names. Files of the directory `own` are further kinds; a built-in kind of the same name is replaced."""

import importlib
import importlib.util
from pathlib import Path

from contract import Refused

BUILT_IN = ("naive", "linear_regression", "xgboost", "sarimax", "prophet")
AUTO = ("linear_regression", "sarimax", "xgboost", "prophet")
OWN = Path(__file__).resolve().parent.parent / "own"
_loaded = {}


def kind_of(name):
    """The module of a kind. Raises Refused for a name without one."""
    if name not in _loaded:
        _loaded[name] = _load(name)
    return _loaded[name]


def _load(name):
    plain = name.removeprefix("custom:")
    file = OWN / f"{plain}.py"
    if plain.isidentifier() and file.is_file():
        spec = importlib.util.spec_from_file_location(f"own_{plain}", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if not callable(getattr(module, "fit_predict", None)):
            raise Refused("forecast.engine", f"The file {plain}.py does not define fit_predict(series, horizon, params).")
        return module
    if name not in BUILT_IN:
        raise Refused("forecast.invalid", f"There is no kind of model {name}.")
    return importlib.import_module(f"kinds.{name}")
