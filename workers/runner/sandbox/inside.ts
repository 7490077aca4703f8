/** Where the forwarder to the proxy listens in a network of the job's own. */
const FORWARDER_PORT = 3128

/** The first process inside, which the kernel gives orphans to. It starts the forwarder to the proxy where there is one,
 * waits until that listens, and ends with the job. SIGTERM is for the job: here it ends the waiting, which begins again.
 * Arguments: the port and the socket of the forwarder, or two empty ones; then the job's. */
const FIRST_PROCESS = `
told=
trap told=yes TERM
if [ -n "$1" ]; then
  /usr/bin/setsid /usr/bin/socat "TCP-LISTEN:$1,bind=127.0.0.1,reuseaddr,fork" "UNIX-CONNECT:$2" </dev/null >/dev/null 2>&1 &
  tries=0
  listens=
  while [ -z "$listens" ]; do
    while read -r protocol _ sockets _; do
      if [ "$protocol" = TCP: ] && [ "$sockets" -gt 0 ]; then listens=yes; fi
    done </proc/net/sockstat
    tries=$((tries + 1))
    if [ "$tries" -gt 2000 ]; then echo 'the forwarder to the proxy does not listen' >&2; exit 126; fi
    if [ -z "$listens" ]; then /bin/sleep 0.001; fi
  done
fi
shift 2
"$@" &
job=$!
exec 2>/dev/null
wait "$job"
code=$?
while [ -n "$told" ]; do
  told=
  wait "$job"
  next=$?
  if [ "$next" -ne 127 ]; then code=$next; fi
done
exit "$code"
`

/** What runs inside for a job that is this command. @param socket where the proxy is found inside; null: there is none */
export function insideCommand(argv: readonly string[], socket: string | null): string[] {
  const ends = socket === null ? ['', ''] : [String(FORWARDER_PORT), socket]
  return ['/bin/sh', '-c', FIRST_PROCESS, 'job', ...ends, ...argv]
}

/** Where programs look for a proxy. */
export function proxyVariables({
  port,
  password,
}: {
  readonly port: number
  readonly password: string | null
}) {
  const user = password === null ? '' : `job:${password}@`
  const url = `http://${user}127.0.0.1:${port}`
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
  return Object.fromEntries(names.map((name) => [name, url]))
}

/** The same where the forwarder is between, in a network that is the job's alone. */
export const FORWARDED = proxyVariables({ port: FORWARDER_PORT, password: null })
