import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'

import { bucketEdges } from '../../src/monitoring/value-history/buckets.ts'
import type { Value } from '../../src/domain/delivery.ts'
import type { Retention } from '../../src/domain/job-rules.ts'
import type { Mode } from '../../src/domain/series.ts'
import { MODES, naively } from './naive-modes.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, MINUTE_MS, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

setDefaultTimeout(180_000)
const stages = await openStages()
afterAll(() => stages.close())

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const KEEP: Retention = { rawMs: 100_000 * DAY_MS, minutesMs: 100_000 * DAY_MS, hoursMs: 100_000 * DAY_MS }

let stage: Stage
let all: { at: number; value: number }[]
beforeEach(async () => {
  stage = await stages.open()
  all = []
})

const configure = (retention: Partial<Retention> = {}, revision = 1) =>
  stage.engine.configure(1, rulesWith({ timeoutMs: null, revision, retention: { ...KEEP, ...retention } }))

/** Samples at a distance from where the clock is, which goes on with them; flushed now and then. */
async function receive(
  count: number,
  everyMs: number,
  value: (index: number) => number = wave,
): Promise<void> {
  // As many at once as are not too late.
  const atOnce = Math.min(5_000, Math.floor((20 * DAY_MS) / everyMs))
  for (let from = 0; from < count; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => from + index)
    const beginAt = stage.now
    stage.now += some.length * everyMs
    await Promise.all(some.map((index) => deliver(beginAt + (index - from) * everyMs, value(index))))
    await stage.engine.flush()
  }
}

async function deliver(at: number, value: number, text?: string): Promise<void> {
  const values: Record<string, Value> = { returnValue1: value }
  if (text !== undefined) values['stringValue1'] = text
  await stage.engine.deliver(1, deliveryWith({ values, timestampAt: at }), ANYBODY)
  all.push({ at, value })
}

/** Two decimals that neither repeat nor follow each other. */
function wave(index: number): number {
  return Math.round(5_000 + 2_000 * Math.sin(index / 200) + ((index * 7_919) % 211)) / 100
}

const buckets = async (edges: readonly number[], mode: Mode) =>
  stage.engine.buckets(1, { key: 'returnValue1', edges, mode })

/** Every mode over these borders is what a look at all that was delivered gives. */
async function check(edges: readonly number[], modes = MODES): Promise<void> {
  const sorted = all.toSorted((one, other) => one.at - other.at)
  for (const mode of modes) {
    const answer = await buckets(edges, mode)
    for (const [index, bucket] of answer.buckets.entries()) {
      const from = firstFrom(sorted, bucket.at)
      const inside = sorted.slice(from, firstFrom(sorted, edges[index + 1] ?? 0))
      expect(bucket.count).toBe(inside.length)
      const naive = naively(
        mode,
        inside.map(({ value }) => value),
      )
      if (naive === null) expect(bucket.value).toBeNull()
      else expect(bucket.value).toBeCloseTo(naive, 6)
    }
  }
}

function firstFrom(sorted: readonly { at: number }[], at: number): number {
  const index = sorted.findIndex((one) => one.at >= at)
  return index < 0 ? sorted.length : index
}

const samples = async (key = 'returnValue1') =>
  (await stage.engine.samples(1, { key, beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 1_000_000 })).samples
const inOrder = () => all.toSorted((one, other) => one.at - other.at)

const touching = async (run: () => Promise<unknown>) => {
  const before = stage.engine.query.touched
  await run()
  const after = stage.engine.query.touched
  return Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, count - (before[name as keyof typeof before] ?? 0)]),
  )
}

const edgesBy = (fromAt: number, stepMs: number, count: number) =>
  Array.from({ length: count + 1 }, (_, index) => fromAt + index * stepMs)

