/** The port of the forwarder to the proxy in a network of the job's own. */
const FORWARDER_PORT = 3128

/** The first process inside, which adopts orphans. It starts the forwarders, waits until they listen, and ends with the job.
 * SIGTERM is for the job: it interrupts the wait of this process, which then waits again.
 * Arguments: the port and the socket of each forwarder, and an empty one; then the job's. */
const FIRST_PROCESS = `
told=
trap told=yes TERM
forwarders=0
while [ -n "$1" ]; do
  /usr/bin/setsid /usr/bin/socat "TCP-LISTEN:$1,bind=127.0.0.1,reuseaddr,fork" "UNIX-CONNECT:$2" </dev/null >/dev/null 2>&1 &
  forwarders=$((forwarders + 1))
  tries=0
  listens=
  while [ -z "$listens" ]; do
    while read -r protocol _ sockets _; do
      if [ "$protocol" = TCP: ] && [ "$sockets" -ge "$forwarders" ]; then listens=yes; fi
    done </proc/net/sockstat
    tries=$((tries + 1))
    if [ "$tries" -gt 2000 ]; then echo 'a forwarder does not listen' >&2; exit 126; fi
    if [ -z "$listens" ]; then /bin/sleep 0.001; fi
  done
  shift 2
done
shift
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

/** A forwarder inside, in a network of the job's own: its port, and the socket that it forwards to. */
export type Forwarder = { readonly port: number; readonly socket: string }

/** The forwarder to the proxy. */
export const PROXY: Forwarder = { port: FORWARDER_PORT, socket: '/run/tidemark/proxy.sock' }

/** The forwarder to the target of a tunnel: at the port of the target, unless a job may not listen there or the proxy does. */
export function tunnelFor(port: number): Forwarder {
  const isFree = port >= 1_024 && port !== FORWARDER_PORT
  return { port: isFree ? port : port + 10_000, socket: '/run/tidemark/tunnel.sock' }
}

/** The init process of the sandbox for a command. */
export function insideCommand(argv: readonly string[], forwarders: readonly Forwarder[]): string[] {
  const ends = forwarders.flatMap(({ port, socket }) => [String(port), socket])
  return ['/bin/sh', '-c', FIRST_PROCESS, 'job', ...ends, '', ...argv]
}

/** The variables by which programs find a proxy. */
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

/** The variables in a network of the job's own, where the forwarder leads to the proxy. */
export const FORWARDED = proxyVariables({ port: FORWARDER_PORT, password: null })
