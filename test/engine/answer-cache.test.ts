import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'

import type { Retention } from '../../src/domain/job-rules.ts'
import type { BucketsAnswer, Mode } from '../../src/domain/series.ts'
import { MODES } from './naive-modes.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, MINUTE_MS, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

setDefaultTimeout(180_000)
const stages = await openStages()
afterAll(() => stages.close())

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FIRST_AT = Math.floor(BEGIN_AT / DAY_MS) * DAY_MS
const LONG: Retention = { rawMs: 100 * DAY_MS, minutesMs: 200 * DAY_MS, hoursMs: 300 * DAY_MS }
const SHORT: Retention = { rawMs: 2 * DAY_MS, minutesMs: 3 * DAY_MS, hoursMs: 4 * DAY_MS }

const edgesBy = (stepMs: number, count: number, fromAt = FIRST_AT) =>
  Array.from({ length: count + 1 }, (_, index) => fromAt + index * stepMs)
const QUESTIONS = [
  edgesBy(HOUR_MS, 48),
  edgesBy(DAY_MS, 5),
  edgesBy(7 * MINUTE_MS, 100),
  [FIRST_AT, FIRST_AT + 1],
  // Two that differ within only.
  [FIRST_AT, FIRST_AT + HOUR_MS, FIRST_AT + 2 * DAY_MS],
  [FIRST_AT, FIRST_AT + DAY_MS, FIRST_AT + 2 * DAY_MS],
]

/** No two jobs of this file share an id: what is kept of one must not help another. */
let lastId = 0

/** One job and what happens to it. */
class Life {
  readonly id = ++lastId
  revision = 0
  count = 0

  constructor(readonly stage: Stage) {}

  async configure(retention: Retention): Promise<void> {
    const rules = rulesWith({ timeoutMs: null, revision: ++this.revision, retention })
    await this.stage.engine.configure(this.id, rules)
  }

  /** So many values at these distances, from an instant on. */
  async receive(fromAt: number, count: number, everyMs: number): Promise<void> {
    const values = Array.from({ length: count }, (_, index) => (this.count + index) % 17)
    this.count += count
    await this.deliver(fromAt, everyMs, values)
  }

  async deliver(fromAt: number, everyMs: number, numbers: readonly number[]): Promise<void> {
    this.stage.now = Math.max(this.stage.now, fromAt + numbers.length * everyMs)
    const values = numbers.map((returnValue1, index) => ({
      values: { returnValue1 },
      timestampAt: fromAt + index * everyMs,
    }))
    await Promise.all(values.map((value) => this.stage.engine.deliver(this.id, deliveryWith(value), ANYBODY)))
  }

  ask(edges: readonly number[], mode: Mode): Promise<BucketsAnswer> {
    return this.stage.engine.buckets(this.id, { key: 'returnValue1', edges, mode })
  }

  /** The answers to all questions, by question and mode, asked in this order. */
  async askAll(questions: readonly (readonly number[])[]): Promise<ReadonlyMap<string, BucketsAnswer>> {
    const answers = new Map<string, BucketsAnswer>()
    for (const edges of questions)
      for (const mode of MODES) answers.set(`${mode} by ${edges.join()}`, await this.ask(edges, mode))
    return answers
  }
}

type Act = (life: Life) => Promise<unknown>

const ACTS: Readonly<Record<string, Act>> = {
  'a day of values': (life) => life.receive(life.stage.now, 144, 10 * MINUTE_MS),
  'many values': (life) => life.receive(life.stage.now, 700, MINUTE_MS),
  'a late value': (life) => life.receive(Math.max(FIRST_AT + HOUR_MS, life.stage.now - 12 * HOUR_MS), 1, 1),
  'a flush': (life) => life.stage.engine.flush(),
  tidying: (life) => life.stage.engine.retention.apply(),
  'a day without values': (life) => Promise.resolve((life.stage.now += DAY_MS)),
  'shorter retention': (life) => life.configure(SHORT),
  'an end and a new beginning': async (life) => {
    await life.stage.engine.forget(life.id)
    await life.configure(LONG)
  },
}

async function begin(): Promise<Life> {
  const life = new Life(await stages.open())
  life.stage.now = FIRST_AT + HOUR_MS
  await life.configure(LONG)
  return life
}

test('a reader with a warm cache gets the same answers as a reader without one, after any events', async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(ACTS)), { minLength: 6, maxLength: 16 })
  await fc.assert(
    fc.asyncProperty(names, async (happening) => {
      const [curious, patient] = [await begin(), await begin()]
      for (const name of happening) {
        await ACTS[name]?.(curious)
        await ACTS[name]?.(patient)
        await curious.askAll(QUESTIONS)
      }
      const patiently = await patient.askAll(QUESTIONS.toReversed())
      expect(new Map(await curious.askAll(QUESTIONS))).toEqual(new Map(patiently))
    }),
    { numRuns: 50 },
  )
})

