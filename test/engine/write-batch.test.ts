import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'

import { Refusal } from '../../src/lib/errors.ts'
import { WAITING_BYTES_MAX, WAITING_ITEMS_MAX } from '../../src/monitoring/engine/wal/group-commit.ts'
import { decodeEntries } from '../../src/monitoring/engine/wal/entry.ts'
import type { Entry, RoundEntry } from '../../src/monitoring/engine/wal/entry.ts'
import { BATCH_BYTES } from '../../src/monitoring/engine/wal/write-batch.ts'
import type { Delivery, DeliveryOutcome, SampleSeries } from '../../src/domain/delivery.ts'
import { rejection } from '../contract/rejection.ts'
import { endAlike, pictureOf as shownOf } from './picture.ts'
import { ANYBODY, BEGIN_AT, conditionWith, deliveryWith, MINUTE_MS, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

setDefaultTimeout(180_000)
const stages = await openStages()
afterAll(() => stages.close())

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 40)
const JOBS = [1, 2, 3, 4]
const KEYS = ['returnValue1', 'returnValue2', 'stringValue1', 'errorCode'] as const

/** Jobs with a limit for a value and one for the error code, without limits, stopped, and of another collector. */
async function configure({ engine }: Stage): Promise<void> {
  const [value, code] = [
    conditionWith({ value: 2, repetition: 2 }),
    conditionWith({ key: 'errorCode', value: 6 }),
  ]
  const limits = [
    { level: 'major', mode: 'or', conditions: [value] },
    { level: 'minor', mode: 'or', conditions: [code] },
  ] as const
  await engine.configure(1, rulesWith({ thresholds: limits, divisors: [1, 10] }))
  await engine.configure(2, rulesWith({ timeoutMs: null, divisors: [1, 1], thresholds: [] }))
  await engine.configure(3, rulesWith({ stopped: true }))
  await engine.configure(4, rulesWith({ collectorId: 9 }))
}

const pictureOf = (stage: Stage) => shownOf(stage, { jobIds: JOBS, keys: KEYS })

type Sent = { readonly jobId: number; readonly delivery: Delivery }

function deliver({ engine }: Stage, { jobId, delivery }: Sent): Promise<DeliveryOutcome> {
  const sender = { userId: 1, anyJob: false }
  return engine.deliver(jobId, delivery, sender).catch((error: unknown) => error as Refusal)
}

type Form = 'requests' | 'list' | 'series'

/** All in the same turn: as requests of their own, or as a list in one, with runs of one sample in it or without. */
function deliverTogether(
  stage: Stage,
  sent: readonly Sent[],
  form: Form,
): Promise<readonly DeliveryOutcome[]> {
  if (form === 'requests') return Promise.all(sent.map((one) => deliver(stage, one)))
  const parcels = sent.map(({ jobId, delivery }) => {
    const run = form === 'series' ? runOf(delivery) : null
    return { jobId, sent: run ? { run } : { delivery }, repeat: null }
  })
  return stage.engine.deliverAll(parcels, { userId: 1, anyJob: false })
}

/** A delivery as a series of one sample; null if a series cannot have its fields. */
function runOf({ values, timestampAt, errorCode }: Delivery): SampleSeries | null {
  const [only, more] = Object.entries(values)
  if (!only || more || timestampAt === null || errorCode !== null) return null
  return { key: only[0], at: [timestampAt], values: [only[1]] }
}

/** One after the other: with a run that nobody began, each is judged and none only noted. */
async function deliverSingly(stage: Stage, sent: readonly Sent[]): Promise<readonly DeliveryOutcome[]> {
  const outcomes: DeliveryOutcome[] = []
  for (const { jobId, delivery } of sent)
    outcomes.push(await deliver(stage, { jobId, delivery: { ...delivery, runId: 'none' } }))
  return outcomes
}

const codeOr = (one: DeliveryOutcome) => (one instanceof Refusal ? one.code : one)

/** The fields of the answer to a series, which answers to deliveries have as well. */
function gistOf(outcomes: readonly DeliveryOutcome[]): readonly unknown[] {
  return outcomes.map((one) => {
    if (one instanceof Refusal) return one.code
    const { accepted, late, state, errorCode, deadlineAt } = one
    return { accepted, late: Number(late), state, errorCode, deadlineAt }
  })
}

