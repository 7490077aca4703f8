"""Reads an order and its series from a file, and writes a line for each series. Run as `main.py [<input> <output directory>]`;
without arguments in a run of the runner, whose variables name both."""

import gzip
import json
import os
import signal
import sys
import traceback
from importlib import metadata
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from choose import forecast  # noqa: E402
from contract import VERSION, Refused, read_order  # noqa: E402
from kinds.registry import AUTO, kind_of  # noqa: E402
from series import Clock, read_series  # noqa: E402

GROUPS_MAX = 1_000
POINTS_MAX = 2_000_000
PART_BYTES = 8 * 1024 * 1024
PACKAGES = ("numpy", "statsmodels", "prophet", "xgboost-cpu", "xgboost")
TRACE_CHARACTERS = 1_000


class OutOfTime(BaseException):
    """Not an Exception, so that no library takes it for a failure of its own."""


def main(source, target):
    lines = read_lines(source)
    order = read_order(next(lines))
    series = list(lines)
    if len(series) > GROUPS_MAX:
        raise Refused("forecast.too_many", f"There are {len(series)} groups; at most {GROUPS_MAX} are possible.")
    if sum(len(each["y"]) for each in series) > POINTS_MAX:
        raise Refused("forecast.too_many", f"There are more than {POINTS_MAX} points.")
    # Packages are loaded once, before the processes that use them are made.
    for name in AUTO if order["kind"] == "auto" else (order["kind"],):
        kind_of(name)
    parts = Parts(target, {"v": VERSION, "engine": versions(), "keyTypes": order.get("keyTypes", [])})
    failed = 0
    for outcome, done in outcomes(order, series):
        failed += outcome["error"] is not None
        parts.write(outcome)
        progress(done / max(len(series), 1), f"{done} of {len(series)} groups")
    parts.close()
    log(f"{len(series) - failed} of {len(series)} groups have a forecast.")


def outcomes(order, series):
    """The outcomes of all series in order. They come from a child: where a series ends it, the next ones get another."""
    done = 0
    while done < len(series):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            work(order, series[done:], writer)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as answers:
            for answer in answers:
                if not answer.endswith("\n"):
                    break
                done += 1
                yield json.loads(answer), done
        _, status = os.waitpid(child, 0)
        if done < len(series) and status != 0:
            detail = "The process of this group was ended, most often for want of memory."
            log(f"group {series[done]['id']}: {detail}")
            killed = failure(series[done], Refused("forecast.killed", detail))
            done += 1
            yield killed, done


def work(order, series, writer):
    """Does series after series in a child, which never returns."""
    status = 1
    try:
        clock = Clock(order["step"], order["zone"])
        with os.fdopen(writer, "w", encoding="utf-8") as answers:
            for line in series:
                answers.write(json.dumps(outcome_of(order, line, clock), allow_nan=False) + "\n")
                answers.flush()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def outcome_of(order, line, clock):
    label = f"group {line['id']}"
    signal.signal(signal.SIGALRM, out_of_time)
    signal.setitimer(signal.ITIMER_REAL, order["groupTimeout"])
    try:
        series, notes = read_series(line, order, clock)
        return {**named(line), **forecast(series, order, notes, lambda text: log(f"{label}: {text}"))}
    except Refused as refusal:
        log(f"{label}: {refusal.detail}")
        return failure(line, refusal)
    except OutOfTime:
        end_children()
        return failure(line, Refused("forecast.timeout", f"The forecast took more than {order['groupTimeout']} s."))
    except Exception as error:
        log(f"{label}: {traceback.format_exc()[-TRACE_CHARACTERS:]}")
        return failure(line, Refused("forecast.engine", f"The engine failed: {type(error).__name__}."))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def out_of_time(_signal, _frame):
    raise OutOfTime


def end_children():
    """Ends the program of Prophet, which is a process of its own."""
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            os.kill(int(child), signal.SIGKILL)


def named(line):
    """The number of a group and its key, which is the caller's own."""
    return {"id": line["id"], "key": line.get("key", [])}


def failure(line, refusal):
    return {**named(line), "points": len(line["y"]), "error": refusal.as_json()}


class Parts:
    """Files of at most 8 MiB, each with the version lines first."""

    def __init__(self, directory, head):
        self.directory = Path(directory)
        self.head = head
        self.number = 0
        self.file = None

    def write(self, outcome):
        if self.file is None or self.raw.tell() > PART_BYTES:
            self.open()
        self.file.write((json.dumps(outcome, allow_nan=False) + "\n").encode())

    def open(self):
        self.close()
        self.raw = open(self.directory / f"forecast-{self.number:02}.ndjson.gz", "wb")
        self.file = gzip.GzipFile(fileobj=self.raw, mode="wb", compresslevel=6, mtime=0)
        self.file.write((json.dumps(self.head) + "\n").encode())
        self.number += 1

    def close(self):
        if self.file is not None:
            self.file.close()
            self.raw.close()


def versions():
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def read_lines(source):
    opener = gzip.open if source.endswith(".gz") else open
    with opener(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def progress(share, message):
    file = os.environ.get("SVC_PROGRESS_FILE")
    if file:
        Path(file).write_text(f"{share:.4f} {message}\n", encoding="utf-8")


def log(text):
    print(text, flush=True)


if __name__ == "__main__":
    try:
        paths = sys.argv[1:] or [os.path.join(os.environ["SVC_UPLOAD_DIR"], "series.ndjson.gz"), os.environ["SVC_OUTPUT_DIR"]]
        main(*paths)
    except Refused as refused:
        log(f"{refused.code}: {refused.detail}")
        sys.exit(2)
