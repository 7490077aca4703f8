import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { load, LOAD_CORE, requireTools, start } from './load.ts'
import type { Run, Variant } from './load.ts'
import { machine, median, tableOf } from './measure.ts'

/**
 * Deliveries beside 500 logins at a time, each from another network and of another name, against deliveries alone: in turn
 * within one run, on one server; once as many deliveries as it takes, and once half of that, which come nearly as a Poisson
 * process. Who is refused comes again about when told to. What counts are the ratios. Needs wrk 4.1 and taskset.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    jobs: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '64' },
    logins: { type: 'string', default: '500' },
  },
})

const WARM_UP_S = 3
/** Connections that rest most of the time, for each that never does. */
const HALF_CONNECTIONS = 4

type Beside = { readonly statuses: Readonly<Record<string, number>>; readonly seconds: number }

async function main(): Promise<void> {
  requireTools()
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  // Addresses are of the sender's choice, so that no bound for a network stands in front of the hashes.
  const environment = { TIDEMARK_TRUSTED_PROXIES: '1' }
  const variant = await start(
    { name: 'whole', jobs: Number(options.jobs), environment },
    join(directory, 'whole'),
  )
  try {
    process.stdout.write(`${machine()}\n${options.rounds} rounds of ${options.seconds} s, medians\n`)
    await measure(variant)
  } finally {
    variant.host.signal('SIGTERM')
    await variant.host.exited
    await rm(directory, { recursive: true })
  }
}

async function measure(variant: Variant): Promise<void> {
  const connections = Number(options.connections)
  await load(variant, connections, WARM_UP_S)
  const { perSecond, p50Ms } = await compare('as many as it takes', variant, { connections, restMs: null })
  const many = connections * HALF_CONNECTIONS
  const restMs = (many / (perSecond / 2)) * 1000 - p50Ms / 2
  await compare('half as many', variant, { connections: many, restMs })
}

type Pace = { readonly connections: number; readonly restMs: number | null }

/** Prints what deliveries are like beside logins, and resolves with what they are like alone. */
async function compare(
  title: string,
  variant: Variant,
  { connections, restMs }: Pace,
): Promise<Pick<Run, 'perSecond' | 'p50Ms'>> {
  const seconds = Number(options.seconds)
  const runs: Record<'alone' | 'beside', Run[]> = { alone: [], beside: [] }
  const besides: Beside[] = []
  for (let round = 0; round < Number(options.rounds); round++) {
    runs.alone.push(await load(variant, connections, seconds, restMs))
    const flood = floodWithLogins(variant)
    runs.beside.push(await load(variant, connections, seconds, restMs))
    besides.push(await flood.end())
  }
  const of = (which: keyof typeof runs, pick: (run: Run) => number) => median(runs[which].map(pick))
  const row = (name: string, pick: (run: Run) => number, digits: number) => ({
    [title]: name,
    alone: of('alone', pick).toFixed(digits),
    [`beside ${options.logins} logins`]: of('beside', pick).toFixed(digits),
    ratio: (of('beside', pick) / of('alone', pick)).toFixed(2),
  })
  const rows = [
    row('per second', (run) => run.perSecond, 0),
    row('CPU µs each', ({ cpuUs }) => cpuUs, 1),
    row('p50 ms', (run) => run.p50Ms, 2),
    row('p99 ms', ({ p99Ms }) => p99Ms, 2),
    row('failed', ({ failed }) => failed, 0),
  ]
  process.stdout.write(`\n${tableOf(rows)}\n\n${tableOf(besides.map(rowOf))}\n`)
  return { perSecond: of('alone', (run) => run.perSecond), p50Ms: of('alone', (run) => run.p50Ms) }
}

function rowOf({ statuses, seconds }: Beside) {
  const total = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const perSecond = (status: number) => ((statuses[status] ?? 0) / seconds).toFixed(1)
  return {
    'logins a second': (total / seconds).toFixed(0),
    'hashed and refused (401)': perSecond(401),
    'not hashed (503)': perSecond(503),
    'too often (429)': perSecond(429),
  }
}

/** Keeps so many wrong logins under way until told to end. Those who send them have what the deliveries leave of the core
 * of the load: what is measured is the server, not that they wait for each other. */
function floodWithLogins({ host }: Variant) {
  const command = ['taskset', '-c', LOAD_CORE, 'nice', '-n', '19', 'bun', `${import.meta.dir}/login-flood.ts`]
  const flood = Bun.spawn([...command, host.url, options.logins], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: options.logins },
  })
  return {
    async end(): Promise<Beside> {
      await flood.stdin.end()
      return (await new Response(flood.stdout).json()) as Beside
    },
  }
}

await main()
