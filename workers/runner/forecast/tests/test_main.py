"""The program: files in, files out, one group after the other."""

import gzip
import json
import os

import numpy as np
import pytest

import main
from conftest import DAY, NEW_YEAR
from contract import Refused
from kinds import linear_regression, registry

ORDER = {"v": 1, "kind": "linear_regression", "horizon": 7, "step": DAY, "folds": 2}
WAVE = (10 + np.sin(2 * np.pi * np.arange(60) / 7)).tolist()


def line(number, values=WAVE):
    return {"id": number, "t0": NEW_YEAR, "step": DAY, "y": values}


def run(folder, order, lines):
    source = folder / "series.ndjson.gz"
    with gzip.open(source, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in [order, *lines])
    target = folder / "out"
    target.mkdir(exist_ok=True)
    main.main(str(source), str(target))
    found = []
    for part in sorted(target.iterdir()):
        with gzip.open(part, "rt", encoding="utf-8") as file:
            head, *outcomes = [json.loads(text) for text in file]
        assert head["v"] == 1 and "numpy" in head["engine"]
        found.extend(outcomes)
    return found


def test_one_group_fails_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_PROGRESS_FILE", str(tmp_path / "progress"))
    found = run(tmp_path, ORDER, [line(0), line(1, [1.0]), line(2)])
    assert [each["id"] for each in found] == [0, 1, 2]
    assert [each["error"] and each["error"]["code"] for each in found] == [None, "forecast.too_short", None]
    assert (tmp_path / "progress").read_text() == "1.0000 3 of 3 groups\n"


def test_a_group_that_ends_the_process_fails_alone(tmp_path, monkeypatch):
    honest = linear_regression.fit_predict

    def deadly(series, horizon, params):
        if series.y[0] > 1e5:
            os.kill(os.getpid(), 9)
        return honest(series, horizon, params)

    monkeypatch.setattr(linear_regression, "fit_predict", deadly)
    found = run(tmp_path, ORDER, [line(0), line(1, (np.array(WAVE) + 1e6).tolist()), line(2)])
    assert [each["error"] and each["error"]["code"] for each in found] == [None, "forecast.killed", None]


def test_a_group_that_takes_too_long_fails_alone(tmp_path, monkeypatch):
    honest = linear_regression.fit_predict

    def slow(series, horizon, params):
        while series.y[0] > 1e5:
            pass
        return honest(series, horizon, params)

    monkeypatch.setattr(linear_regression, "fit_predict", slow)
    found = run(tmp_path, {**ORDER, "groupTimeout": 0.2}, [line(0, (np.array(WAVE) + 1e6).tolist()), line(1)])
    assert [each["error"] and each["error"]["code"] for each in found] == ["forecast.timeout", None]


def test_too_many_groups_or_points_run_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(main, "GROUPS_MAX", 2)
    assert len(run(tmp_path, ORDER, [line(0), line(1)])) == 2
    with pytest.raises(Refused, match="3 groups"):
        run(tmp_path, ORDER, [line(0), line(1), line(2)])
    monkeypatch.setattr(main, "POINTS_MAX", 119)
    with pytest.raises(Refused, match="119 points"):
        run(tmp_path, ORDER, [line(0), line(1)])


def test_large_results_come_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(main, "PART_BYTES", 10)
    assert len(run(tmp_path, ORDER, [line(0), line(1), line(2)])) == 3
    assert len(list((tmp_path / "out").iterdir())) > 1


def test_a_file_of_the_operator_is_a_kind(tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir()
    (own / "croston.py").write_text("def fit_predict(series, horizon, params):\n    return [params.get('value', 1)] * horizon\n")
    monkeypatch.setattr(registry, "OWN", own)
    monkeypatch.setattr(registry, "_loaded", {})
    found = run(tmp_path, {**ORDER, "kind": "custom:croston", "params": {"value": 12}}, [line(0)])
    assert found[0]["mean"] == [12.0] * 7
    assert found[0]["kind"] == "custom:croston"
