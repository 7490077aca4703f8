# shellcheck shell=sh disable=SC2154
# The gate, for `workers/run.sh`: every check and every test, and their report. The caller sets `bun` and `deno` and has
# `generate_console_types` and `find_deno`.

passed=0
failed=0
skipped=0

# Makes the folder of the reports, which is removed at the end.
begin_report() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  : >"$work/failures" >"$work/second" >"$work/seconds"
}

# A check: its name, then a package's command. With --bun the command and what it starts have Bun for a `node`. Checks fill
# the time in which tests wait, and have a lower priority. Checkers in Go collect garbage less often than by default.
check() {
  name=$1
  shift
  printf '\n> %s: %s\n' "$name" "$*"
  if GOGC=400 nice -n 10 "$bun" run --silent --bun "$@"; then
    printf 'passed\n' >>"$work/checked"
  else
    printf 'failed\n' >>"$work/checked"
    printf '%s FAILED\n' "$name"
  fi
}

# The linter's own type checker finds what a compiler finds in every file, each by the tsconfig.json that names it.
check_text() {
  check format oxfmt --check
  check 'lint and types' oxlint --type-check
  check 'dead code' knip
}

# `src` once more, as a part of the Worker: without what workerd lacks of the web's interfaces. openapi-typescript needs the
# compiler in JavaScript, which takes ten times as long as the native one.
check_types() {
  check 'types of workers/edge' node_modules/typescript-native/bin/tsc -p workers/edge --incremental --tsBuildInfoFile node_modules/.cache/tsc/edge.tsbuildinfo
}

# Starts the checks in two rows beside the tests; `finish_checks` prints their reports.
start_checks() {
  generate_console_types
  : >"$work/checked"
  check_text >"$work/text" 2>&1 &
  text=$!
  check_types >"$work/types" 2>&1 &
  types=$!
}

# Waits for the checks and adds them up. A row that ended early is a failure.
finish_checks() {
  for row in "$text" "$types"; do wait "$row" || failed=$((failed + 1)); done
  passed=$((passed + $(grep -c passed "$work/checked" || :)))
  failed=$((failed + $(grep -c failed "$work/checked" || :)))
  cat "$work/text" "$work/types"
  grep -h ' FAILED$' "$work/text" "$work/types" >>"$work/failures" || :
}

# A report without its colours.
plain() { sed "s/$(printf '\033')\[[0-9;]*m//g" "$1"; }

# The failures of a report, each once with the lines that Bun wrote before it.
failures_of() {
  plain "$1" | awk '
    /^\((pass|skip|todo)\)/ { said = 0; next }
    /^\(fail\)/ { if (!($0 in told)) { for (i = said > 40 ? said - 40 : 0; i < said; i++) print line[i]; print } told[$0]; said = 0; next }
    { line[said++] = $0 }'
}

# The number before a word in the summary that ends Bun's report; 0 when it is not there.
count() {
  plain "$1" | sed -n "s/^ *\([0-9][0-9]*\) $2\$/\1/p" | tail -n 1 | grep . || echo 0
}

# Runs tests: the name of their report, then arguments of `bun test`.
run_tests() {
  report=$work/$1
  shift
  printf '\n> tests: bun test %s\n' "$*"
  if [ -t 1 ]; then export FORCE_COLOR=1; fi
  {
    status=0
    # Code of tests seldom runs long enough to pay for the optimising compiler, and the timer that collects garbage costs more
    # than the memory is worth. Programs that tests start have both (test/seed.ts). Freed memory stays in the process, which
    # lives for minutes: pages that are given back are soon asked for again.
    BUN_JSC_useFTLJIT=0 BUN_GC_TIMER_DISABLE=1 MIMALLOC_PURGE_DELAY=-1 \
      "$bun" test --timeout 180000 --reporter=junit --reporter-outfile="$report.xml" "$@" 2>&1 || status=$?
    echo "$status" >"$report.status"
  } | tee "$report"
}

# Adds up a report. A failure is also what Bun calls an error, such as a file that throws, a run without a test, and a run
# that ended before its summary, as after a stray process.exit(0).
add_up() {
  report=$work/$1
  status=$(cat "$report.status" || echo 1)
  plain "$report" | grep -q '^Ran [0-9]* tests* across' || status=1
  failures=$(count "$report" fail)
  skipped=$((skipped + $(count "$report" skip) + $(count "$report" todo)))
  passed=$((passed + $(count "$report" pass)))
  if [ "$status" -ne 0 ] && [ "$failures" -eq 0 ]; then failures=1; fi
  failed=$((failed + failures))
  failures_of "$report" >>"$work/failures"
  seconds_by_file "$report.xml" >>"$work/seconds"
}

# More failures than these are not a matter of a crowded machine.
SECOND_RUN_MAX=3

# A pattern of `bun test -t` for the failed tests of a report.
failed_names() {
  plain "$1" | sed -n 's/^(fail) \(.*\) \[[0-9.]*ms\]$/\1/p' | sort -u | sed 's/[].[\\*^$(){}|+?/]/\\&/g; s/ > /( > | )/g' | paste -sd '|' -
}

# The files of the failed tests of a JUnit report.
failed_files() {
  awk '/<testcase / { file = $0; sub(/.* file="/, "", file); sub(/".*/, "", file) } /<failure/ { print file }' "$1" | sort -u
}

