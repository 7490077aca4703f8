import { Session } from '../faults/session.ts'
import { AS_DENO, AS_SERVICE, startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { childrenOf } from '../runner/processes.ts'
import { COLLECTOR, writeInstallation } from './installation.ts'
import type { Limit } from './installation.ts'
import { cpuSecondsOf, residentBytesOf, secondsOfMachine } from './measure.ts'

const SERVER_CORE = '0'
/** The name of the service on Deno among the hosts. */
const ON_DENO = 'deno'
/** Where load comes from. */
export const LOAD_CORE = '1'
const BODY = '{"returnValue1":12.5,"errorCode":0}'

/** What a while of deliveries came to. */
export type Run = {
  readonly perSecond: number
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  readonly residentBytes: number
  readonly othersCores: number
  /** What the host of a virtual machine took away. */
  readonly stolenCores: number
}

/** A host under load, with jobs and who delivers to them. */
export type Variant = {
  readonly name: string
  readonly host: HostProcess
  readonly sessionId: string
  readonly ids: readonly number[]
}

/** @throws {RangeError} saying what to install */
export function requireTools(): void {
  for (const tool of ['wrk', 'taskset', 'chrt']) {
    if (Bun.which(tool) === null)
      throw new RangeError(`${tool} is missing. On Debian: apt-get install wrk util-linux`)
  }
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
  const before = await cpuSecondsOf(host.pid)
  const machineBefore = await secondsOfMachine()
  const wrk = Bun.spawn(
    ['taskset', '-c', LOAD_CORE, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s']
      .concat(['-s', `${import.meta.dir}/deliver.lua`, host.url, '--'])
      .concat([name === 'floor' ? 'floor' : 'values', String(ids[0]), String(ids.length), sessionId, BODY])
      .concat(restMs === null ? [] : [String(restMs)]),
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const text = await new Response(wrk.stdout).text()
  const result = /^RESULT (.*)$/m.exec(text)?.[1]
  if (result === undefined) throw new Error(`wrk did not end well:\n${text}`)
  const { requests, failed, durationUs, p50Us, p99Us } = JSON.parse(result) as Record<string, number>
  await wrk.exited
  const cpuSeconds = (await cpuSecondsOf(host.pid)) - before
  const loadSeconds = Number(wrk.resourceUsage()?.cpuTime.total ?? 0) / 1e6
  const machine = await secondsOfMachine()
  const othersSeconds = machine.busy - machineBefore.busy - cpuSeconds - loadSeconds
  const good = Number(requests) - Number(failed)
  return {
    perSecond: good / (Number(durationUs) / 1e6),
    failed: Number(failed),
    p50Ms: Number(p50Us) / 1000,
    p99Ms: Number(p99Us) / 1000,
    cpuUs: (cpuSeconds * 1e6) / Math.max(1, good),
    residentBytes: await residentBytesOf(host.pid),
    othersCores: Math.max(0, othersSeconds / seconds),
    stolenCores: (machine.stolen - machineBefore.stolen) / seconds,
  }
}
