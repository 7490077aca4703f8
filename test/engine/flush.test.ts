import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'

import type { Delivery, Value } from '../../src/domain/delivery.ts'
import { MODES, naively } from './naive-modes.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

const KEYS = ['returnValue1', 'returnValue2', 'stringValue1', 'errorCode'] as const

setDefaultTimeout(180_000)
const stages = await openStages()
afterAll(() => stages.close())

/** The expected history: everything acknowledged, by instant, and on equal instants as it arrived. */
class Ledger {
  readonly #samples = new Map<string, { at: number; value: Value }[]>()
  #errorCode: number | null = null
  #newestAt = -Infinity

  note(delivery: Delivery, placedAt: number): void {
    for (const [key, value] of Object.entries(delivery.values)) this.#list(key).push({ at: placedAt, value })
    if (placedAt < this.#newestAt) return
    this.#newestAt = placedAt
    const code = delivery.errorCode ?? this.#errorCode ?? 0
    if (code !== this.#errorCode) this.#list('errorCode').push({ at: placedAt, value: code })
    this.#errorCode = code
  }

  /** A stable sort keeps equal instants in order of arrival. */
  read(key: string): readonly { at: number; value: Value }[] {
    return this.#list(key).toSorted((one, other) => one.at - other.at)
  }

  get size(): number {
    return KEYS.reduce((sum, key) => sum + this.#list(key).length, 0)
  }

  #list(key: string): { at: number; value: Value }[] {
    const list = this.#samples.get(key) ?? []
    this.#samples.set(key, list)
    return list
  }
}

/** One job without a timeout, and everything it acknowledged. */
class Story {
  ledger = new Ledger()

  constructor(readonly stage: Stage) {}

  static async begin(): Promise<Story> {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith({ timeoutMs: null }))
    return new Story(stage)
  }

  /** True when it was acknowledged. */
  async deliver(part: Partial<Delivery>): Promise<boolean> {
    return (await this.deliverAll([part])) === 0
  }

  /** Many at once: they share a few commits. Returns how many were refused. */
  async deliverAll(parts: readonly Partial<Delivery>[]): Promise<number> {
    const deliveries = parts.map((part) => deliveryWith(part))
    const answers = await Promise.allSettled(
      deliveries.map((delivery) => this.stage.engine.deliver(1, delivery, ANYBODY)),
    )
    // Noted in the order of arrival; those that change the state are answered last.
    answers.forEach((answer, index) => {
      const delivery = deliveries[index]
      if (delivery && answer.status === 'fulfilled') this.ledger.note(delivery, answer.value.timestampAt)
    })
    return answers.filter(({ status }) => status === 'rejected').length
  }

  async read(key: string): Promise<readonly { at: number; value: Value }[]> {
    const query = { key, beginAt: BEGIN_AT - 1e9, endAt: BEGIN_AT + 1e9, skip: 0, limit: 100_000 }
    return (await this.stage.engine.samples(1, query)).samples
  }

  async check(): Promise<void> {
    for (const key of KEYS) expect(await this.read(key)).toEqual([...this.ledger.read(key)])
  }
}

let story: Story
beforeEach(async () => {
  story = await Story.begin()
})

const numbered = (from: number, to: number, at: (index: number) => number) =>
  Array.from({ length: to - from }, (_, index) => ({
    values: { returnValue1: from + index, stringValue1: `text ${(from + index) % 7}` },
    timestampAt: at(from + index),
  }))

describe('a flush', () => {
  test.each([0, 1, 511, 512, 513, 1_024, 1_500])(
    'of %p samples loses and doubles none, nor does the next',
    async (count) => {
      await story.deliverAll(numbered(0, count, (index) => BEGIN_AT - 100_000 + index * 10))
      await story.stage.engine.flush()
      expect(story.stage.engine.unflushed).toEqual({ samples: 0, rows: 0, sizeBytes: 0 })
      expect(await story.stage.count('journal')).toBe(0)
      expect(await story.stage.count('segments where series = 1')).toBe(Math.ceil(count / 512))
      await story.check()
      await story.deliverAll(numbered(count, count + 3, (index) => BEGIN_AT - 100_000 + index * 10))
      await story.stage.engine.flush()
      await story.check()
      await story.stage.crash()
      await story.check()
    },
  )

  test('puts late samples where they belong: before, between, inside and after segments', async () => {
    await story.deliverAll(numbered(0, 2_000, (index) => BEGIN_AT - 200_000 + index * 10))
    await story.stage.engine.flush()
    const instants = [
      -300_000, -200_000, -199_995, -194_881, -194_880, -194_879, -190_005, -180_015, -180_005, -10,
    ]
    await story.deliverAll(
      instants.map((ms, index) => ({ values: { returnValue1: -index }, timestampAt: BEGIN_AT + ms })),
    )
    await story.check()
    await story.stage.engine.flush()
    await story.check()
    await story.stage.crash()
    await story.check()
  })

  test('keeps the order of equal instants, also where they fill whole segments', async () => {
    for (const size of [100, 412, 512, 1_300]) {
      await story.deliverAll(numbered(0, size, () => BEGIN_AT))
      await story.stage.engine.flush()
      await story.check()
    }
  })

  test('keeps order when a late sample pushes equal instants over the border of two segments', async () => {
    // The first segment ends, and the second begins, with the same instant.
    await story.deliverAll(numbered(0, 600, (index) => (index < 505 ? BEGIN_AT + index : BEGIN_AT + 505)))
    await story.deliverAll(numbered(600, 900, (index) => BEGIN_AT + index))
    await story.stage.engine.flush()
    await story.deliver({ values: { returnValue1: -1, stringValue1: 'late' }, timestampAt: BEGIN_AT + 3 })
    await story.stage.engine.flush()
    await story.check()
    await story.deliver({ values: { returnValue1: -2, stringValue1: 'later' }, timestampAt: BEGIN_AT + 505 })
    await story.stage.engine.flush()
    await story.check()
  })

  test('leaves full segments alone when samples only follow them', async () => {
    await story.deliverAll(numbered(0, 1_024, (index) => BEGIN_AT + index))
    await story.stage.engine.flush()
    const ids = async () =>
      (
        await story.stage.values.read({
          sql: 'select from_at, level, hex(body) as body from segments where series = 1 order by from_at',
          cells: [],
        })
      ).map(({ from_at: from, level, body }) => `${String(from)} ${String(level)} ${String(body)}`)
    const before = await ids()
    await story.deliverAll(numbered(1_024, 1_030, (index) => BEGIN_AT + index))
    await story.stage.engine.flush()
    expect((await ids()).slice(0, 2)).toEqual(before)
    expect(await ids()).toHaveLength(3)
  })

  test('stores all kinds of text, also lone surrogates', async () => {
    const texts = [
      '',
      'a\u0000b',
      'é',
      '\ud83d',
      '😀',
      '\ufeffx',
      'x'.repeat(4_096),
      "'; drop table journal --",
    ]
    await story.deliverAll(texts.map((stringValue1) => ({ values: { stringValue1 } })))
    await story.check()
    await story.stage.crash()
    await story.check()
    await story.stage.engine.flush()
    await story.check()
  })

  test('stores every number that JSON can express', async () => {
    const numbers = [0, 0.1, -1.5, 1e308, -1e308, 5e-324, Number.MAX_SAFE_INTEGER, 2 ** 63, 1e20, 123456.789]
    await story.deliverAll(numbers.map((returnValue1) => ({ values: { returnValue1 } })))
    await story.stage.engine.flush()
    await story.check()
    await story.stage.crash()
    await story.check()
  })

  test('that fails is completed by the next one, also without new deliveries', async () => {
    await story.deliverAll(numbered(0, 10, (index) => BEGIN_AT + index))
    const { rows } = story.stage.engine.unflushed
    story.stage.values.isAway = true
    expect(await story.stage.engine.flush().catch(() => 'failed')).toBe('failed')
    expect(story.stage.engine.unflushed.rows).toBe(rows)
    story.stage.values.isAway = false
    await story.stage.engine.flush()
    expect(story.stage.engine.unflushed).toEqual({ samples: 0, rows: 0, sizeBytes: 0 })
    await story.check()
  })

  test('continues while deliveries arrive; a concurrent flush joins it', async () => {
    await story.deliverAll(numbered(0, 700, (index) => BEGIN_AT + index))
    const flushes = [story.stage.engine.flush(), story.stage.engine.flush()]
    await story.deliverAll(numbered(700, 900, (index) => BEGIN_AT + index))
    await Promise.all(flushes)
    await story.deliverAll(numbered(900, 910, (index) => BEGIN_AT + index))
    await story.check()
    await story.stage.crash()
    await story.check()
  })

  test('of many jobs proceeds job by job, and trims the WAL after the last one', async () => {
    const { engine } = story.stage
    await Promise.all(Array.from({ length: 200 }, (_, index) => engine.configure(index + 2, rulesWith())))
    const before = await story.stage.count('journal')
    story.stage.byHand = true
    const flush = engine.flush()
    while ((await story.stage.count('actors')) < 64) await Bun.sleep(1)
    expect(await story.stage.count('actors')).toBe(64)
    expect(await story.stage.count('journal')).toBe(before)
    story.stage.byHand = false
    story.stage.endTurn()
    await flush
    expect(await story.stage.count('actors')).toBe(201)
    expect(await story.stage.count('journal')).toBe(0)
  })

  test('of jobs with much to flush is a few thousand samples, or a thousand rows, at a time', async () => {
    const { engine } = story.stage
    const ids = Array.from({ length: 30 }, (_, index) => index + 2)
    await Promise.all(ids.map((id) => engine.configure(id, rulesWith({ timeoutMs: null }))))
    await engine.flush()
    for (let sent = 0; sent < 99; sent++)
      for (const id of ids)
        await engine.deliver(id, deliveryWith({ values: { returnValue1: sent } }), ANYBODY)
    story.stage.byHand = true
    const seen = new Set<string>()
    await story.stage.endTurnsUntil(engine.flush(), async () => {
      const jobs = await story.stage.count('(select distinct job_id from segments)')
      seen.add(`${jobs} jobs in segments, ${await story.stage.count('journal')} rows in the journal`)
    })
    story.stage.byHand = false
    // With its error code, each job has 100 samples.
    expect([...seen]).toEqual([
      '0 jobs in segments, 2970 rows in the journal',
      '20 jobs in segments, 2970 rows in the journal',
      '30 jobs in segments, 2970 rows in the journal',
      '30 jobs in segments, 1970 rows in the journal',
      '30 jobs in segments, 970 rows in the journal',
    ])
    expect(await story.stage.count('journal')).toBe(0)
  })

  test('doubles its slices while more samples arrive than it moves', async () => {
    const { engine } = story.stage
    const ids = Array.from({ length: 1_000 }, (_, index) => index + 2)
    await Promise.all(ids.map((id) => engine.configure(id, rulesWith({ timeoutMs: null }))))
    await engine.flush()
    const deliver = (id: number) => engine.deliver(id, deliveryWith({ values: { returnValue1: 1 } }), ANYBODY)
    await Promise.all(ids.map(deliver))
    story.stage.byHand = true
    const seen = new Set<number>()
    const arriving: Promise<unknown>[] = []
    await story.stage.endTurnsUntil(engine.flush(), async () => {
      seen.add(await story.stage.count('(select distinct job_id from segments)'))
      for (let sent = 0; sent < 1_000; sent++) arriving.push(deliver(2))
    })
    story.stage.byHand = false
    story.stage.endTurn()
    expect([...seen]).toEqual([0, 64, 192, 448, 960, 1_000])
    expect(await Promise.all(arriving)).toHaveLength(arriving.length)
  })
})

describe('whichever commit fails', () => {
  /** Deliveries late and in time, flushes between them; returns how much of it was refused. */
  async function live(scene: Story): Promise<number> {
    let refused = 0
    const attempt = (promise: Promise<unknown>) => promise.catch(() => void (refused += 1))
    const { stage } = scene
    for (let round = 0; round < 4; round += 1) {
      stage.now = BEGIN_AT + round * 1_000
      const parts = numbered(round * 300, round * 300 + 300, (index) => BEGIN_AT + index - (index % 5) * 250)
      refused += await scene.deliverAll(parts)
      refused += await scene.deliverAll([{ errorCode: round }])
      await attempt(stage.engine.flush())
      await attempt(stage.engine.configure(1, rulesWith({ timeoutMs: null, revision: 2 + round })))
      refused += await scene.deliverAll([{ values: { returnValue2: round } }])
    }
    await attempt(stage.engine.flush())
    return refused
  }

  test('exactly the acknowledged deliveries exist, in memory and after a crash, and later deliveries succeed', async () => {
    await live(story)
    const commits = story.stage.values.commits
    expect(commits).toBeGreaterThan(20)
    // The first two commits open the engine and configure the job.
    for (let failAt = 3; failAt <= commits; failAt += 1) {
      for (const crashes of [false, true]) {
        const scene = await Story.begin()
        scene.stage.values.failAt = failAt
        expect(await live(scene)).toBeGreaterThan(0)
        if (crashes) await scene.stage.crash()
        await scene.check()
        await scene.deliver({ values: { returnValue1: 1, stringValue1: 'on' } })
        await scene.stage.engine.flush()
        await scene.check()
        expect(scene.stage.engine.unflushed).toEqual({ samples: 0, rows: 0, sizeBytes: 0 })
      }
    }
  })

  test('in a flush that is then cut off by a crash, nothing is lost or doubled', async () => {
    const build = async (scene: Story) => {
      await scene.deliverAll(numbered(0, 900, (index) => BEGIN_AT + index))
      await scene.stage.engine.flush()
      await scene.deliverAll(numbered(900, 1_200, (index) => BEGIN_AT + index - 600))
    }
    await build(story)
    const from = story.stage.values.commits
    await story.stage.engine.flush()
    for (let failAt = from + 1; failAt <= story.stage.values.commits; failAt += 1) {
      const scene = await Story.begin()
      await build(scene)
      scene.stage.values.failAt = failAt
      expect(await scene.stage.engine.flush().catch(() => 'failed')).toBe('failed')
      for (let crash = 0; crash < 2; crash += 1) {
        await scene.stage.crash()
        await scene.check()
      }
      await scene.stage.engine.flush()
      await scene.check()
    }
  })
})

describe('any history', () => {
  const instant = fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.integer({ min: -40, max: 40 }).map((step) => step * 10) },
    { weight: 1, arbitrary: fc.integer({ min: -4_000, max: 4_000 }) },
  )
  const burst = fc.record({
    kind: fc.constant('burst' as const),
    count: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 8 }) },
      { weight: 1, arbitrary: fc.constant(600) },
    ),
    offsetMs: instant,
    spreadMs: fc.constantFrom(0, 0, 1, 7, -3),
    value: fc.constantFrom(0, 1, -2.5, 1_000_000),
    keys: fc.subarray(['returnValue1', 'returnValue2', 'stringValue1'], { minLength: 1 }),
    errorCode: fc.option(fc.nat(2)),
  })
  const act = fc.oneof(
    { weight: 8, arbitrary: burst },
    { weight: 2, arbitrary: fc.constantFrom({ kind: 'flush' as const }, { kind: 'crash' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('fail' as const), after: fc.integer({ min: 1, max: 3 }) }),
    },
  )
  const borders = fc.uniqueArray(fc.integer({ min: -4_500, max: 8_000 }), { minLength: 2, maxLength: 12 })

  test('reads the same as a list of all that was acknowledged, whole, in pages, and in buckets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 3, maxLength: 25, size: 'max' }),
        borders,
        async (acts, edges) => {
          const scene = await Story.begin()
          for (const one of acts) {
            scene.stage.now += 50
            if (one.kind === 'flush') await scene.stage.engine.flush().catch(() => undefined)
            else if (one.kind === 'crash') await scene.stage.crash()
            else if (one.kind === 'fail') scene.stage.values.failAt = scene.stage.values.commits + one.after
            else {
              const parts = Array.from({ length: one.count }, (_, index) => ({
                values: Object.fromEntries(
                  one.keys.map((key) => [
                    key,
                    key === 'stringValue1' ? `text ${index % 3}` : one.value + index,
                  ]),
                ),
                errorCode: one.errorCode,
                timestampAt:
                  one.offsetMs === null ? null : scene.stage.now + one.offsetMs + index * one.spreadMs,
              }))
              await scene.deliverAll(parts)
            }
          }
          await scene.check()
          await checkPages(scene)
          await checkBuckets(
            scene,
            edges.map((ms) => BEGIN_AT + ms).toSorted((one, other) => one - other),
          )
          await scene.stage.close()
        },
      ),
      { numRuns: Number(process.env['TIDEMARK_TEST_RUNS'] ?? 120), includeErrorInReport: true },
    )
  })
})

