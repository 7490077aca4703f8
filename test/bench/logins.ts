import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { linesOf } from '../hosts/process.ts'
import { load, start, startEdge } from './load.ts'
import type { Run, Variant } from './load.ts'
import { machine, median, quantile, tableOf } from './measure.ts'
import { LOAD_CORE, requireTools } from './wrk.ts'

/**
 * Deliveries beside 500 logins at a time, each from another network and of another name, against deliveries alone, before
 * and after: in turn within one run, on one server; once as many deliveries as it takes, and once half of that, which come
 * nearly as a Poisson process. Who is refused comes again about when told to. Then half as many once more on a server whose
 * hashes have the processor as everything else has it, by which this is seen to tell the difference. What counts are the
 * ratios; fails when they are not what is wanted. Needs wrk 4.1, taskset and chrt.
 *
 *   bun test/bench/logins.ts [--host edge --jobs 100]
 */
const { values: options } = parseArgs({
  options: {
    host: { type: 'string', default: 'bun' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '20' },
    jobs: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '64' },
    logins: { type: 'string', default: '500' },
  },
})

/** Long enough to compile what the server does; one that has rested does it slowly at first. */
const WARM_UP_S = 3
/** At half load p99 stays what it is: by so much two runs differ by themselves. */
const P99_RATIO_MAX = 1.25
/** A server that has no time left gives those who sign in a little of it: so much remains. */
const RATE_RATIO_MIN = 0.8
/** Connections that rest most of the time, for each that never does. */
const HALF_CONNECTIONS = 4

/** How a host starts, and what passes before deliveries beside logins are measured: workerd takes a third of a second to
 * open 500 connections in one moment, whatever they ask for. */
const HOSTS = { bun: { start, settleS: 0 }, edge: { start: startEdge, settleS: 5 } }

type Bench = { readonly variant: Variant; readonly flood: ReturnType<typeof startFlood> }
/** Deliveries without logins, with them, and without them once more: by so much two runs differ by themselves. */
type Round = { readonly before: Run; readonly beside: Run; readonly after: Run }
type Beside = { readonly statuses: Readonly<Record<string, number>>; readonly seconds: number }

async function main(): Promise<void> {
  requireTools()
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  try {
    process.stdout.write(`${machine()}\n${options.rounds} rounds of ${options.seconds} s, medians\n`)
    const { full, half } = await onHost('whole', directory, measure)
    const eager = await onHost('eager-hashes', directory, (bench) => measureHalf(bench, full))
    process.stdout.write('\n')
    const rate = besideToAlone(full, ({ perSecond }) => perSecond)
    judge('rate beside logins, of the whole', rate, rate >= RATE_RATIO_MIN)
    const p99 = besideToAlone(half, ({ p99Ms }) => p99Ms)
    judge('p99 beside logins, at half load', p99, p99 <= P99_RATIO_MAX)
    const control = besideToAlone(eager, ({ p99Ms }) => p99Ms)
    judge('control: the same with eager hashes', control, control > P99_RATIO_MAX)
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function onHost<Result>(
  name: string,
  directory: string,
  run: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  // Addresses are of the sender's choice, so that no bound for a network stands in front of the hashes.
  const environment = { TIDEMARK_TRUSTED_PROXIES: '1' }
  const wanted = { name, jobs: Number(options.jobs), environment }
  const variant = await hostAsked().start(wanted, join(directory, name))
  const flood = startFlood(variant)
  try {
    return await run({ variant, flood })
  } finally {
    flood.stop()
    variant.host.signal('SIGTERM')
    await variant.host.exited
  }
}

async function measure(bench: Bench) {
  const full = await compare('as many as it takes', bench, {
    connections: Number(options.connections),
    restMs: null,
  })
  return { full, half: await measureHalf(bench, full) }
}

/** @param full rounds of as many deliveries as it takes */
function measureHalf(bench: Bench, full: readonly Round[]): Promise<readonly Round[]> {
  const connections = Number(options.connections) * HALF_CONNECTIONS
  const perSecond = medianOf(full, 'before', (run) => run.perSecond)
  const restMs = (connections / (perSecond / 2)) * 1000 - medianOf(full, 'before', (run) => run.p50Ms) / 2
  return compare(`half as many, ${bench.variant.name}`, bench, { connections, restMs })
}

function hostAsked() {
  const { host } = options
  if (host !== 'bun' && host !== 'edge')
    throw new RangeError(`There is no host ${host}; there are bun, edge.`)
  return HOSTS[host]
}

type Pace = { readonly connections: number; readonly restMs: number | null }

/** Prints what deliveries are like beside logins, and how much they differ without any. */
async function compare(
  title: string,
  { variant, flood }: Bench,
  { connections, restMs }: Pace,
): Promise<readonly Round[]> {
  const rounds: Round[] = []
  const besides: Beside[] = []
  const deliver = (seconds = Number(options.seconds)) => load(variant, connections, seconds, restMs)
  for (let round = 0; round < Number(options.rounds); round++) {
    await deliver(WARM_UP_S)
    const before = await deliver()
    await flood.begin()
    await Bun.sleep(1_000 * hostAsked().settleS)
    const beside = await deliver()
    besides.push(await flood.end())
    await deliver(WARM_UP_S)
    rounds.push({ before, beside, after: await deliver() })
  }
  const row = (name: string, pick: (run: Run) => number, digits: number) => {
    const of = (which: keyof Round) => medianOf(rounds, which, pick).toFixed(digits)
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
  return rounds
}

function medianOf(rounds: readonly Round[], which: keyof Round, pick: (run: Run) => number): number {
  return median(rounds.map((round) => pick(round[which])))
}

/** The median of what a while beside logins is of those before and after it. */
function besideToAlone(rounds: readonly Round[], pick: (run: Run) => number): number {
  return median(
    rounds.map(({ before, beside, after }) => pick(beside) / Math.sqrt(pick(before) * pick(after))),
  )
}

function judge(what: string, ratio: number, isWanted: boolean): void {
  process.stdout.write(`${what}: ${ratio.toFixed(2)}, ${isWanted ? 'as wanted' : 'MISSED'}\n`)
  if (!isWanted) process.exitCode = 1
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