describe('cold segments', () => {
  beforeEach(() => configure())

  test('are moved from the database to blobs and read as before, also after a crash', async () => {
    await receive(40_000, MINUTE_MS)
    const edges = [BEGIN_AT, BEGIN_AT + 3 * HOUR_MS, BEGIN_AT + 7 * HOUR_MS + 1, BEGIN_AT + 27 * DAY_MS]
    stage.now += 31 * DAY_MS
    await deliver(stage.now, 1)
    await stage.engine.flush()
    const rowsBefore = await stage.count('segments')
    await stage.engine.retention.apply()
    const blobs = await stage.blobs.list('history/1/')
    expect(blobs.length).toBeGreaterThan(2)
    expect(await stage.count('blobs where orphaned = 0')).toBe(blobs.length)
    expect(await stage.count('segments')).toBeLessThan(rowsBefore / 3)
    await check(edges)
    expect(await samples()).toEqual(inOrder())
    await stage.crash()
    await check(edges)
    expect(await samples()).toEqual(inOrder())
    // Nothing is left to do.
    const commits = stage.values.commits
    await stage.engine.retention.apply()
    expect(stage.values.commits).toBe(commits + 1)
    expect(stage.errors).toEqual([])
  })

  test('are fetched only when a query needs them', async () => {
    await receive(40_000, MINUTE_MS)
    stage.now += 31 * DAY_MS
    await deliver(stage.now, 1)
    await stage.engine.retention.apply()
    const begin = Math.ceil(BEGIN_AT / DAY_MS) * DAY_MS
    const byDay = await touching(() => buckets(edgesBy(begin, DAY_MS, 20), 'avg'))
    expect(byDay).toEqual({ rollups: 5, segments: 0, decoded: 0, blobs: 0 })
    const cut = await touching(() => buckets([begin + MINUTE_MS, begin + 5 * DAY_MS], 'avg'))
    expect(cut).toMatchObject({ decoded: 1, blobs: 1 })
    stage.blobs.isAway = true
    await check(edgesBy(begin, DAY_MS, 20), ['avg', 'sum', 'last'])
    expect(await buckets(edgesBy(begin, DAY_MS, 20), 'p95').catch(String)).toMatch(/away/)
    await deliver(stage.now, 2)
    await stage.engine.flush()
    stage.blobs.isAway = false
    await check(edgesBy(begin, DAY_MS, 20))
  })

  test('stay in the database while blob storage is unavailable, and are moved later without leftovers', async () => {
    await receive(20_000, MINUTE_MS)
    stage.now += 31 * DAY_MS
    await deliver(stage.now, 1)
    stage.blobs.isAway = true
    await stage.engine.retention.apply()
    expect(stage.errors.length).toBeGreaterThan(0)
    expect(await samples()).toEqual(inOrder())
    expect(await stage.count('blobs where orphaned = 1')).toBe(1)
    stage.blobs.isAway = false
    await stage.engine.retention.apply()
    const kept = await stage.blobs.list('history/1/')
    expect(kept).toHaveLength(2)
    expect(await stage.count('blobs')).toBe(2)
    expect(await samples()).toEqual(inOrder())
  })

  test('are complete after any failed commit, and no orphaned blob is left', async () => {
    await receive(20_000, MINUTE_MS)
    stage.now += 31 * DAY_MS
    await deliver(stage.now, 1)
    for (let after = 1; after <= 4; after += 1) {
      stage.values.failAt = stage.values.commits + after
      await stage.engine.retention.apply().catch(() => undefined)
      await stage.crash()
      expect(await samples()).toEqual(inOrder())
    }
    await stage.engine.retention.apply()
    const rows = await stage.values.read({ sql: 'select id from blobs', cells: [] })
    expect(await stage.blobs.list('')).toEqual(rows.map(({ id }) => `history/1/${String(id)}`))
    expect(await samples()).toEqual(inOrder())
  })

  test('are deleted with their job, also while blob storage is unavailable', async () => {
    await receive(20_000, MINUTE_MS)
    stage.now += 31 * DAY_MS
    await deliver(stage.now, 1)
    await stage.engine.retention.apply()
    expect(await stage.blobs.list('')).toHaveLength(2)
    stage.blobs.isAway = true
    await stage.engine.forget(1)
    stage.blobs.isAway = false
    await configure({}, 2)
    expect(await samples()).toEqual([])
    await stage.engine.retention.apply()
    expect(await stage.blobs.list('')).toEqual([])
    for (const table of ['segments', 'rollups', 'expired', 'blobs']) expect(await stage.count(table)).toBe(0)
  })

  test('with strings are deflated if that is smaller', async () => {
    const text = (index: number) => `state ${index} of many, all of which are told at length`
    const beginAt = stage.now
    stage.now += 2_000 * MINUTE_MS
    await Promise.all(
      Array.from({ length: 2_000 }, (_, index) => deliver(beginAt + index * MINUTE_MS, 5, text(index))),
    )
    await stage.engine.flush()
    stage.now += 31 * DAY_MS
    await deliver(stage.now, 1)
    await stage.engine.retention.apply()
    const texts = await samples('stringValue1')
    expect(texts.map(({ value }) => value)).toEqual(Array.from({ length: 2_000 }, (_, index) => text(index)))
    const sizes = await Promise.all(
      (await stage.blobs.list('')).map(async (key) => (await stage.blobs.get(key))?.sizeBytes ?? 0),
    )
    expect(sizes.reduce((one, other) => one + other, 0)).toBeLessThan(2_000 * 20)
  })

  test('become rows of full pages while they do not fill a blob, and one blob afterwards', async () => {
    stage.blobBytes = 64 * 1024
    await stage.crash()
    const edges = [BEGIN_AT, BEGIN_AT + 3 * HOUR_MS + 1, BEGIN_AT + 7 * DAY_MS, BEGIN_AT + 90 * DAY_MS]
    const sizes = async () =>
      (
        await stage.values.read({
          sql: `select length(head) + length(body) as size from segments
                where job_id = 1 and series = 1 and level = 2 order by from_at`,
          cells: [],
        })
      ).map(({ size }) => Number(size))
    const goCold = async (count: number) => {
      await receive(count, MINUTE_MS)
      stage.now += 31 * DAY_MS
      await deliver(stage.now, 1)
      await stage.engine.flush()
      await stage.engine.retention.apply()
      const commits = stage.values.commits
      await stage.engine.retention.apply()
      expect(stage.values.commits).toBe(commits + 1)
      await check(edges, ['avg', 'last', 'p95'])
      expect(await samples()).toEqual(inOrder())
    }
    await goCold(20_000)
    // A page of an index holds four of 1,002 bytes; what is larger leaves less than that there, and fills others.
    const wide = (await sizes()).filter((size) => size > 975)
    expect(wide.length).toBeGreaterThan(2)
    for (const size of wide) expect(size - 4_092).toBeGreaterThan(489)
    for (const size of wide) expect(size - 4_092).toBeLessThanOrEqual(975)
    expect((await sizes()).length).toBeLessThan(wide.length + 3)
    expect(await stage.blobs.list('')).toEqual([])
    await goCold(80_000)
    const blobs = await stage.blobs.list('')
    expect(blobs).toHaveLength(1)
    const stored = await stage.blobs.get(blobs[0] ?? '')
    expect(stored?.sizeBytes).toBeGreaterThan(16 * 1024)
    expect(stored?.sizeBytes).toBeLessThanOrEqual(64 * 1024)
  })

  describe('cold segments of many jobs with few samples', () => {
    const jobs = Array.from({ length: 400 }, (_, index) => index + 1)
    const beginAt = BEGIN_AT + MINUTE_MS

    beforeEach(async () => {
      for (const id of jobs) await stage.engine.configure(id, rulesWith({ timeoutMs: null }))
      stage.now += 200 * MINUTE_MS
      for (const from of [0, 50]) {
        await Promise.all(
          Array.from({ length: 50 * jobs.length }, (_, index) => {
            const [job, at] = [jobs[index % jobs.length] ?? 0, from + Math.floor(index / jobs.length)]
            const values = { returnValue1: wave(at * 7 + job) }
            const delivery = deliveryWith({ values, timestampAt: beginAt + at * MINUTE_MS })
            return stage.engine.deliver(job, delivery, ANYBODY)
          }),
        )
        await stage.engine.flush()
      }
      stage.now += 40 * DAY_MS
      for (const id of jobs) await stage.engine.deliver(id, deliveryWith({ signal: 'log' }), ANYBODY)
      await stage.engine.flush()
    })

    const isWhole = async (id: number) => {
      const query = { key: 'returnValue1', beginAt: 0, endAt: stage.now, skip: 0, limit: 1_000 }
      const found = (await stage.engine.samples(id, query)).samples
      expect(found.map(({ value }) => value)).toEqual(
        Array.from({ length: 100 }, (_, at) => wave(at * 7 + id)),
      )
    }

    test('become one row per job, in full pages and few commits', async () => {
      expect(await stage.count('segments where series = 1')).toBe(2 * jobs.length)
      const commits = stage.values.commits
      await stage.engine.retention.apply()
      expect(stage.values.commits - commits).toBeLessThan(20)
      expect(await stage.count('segments where series = 1')).toBe(jobs.length)
      const [pages] = await stage.values.read({
        sql: "select sum(payload) * 1.0 / sum(pgsize) as share from dbstat where name = 'segments'",
        cells: [],
      })
      expect(Number(pages?.['share'])).toBeGreaterThan(0.8)
      for (const id of jobs) await isWhole(id)
    })

    test('leave no trace of a job that is deleted meanwhile, and the others complete', async () => {
      stage.byHand = true
      let turns = 0
      let isDone = false
      let forgotten = Promise.resolve()
      const tidying = stage.engine.retention.apply().finally(() => (isDone = true))
      while (!isDone) {
        await Bun.sleep(0)
        // The first jobs are read by now, and nothing of them is written yet.
        if (++turns === 5) forgotten = stage.engine.forget(1)
        stage.endTurn()
      }
      await Promise.all([tidying, forgotten])
      expect(await stage.count('segments where job_id = 1')).toBe(0)
      expect(await stage.count('segments where series = 1')).toBe(jobs.length - 1)
      for (const id of jobs.slice(1)) await isWhole(id)
    })
  })

  test('of constant values become one row and no blob', async () => {
    await receive(40_000, MINUTE_MS, () => 21.5)
    stage.now += 31 * DAY_MS
    await deliver(stage.now, 1)
    await stage.engine.retention.apply()
    expect(await stage.blobs.list('')).toEqual([])
    expect(await stage.count('segments where series = 1')).toBeLessThan(20)
    await check([BEGIN_AT + 1, BEGIN_AT + 20 * DAY_MS + 1])
  })
})