/** Reads a series in pages as a caller would: from the last instant, leaving out what was seen of it. */
async function checkPages(scene: Story): Promise<void> {
  const read: { at: number; value: Value }[] = []
  const endAt = BEGIN_AT + 1e9
  for (let beginAt = BEGIN_AT - 1e9, skip = 0, more = true; more;) {
    const page = await scene.stage.engine.samples(1, { key: 'returnValue1', beginAt, endAt, skip, limit: 37 })
    expect(page.samples.length).toBeLessThanOrEqual(37)
    read.push(...page.samples)
    const last = read.at(-1)?.at ?? beginAt
    skip = read.filter(({ at }) => at === last).length
    beginAt = last
    ;({ more } = page)
  }
  expect(read).toEqual([...scene.ledger.read('returnValue1')])
}

async function checkBuckets(scene: Story, edges: readonly number[]): Promise<void> {
  for (const mode of MODES) {
    const { buckets, aggregate } = await scene.stage.engine.buckets(1, { key: 'returnValue1', edges, mode })
    const all = scene.ledger.read('returnValue1').map(({ at, value }) => ({ at, value: Number(value) }))
    const within = (from: number, to: number) =>
      all.filter(({ at }) => at >= from && at < to).map(({ value }) => value)
    edges.slice(1).forEach((to, index) => {
      const from = edges[index] ?? 0
      const values = within(from, to)
      const bucket = buckets[index]
      expect(bucket).toMatchObject({
        at: from,
        count: values.length,
        min: values.length === 0 ? null : Math.min(...values),
        max: values.length === 0 ? null : Math.max(...values),
      })
      const naive = naively(mode, values)
      if (naive === null) expect(bucket?.value).toBeNull()
      else expect(bucket?.value).toBeCloseTo(naive, 6)
    })
    const values = within(edges[0] ?? 0, edges.at(-1) ?? 0)
    expect(aggregate.count).toBe(values.length)
    expect(aggregate.last).toBe(values.at(-1) ?? null)
  }
}