let life: Life
beforeEach(async () => {
  life = await begin()
  await life.receive(FIRST_AT, 1_000, 5 * MINUTE_MS)
  await life.stage.engine.flush()
})

test('an answer is the same object until a value arrives in its range', async () => {
  const day = edgesBy(HOUR_MS, 24)
  const answer = await life.ask(day, 'avg')
  expect(await life.ask(day, 'avg')).toBe(answer)
  await life.receive(life.stage.now, 500, MINUTE_MS)
  expect(await life.ask(day, 'avg')).toBe(answer)
  await life.stage.engine.flush()
  expect(await life.ask(day, 'avg')).toBe(answer)
  expect(await life.ask(day, 'max')).not.toBe(answer)
  expect(await life.ask(edgesBy(2 * HOUR_MS, 12), 'avg')).not.toBe(answer)
})

test('the database is read again only after a write to a table other than the WAL', async () => {
  const day = edgesBy(HOUR_MS, 24)
  const answer = await life.ask(day, 'avg')
  const { query } = life.stage.engine
  const touched = async (edges: readonly number[]) => {
    const { rollups, segments } = query.touched
    await life.ask(edges, 'avg')
    return query.touched.rollups + query.touched.segments - rollups - segments
  }
  await life.receive(life.stage.now, 10, MINUTE_MS)
  expect(await touched(day)).toBe(0)
  expect(await touched(edgesBy(HOUR_MS, 25))).toBeGreaterThan(0)
  await life.stage.engine.flush()
  expect(await touched(day)).toBeGreaterThan(0)
  expect(await touched(day)).toBe(0)
  expect(await life.ask(day, 'avg')).toBe(answer)
})

test('a late value is in the next answer, before and after a flush', async () => {
  const day = edgesBy(HOUR_MS, 24)
  const countOf = async () => (await life.ask(day, 'count')).aggregate.count
  const before = await countOf()
  await life.receive(FIRST_AT + 90 * MINUTE_MS, 1, 1)
  expect(await countOf()).toBe(before + 1)
  await life.stage.engine.flush()
  expect(await countOf()).toBe(before + 1)
})

test('samples outside the cached cells are answered anew after a change', async () => {
  const { now } = life.stage
  const last = edgesBy(HOUR_MS, 2, now)
  await life.receive(now, 60, MINUTE_MS)
  await life.stage.engine.flush()
  const answer = await life.ask(last, 'avg')
  expect(await life.ask(last, 'avg')).toBe(answer)
  await life.receive(life.stage.now, 1, 1)
  await life.stage.engine.flush()
  expect((await life.ask(last, 'avg')).aggregate.count).toBe(answer.aggregate.count + 1)
})

/** As many as make a cell complete, with what follows it. */
const ENOUGH = 1_024

test('buckets that the border of expired samples cuts are no longer divided', async () => {
  const { stage } = life
  const beginAt = Math.ceil(stage.now / HOUR_MS) * HOUR_MS
  await life.receive(beginAt, ENOUGH, MINUTE_MS)
  await stage.engine.flush()
  const cut = [beginAt, beginAt + 7 * MINUTE_MS, beginAt + HOUR_MS]
  const counts = async () => (await life.ask(cut, 'count')).buckets.map(({ count }) => count)
  expect(await counts()).toEqual([7, 53])
  await life.configure({ ...LONG, rawMs: DAY_MS })
  stage.now += 4 * DAY_MS
  await stage.engine.retention.apply()
  expect(await counts()).toEqual([60, 0])
})

test('a new job with a reused id gets its own answers, even with equal cells', async () => {
  const { stage } = life
  const beginAt = Math.ceil(stage.now / HOUR_MS) * HOUR_MS
  const cut = [beginAt, beginAt + 2 * MINUTE_MS, beginAt + HOUR_MS]
  const sums = async (first: readonly number[]) => {
    await stage.engine.forget(life.id)
    await life.configure(LONG)
    await life.deliver(beginAt, MINUTE_MS, [...first, ...Array.from({ length: ENOUGH }, () => 0)])
    await stage.engine.flush()
    return (await life.ask(cut, 'sum')).buckets.map(({ value }) => value)
  }
  expect(await sums([1, 2, 3, 4, 5])).toEqual([3, 12])
  expect(await sums([1, 3, 2, 4, 5])).toEqual([4, 11])
})
