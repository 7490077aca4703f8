"""The program: files in, files out, one group after the other."""

import contextlib
import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

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


def test_a_thousand_groups_are_done_by_one_child_and_one_of_them_fails_alone(tmp_path, monkeypatch):
    """No group loads a package or makes a process of its own, so that their number costs fits alone."""
    forks, honest = [], os.fork
    monkeypatch.setattr(os, "fork", lambda: forks.append(1) or honest())
    values = [round(value, 3) for value in WAVE[:24]]
    lines = [line(number, [1.0] if number == 500 else values) for number in range(main.GROUPS_MAX)]
    found = run(tmp_path, {**ORDER, "horizon": 2, "folds": 0}, lines)
    assert [each["id"] for each in found] == list(range(1000))
    assert [each["id"] for each in found if each["error"]] == [500]
    assert len(forks) == 1
    with pytest.raises(Refused, match="1001 groups"):
        run(tmp_path, ORDER, [*lines, line(1000)])


@pytest.mark.models
def test_a_thousand_groups_of_prophet_need_less_than_512_mib(tmp_path):
    """Constant series are not modelled: what a fit leaves behind shows after forty, what the series take is that of all."""
    values = (10 + np.sin(2 * np.pi * np.arange(730) / 7) + np.random.default_rng(1).normal(0, 1, 730)).round(3).tolist()
    lines = [line(number, values if number % 25 == 0 else [7.0] * 730) for number in range(1000)]
    source = tmp_path / "series.ndjson.gz"
    with gzip.open(source, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in [{**ORDER, "kind": "prophet", "horizon": 90, "folds": 0}, *lines])
    (tmp_path / "out").mkdir()
    program = [sys.executable, str(Path(main.__file__)), str(source), str(tmp_path / "out")]
    child = subprocess.Popen(program, stdout=subprocess.DEVNULL)
    peak = 0
    while child.poll() is None:
        peak = max(peak, sum(resident(process) for process in family(child.pid)))
        time.sleep(0.05)
    assert child.returncode == 0
    assert 60 < peak / 2**20 < 512


def family(process):
    """A process and those that it has made."""
    found = [process]
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found.extend(each for child in children.read_text().split() for each in family(int(child)))
    return found


def resident(process):
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


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
