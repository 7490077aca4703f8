#!/bin/sh
# Creates a folder with the executable `tidemark` for Linux with glibc, and the folder `app` with the files that it opens. The
# machine that runs it needs neither Node.js nor Bun. The folder can be moved as a whole. `npm run build:binary` calls this
# script and sets BUN, the program that compiles.
set -eu

usage() {
  echo 'Usage: npm run build:binary -- <directory that does not exist> [x64|arm64]' >&2
  exit 2
}

[ $# -eq 1 ] || [ $# -eq 2 ] || usage
case $1 in
  /*) folder=$1 ;;
  *) folder=${TIDEMARK_CALLED_FROM:-$PWD}/$1 ;;
esac
[ ! -e "$folder" ] || usage
processor=${2:-$("$BUN" -p process.arch)}
case $processor in
  x64 | arm64) ;;
  *) usage ;;
esac
cd "$(dirname "$0")/.."

app=$folder/app
mkdir -p "$app/dist"
cp -R package.json package-lock.json tsconfig.json src db workers "$app"
(cd "$app" && npm ci --omit=dev --os=linux --cpu="$processor" --libc=glibc --ignore-scripts --no-audit --no-fund --loglevel=error >&2)

"$BUN" workers/bun/build-console.ts
cp -R dist/console dist/console.stamp "$app/dist"

# The Bun of the other processor is among the packages for it.
"$BUN" build --compile --compile-executable-path="$(echo "$app"/node_modules/@oven/bun-linux-*/bin/bun)" \
  --no-compile-autoload-dotenv --no-compile-autoload-bunfig --compile-autoload-tsconfig --compile-autoload-package-json \
  --outfile "$folder/tidemark" workers/bun/binary.ts >&2
sh deploy/trim.sh "$app"
echo "$folder/tidemark"
