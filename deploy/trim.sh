#!/bin/sh
# Removes from an installation what the service does not read: files for compilers, other systems and tests, and the Bun of
# its packages.
set -eu

cd "$1/node_modules"
rm -rf .bin bun @oven bun-types @types undici-types @cloudflare @libsql/*-musl
find . \( -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.map' \) -delete
find "$1/src" "$1/workers" -name '*.test.ts' -delete
