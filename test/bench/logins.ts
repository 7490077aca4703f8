import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { linesOf } from '../hosts/process.ts'
import { load, LOAD_CORE, requireTools, start } from './load.ts'
import type { Run, Variant } from './load.ts'
import { machine, median, quantile, tableOf } from './measure.ts'

/**
 * Deliveries beside 500 logins at a time, each from another network and of another name, against deliveries alone, before
 * and after: in turn within one run, on one server; once as many deliveries as it takes, and once half of that, which come
 * nearly as a Poisson process. Who is refused comes again about when told to. What counts are the ratios. Needs wrk 4.1,
 * taskset and chrt.
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

type Bench = { readonly variant: Variant; readonly flood: ReturnType<typeof startFlood> }
/** Deliveries without logins, with them, and without them once more: by so much two runs differ by themselves. */
type Round = { readonly before: Run; readonly beside: Run; readonly after: Run }
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
    const flood = startFlood(variant)
    await measure({ variant, flood }).finally(flood.stop)
  } finally {
    variant.host.signal('SIGTERM')
    await variant.host.exited
    await rm(directory, { recursive: true })
  }
}

async function measure(bench: Bench): Promise<void> {
  const connections = Number(options.connections)
  await load(bench.variant, connections, WARM_UP_S)
  const { perSecond, p50Ms } = await compare('as many as it takes', bench, { connections, restMs: null })
  const many = connections * HALF_CONNECTIONS
  const restMs = (many / (perSecond / 2)) * 1000 - p50Ms / 2
  await compare('half as many', bench, { connections: many, restMs })
}

type Pace = { readonly connections: number; readonly restMs: number | null }

/** Prints what deliveries are like beside logins, and how much they differ without any; resolves with what they are like
 * alone. */
async function compare(
  title: string,
  { variant, flood }: Bench,
  { connections, restMs }: Pace,
): Promise<Pick<Run, 'perSecond' | 'p50Ms'>> {
  const rounds: Round[] = []
  const besides: Beside[] = []
  const deliver = () => load(variant, connections, Number(options.seconds), restMs)
  for (let round = 0; round < Number(options.rounds); round++) {
    const before = await deliver()
    await flood.begin()
    const beside = await deliver()
    besides.push(await flood.end())
    rounds.push({ before, beside, after: await deliver() })
  }
  const medianOf = (which: keyof Round, pick: (run: Run) => number) =>
    median(rounds.map((round) => pick(round[which])))
  const row = (name: string, pick: (run: Run) => number, digits: number) => {
    const of = (which: keyof Round) => medianOf(which, pick).toFixed(digits)
    const to = (which: keyof Round) => rangeOf(rounds.map((round) => pick(round[which]) / pick(round.before)))
    return {
      [title]: name,
      alone: of('before'),
      [`beside ${options.logins} logins`]: of('beside'),
      'ratio (quartiles)': to('beside'),
      'alone again': of('after'),
      'ratio again (quartiles)': to('after'),
    }
  }
  const rows = [
    row('per second', (run) => run.perSecond, 0),
    row('CPU µs each', ({ cpuUs }) => cpuUs, 1),
    row('p50 ms', (run) => run.p50Ms, 2),
    row('p99 ms', ({ p99Ms }) => p99Ms, 2),
    row('stolen, cores', ({ stolenCores }) => stolenCores, 3),
  ]
  const failed = rounds.flatMap((round) => Object.values(round)).reduce((sum, run) => sum + run.failed, 0)
  process.stdout.write(`\n${tableOf(rows)}\nfailed: ${failed}\n\n${tableOf(besides.map(rowOf))}\n`)
  return {
    perSecond: medianOf('before', (run) => run.perSecond),
    p50Ms: medianOf('before', (run) => run.p50Ms),
  }
}

/** The median, and between which values half of them are. */
function rangeOf(values: readonly number[]): string {
  const at = (share: number) => quantile(values, share).toFixed(2)
  return `${median(values).toFixed(2)} (${at(0.25)} – ${at(0.75)})`
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

/** Who sends wrong logins when told to. They have what the deliveries leave of the core of the load: what is measured is
 * the server, not that both wait for each other. */
function startFlood({ host }: Variant) {
  const command = ['taskset', '-c', LOAD_CORE, 'chrt', '--idle', '0', process.execPath]
  const child = Bun.spawn([...command, `${import.meta.dir}/login-flood.ts`, host.url, options.logins], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: options.logins },
  })
  const lines = linesOf(child.stdout)
  const say = async (word: string) => {
    await child.stdin.write(`${word}\n`)
    await child.stdin.flush()
  }
  return {
    begin: () => say('begin'),
    async end(): Promise<Beside> {
      await say('end')
      const next = await lines.next()
      if (next.done) throw new Error('Who sends logins has died.')
      return JSON.parse(next.value) as Beside
    },
    stop: () => child.kill(),
  }
}

await main()
