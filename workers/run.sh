#!/bin/sh
# Starts, tests or checks Tidemark on a fresh clone, with only Node and npm or with only Bun. `npm link` makes it `tidemark`.
set -eu
TIDEMARK_CALLED_FROM=${INIT_CWD:-$PWD}
export TIDEMARK_CALLED_FROM
self=$(readlink -f "$0")
cd "$(dirname "$self")/.."

say() { printf '%s\n' "$*" >&2; }

# --- what is missing first ---------------------------------------------------------------------------------

# The names of the packages under a heading of package.json.
packages_of() {
  awk -v heading="\"$1\":" '$1 == heading { inside = 1; next } inside && /}/ { exit } inside { gsub(/[",:]/, " "); print $1 }' package.json
}

# Whether the packages under these headings are there, and none is another than in package-lock.json.
is_installed() {
  for heading in "$@"; do
    for package in $(packages_of "$heading"); do [ -e "node_modules/$package/package.json" ] || return 1; done
  done
  if [ -e node_modules/.installed-by-bun ]; then
    cmp -s package-lock.json node_modules/.installed-by-bun
    return
  fi
  [ -e node_modules/.package-lock.json ] || return 0
  awk -F '"' '$2 != "integrity" { next } NR == FNR { known[$4]; next } !($4 in known) { exit 1 }' \
    package-lock.json node_modules/.package-lock.json
}

# Installs what is missing under these headings of package.json; a production has no tools for development.
install_missing() {
  if is_installed "$@"; then return; fi
  if [ ! -w . ]; then
    say "The packages in $PWD/node_modules are missing or of another release, and $(id -un) cannot write there. Run as its owner: npm ci --omit=dev"
    exit 73
  fi
  npm_only= bun_only=
  case $* in
    *devDependencies*) npm_only=--include=dev ;;
    *) if [ "${NODE_ENV:-}" = production ]; then npm_only=--omit=dev bun_only=--production; fi ;;
  esac
  if command -v npm >/dev/null; then
    say "installing the packages of package-lock.json (npm ci $npm_only) …"
    npm ci $npm_only --no-audit --no-fund --loglevel=error >&2
  elif command -v bun >/dev/null; then
    say "installing the packages of package-lock.json (bun install $bun_only) …"
    bun install --frozen-lockfile $bun_only >&2
    cp package-lock.json node_modules/.installed-by-bun
  else
    say 'Tidemark needs Node 20.3 or later with npm (https://nodejs.org), or Bun 1.4 or later (https://bun.sh).'
    exit 69
  fi
}

# The pinned Bun where it runs: its package's shim does not when install scripts were blocked.
find_bun() {
  for candidate in node_modules/.bin/bun node_modules/@oven/bun-*/bin/bun "$(command -v bun || :)"; do
    if [ -x "$candidate" ] && "$candidate" --version >/dev/null 2>&1; then
      bun=$candidate
      return
    fi
  done
  say 'No Bun runs on this machine: neither the one in node_modules nor one in PATH. Install one: https://bun.sh'
  exit 69
}

# The flags of workers/server/program.ts.
DENO_FLAGS='run -A --no-config --node-modules-dir=manual --unstable-no-legacy-abort'

