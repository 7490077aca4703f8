# Delivers once, also when the request is repeated: to a ping URL, or to a job with a token. Secrets are given to curl on standard
# input, because lists of processes show arguments.
set -euo pipefail

fail() {
  echo "::error::$1"
  exit 1
}

# Prints the answer. curl fails for an error; a redirect, such as one to https, delivers nothing either.
deliver() {
  local answer status code=0
  answer=$(curl "${request[@]}" --write-out '\n%{http_code}' "$@") || code=$?
  status=${answer##*$'\n'}
  echo "${answer%$'\n'*}"
  [ "$code" = 0 ] || exit "$code"
  [[ $status == 2?? ]] || fail "The service answered with status $status. Set the address that it leads to."
}

code=1
[ "$STATUS" != success ] || code=0
message="${GITHUB_WORKFLOW:-workflow} #${GITHUB_RUN_NUMBER:-0}: $STATUS"
message=${message//[\"\\]/}
body=${BODY:-"{\"errorCode\": $code, \"message\": \"$message\"}"}
# The jobs of a matrix differ in their index alone.
key="github-${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-1}-${GITHUB_JOB:-job}-${JOB_INDEX:-0}-${GITHUB_ACTION:-deliver}"
request=(--silent --show-error --fail-with-body --max-time 30 --retry 4 --retry-connrefused --config -)

if [ -n "$PING_URL" ]; then
  [ -z "$BODY" ] || fail 'Set either ping-url or body: a ping has no values in its body.'
  printf 'url = "%s/%s"\n' "${PING_URL%/}" "$code" | deliver --data-binary "$message"
else
  [ -n "$URL" ] && [ -n "$TOKEN" ] && [ -n "$JOB" ] || fail 'Set ping-url, or url, token and job.'
  [[ $JOB =~ ^[0-9]+$ ]] || fail 'The input job must be the id of a job.'
  printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" | deliver \
    --header 'Content-Type: application/json' --header "Idempotency-Key: $key" \
    --data-binary "$body" "${URL%/}/webcollector/jobs/$JOB/values"
fi