describe('retention', () => {
  const edges = (stepMs: number, days: number) =>
    edgesBy(Math.ceil(BEGIN_AT / DAY_MS) * DAY_MS, stepMs, (days * DAY_MS) / stepMs)

  test.each([
    ['dense values, in the hours', MINUTE_MS, 20_000],
    ['sparse values, which come into the hours then', 30 * MINUTE_MS, 1_500],
    ['values of each second, in the minutes', 10_000, 40_000],
  ])('%s', async (_, everyMs, count) => {
    await configure({ rawMs: DAY_MS })
    await receive(count, everyMs)
    const days = Math.floor((count * everyMs) / DAY_MS) - 1
    stage.now += 5 * DAY_MS
    await stage.engine.retention.apply()
    expect(await stage.count('segments where series = 1')).toBe(0)
    expect(await samples()).toEqual([])
    await check(edges(HOUR_MS, days), ['avg', 'min', 'max', 'last', 'sum', 'count'])
    const percentiles = await buckets(edges(DAY_MS, days), 'p95')
    expect(percentiles.buckets.map(({ value }) => value)).toEqual(percentiles.buckets.map(() => null))
    expect(percentiles.buckets.every(({ count: inside }) => inside > 0)).toBe(true)
    await stage.crash()
    await check(edges(HOUR_MS, days), ['avg', 'last'])
  })

  test('keeps unexpired values, and counts each value once in the bucket of its hour', async () => {
    await configure({ rawMs: 10 * DAY_MS })
    await receive(30_000, MINUTE_MS)
    await stage.engine.retention.apply()
    const left = await samples()
    expect(left.length).toBeLessThan(16_000)
    expect(left.length).toBeGreaterThanOrEqual(14_399)
    expect(left).toEqual(inOrder().slice(-left.length))
    await check(edges(HOUR_MS, 19), ['avg', 'min', 'max', 'last', 'sum', 'count'])
    const fine = await buckets(edgesBy(BEGIN_AT + 60_000, 20 * MINUTE_MS, 1_400), 'count')
    const first = all.findIndex(({ at }) => at >= BEGIN_AT + HOUR_MS)
    const end = all.findIndex(({ at }) => at >= BEGIN_AT + 60_000 + 1_400 * 20 * MINUTE_MS)
    expect(fine.aggregate.count).toBe(end - first)
  })

  test('accepts late values', async () => {
    await configure({ rawMs: DAY_MS })
    await receive(10_000, MINUTE_MS)
    await stage.engine.retention.apply()
    const late = Math.ceil(BEGIN_AT / HOUR_MS) * HOUR_MS + 3 * HOUR_MS + 1
    await deliver(late, 1_000_000)
    await check(edges(HOUR_MS, 5), ['max', 'sum', 'count'])
    await stage.engine.flush()
    await check(edges(HOUR_MS, 5), ['max', 'sum', 'count'])
    await stage.engine.retention.apply()
    await check(edges(HOUR_MS, 5), ['avg', 'min', 'max', 'last', 'sum', 'count'])
  })

  test('merges minutes into hours and deletes expired hours', async () => {
    await configure({ rawMs: DAY_MS, minutesMs: 2 * DAY_MS, hoursMs: 30 * DAY_MS })
    await receive(60_000, 10_000)
    expect(await stage.count('rollups where level = 1')).toBeGreaterThan(10)
    stage.now += 3 * DAY_MS
    await stage.engine.retention.apply()
    expect(await stage.count('rollups where level = 1')).toBeLessThanOrEqual(2)
    await check(edges(HOUR_MS, 6), ['avg', 'min', 'max', 'last', 'sum', 'count'])
    stage.now += 60 * DAY_MS
    await stage.engine.retention.apply()
    expect(await stage.count('rollups')).toBe(0)
    expect((await buckets(edges(HOUR_MS, 6), 'count')).aggregate.count).toBe(0)
  })

  test('also deletes expired blobs', async () => {
    await configure({ rawMs: 50 * DAY_MS })
    await receive(20_000, MINUTE_MS)
    stage.now += 32 * DAY_MS
    await deliver(stage.now, 1)
    await stage.engine.retention.apply()
    expect(await stage.blobs.list('')).toHaveLength(2)
    stage.now += 60 * DAY_MS
    await stage.engine.retention.apply()
    expect(await stage.blobs.list('')).toEqual([])
    expect(await stage.count('blobs')).toBe(0)
    await check(edges(DAY_MS, 12), ['avg', 'count'])
  })

  test('lets deliveries proceed between its steps', async () => {
    await configure({ rawMs: DAY_MS })
    await receive(20_000, 30 * MINUTE_MS)
    stage.byHand = true
    let isDone = false
    const tidying = stage.engine.retention.apply().then(() => (isDone = true))
    let accepted = 0
    while (!isDone) {
      const delivered = stage.engine.deliver(1, deliveryWith({ values: { returnValue1: accepted } }), ANYBODY)
      await Bun.sleep(1)
      stage.endTurn()
      await delivered
      accepted += 1
    }
    await tidying
    expect(accepted).toBeGreaterThan(3)
    // The segment that is not full yet is left, and what came meanwhile.
    expect((await samples()).length).toBeLessThan(512 + 100 + accepted)
  })
})