# Runs the few tests that failed among the others once more, alone. A test counts as passed if it passes alone; the report
# names it nevertheless. An error outside a test has no second run.
run_failed_again() {
  report=$work/$1
  first=$(count "$report" fail)
  if [ "$first" -eq 0 ] || [ "$first" -gt "$SECOND_RUN_MAX" ] || [ ! -e "$report.xml" ]; then return; fi
  if plain "$report" | grep -q '^ *[0-9][0-9]* errors\{0,1\}$'; then return; fi
  # shellcheck disable=SC2046 # One word for each file.
  run_tests again -t "^($(failed_names "$report"))\$" $(failed_files "$report.xml")
  report=$work/again
  if [ "$(cat "$report.status")" -ne 0 ] || [ "$(count "$report" pass)" -ne "$first" ]; then return; fi
  failed=$((failed - first))
  passed=$((passed + first))
  mv "$work/failures" "$work/second"
  : >"$work/failures"
}

# Seconds and name of each test file of a JUnit report; Bun writes none when it ends early.
seconds_by_file() {
  [ -e "$1" ] || return 0
  sed -n 's/^  <testsuite name="[^"]*" file="\([^"]*\)".* time="\([0-9.]*\)".*/\2 \1/p' "$1"
}

# Tests with commands of their own: `npm run test:faults`, `npm run test:screens`, `npm run test:binary`, `npm run test:container`.
LONG_FAULTS='test/faults/long/*.test.ts'
SCREENS='test/console/screens/*.test.ts'
BINARY='test/start/binary.test.ts'
CONTAINER='test/start/container.test.ts'

# Tests whose hosts and runners can be processes of Deno.
DENO_TESTS='test/api/api-bun.test.ts test/faults/restart.test.ts test/faults/kill.test.ts test/start/deno.test.ts
  test/start/story.test.ts test/start/runner.test.ts test/runner/jobs.test.ts test/runner/engines.test.ts'

# Tests of parts of the service and of the runner, each file in a process of Deno.
DENO_INSIDE='test/contract/blobs.test.ts test/contract/database.test.ts test/contract/databases.test.ts
  test/contract/job-actors.test.ts test/contract/mail.test.ts test/contract/tables.test.ts
  test/contract/values-database.test.ts test/runner/escapes.test.ts test/runner/ladder.test.ts
  test/runner/sandbox.test.ts test/runner/survivors.test.ts test/scenarios/scenarios.test.ts'

# Runs a test file in a process of Deno, with a report as of `bun test`.
run_inside_deno() {
  report=$work/inside
  printf '\n> tests on Deno: %s\n' "$1"
  {
    status=0
    # shellcheck disable=SC2086 # They are several words.
    "$deno" $DENO_FLAGS --v8-flags=--expose-gc --import-map=test/deno/import-map.json --preload=test/deno/bun.ts \
      test/deno/main.ts "$1" 2>&1 || status=$?
    echo "$status" >"$report.status"
  } | tee "$report"
  add_up inside
}

# Runs these test files on Deno; without any, all that can.
run_on_deno() {
  export TIDEMARK_TEST_RUNTIME=deno
  "$bun" workers/bun/build-console.ts
  # shellcheck disable=SC2086 # They are several words.
  [ $# -gt 0 ] || set -- $DENO_TESTS $DENO_INSIDE
  outside=
  for file in "$@"; do
    # shellcheck disable=SC2086 # They are several words.
    case " $(printf '%s ' $DENO_INSIDE)" in
      *" $file "*) run_inside_deno "$file" ;;
      *) outside="$outside $file" ;;
    esac
  done
  if [ -z "$outside" ]; then return; fi
  # Tests of the other hosts say nothing of Deno.
  # shellcheck disable=SC2086 # They are several words.
  run_tests asked -t '^(?!.*(\b(edge|workerd)\b|would be seen))' $outside
  add_up asked
}

# Builds the web console, which Deno cannot, and installs Deno: test files that run at the same time would install it into one
# folder. Where Deno cannot be installed, only its tests fail.
prepare_deno() {
  "$bun" workers/bun/build-console.ts
  (find_deno) || :
}

# Everything else. Four files at a time keep two processors busy: most of them wait for a disk, a process or a deadline. Those
# without a time in test/timings.json start first, then the slowest.
run_gate() {
  prepare_deno
  start_checks
  run_tests others --parallel=4 --timings=test/timings.json \
    --path-ignore-patterns "$LONG_FAULTS" --path-ignore-patterns "$SCREENS" --path-ignore-patterns "$BINARY" \
    --path-ignore-patterns "$CONTAINER"
  add_up others
  run_failed_again others
  finish_checks
}

finish() {
  printf '\n'
  if [ "$(grep -c . "$work/seconds")" -gt 10 ]; then
    printf '> slowest files, in seconds\n'
    sort -rn "$work/seconds" | head -n 10 | awk '{ printf "%7.1f %s\n", $1, $2 }'
    printf '\n'
  fi
  # Once more at the end: a log may be shown by its last lines only.
  if [ -s "$work/failures" ]; then
    printf '> what failed\n'
    cat "$work/failures"
    printf '\n'
  fi
  if [ -s "$work/second" ]; then
    printf '> what failed among the other tests and passed alone: each is a defect\n'
    cat "$work/second"
    printf '\n'
  fi
  if [ "$skipped" -gt 0 ]; then
    printf '%s skipped\n' "$skipped"
    # On a person's machine a tool may be absent; the gate has them all.
    if [ "${CI:-}" = true ]; then failed=$((failed + skipped)); fi
  fi
  printf '%s passed, %s failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}
