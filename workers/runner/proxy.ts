import { lookup } from 'node:dns/promises'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

import { isAllowed, isPublicAddress } from '../../src/lib/addresses.ts'
import { sameText } from '../../src/lib/text.ts'

const HEAD_MAX_BYTES = 16_384
const HEAD_MS = 10_000
const CONNECT_MS = 10_000
const CONNECTIONS_MAX = 64
const HEAD_END = '\r\n\r\n'

export type ProxyOptions = {
  /** The path of the Unix socket, which the owner of the file may use; null for a port of this machine with a password. */
  readonly socket: string | null
  /** The allowed targets, each as host:port; `open` is all of the public internet. */
  readonly targets: readonly string[] | 'open'
  /** Hosts, or hosts with ports, that may be private, if they are targets. */
  readonly outboundAllow: ReadonlySet<string>
  /** The host:port that is a target always, wherever it is. */
  readonly service: string
  /** Called with the refusal of a host that the job may not reach, for the log of the job. */
  readonly onForbidden?: (text: string) => void
  /** The addresses of a name, the best first. */
  readonly addressesOf?: (name: string) => Promise<readonly string[]>
}

/** The traffic, in bytes of the connections to targets. */
export type Traffic = { readonly sentBytes: number; readonly receivedBytes: number }

/** The way from a job to its proxy. */
export type Way =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'port'; readonly port: number; readonly password: string | null }

export type Proxy = { readonly way: Way; readonly traffic: () => Traffic; readonly close: () => void }

type Target = { readonly hostname: string; readonly host: string; readonly port: number }

/** A refusal that the proxy answers to the client in place of the target. */
class Denial extends Error {
  constructor(
    readonly status: string,
    message: string,
  ) {
    super(message)
  }
}

/** A host that the job may not reach. */
class Forbidden extends Denial {
  constructor(message: string) {
    super('403 Forbidden', message)
  }
}

/** Opens an HTTP proxy (RFC 9110 §9.3.6, RFC 9112 §3.2.2) for one job: tunnels by CONNECT, and requests for http: URLs.
 * A name is resolved once, and the checked addresses are called. */
export function openProxy(options: ProxyOptions): Promise<Proxy> {
  const password = options.socket === null ? crypto.randomUUID() : null
  const guarded = { ...options, password }
  return openDoor(options.socket, password, {
    serve: (client, onUpstream) => serve(client, guarded, onUpstream),
    fail: (client, error) => {
      if (error instanceof Forbidden) options.onForbidden?.(error.message)
      deny(client, error)
    },
  })
}

/** Opens a way to one host:port for programs that know no proxy: bytes are passed on unchanged, and a refused
 * destination only closes the connection.
 * @throws {Error} if the target is not allowed */
export async function openTunnel(
  options: Omit<ProxyOptions, 'targets' | 'service'> & { readonly target: string },
): Promise<Proxy> {
  const target = targetOf(`http://${options.target}`, true)
  const rules = { ...options, targets: [target.host], service: '' }
  await addressesFor(target, rules)
  return openDoor(options.socket, null, {
    async serve(client, onUpstream) {
      connectBoth(client, await dialFirst(await addressesFor(target, rules), target.port), onUpstream)
    },
    fail: (client) => client.destroy(),
  })
}

/** Handles each connection. */
type Service = {
  readonly serve: (client: Socket, onUpstream: (upstream: Socket) => void) => Promise<void>
  readonly fail: (client: Socket, error: unknown) => void
}

/** Listens for one job until `close`. @param path of a Unix socket; null for a port of this machine */
async function openDoor(
  path: string | null,
  password: string | null,
  { serve: serveOne, fail }: Service,
): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const counts = { sentBytes: 0, receivedBytes: 0 }
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  let clients = 0
  const server = createServer((client) => {
    if (clients >= CONNECTIONS_MAX) {
      client.destroy()
      return
    }
    clients++
    client.once('close', () => clients--)
    keep(client)
    client.on('error', () => client.destroy())
    const onUpstream = (upstream: Socket) => {
      keep(upstream)
      upstream.on('data', (bytes) => (counts.receivedBytes += bytes.length))
      client.on('data', (bytes) => (counts.sentBytes += bytes.length))
    }
    serveOne(client, onUpstream).catch((error: unknown) => fail(client, error))
  })
  const port = await listen(server, path)
  return {
    way: path === null ? { kind: 'port', port, password } : { kind: 'socket', path },
    traffic: () => ({ ...counts }),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Guarded = ProxyOptions & { readonly password: string | null }

async function serve(client: Socket, options: Guarded, onUpstream: (upstream: Socket) => void) {
  const { head, rest } = await headOf(client)
  const [method = '', asked = ''] = head.split('\r\n', 1)[0]?.split(' ') ?? []
  if (!isInvited(head, options.password))
    throw new Denial('407 Proxy Authentication Required', 'This proxy belongs to another run.')
  const isTunnel = method === 'CONNECT'
  const target = targetOf(isTunnel ? `http://${asked}` : asked, isTunnel)
  const upstream = await dialFirst(await addressesFor(target, options), target.port)
  if (isTunnel) client.write(`HTTP/1.1 200 Connected${HEAD_END}`)
  // Bytes after the head are put back, so that they are counted and forwarded like the rest.
  const first = isTunnel ? rest : Buffer.concat([Buffer.from(originForm(head), 'latin1'), rest])
  if (first.length > 0) client.unshift(first)
  connectBoth(client, upstream, onUpstream)
}

/** Copies bytes in both directions until one side ends. */
function connectBoth(client: Socket, upstream: Socket, onUpstream: (upstream: Socket) => void): void {
  if (client.destroyed) {
    upstream.destroy()
    return
  }
  upstream.on('error', () => client.destroy())
  client.once('close', () => upstream.destroy())
  onUpstream(upstream)
  client.pipe(upstream)
  upstream.pipe(client)
}

function isInvited(head: string, password: string | null): boolean {
  if (password === null) return true
  const given = /^proxy-authorization: *basic +(\S+) *$/im.exec(head)?.[1] ?? ''
  return sameText(given, btoa(`job:${password}`))
}

/** The head of a request, and the bytes after it. */
function headOf(client: Socket): Promise<{ readonly head: string; readonly rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    const settle = (act: () => void) => {
      clearTimeout(timer)
      client.off('data', onData)
      client.pause()
      act()
    }
    const refuse = (status: string, text: string) => settle(() => reject(new Denial(status, text)))
    const onData = (more: Buffer) => {
      bytes = Buffer.concat([bytes, more])
      const end = bytes.indexOf(HEAD_END)
      if (end >= 0) {
        const rest = bytes.subarray(end + HEAD_END.length)
        settle(() => resolve({ head: bytes.subarray(0, end).toString('latin1'), rest }))
      } else if (bytes.length > HEAD_MAX_BYTES)
        refuse('431 Request Header Fields Too Large', 'The headers of the request are too long.')
    }
    const timer = setTimeout(
      () => refuse('408 Request Timeout', 'The headers of the request took too long.'),
      HEAD_MS,
    )
    client.on('data', onData)
    client.once('close', () => refuse('400 Bad Request', 'The request is truncated.'))
  })
}