describe('any history', () => {
  const act = fc.oneof(
    fc.record({
      kind: fc.constant('receive' as const),
      count: fc.constantFrom(1, 20, 700, 3_000),
      everyMs: fc.constantFrom(1_000, 10_000, 60_000, 100_000, 1_800_000),
      jitterMs: fc.constantFrom(0, 0, 900),
      /** How far back the first of them lies. */
      lateMs: fc.constantFrom(0, 0, 0, HOUR_MS, 5 * DAY_MS, 29 * DAY_MS),
      step: fc.constantFrom(0, 0.01, 1, 1 / 3),
    }),
    fc.record({ kind: fc.constant('wait' as const), days: fc.constantFrom(1, 10, 33) }),
    fc.constantFrom({ kind: 'flush' as const }, { kind: 'tidy' as const }, { kind: 'crash' as const }),
  )
  const borders = fc.record({
    zone: fc.constantFrom('Europe/Berlin', 'Asia/Kathmandu', 'UTC'),
    scale: fc.constantFrom('P1D', 'P1M', 'P1W', 'PT1H', 'PT7M', 'PT36H', 'PT5M'),
    fromDays: fc.integer({ min: -30, max: 60 }),
    fromMs: fc.constantFrom(0, 1, 1_800_000),
    lengthDays: fc.constantFrom(0.4, 3, 40),
  })

  test('in any mode and over any range has the result of reading all samples', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 3, maxLength: 12, size: 'max' }),
        fc.array(borders, { minLength: 1, maxLength: 3 }),
        async (acts, views) => {
          stage = await stages.open()
          all = []
          // The clocks of Berlin are put forward within the first weeks of all this.
          await configure()
          for (const one of acts) {
            if (one.kind === 'wait') stage.now += one.days * DAY_MS
            else if (one.kind === 'flush') await stage.engine.flush()
            else if (one.kind === 'tidy') await stage.engine.retention.apply()
            else if (one.kind === 'crash') await stage.crash()
            else {
              const count = Math.min(one.count, Math.floor((29 * DAY_MS) / one.everyMs))
              const beginAt = stage.now - one.lateMs
              stage.now = Math.max(stage.now, beginAt + count * one.everyMs)
              await Promise.all(
                Array.from({ length: count }, (_, index) => {
                  const jitterMs = one.jitterMs === 0 ? 0 : (index * 7_919) % one.jitterMs
                  const at = Math.max(beginAt + index * one.everyMs + jitterMs, stage.now - 30 * DAY_MS)
                  return deliver(at, 20 + (index % 50) * one.step)
                }),
              )
            }
          }
          expect(await samples()).toEqual(inOrder())
          for (const { zone, scale, fromDays, fromMs, lengthDays } of views) {
            const beginAt = BEGIN_AT + fromDays * DAY_MS + fromMs
            const isShort = scale === 'PT7M' || scale === 'PT5M'
            const endAt = beginAt + Math.min(isShort ? 5 : 99, lengthDays) * DAY_MS
            await check(bucketEdges({ beginAt, endAt, scale: Temporal.Duration.from(scale), timeZone: zone }))
          }
          expect(stage.errors).toEqual([])
          await stage.close()
        },
      ),
      { numRuns: Number(process.env['TIDEMARK_TEST_RUNS'] ?? 40), includeErrorInReport: true },
    )
  })
})
