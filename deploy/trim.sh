#!/bin/sh
# Removes the files that the service does not read from an installation: files for compilers, for other systems and for tests,
# and the Bun of its packages.
set -eu

cd "$1/node_modules"
rm -rf .bin bun @oven bun-types @types undici-types @cloudflare @libsql/*-musl
find . \( -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.map' \) -delete
find "$1/src" "$1/workers" -name '*.test.ts' -delete
