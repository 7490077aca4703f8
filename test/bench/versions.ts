import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { cpuMsBetween, machine, median, tableOf, threadTimesOf } from './measure.ts'
import { settled } from './peers/replay.ts'
import { GROUPS, PAST_S } from './versions/shapes.ts'
import type { Group, Shape, Side } from './versions/shapes.ts'
import { requireTools, wrk } from './wrk.ts'

/**
 * This checkout beside another one with the same data: reads, deliveries and bulk in short loads, each round as
 * this, other, other, this or the reverse. The figure is the CPU time of the process for each request, which depends little on
 * other load. The ratio of a start is that of its sums, because a flush takes the samples of earlier loads; of several starts the
 * ratio is the geometric mean. The process that starts first can cost up to a tenth more, so starts alternate the order. A checkout beside itself
 * (`--before .`) shows the noise.
 *
 *   npm run bench:versions -- --before ../other-checkout
 *   npm run bench:versions -- --before ../other-checkout --only reads --shapes tree,alarms --rounds 15 --seconds 2
 *   npm run bench:versions -- --before ../other-checkout --only deliveries --rounds 2 --starts 12
 *   npm run bench:versions -- --now ../newer-checkout --before ../older-checkout
 */
const { values: options } = parseArgs({
  options: {
    before: { type: 'string' },
    /** The other checkout of the comparison. */
    now: { type: 'string', default: '.' },
    only: { type: 'string', default: 'reads,deliveries,bulk' },
    /** Parts of the names of shapes. */
    shapes: { type: 'string', default: '' },
    rounds: { type: 'string', default: '9' },
    /** Processes of one version differ by some per cent; each start has all rounds. */
    starts: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '1' },
  },
})

const SECONDS = Number(options.seconds)
/** Until the compiler has seen everything. */
const WARM_UP_S = Math.max(3, SECONDS)

/** Of all loads of one side in a round. */
type Total = { cpuMs: number; requests: number; failed: number; perSecond: number }

const NOTHING: Total = { cpuMs: 0, requests: 0, failed: 0, perSecond: 0 }

type Round = readonly Total[]
/** The rounds of one start. */
type Start = readonly Round[]

async function compare(shape: Shape, sides: readonly Side[]): Promise<Start> {
  const loads = await Promise.all(
    sides.map(async (side) => ({ side, next: await shape.open(side), sent: 0 })),
  )
  const once = async (load: (typeof loads)[number], seconds: number, total?: Total) => {
    const { url, pid } = load.side.running
    const before = await threadTimesOf(pid)
    const { connections } = shape
    const { good, failed, perSecond } = await wrk({
      url,
      pid,
      connections,
      seconds,
      script: load.next(load.sent),
    })
    if (!shape.isRead) await settled(pid)
    const cpuMs = cpuMsBetween(before, await threadTimesOf(pid))
    load.sent += good + failed
    if (!total) return
    total.cpuMs += cpuMs
    total.requests += good
    total.failed += failed
    total.perSecond += perSecond / 2
  }
  for (const load of loads) await once(load, WARM_UP_S)
  const rounds: Round[] = []
  for (let round = 0; round < Number(options.rounds); round++) {
    const totals = loads.map((): Total => ({ ...NOTHING }))
    for (const index of round % 2 === 0 ? [0, 1, 1, 0] : [1, 0, 0, 1]) {
      const load = loads[index]
      if (load) await once(load, SECONDS, totals[index])
    }
    rounds.push(totals)
  }
  return rounds
}

function rowOf(name: string, starts: readonly Start[]): Record<string, string | number> {
  const rounds: readonly Round[] = starts.flat()
  const usOf = ({ cpuMs, requests }: Total) => (1_000 * cpuMs) / requests
  const of = (index: number, pick: (total: Total) => number) =>
    rounds.map((totals) => pick(totals[index] ?? NOTHING))
  const ratios = (pick: (total: Total) => number) => {
    const before = of(1, pick)
    return of(0, pick).map((now, round) => now / (before[round] ?? 0))
  }
  const ratioOf = (pick: (total: Total) => number) =>
    geometricMean(starts.map((start) => pick(sumOf(start, 0)) / pick(sumOf(start, 1))))
  const cpu = ratios(usOf)
  return {
    shape: name,
    'CPU µs': median(of(0, usOf)).toFixed(1),
    before: median(of(1, usOf)).toFixed(1),
    ratio: ratioOf(usOf).toFixed(3),
    least: Math.min(...cpu).toFixed(3),
    most: Math.max(...cpu).toFixed(3),
    'per second': Math.round(median(of(0, ({ perSecond }) => perSecond))),
    'of before': ratioOf(({ perSecond }) => perSecond).toFixed(3),
    failed: [...of(0, ({ failed }) => failed), ...of(1, ({ failed }) => failed)].reduce(
      (sum, n) => sum + n,
      0,
    ),
    load: loadavg()[0]?.toFixed(1) ?? '',
  }
}

async function main(): Promise<void> {
  requireTools()
  if (options.before === undefined)
    throw new RangeError('--before is missing: the folder of the other checkout.')
  const checkouts = [resolve(options.now), resolve(options.before)]
  process.stdout.write(
    `${machine()}\n${options.starts} starts, ${options.rounds} rounds of 2 × ${SECONDS} s each, medians\n`,
  )
  for (const name of options.only.split(',')) {
    const group = GROUPS[name]
    if (!group) throw new RangeError(`${name} is not one of ${Object.keys(GROUPS).join(', ')}.`)
    await compareGroup(group, checkouts)
  }
}

async function compareGroup({ start, shapes }: Group, checkouts: readonly string[]): Promise<void> {
  const wanted = options.shapes.split(',')
  const chosen = shapes.filter(({ name }) => wanted.some((part) => name.includes(part)))
  const found = chosen.map((shape) => ({ shape, starts: [] as Start[] }))
  for (let started = 0; started < Number(options.starts); started++)
    await withSides(start, { checkouts, isReversed: started % 2 === 1 }, async (sides) => {
      for (const { shape, starts } of found) {
        starts.push(await compare(shape, sides))
        process.stderr.write(`${tableOf([rowOf(shape.name, starts)])}\n`)
      }
    })
  const rows = found.map(({ shape, starts }) => rowOf(shape.name, starts))
  if (rows.length > 0) process.stdout.write(`\n${tableOf(rows)}\n`)
}

/** The sides are in the order of the checkouts, also where they start in the reverse order. */
async function withSides(
  start: Group['start'],
  { checkouts, isReversed }: { readonly checkouts: readonly string[]; readonly isReversed: boolean },
  use: (sides: readonly Side[]) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const sides: Side[] = []
  try {
    const places = [...checkouts.entries()]
    for (const [index, checkout] of isReversed ? places.toReversed() : places) {
      const directory = join(root, String(index))
      await mkdir(directory)
      const seriesAtS = Math.floor(Date.now() / 1_000) - PAST_S
      sides[index] = { running: await start(checkout, directory), directory, seriesAtS }
    }
    await use(sides)
  } finally {
    // A side is missing where its start failed.
    for (const side of sides.filter(Boolean)) await side.running.stop('SIGKILL')
    await rm(root, { recursive: true })
  }
}

/** The sum of the loads of one side. */
function sumOf(start: Start, index: number): Total {
  const sum = { ...NOTHING }
  for (const totals of start) {
    const { cpuMs, requests, failed, perSecond } = totals[index] ?? NOTHING
    sum.cpuMs += cpuMs
    sum.requests += requests
    sum.failed += failed
    sum.perSecond += perSecond
  }
  return sum
}

function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length)
}

await main()
