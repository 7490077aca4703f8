#!/bin/sh
# Makes the lock files with hashes, for Python 3.11 and later, from pyproject.toml. Versions stay unless `--upgrade` is given.
set -eu
cd "$(dirname "$0")"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet uv==0.13.9
made="# Made by npm run lock:forecast from pyproject.toml $(sha256sum pyproject.toml | cut -c1-16)"
upgrade=${1:-}
lock() {
  to=$1
  shift
  cp "locks/$to.txt" "$tools/lock.txt" 2>/dev/null || : >"$tools/lock.txt"
  # shellcheck disable=SC2086
  "$tools/bin/uv" pip compile --quiet --universal --generate-hashes --python-version 3.11 --only-binary :all: --no-header $upgrade -o "$tools/lock.txt" "$@" pyproject.toml
  { echo "$made"; cat "$tools/lock.txt"; } >"locks/$to.txt"
}
lock core
lock models --extra models
lock test --extra test
lock bench --extra models --extra test --extra bench
