import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import type { Mode } from '../../src/domain/series.ts'
import { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { Log } from '../../src/ports/log.ts'
import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { openLibsql } from '../../workers/server/libsql.ts'
import type { Libsql } from '../../workers/server/libsql.ts'
import { valuesInLibsql } from '../../workers/server/values.ts'
import { ANYBODY, deliveryWith, rulesWith } from '../engine/rules.ts'
import { machine, median, tableOf } from './measure.ts'

/**
 * What a history takes on disk once it is cold, and what reads of it cost. Values go through an engine with a clock moved
 * by hand: one value a minute for each job, flushed every twenty minutes, then tidied 40 days later.
 */
const { values: options } = parseArgs({
  options: { only: { type: 'string', default: 'size,read' }, share: { type: 'string', default: '1' } },
})

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const BEGIN_AT = Date.UTC(2026, 0, 5)
const MINUTES_PER_FOLD = 20
/** Reads do not see how often was flushed: for them it may be fast. */
const LONG_SAMPLES = 20_000
const MINUTES_PER_LONG_FOLD = 480

type Row = Readonly<Record<string, string | number>>
type Bytes = {
  readonly database: number
  readonly free: number
  readonly actors: number
  readonly blobs: number
}
type Make = (job: number, index: number) => number

/** A daily wave with noise (normal, sigma 0.5) and two decimals; a counter; a constant. */
const VALUES: Readonly<Record<string, Make>> = { gauge, counter, constant: () => 21.5 }
const counts = new Map<number, number>()

let seed = 1

/** The same in every run (mulberry32). */
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

class Place {
  now = BEGIN_AT
  readonly #folder: string
  readonly #libsql: Libsql
  readonly engine: JobEngine

  private constructor(folder: string, libsql: Libsql, open: (place: () => Place) => JobEngine) {
    this.#folder = folder
    this.#libsql = libsql
    this.engine = open(() => this)
  }

  static async open(): Promise<Place> {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-history-'))
    const libsql = await openLibsql(`file:${join(folder, 'values.db')}`)
    const clock = { place: null as Place | null }
    const log: Log = {
      info() {},
      warn() {},
      error: (message, error) => process.stderr.write(`${message} ${String(error)}\n`),
    }
    const engine = await JobEngine.open({
      values: valuesInLibsql(libsql, {
        onBroken: (cause) => {
          throw cause
        },
      }),
      freeBytes: () => Number.POSITIVE_INFINITY,
      blobs: await openBlobsDirectory(join(folder, 'blobs'), log),
      clock: { now: () => clock.place?.now ?? BEGIN_AT, monotonic: () => performance.now() },
      log,
      turn: () => new Promise((resolve) => setImmediate(resolve)),
      follow: () => Promise.resolve(),
      armed() {},
    })
    clock.place = new Place(folder, libsql, () => engine)
    return clock.place
  }

  async configure(jobs: number): Promise<void> {
    for (let from = 1; from <= jobs; from += 1_000) {
      const ids = Array.from({ length: Math.min(1_000, jobs - from + 1) }, (_, index) => from + index)
      await Promise.all(ids.map((id) => this.engine.configure(id, rulesWith({ timeoutMs: null }))))
    }
    await this.engine.flush()
  }

  /** One value a minute for each job, as they would come; `jitterMs` is how late each may be. */
  async receive(jobs: number, samples: number, jitterMs: number, make: Make): Promise<void> {
    const waiting: Promise<unknown>[] = []
    for (let index = 0; index < samples; index += 1) {
      this.now = BEGIN_AT + (index + 1) * MINUTE_MS
      const at = BEGIN_AT + index * MINUTE_MS
      waiting.push(
        ...Array.from({ length: jobs }, (_, job) =>
          this.engine.deliver(
            job + 1,
            deliveryWith({
              values: { returnValue1: make(job + 1, index) },
              timestampAt: at + (jitterMs === 0 ? 0 : Math.floor(random() * jitterMs)),
            }),
            ANYBODY,
          ),
        ),
      )
      // Hours at once share a commit: it is reads that are measured then.
      const isTurn = samples <= LONG_SAMPLES || index % MINUTES_PER_LONG_FOLD === MINUTES_PER_LONG_FOLD - 1
      if (isTurn) await Promise.all(waiting.splice(0))
      const every = samples > LONG_SAMPLES ? MINUTES_PER_LONG_FOLD : MINUTES_PER_FOLD
      if (index % every === every - 1) await this.engine.flush()
    }
    await Promise.all(waiting)
    await this.engine.flush()
  }

  /** Jobs go on living, or nothing of them would be past change. */
  async goCold(jobs: number): Promise<void> {
    this.now += 40 * DAY_MS
    for (let job = 1; job <= jobs; job += 1)
      await this.engine.configure(job, rulesWith({ timeoutMs: null, revision: 2 }))
    await this.engine.flush()
    await this.engine.retention.apply()
  }

  /** Pages in use, with and without the checkpoints of the jobs; and the blobs, in blocks of the disk. */
  async bytes(): Promise<Bytes> {
    await this.#libsql.client.execute('pragma wal_checkpoint(truncate)')
    const number = async (sql: string) => Number((await this.#libsql.client.execute(sql)).rows[0]?.[0])
    const [pageBytes, free] = [await number('pragma page_size'), await number('pragma freelist_count')]
    const actors = await number(`select sum(pgsize) from dbstat where name = 'actors'`)
    const database = (await stat(join(this.#folder, 'values.db'))).size
    return { database, free: free * pageBytes, actors, blobs: await blocksOf(join(this.#folder, 'blobs')) }
  }

  async close(): Promise<void> {
    await this.#libsql.close()
    await rm(this.#folder, { recursive: true })
  }
}

async function blocksOf(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).blocks * 512
  }
  return bytes
}

function usedIn({ database, free, blobs }: Bytes): number {
  return database - free + blobs
}

async function sizeOf(jobs: number, samples: number, jitterMs: number, name: string): Promise<Row> {
  const place = await Place.open()
  try {
    await place.configure(jobs)
    const before = await place.bytes()
    await place.receive(jobs, samples, jitterMs, VALUES[name] ?? gauge)
    const warm = await place.bytes()
    await place.goCold(jobs)
    const cold = await place.bytes()
    const each = (bytes: number) => (bytes / (jobs * samples)).toFixed(2)
    return {
      shape: `${jobs} × ${samples}`,
      values: name,
      jitter: `${jitterMs} ms`,
      'flushed B each': each(usedIn(warm) - usedIn(before)),
      'cold B each': each(usedIn(cold) - usedIn(before)),
      'of it blobs': each(cold.blobs),
      'of it checkpoints': each(cold.actors - before.actors),
      'file B each': each(cold.database + cold.blobs - usedIn(before)),
    }
  } finally {
    await place.close()
  }
}

async function reads(): Promise<readonly Row[]> {
  const month = await Place.open()
  const wide = await Place.open()
  const year = await Place.open()
  try {
    await month.configure(1)
    await month.receive(1, 30 * 1_440, 0, gauge)
    await wide.configure(100)
    await wide.receive(100, 1_440, 0, gauge)
    await year.configure(1)
    await year.receive(1, 365 * 1_440, 0, gauge)
    await year.goCold(1)
    return [
      await readOf('30 days of minutes by hour', month, {
        jobs: 1,
        stepMs: HOUR_MS,
        count: 30 * 24,
        mode: 'avg',
      }),
      await readOf('100 series × 1 day by hour', wide, {
        jobs: 100,
        stepMs: HOUR_MS,
        count: 24,
        mode: 'avg',
      }),
      await readOf('a year of minutes by day', year, { jobs: 1, stepMs: DAY_MS, count: 365, mode: 'avg' }),
      await readOf('a year of minutes by day, p95', year, {
        jobs: 1,
        stepMs: DAY_MS,
        count: 365,
        mode: 'p95',
      }),
    ]
  } finally {
    for (const place of [month, wide, year]) await place.close()
  }
}

type View = { readonly jobs: number; readonly stepMs: number; readonly count: number; readonly mode: Mode }

async function readOf(what: string, place: Place, { jobs, stepMs, count, mode }: View): Promise<Row> {
  const edges = Array.from({ length: count + 1 }, (_, index) => BEGIN_AT + index * stepMs)
  const read = async () => {
    for (let job = 1; job <= jobs; job += 1)
      await place.engine.buckets(job, { key: 'returnValue1', edges, mode })
  }
  for (let warm = 0; warm < 20; warm += 1) await read()
  const before = place.engine.query.touched
  await read()
  const after = place.engine.query.touched
  const times: number[] = []
  const runs = 50
  const cpu = process.cpuUsage()
  for (let run = 0; run < runs; run += 1) {
    const startedAt = performance.now()
    await read()
    times.push(performance.now() - startedAt)
  }
  const spent = process.cpuUsage(cpu)
  return {
    read: what,
    'ms, middle': median(times).toFixed(2),
    'CPU ms': ((spent.user + spent.system) / 1_000 / runs).toFixed(2),
    'rollup rows': after.rollups - before.rollups,
    segments: after.segments - before.segments,
    decoded: after.decoded - before.decoded,
    blobs: after.blobs - before.blobs,
  }
}

function gauge(job: number, index: number): number {
  const noise = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Math.round((50 + 20 * Math.sin((2 * Math.PI * index) / 1_440 + job) + 0.5 * noise) * 100) / 100
}

function counter(job: number): number {
  const count = (counts.get(job) ?? 0) + Math.floor(random() * 100)
  counts.set(job, count)
  return count
}

process.stdout.write(`${machine()}\n`)
const share = Number(options.share)
if (options.only.includes('size')) {
  const rows: Row[] = []
  for (const [jobs, samples] of [
    [10_000 * share, 100],
    [100 * share, 10_000],
  ] as const) {
    for (const [name, jitterMs] of [
      ['gauge', 0],
      ['gauge', 1_000],
      ['counter', 1_000],
      ['constant', 0],
    ] as const) {
      rows.push(await sizeOf(jobs, samples, jitterMs, name))
    }
  }
  process.stdout.write(`\n${tableOf(rows)}\n`)
}
if (options.only.includes('read')) process.stdout.write(`\n${tableOf(await reads())}\n`)
