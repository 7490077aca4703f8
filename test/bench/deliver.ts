import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { COLLECTOR, writeInstallation } from './installation.ts'
import { busySecondsOfMachine, cpuSecondsOf, machine, median, residentBytesOf, tableOf } from './measure.ts'

/**
 * Durable deliveries of one value a second over HTTP, through session, validation and thresholds, against the same
 * server answering an empty POST, and the same without its journal: in turn within one run, server and load each on
 * a core of their own. Needs wrk 4.1 and taskset.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '64,256' },
    only: { type: 'string', default: 'floor,no-journal,whole' },
  },
})

/** A run beside which others took more of the machine than this, in cores, says nothing; it is done again. */
const OTHERS_MAX = 0.12
const TRIES_MAX = 20
const SERVER_CORE = '0'
const LOAD_CORE = '1'
/** Until the compiler has seen everything. */
const WARM_UP_S = 4
const BODY = '{"returnValue1":12.5,"errorCode":0}'

type Run = {
  readonly perSecond: number
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  readonly residentBytes: number
  readonly othersCores: number
}

type Variant = {
  readonly name: string
  readonly host: HostProcess
  readonly sessionId: string
  readonly ids: readonly number[]
}

async function main(): Promise<void> {
  for (const tool of ['wrk', 'taskset']) {
    if (Bun.which(tool) === null)
      throw new RangeError(`${tool} is missing. On Debian: apt-get install wrk util-linux`)
  }
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const variants: Variant[] = []
  try {
    for (const name of options.only.split(',')) variants.push(await start(name, join(directory, name)))
    process.stdout.write(
      `${machine()}\n${options.jobs} jobs, ${options.rounds} rounds of ${options.seconds} s, medians\n`,
    )
    for (const connections of options.connections.split(',')) await compare(variants, Number(connections))
  } finally {
    for (const { host } of variants) {
      host.signal('SIGTERM')
      await host.exited
    }
    await rm(directory, { recursive: true })
  }
}

async function start(name: string, dataDir: string): Promise<Variant> {
  const ids = await writeInstallation(dataDir, { count: Number(options.jobs), timeout: 'PT12H' })
  const command = ['taskset', '-c', SERVER_CORE, 'bun', `${import.meta.dir}/host.ts`, name]
  const host = await startProcess({ command, dataDir, environment: {} })
  const login = await fetch(`${host.url}/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(COLLECTOR),
  })
  const { sessionId } = (await login.json()) as { sessionId: string }
  return { name, host, sessionId, ids }
}

async function compare(variants: readonly Variant[], connections: number): Promise<void> {
  const runs = new Map<string, Run[]>(variants.map(({ name }) => [name, []]))
  for (const variant of variants) await load(variant, connections, WARM_UP_S)
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const variant of variants) runs.get(variant.name)?.push(await loadInPeace(variant, connections))
  }
  const floor = median(runs.get('floor')?.map(({ perSecond }) => perSecond) ?? [])
  const rows = [...runs].map(([name, all]) => {
    const of = (pick: (run: Run) => number) => median(all.map(pick))
    const perSecond = of((run) => run.perSecond)
    return {
      [`${connections} connections`]: name,
      'per second': Math.round(perSecond),
      'of floor': floor === 0 ? '' : `${Math.round((100 * perSecond) / floor)} %`,
      'CPU µs each': of((run) => run.cpuUs).toFixed(1),
      'p50 ms': of((run) => run.p50Ms).toFixed(2),
      'p99 ms': of((run) => run.p99Ms).toFixed(2),
      'RSS MiB': Math.round(of((run) => run.residentBytes) / 1024 / 1024),
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
      'others, cores': of((run) => run.othersCores).toFixed(2),
    }
  })
  process.stdout.write(`\n${tableOf(rows)}\n`)
}

/** The load beside which others took least of the machine, once that is little. */
async function loadInPeace(variant: Variant, connections: number): Promise<Run> {
  let best = await load(variant, connections, Number(options.seconds))
  for (let tried = 1; best.othersCores > OTHERS_MAX && tried < TRIES_MAX; tried++) {
    const again = await load(variant, connections, Number(options.seconds))
    if (again.othersCores < best.othersCores) best = again
  }
  return best
}

async function load(
  { name, host, sessionId, ids }: Variant,
  connections: number,
  seconds: number,
): Promise<Run> {
  const before = await cpuSecondsOf(host.pid)
  const busyBefore = await busySecondsOfMachine()
  const wrk = Bun.spawn(
    ['taskset', '-c', LOAD_CORE, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s']
      .concat(['-s', `${import.meta.dir}/deliver.lua`, host.url, '--'])
      .concat([name === 'floor' ? 'floor' : 'values', String(ids[0]), String(ids.length), sessionId, BODY]),
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const text = await new Response(wrk.stdout).text()
  const result = /^RESULT (.*)$/m.exec(text)?.[1]
  if (result === undefined) throw new Error(`wrk did not end well:\n${text}`)
  const { requests, failed, durationUs, p50Us, p99Us } = JSON.parse(result) as Record<string, number>
  await wrk.exited
  const cpuSeconds = (await cpuSecondsOf(host.pid)) - before
  const loadSeconds = Number(wrk.resourceUsage()?.cpuTime.total ?? 0) / 1e6
  const othersSeconds = (await busySecondsOfMachine()) - busyBefore - cpuSeconds - loadSeconds
  const good = Number(requests) - Number(failed)
  return {
    perSecond: good / (Number(durationUs) / 1e6),
    failed: Number(failed),
    p50Ms: Number(p50Us) / 1000,
    p99Ms: Number(p99Us) / 1000,
    cpuUs: (cpuSeconds * 1e6) / Math.max(1, good),
    residentBytes: await residentBytesOf(host.pid),
    othersCores: Math.max(0, othersSeconds / seconds),
  }
}

await main()
