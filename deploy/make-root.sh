#!/bin/sh
# Creates the root file system of the image in a new directory: Bun, the service with its packages, and their libraries. The
# root file system contains no shell.
set -eu

[ $# -eq 1 ] && [ ! -e "$1" ] || {
  echo 'Usage: sh deploy/make-root.sh <directory that does not exist>' >&2
  exit 2
}
mkdir -p "$1"
root=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

app=$root/app
mkdir -p "$app" "$root/data" "$root/dev" "$root/etc" "$root/proc" "$root/tmp" "$root/usr/bin"
cp -R package.json package-lock.json tsconfig.json src db workers "$app"
(cd "$app" && npm ci --omit=dev --no-audit --no-fund --loglevel=error)

# The shim of its package does not run where install scripts were blocked.
for candidate in "$app"/node_modules/.bin/bun "$app"/node_modules/@oven/bun-*/bin/bun; do
  if [ -x "$candidate" ] && "$candidate" --version >/dev/null 2>&1; then
    cp -L "$candidate" "$root/usr/bin/bun"
    break
  fi
done
[ -x "$root/usr/bin/bun" ] || {
  echo 'npm installed no Bun that runs here.' >&2
  exit 69
}
(cd "$app" && "$root/usr/bin/bun" workers/bun/build-console.ts)

# Bun is in /usr/bin.
sh deploy/trim.sh "$app"
cd "$app/node_modules"

# Libraries at the paths where the loader of this system looks for them.
for file in "$root/usr/bin/bun" $(find . -name '*.node'); do ldd "$file"; done |
  sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p' | sort -u |
  while read -r library; do
    case $library in "$app"/*) continue ;; esac
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done

echo 'tidemark:x:10001:10001::/data:' >"$root/etc/passwd"
echo 'tidemark:x:10001:' >"$root/etc/group"
chmod 1777 "$root/tmp"
chmod 0700 "$root/data"
[ "$(id -u)" -ne 0 ] || chown 10001:10001 "$root/data"