# The Deno of workers/deno/binary, which is installed into node_modules/.deno when it is needed first: other installations do
# without its 92 MB.
find_deno() {
  binary=node_modules/.deno
  pinned=$(sed -n 's/.*"deno": "\([0-9.]*\)".*/\1/p' workers/deno/binary/package.json)
  for attempt in first second; do
    for candidate in "$binary"/node_modules/@deno/*/deno; do
      if [ -x "$candidate" ] && "$candidate" --version 2>/dev/null | grep -q "^deno $pinned "; then
        deno=$candidate
        return
      fi
    done
    if [ "$attempt" = second ]; then break; fi
    say "installing Deno $pinned …"
    mkdir -p "$binary"
    cp workers/deno/binary/package.json workers/deno/binary/package-lock.json "$binary"
    if command -v npm >/dev/null; then
      npm ci --prefix "$binary" --ignore-scripts --no-audit --no-fund --loglevel=error >&2
    else
      (cd "$binary" && bun install --frozen-lockfile --ignore-scripts >&2)
    fi
  done
  say "Deno $pinned does not run on this machine, or could not be installed in $binary. npm start uses Bun."
  exit 69
}

# Memory that the service lets go of is mostly needed again within a second: to give it back to the system and to ask for
# it anew takes a twentieth of what a delivery does (`npm run bench:deliver`).
run_service() {
  MIMALLOC_PURGE_DELAY=${MIMALLOC_PURGE_DELAY:-1000}
  export MIMALLOC_PURGE_DELAY
  exec "$bun" "$@"
}

# --- the console -------------------------------------------------------------------------------------------

# The types of the interface for the console, from the committed OpenAPI document.
generate_console_types() {
  types=src/console/api/openapi.d.ts
  if [ -e "$types" ] && [ -z "$(find test/snapshots/openapi.json -newer "$types")" ]; then return; fi
  "$bun" run --silent --bun openapi-typescript test/snapshots/openapi.json --output "$types" >&2
}

# --- the Worker on this machine ----------------------------------------------------------------------------

# Wrangler runs under Node alone; `bun run` puts itself into PATH as `node` without one.
require_node() {
  if node -e 'process.exit(process.versions.bun ? 1 : 0)' 2>/dev/null; then return; fi
  say 'Wrangler runs under Node only: install Node 20.3 or later.'
  exit 69
}

# Without a terminal wrangler asks nothing; what it prints counts only when it fails.
migrate_local_d1() {
  output=$(mktemp)
  node node_modules/wrangler/bin/wrangler.js d1 migrations apply DB --local >"$output" 2>&1 </dev/null || {
    cat "$output" >&2
    say 'The migrations of the local D1 database failed. An unreleased build may have made the database. Remove .wrangler/state to start with an empty one.'
    exit 65
  }
  rm "$output"
}

# The last --port among the arguments; wrangler's default without one.
port_of() {
  port=8787
  while [ $# -gt 0 ]; do
    case $1 in
      --port) port=${2:-$port} ;;
      --port=*) port=${1#--port=} ;;
    esac
    shift
  done
  printf '%s\n' "$port"
}

# A Worker begins with its first request: until then it makes neither the set-up link nor the first objects.
first_request() {
  node -e 'const ask = (left) => fetch(process.argv[1] + "/healthz").catch(() => left > 0 && setTimeout(ask, 500, left - 1))
    ask(120)' "$1" >/dev/null 2>&1
}

# --- the commands ------------------------------------------------------------------------------------------

usage() {
  cat <<'END'
Usage: tidemark <command>, or in the repository npm start, npm run <command> -- …

  serve [--once]      serve on this machine until SIGTERM or Ctrl-C; --once plays the main job and ends
  runner              run scripts for a service on this machine or another
  deliver <job> …     deliver values to a job
  exec --job <id> …   run a command, and deliver its exit code and its duration
  job …               list, show, create, stop, start and delete jobs
  alarm …             list, show, acknowledge and comment on alarms
  maintain …          plan, list and end maintenance windows
  script …            list and run scripts, follow their logs
  query …             list and run data queries
  dashboard …         keep dashboards as files, compare and push them, convert dashboards of Grafana
  apply --file <path> make objects equal to a manifest, after it has printed the plan
  export [<group>]    print the objects below a group as a manifest
  import <system> …   print the checks of Healthchecks or Uptime Kuma as a manifest
  user …              list and create users; reset a password without a running service
  token …             create, list and revoke personal tokens
  doctor              check a service, and name the repair of each failed check
  backup <file> …     make a backup of a running service
  restore <file> …    restore a backup
  demo [--remove]     make the demo plant in a running service, or remove it
  completions <shell> print the completion script of bash, zsh or fish
  version [--json]    print the version

Every command prints its arguments with --help. For developers, with sh workers/run.sh:

  test [argument…]      every check and every test; with arguments, as of `bun test`, these tests only
  dev-edge [--port n]   the Worker on this machine, offline
  client <directory>    a typed client of the API, to be installed in other projects
  deploy [--env name]   the Worker on Cloudflare; --dry-run changes nothing
  build-console         build the web console into dist/console when its sources have changed
  build-binary <dir>    a folder with an executable for Linux; a second argument names the processor, x64 or arm64
  as-service <file> …   another file in the surroundings of the service, such as the host of a benchmark
  serve-deno [--once]   as serve, on Deno, which is installed with the first start
  as-deno <file> …      another file on Deno
END
}

command=${1:-}
[ $# -eq 0 ] || shift
[ "$command" != --version ] || command=version

case $command in
  serve | as-service)
    install_missing dependencies
    find_bun
    [ "$command" = as-service ] || set -- workers/bun/main.ts "$@"
    run_service "$@"
    ;;
  serve-deno | as-deno)
    install_missing dependencies
    find_bun
    find_deno
    [ "$command" = as-deno ] || {
      "$bun" workers/bun/build-console.ts
      set -- workers/deno/main.ts "$@"
    }
    # shellcheck disable=SC2086 # They are several words.
    exec "$deno" $DENO_FLAGS "$@"
    ;;
  runner)
    install_missing dependencies
    find_bun
    exec "$bun" workers/runner/main.ts "$@"
    ;;
  deliver | exec | job | alarm | maintain | script | query | dashboard | apply | export | import | user | token | doctor | backup | restore | demo | completions | version)
    install_missing dependencies
    find_bun
    exec "$bun" workers/bun/main.ts "$command" "$@"
    ;;
  test)
    . workers/gate.sh
    install_missing dependencies devDependencies
    find_bun
    begin_report
    if [ $# -eq 0 ]; then
      run_gate
    else
      run_tests asked "$@"
      add_up asked
    fi
    finish
    ;;
  test-deno)
    . workers/gate.sh
    install_missing dependencies devDependencies
    find_bun
    find_deno
    begin_report
    run_on_deno "$@"
    finish
    ;;
  dev-edge)
    install_missing dependencies devDependencies
    require_node
    # Without these wrangler looks up three services on the internet at each start.
    export WRANGLER_SEND_METRICS=false CLOUDFLARE_CF_FETCH_ENABLED=false WRANGLER_HIDE_BANNER=true
    if [ ! -e .dev.vars ]; then
      say 'making a key for this machine in .dev.vars …'
      (umask 077 && node -p '`TIDEMARK_SECRET=${crypto.randomUUID()}${crypto.randomUUID()}`' >.dev.vars)
    fi
    migrate_local_d1
    port=$(port_of "$@")
    say "The Worker listens at http://localhost:$port; --port chooses another. On a new database its log has the set-up link in a"
    say 'moment. Restart it when .dev.vars changes. Differences from Bun: docs/getting-started/workers.md. Stop it with Ctrl-C.'
    first_request "http://localhost:$port" &
    case " $*" in *' --port'*) ;; *) set -- --port "$port" "$@" ;; esac
    exec node node_modules/wrangler/bin/wrangler.js dev "$@"
    ;;
  client)
    [ $# -eq 1 ] || {
      say 'Usage: npm run client -- <directory>'
      exit 2
    }
    install_missing dependencies devDependencies
    find_bun
    generate_console_types
    case $1 in
      /*) target=$1 ;;
      *) target=$TIDEMARK_CALLED_FROM/$1 ;;
    esac
    mkdir -p "$target"
    cp -RL clients/typescript/. "$target"
    # A field of a request with a default may be absent.
    "$bun" run --silent --bun openapi-typescript test/snapshots/openapi.json --default-non-nullable false --output "$target/openapi.d.ts" >&2
    # Node runs no TypeScript of packages.
    "$bun" build --no-bundle "$target/client.ts" --outfile "$target/client.js" >&2
    say "The client is in $target: npm install $target"
    ;;
  deploy)
    install_missing dependencies devDependencies
    require_node
    find_bun
    exec "$bun" workers/deploy/main.ts "$@"
    ;;
  build-console)
    install_missing dependencies
    find_bun
    exec "$bun" workers/bun/build-console.ts
    ;;
  build-binary)
    install_missing dependencies
    find_bun
    BUN=$PWD/$bun
    case $bun in /*) BUN=$bun ;; esac
    export BUN
    exec sh deploy/make-binary.sh "$@"
    ;;
  help | --help | -h) usage ;;
  *)
    [ -z "$command" ] || say "Unknown command $command."
    usage >&2
    exit 2
    ;;
esac
