#!/bin/sh
# Makes the lock files with hashes, for Python 3.11 and later, from pyproject.toml.
set -eu
cd "$(dirname "$0")"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet uv==0.13.9
made="# Made by npm run lock:forecast from pyproject.toml $(sha256sum pyproject.toml | cut -c1-16)"
lock() {
  to=$1
  shift
  echo "$made" >"locks/$to.txt"
  "$tools/bin/uv" pip compile --quiet --universal --generate-hashes --python-version 3.11 --only-binary :all: --no-header "$@" pyproject.toml >>"locks/$to.txt"
}
lock core
lock models --extra models
lock test --extra models --extra test
lock bench --extra models --extra bench
