import { chmod, chown, mkdir } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'

import { openProxy, openTunnel } from '../proxy.ts'
import type { Proxy, ProxyOptions, Traffic, Way } from '../proxy.ts'
import type { HostPort, SandboxStart, Tunnel } from './container.ts'
import { tunnelFor } from './init.ts'
import type { Forwarder } from './init.ts'
import { hostsFileFor, isMappable } from './own-files.ts'

const HERE = '127.0.0.1'

/** The destinations that a run may reach, and the user who owns its sockets. */
export type WaysOutOptions = Pick<ProxyOptions, 'outboundAllow' | 'service' | 'addressesOf'> & {
  readonly folder: string
  readonly uid: number | null
  /** Whether a job has a network of its own. */
  readonly namespaces: boolean
}

/** How a job gets out of its sandbox. */
export type WaysOut = {
  readonly way: Way
  readonly tunnel: OpenTunnel | null
  /** The start of the run, with the variables and files of the tunnel. */
  readonly start: SandboxStart
  readonly traffic: () => Traffic
  readonly close: () => void
}

/** The way to a tunnel, and its place inside a network of the job's own. */
export type OpenTunnel = { readonly way: Way; readonly inside: Forwarder }

/** Opens the proxy of a job, and its tunnel if it has one. @throws {Error} if the target of the tunnel is not allowed */
export async function openWaysOut(start: SandboxStart, options: WaysOutOptions): Promise<WaysOut> {
  const { network: targets, tunnel, onForbidden } = start
  await mkdir(options.folder, { recursive: true, mode: 0o711 })
  const proxy = await openFor(options, 'proxy.sock', (socket) =>
    openProxy({ ...options, socket, targets, ...(onForbidden && { onForbidden }) }),
  )
  if (!tunnel) return { ...proxy, tunnel: null, start }
  try {
    const target = isIPv6(tunnel.host) ? `[${tunnel.host}]:${tunnel.port}` : `${tunnel.host}:${tunnel.port}`
    const other = await openFor(options, 'tunnel.sock', (socket) =>
      openTunnel({ ...options, socket, target }),
    )
    return {
      way: proxy.way,
      tunnel: { way: other.way, inside: tunnelFor(tunnel.port) },
      start: await startWith(start, tunnel, { way: other.way, folder: options.folder }),
      traffic: () => sumOf(proxy.traffic(), other.traffic()),
      close() {
        proxy.close()
        other.close()
      },
    }
  } catch (error) {
    proxy.close()
    throw error
  }
}

/** Opens a server whose socket, if it has one, belongs to the user of the job alone. */
async function openFor(
  { folder, uid, namespaces }: WaysOutOptions,
  name: string,
  open: (socket: string | null) => Promise<Proxy>,
): Promise<Proxy> {
  const socket = namespaces ? join(folder, name) : null
  const opened = await open(socket)
  if (socket !== null) await chmod(socket, 0o600)
  if (socket !== null && uid !== null) await chown(socket, uid, uid)
  return opened
}

async function startWith(
  start: SandboxStart,
  { host, port, variables }: Tunnel,
  { way, folder }: { readonly way: Way; readonly folder: string },
): Promise<SandboxStart> {
  const envWith = (found: HostPort) => ({ ...start.env, ...variables(found) })
  if (way.kind === 'port') return { ...start, env: envWith({ host: HERE, port: way.port }) }
  const { port: inside } = tunnelFor(port)
  if (!isMappable(host)) return { ...start, env: envWith({ host: HERE, port: inside }) }
  const readOnly = [...start.readOnly, await hostsFileFor(folder, host)]
  return { ...start, env: envWith({ host, port: inside }), readOnly }
}

function sumOf(one: Traffic, other: Traffic): Traffic {
  return {
    sentBytes: one.sentBytes + other.sentBytes,
    receivedBytes: one.receivedBytes + other.receivedBytes,
  }
}
