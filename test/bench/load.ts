import { Session } from '../faults/session.ts'
import { AS_DENO, AS_SERVICE, startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { childrenOf } from '../runner/processes.ts'
import { COLLECTOR, writeInstallation } from './installation.ts'
import type { Limit } from './installation.ts'
import { residentBytesOf } from './measure.ts'
import { wrk } from './wrk.ts'
import type { Sent } from './wrk.ts'

const SERVER_CORE = '0'
/** The name of the service on Deno among the hosts. */
const ON_DENO = 'deno'
const BODY = '{"returnValue1":12.5,"errorCode":0}'

/** What a while of deliveries came to. */
export type Run = Omit<Sent, 'good' | 'cpuSeconds'> & {
  readonly cpuUs: number
  readonly residentBytes: number
}

/** A host under load, with jobs and who delivers to them. */
export type Variant = {
  readonly name: string
  readonly host: HostProcess
  readonly sessionId: string
  readonly ids: readonly number[]
}

type Wanted = {
  readonly name: string
  readonly jobs: number
  readonly environment?: Readonly<Record<string, string>>
  readonly limit?: Limit | undefined
}

/** Starts the host of this name (`host.ts`, or the service on Deno) on a core of its own. */
export async function start(
  { name, jobs, environment = {}, limit }: Wanted,
  dataDir: string,
): Promise<Variant> {
  const ids = await writeInstallation(dataDir, { count: jobs, timeout: 'PT12H', ...(limit && { limit }) })
  const program =
    name === ON_DENO ? [...AS_DENO, 'workers/deno/main.ts'] : [...AS_SERVICE, 'test/bench/host.ts', name]
  const command = ['taskset', '-c', SERVER_CORE, ...program]
  const host = await startProcess({ command, dataDir, environment })
  const login = await fetch(`${host.url}/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(COLLECTOR),
  })
  const { sessionId } = (await login.json()) as { sessionId: string }
  return { name, host, sessionId, ids }
}

/** The same of an edge host (`../faults/edge-host.ts`): what is measured is workerd, with Miniflare on the same core. */
export async function startEdge({ name, jobs }: Wanted, dataDir: string): Promise<Variant> {
  const command = ['taskset', '-c', SERVER_CORE, 'bun', `${import.meta.dir}/../faults/edge-host.ts`, name]
  const host = await startProcess({ command, dataDir })
  const [pid = host.pid] = await childrenOf(host.pid)
  const session = await Session.open(host.url)
  const ids = await session.createJobs(host.url, jobs, { timeout: 'PT12H' })
  return { name, host: { ...host, pid }, sessionId: session.id, ids }
}

/** Delivers for so long, from another core: as fast as it can, or with a rest before each, in ms on average. */
export async function load(
  { name, host, sessionId, ids }: Variant,
  connections: number,
  seconds: number,
  restMs: number | null = null,
): Promise<Run> {
  const path = name === 'floor' ? 'floor' : 'values'
  const rest = restMs === null ? [] : [String(restMs)]
  const args = [path, String(ids[0]), String(ids.length), sessionId, BODY, ...rest]
  const { url, pid } = host
  const script = [`${import.meta.dir}/deliver.lua`, ...args] as const
  const { good, cpuSeconds, ...sent } = await wrk({ url, pid, connections, seconds, script })
  const cpuUs = (cpuSeconds * 1e6) / Math.max(1, good)
  return { ...sent, cpuUs, residentBytes: await residentBytesOf(pid) }
}