test('values of one turn have the effect of single deliveries, and survive a crash', async () => {
  const sent = fc.record({
    jobId: fc.constantFrom(1, 1, 2, 2, 3, 4, 5),
    key: fc.constantFrom('returnValue1', 'returnValue1', 'returnValue1', 'returnValue2', 'stringValue1'),
    value: fc.constantFrom(0, 1, 1.5, 3, 40),
    errorCode: fc.constantFrom(null, 0, 0, 0, 5, 7),
    offsetMs: fc.constantFrom(null, null, null, 0, 0, -500, 6 * MINUTE_MS),
    alsoValue: fc.constantFrom(false, false, false, false, true),
  })
  const step = fc.record({
    all: fc.array(sent, { minLength: 1, maxLength: 12 }),
    form: fc.constantFrom<Form>('requests', 'list', 'series'),
    afterMs: fc.constantFrom(0, 1, 1_000, -1_000, MINUTE_MS),
    deeds: fc.subarray(['wakes', 'flushes', 'looks', 'crashes', 'fails'] as const),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const [together, singly] = [await stages.open(), await stages.open()]
      await Promise.all([configure(together), configure(singly)])
      const hasFailed = steps.some(({ deeds }) => deeds.includes('fails'))
      for (const { all, form, afterMs, deeds } of steps) {
        const now = together.now + afterMs
        together.now = now
        singly.now = now
        // Deadlines that follow a clock which was set back are due once they are durable.
        await Promise.all([together.engine.settled(), singly.engine.settled()])
        if (deeds.includes('wakes')) await Promise.all([together.engine.wake(), singly.engine.wake()])
        const each = all.map(({ jobId, key, value, errorCode, offsetMs, alsoValue }) => {
          const first = { [key]: key === 'stringValue1' ? `text ${value}` : value }
          const values = alsoValue ? { ...first, returnValue2: 7 } : first
          const timestampAt = offsetMs === null ? null : now + offsetMs
          return { jobId, delivery: deliveryWith({ values, errorCode, timestampAt }) }
        })
        if (deeds.includes('fails')) {
          const before = await pictureOf(together)
          // Both: what is refused is on record as an outage, in which no silence is judged.
          for (const { values } of [together, singly]) values.isAway = true
          await Promise.all([deliverTogether(together, each, form), deliverSingly(singly, each)])
          for (const { values } of [together, singly]) values.isAway = false
          expect(await pictureOf(together)).toEqual(before)
        }
        const outcomes = await deliverTogether(together, each, form)
        const others = await deliverSingly(singly, each)
        if (form === 'series') expect(gistOf(outcomes)).toEqual(gistOf(others))
        else expect(outcomes.map(codeOr)).toEqual(others.map(codeOr))
        if (deeds.includes('looks')) expect(await pictureOf(together)).toEqual(await pictureOf(singly))
        if (deeds.includes('flushes')) await together.engine.flush()
        if (deeds.includes('crashes')) await together.crash()
        // An outage is known in memory alone.
        if (deeds.includes('crashes') && hasFailed) await singly.crash()
      }
      await endAlike(together, singly, pictureOf)
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
})

/** Jobs that have had a value, so that those which follow are routine. */
async function openRoutine(): Promise<Stage> {
  const stage = await stages.open()
  for (const jobId of [1, 2]) {
    await stage.engine.configure(jobId, rulesWith())
    await stage.engine.deliver(jobId, deliveryWith({ values: { returnValue1: 0 } }), ANYBODY)
  }
  return stage
}

/** The journal's entries after what happens. */
async function entriesAfter(
  stage: Stage,
  happen: (send: (jobId: number, value: number, part?: Partial<Delivery>) => void) => void,
): Promise<readonly (Entry | RoundEntry)[]> {
  const readRows = () => stage.values.read({ sql: 'select entries from journal order by id', cells: [] })
  const before = await readRows()
  const sent: Promise<unknown>[] = []
  happen((jobId, value, part) => {
    const delivery = deliveryWith({ values: { returnValue1: value }, ...part })
    sent.push(stage.engine.deliver(jobId, delivery, ANYBODY))
  })
  await Promise.all(sent)
  const rows = await readRows()
  return rows.slice(before.length).flatMap(({ entries }) => decodeEntries(String(entries)))
}

test('values of the same instant are one entry; another instant or kind of event begins a new one', async () => {
  const stage = await openRoutine()
  const said = deliveryWith({ values: { returnValue1: 6 }, message: 'Something is to be said.' })
  const entries = await entriesAfter(stage, (send) => {
    send(1, 1)
    send(2, 2, { errorCode: 0 })
    send(1, 3)
    send(1, 4, { timestampAt: stage.now })
    send(2, 5, { timestampAt: stage.now })
    send(2, 6, said)
    send(1, 7)
    stage.now += 1
    send(1, 8)
  })
  const roundOf = (jobIds: number[], values: number[], timestampAt: number | null = null) => ({
    kind: 'round',
    round: { key: 'returnValue1', timestampAt, jobIds, values },
  })
  expect(entries.map(({ at, event }) => [at - BEGIN_AT, event])).toEqual([
    [0, roundOf([1, 2, 1], [1, 2, 3])],
    [0, roundOf([1, 2], [4, 5], BEGIN_AT)],
    [0, { kind: 'deliver', delivery: said }],
    [0, roundOf([1], [7])],
    [1, roundOf([1], [8])],
  ] as never)
})

test.each([
  ['numbers', (index: number) => ({ returnValue1: index }), BATCH_BYTES / 32],
  ['texts', () => ({ stringValue1: 'x'.repeat(4_064) }), BATCH_BYTES / 4_096],
])('so many %s share an entry that a row can hold them', async (_, valuesAt, most) => {
  const stage = await openRoutine()
  const entries = await entriesAfter(stage, (send) => {
    for (let index = 0; index <= most; index++) send(1, 0, { values: valuesAt(index) })
  })
  expect(entries.map(({ event }) => (event.kind === 'round' ? event.round.values.length : 0))).toEqual([
    most,
    1,
  ])
})

test.each([
  ['values', { returnValue1: 1 }, WAITING_ITEMS_MAX],
  ['bytes', { stringValue1: 'x'.repeat(4_064) }, WAITING_BYTES_MAX / 4_096],
] as const)('past so many %s that wait the next is refused', async (_, values, most) => {
  const stage = await openRoutine()
  const send = () => stage.engine.deliver(1, deliveryWith({ values }), ANYBODY)
  stage.byHand = true
  const waiting = Array.from({ length: most }, send)
  expect(((await rejection(send())) as Refusal).code).toBe('overloaded')
  stage.byHand = false
  stage.endTurn()
  await Promise.all(waiting)
  await send()
})

test('a failed commit discards its whole batch, and the next values follow the state before it', async () => {
  const stage = await openRoutine()
  const { unflushed } = stage.engine
  const samples = unflushed.samples
  stage.values.failAt = stage.values.commits + 1
  const send = (value: number) =>
    stage.engine.deliver(1, deliveryWith({ values: { returnValue1: value } }), ANYBODY)
  const lost = [send(1), send(2)].map((one) => rejection(one))
  expect((await Promise.all(lost)).map((error) => (error as Refusal).code)).toEqual([
    'unavailable',
    'unavailable',
  ])
  expect((await stage.engine.snapshot(1))?.current['returnValue1']?.value).toBe(0)
  await send(3)
  expect((await stage.engine.snapshot(1))?.current['returnValue1']?.value).toBe(3)
  expect(unflushed.samples - samples).toBe(1)
})

test('a single value comes after earlier rows and before later ones', async () => {
  const stage = await openRoutine()
  const { engine } = stage
  const round = (value: number) =>
    engine.deliverRounds(
      [{ key: 'returnValue1', timestampAt: null, jobIds: [1, 2], values: [value, value] }],
      ANYBODY,
    )
  await round(1)
  await round(2)
  await engine.deliver(1, deliveryWith({ values: { returnValue1: 3 } }), ANYBODY)
  await round(4)
  const seen = async () => {
    const query = { key: 'returnValue1', beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10 }
    const { samples } = await stage.engine.samples(1, query)
    return samples.map(({ value }) => value)
  }
  expect(await seen()).toEqual([0, 1, 2, 3, 4])
  await engine.flush()
  expect(await seen()).toEqual([0, 1, 2, 3, 4])
  await stage.crash()
  expect(await seen()).toEqual([0, 1, 2, 3, 4])
})