/** @throws {Denial} if the text names no target */
function targetOf(text: string, isTunnel: boolean): Target {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.protocol !== 'http:' || url.hostname === '')
    throw new Denial(
      '400 Bad Request',
      'This proxy supports CONNECT host:port and requests for http: URLs only.',
    )
  const port = url.port === '' ? 80 : Number(url.port)
  // A URL leaves out the port that is its scheme's own, so the text decides whether a tunnel names one.
  if (isTunnel && !/:\d+$/.test(text)) throw new Denial('400 Bad Request', 'CONNECT requires host:port.')
  const hostname = url.hostname.replace(/\.$/, '')
  return { hostname, host: `${hostname}:${port}`, port }
}

/** The addresses to connect to, the best first. @throws {Denial} for a target that is not allowed */
async function addressesFor(target: Target, options: ProxyOptions): Promise<readonly string[]> {
  const { targets, service, outboundAllow, addressesOf = lookedUp } = options
  const { host, hostname } = target
  const isTarget = host === service || targets === 'open' || targets.includes(host)
  if (!isTarget) throw new Forbidden(`${host} is not in \`network\` of the run configuration.`)
  const name = hostname.replaceAll(/[[\]]/g, '')
  const addresses = await addressesOf(name).catch(() => [])
  if (addresses.length === 0) throw new Denial('502 Bad Gateway', `${hostname} has no address.`)
  if (host === service || isAllowed(target, outboundAllow)) return addresses
  if (addresses.every(isPublicAddress)) return addresses
  throw new Forbidden(
    `${host} has a private address, and TIDEMARK_OUTBOUND_ALLOW of the runner does not list it.`,
  )
}

async function lookedUp(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/** Connects to one address after the other until one accepts: a name such as `localhost` may have two addresses, of which a
 * server listens on one. */
async function dialFirst([address = '', ...others]: readonly string[], port: number): Promise<Socket> {
  try {
    return await dial(address, port)
  } catch (error) {
    if (others.length === 0) throw error
    return dialFirst(others, port)
  }
}

function dial(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const upstream = connect({ host: address, port })
    const fail = () => {
      clearTimeout(timer)
      upstream.destroy()
      reject(new Denial('502 Bad Gateway', 'The target does not answer.'))
    }
    const timer = setTimeout(fail, CONNECT_MS)
    upstream.once('error', fail)
    upstream.once('connect', () => {
      clearTimeout(timer)
      upstream.off('error', fail)
      resolve(upstream)
    })
  })
}

/** The header fields as the target expects them: with the path alone, without fields for proxies, and for one request,
 * since the next one may go to another target. */
function originForm(head: string): string {
  const [first = '', ...headers] = head.split('\r\n')
  const [method = '', asked = '', version = ''] = first.split(' ')
  const { pathname, search } = new URL(asked)
  const kept = headers.filter((header) => !/^(?:proxy-[^:]*|connection|keep-alive):/i.test(header))
  return [`${method} ${pathname}${search} ${version}`, ...kept, 'Connection: close'].join('\r\n') + HEAD_END
}

function deny(client: Socket, error: unknown): void {
  const { status, message } =
    error instanceof Denial ? error : new Denial('500 Internal Server Error', 'The proxy failed.')
  const body = `Tidemark: ${message}\n`
  const headers = [
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  client.end(`${[`HTTP/1.1 ${status}`, ...headers].join('\r\n')}${HEAD_END}${body}`)
}

/** @returns the port; 0 for a path */
function listen(server: Server, path: string | null): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const onListening = () => {
      const address = server.address()
      resolve(address !== null && typeof address === 'object' ? address.port : 0)
    }
    if (path === null) server.listen(0, '127.0.0.1', onListening)
    else {
      // The socket of a dead runner blocks the path.
      rmSync(path, { force: true })
      server.listen(path, onListening)
    }
  })
}
