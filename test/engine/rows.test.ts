import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'

import { Refusal } from '../../src/lib/errors.ts'
import { WAITING_ITEMS_MAX } from '../../src/monitoring/engine/wal/group-commit.ts'
import { decodeEntries, encodeEntry } from '../../src/monitoring/engine/wal/entry.ts'
import type { Round } from '../../src/domain/delivery.ts'
import { itemsOf, refusedAt, roundOutcome } from '../../src/monitoring/jobs/round.ts'
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
const KEYS = ['returnValue1', 'stringValue1', 'errorCode'] as const

/** Jobs with a limit, without one, stopped, and of another collector. */
async function configure(stage: Stage): Promise<void> {
  const limit = [
    { level: 'major', mode: 'or', conditions: [conditionWith({ value: 2, repetition: 2 })] },
  ] as const
  await stage.engine.configure(1, rulesWith({ thresholds: limit }))
  await stage.engine.configure(2, rulesWith({ timeoutMs: null }))
  await stage.engine.configure(3, rulesWith({ stopped: true }))
  await stage.engine.configure(4, rulesWith({ collectorId: 9 }))
}

const pictureOf = (stage: Stage) => shownOf(stage, { jobIds: JOBS, keys: KEYS })

/** The same as single deliveries, one after the other: with a run that nobody began, each is judged and none only noted. */
async function deliverEach({ engine }: Stage, round: Round, sender: typeof ANYBODY) {
  const { key, timestampAt, jobIds, values } = round
  const refused: { index: number; code: string; detail: string }[] = []
  let late = 0
  const timeoutsLeft: number[] = []
  for (const [index, jobId] of jobIds.entries()) {
    const delivery = deliveryWith({ values: { [key]: values[index] ?? 0 }, timestampAt, runId: 'none' })
    const outcome = await engine.deliver(jobId, delivery, sender).catch((error: unknown) => error as Refusal)
    if (outcome instanceof Refusal) refused.push(refusedAt(index, outcome))
    else {
      late += Number(outcome.late)
      if (outcome.leavesTimeout) timeoutsLeft.push(index)
    }
  }
  const answer = { accepted: jobIds.length - refused.length, late, refused }
  return timeoutsLeft.length === 0 ? answer : { ...answer, timeoutsLeft }
}

test('a row has the effect of a delivery of each of its values, and survives a crash', async () => {
  const round = fc
    .record({
      isText: fc.constantFrom(false, false, true),
      offsetMs: fc.constantFrom(null, null, 0, -500, -5_000, 6 * MINUTE_MS),
      entries: fc.array(fc.tuple(fc.constantFrom(1, 1, 2, 3, 4, 5), fc.constantFrom(0, 1.5, 3, 4)), {
        minLength: 1,
        maxLength: 8,
      }),
    })
    .map(({ isText, offsetMs, entries }) => ({
      offsetMs,
      key: isText ? 'stringValue1' : 'returnValue1',
      jobIds: entries.map(([id]) => id),
      values: entries.map(([, value]) => (isText ? `text ${value}` : value)),
    }))
  const sender = fc.constantFrom(ANYBODY, { userId: 1, anyJob: false })
  const step = fc.record({
    round,
    sender,
    afterMs: fc.constantFrom(0, 1, 1_000, -1_000, MINUTE_MS),
    deeds: fc.subarray(['wakes', 'flushes', 'looks', 'crashes'] as const),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const [inRounds, singly] = [await stages.open(), await stages.open()]
      await Promise.all([configure(inRounds), configure(singly)])
      for (const { round: wished, sender: by, afterMs, deeds } of steps) {
        const { offsetMs, ...rest } = wished
        const now = inRounds.now + afterMs
        inRounds.now = now
        singly.now = now
        // Deadlines that follow a clock which was set back are due once they are durable.
        await Promise.all([inRounds.engine.settled(), singly.engine.settled()])
        if (deeds.includes('wakes')) await Promise.all([inRounds.engine.wake(), singly.engine.wake()])
        const sent: Round = { ...rest, timestampAt: offsetMs === null ? null : now + offsetMs }
        const [outcome] = await inRounds.engine.deliverRounds([sent], by)
        expect(outcome).toEqual((await deliverEach(singly, sent, by)) as never)
        if (deeds.includes('looks')) expect(await pictureOf(inRounds)).toEqual(await pictureOf(singly))
        if (deeds.includes('flushes')) await inRounds.engine.flush()
        if (deeds.includes('crashes')) await inRounds.crash()
      }
      await endAlike(inRounds, singly, pictureOf)
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
})

test('repeated rows with an error code have the effect of single deliveries', async () => {
  const round = fc.record({
    key: fc.constantFrom('returnValue1', 'returnValue2'),
    secondsAgo: fc.nat(3),
    errorCode: fc.constantFrom(undefined, 0, 0, 3),
    entries: fc.array(fc.tuple(fc.constantFrom(1, 1, 2, 2, 3, 4, 5), fc.constantFrom(1, 1, 2, 4)), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  const step = fc.record({
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
    sender: fc.constantFrom(ANYBODY, { userId: 1, anyJob: false }),
    afterMs: fc.constantFrom(0, 1_000, 1_000, MINUTE_MS),
    deeds: fc.subarray(['wakes', 'flushes', 'crashes', 'repeats'] as const),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const [inRounds, singly] = [await stages.open(), await stages.open()]
      await Promise.all([configure(inRounds), configure(singly)])
      for (const { rounds: wished, sender, afterMs, deeds } of steps) {
        const now = inRounds.now + afterMs
        inRounds.now = now
        singly.now = now
        if (deeds.includes('wakes')) await Promise.all([inRounds.engine.wake(), singly.engine.wake()])
        const rounds = wished.map(({ key, secondsAgo, errorCode, entries }): Round => ({
          key,
          // Whole seconds, so that steps meet the instants of those before them.
          timestampAt: Math.floor(now / 1_000) * 1_000 - secondsAgo * 1_000,
          jobIds: entries.map(([id]) => id),
          values: entries.map(([, value]) => value),
          isOnce: true,
          ...(errorCode === undefined ? {} : { errorCode }),
        }))
        const deliverSingly = async () => {
          const items = rounds.flatMap((one) => itemsOf(one, () => null))
          const outcomes = await singly.engine.deliverAll(items, sender)
          let from = 0
          return rounds.map(({ jobIds }) => roundOutcome(outcomes.slice(from, (from += jobIds.length))))
        }
        expect(await inRounds.engine.deliverRounds(rounds, sender)).toEqual(await deliverSingly())
        if (deeds.includes('flushes')) await inRounds.engine.flush()
        if (deeds.includes('crashes')) await inRounds.crash()
        if (!deeds.includes('repeats')) continue
        const before = await pictureOf(inRounds)
        await inRounds.engine.deliverRounds(rounds, sender)
        expect(await pictureOf(inRounds)).toEqual(before)
      }
      await endAlike(inRounds, singly, pictureOf)
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
})

test('a value that is stored before and waits for a commit is refused with it, and is not acknowledged', async () => {
  const stage = await stages.open()
  await configure(stage)
  const round: Round = {
    key: 'returnValue1',
    timestampAt: BEGIN_AT,
    jobIds: [1, 2],
    values: [1, 2],
    isOnce: true,
  }
  const items = itemsOf(round, () => null)
  stage.byHand = true
  stage.values.failAt = stage.values.commits + 1
  const first = stage.engine.deliverRounds([round], ANYBODY)
  const second = stage.engine.deliverRounds([round], ANYBODY)
  const third = stage.engine.deliverAll(items, ANYBODY)
  await Bun.sleep(1)
  stage.byHand = false
  stage.endTurn()
  const codes = ['unavailable', 'unavailable']
  for (const [outcome] of [await first, await second])
    expect(outcome?.refused.map(({ code }) => code)).toEqual(codes as never)
  expect((await third).map((outcome) => (outcome as Refusal).code)).toEqual(codes as never)
  const [again] = await stage.engine.deliverRounds([round], ANYBODY)
  expect(again).toEqual({ accepted: 2, late: 0, refused: [] })
  expect(await stage.engine.deliverRounds([round], ANYBODY)).toMatchObject([{ ...again, replayed: true }])
})

test('rows of one call share a commit; a failed commit stores none, and keeps earlier reasons of refusal', async () => {
  const stage = await stages.open()
  await configure(stage)
  const before = await pictureOf(stage)
  const round = { key: 'returnValue1', timestampAt: null, jobIds: [1, 9, 2, 1], values: [1, 2, 3, 4] }
  stage.values.failAt = stage.values.commits + 1
  const codes = ['unavailable', 'not_found', 'unavailable', 'unavailable']
  expect(await stage.engine.deliverRounds([round, round], ANYBODY)).toMatchObject(
    [1, 2].map(() => ({
      accepted: 0,
      late: 0,
      refused: codes.map((code, index) => ({ index, code })) as never,
    })),
  )
  expect(await pictureOf(stage)).toEqual(before)
  const { commits } = stage.values
  const [first, second] = await stage.engine.deliverRounds([round, round], ANYBODY)
  expect([first?.accepted, second?.accepted, stage.values.commits - commits]).toEqual([3, 3, 1])
})

test.each(['judged', 'noted'])(
  'every value of a round counts for what may wait where it is %s',
  async (how) => {
    const stage = await stages.open()
    await configure(stage)
    if (how === 'noted') await stage.engine.deliver(2, deliveryWith({ values: { returnValue1: 0 } }), ANYBODY)
    const { samples } = stage.engine.unflushed
    stage.byHand = true
    const jobIds = Array.from({ length: 10_000 }, () => 2)
    const round: Round = { key: 'returnValue1', timestampAt: null, jobIds, values: jobIds }
    const rounds = Array.from({ length: WAITING_ITEMS_MAX / 10_000 + 1 }, () => round)
    const answer = stage.engine.deliverRounds(rounds, ANYBODY)
    stage.byHand = false
    stage.endTurn()
    const outcomes = await answer
    expect(outcomes.map(({ accepted }) => accepted)).toEqual(
      rounds.map((_, index) => (index < 5 ? 10_000 : 0)),
    )
    expect(new Set(outcomes.at(-1)?.refused.map(({ code }) => code))).toEqual(new Set(['overloaded']))
    const errorCodes = how === 'noted' ? 0 : 1
    expect(stage.engine.unflushed.samples - samples).toBe(WAITING_ITEMS_MAX + errorCodes)
  },
)

test.each([
  [undefined, ''],
  [0, ',0'],
])('a round is one journal entry, with every number as it was; its error code is %p', (errorCode, cell) => {
  const round = {
    key: 'returnValue1',
    timestampAt: 5,
    jobIds: [7, 8],
    values: [-0, 1.5],
    ...(errorCode === undefined ? {} : { errorCode }),
  }
  const text = encodeEntry({ jobId: 0, at: 99, event: { kind: 'round', round } })
  expect(text).toBe(`[0,99,"v","returnValue1",5,[7,8],[-0,1.5]${cell}]`)
  expect(decodeEntries(`[${text}]`)).toStrictEqual([{ jobId: 0, at: 99, event: { kind: 'round', round } }])
})

/** A job that has had a value, so that those which follow are routine. */
async function openRoutine(): Promise<Stage> {
  const stage = await stages.open()
  const limit = conditionWith({ value: 200 })
  await stage.engine.configure(
    1,
    rulesWith({ thresholds: [{ level: 'major', mode: 'or', conditions: [limit] }] }),
  )
  await send(stage, 1)
  return stage
}

/** Sends these values to the job in as many rounds. */
async function send({ engine }: Stage, ...values: readonly number[]) {
  const rounds = values.map((value) => ({
    key: 'returnValue1',
    timestampAt: null,
    jobIds: [1],
    values: [value],
  }))
  return engine.deliverRounds(rounds, ANYBODY)
}

test('a value of a round is a sign of life: after a silence, after a lifetime, and for the next silence', async () => {
  const stage = await openRoutine()
  const silentAt = async (at: number) => {
    expect(stage.engine.nextAt).toBeLessThanOrEqual(at)
    for (const [ms, errorCode] of [
      [-1, 0],
      [0, 5],
    ] as const) {
      stage.now = at + ms
      await stage.engine.wake()
      expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode })
    }
    expect(await stage.engine.snapshot(1)).toMatchObject({ silentSinceAt: at - MINUTE_MS })
  }
  await silentAt(BEGIN_AT + MINUTE_MS)
  await stage.engine.deliver(1, deliveryWith({ errorCode: 0, ttlMs: 10 * MINUTE_MS }), ANYBODY)
  expect(stage.engine.nextAt).toBe(stage.now + 10 * MINUTE_MS)
  for (let second = 0; second < 3; second++) {
    stage.now += 1_000
    await send(stage, 2)
  }
  await silentAt(stage.now + MINUTE_MS)
  await stage.engine.deliver(1, deliveryWith({ errorCode: 0 }), ANYBODY)
  await send(stage, 2)
  stage.now += 1_000
  await send(stage, 2)
  await silentAt(stage.now + MINUTE_MS)
})

test('a job that was stopped while it was bad is judged by the first value after its start', async () => {
  const stage = await openRoutine()
  await send(stage, 300)
  expect(await stage.engine.snapshot(1)).toMatchObject({ state: 'major' })
  const limit = conditionWith({ value: 200 })
  const rules = rulesWith({ thresholds: [{ level: 'major', mode: 'or', conditions: [limit] }] })
  await stage.engine.configure(1, { ...rules, revision: 2, stopped: true })
  await stage.engine.configure(1, { ...rules, revision: 3 })
  await send(stage, 1)
  expect(await stage.engine.snapshot(1)).toMatchObject({ state: 'ok' })
  expect(stage.told.map(({ to }) => to)).toEqual(['major', 'undefined', 'major', 'ok'])
})

test('a commit that fails takes values back that were only noted, and the next ones are judged without them', async () => {
  const stage = await openRoutine()
  await send(stage, 2)
  const before = await stage.engine.snapshot(1)
  stage.values.failAt = stage.values.commits + 1
  stage.now += 5_000
  expect(await send(stage, 3, 4)).toMatchObject([{ accepted: 0 }, { accepted: 0 }])
  expect(await stage.engine.snapshot(1)).toEqual(before)
  stage.now -= 3_000
  const early = { key: 'returnValue1', timestampAt: BEGIN_AT + 1_000, jobIds: [1], values: [5] }
  expect(await stage.engine.deliverRounds([early], ANYBODY)).toMatchObject([{ accepted: 1, late: 0 }])
  await stage.crash()
  const { engine } = stage
  expect(await engine.snapshot(1)).toMatchObject({ current: { returnValue1: { value: 5 } } })
  const query = { key: 'returnValue1', beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10 }
  const { samples } = await engine.samples(1, query)
  expect(samples.map(({ value }) => value)).toEqual([1, 2, 5])
})

test('values that wait for one commit keep their order, whether they are noted or judged', async () => {
  const stage = await openRoutine()
  stage.byHand = true
  const answers = [
    send(stage, 2, 300, 3, 4),
    stage.engine.deliver(1, deliveryWith({ values: { returnValue1: 5 } }), ANYBODY),
    send(stage, 6),
  ]
  stage.byHand = false
  stage.endTurn()
  await Promise.all(answers)
  const look = async () => {
    const query = { key: 'returnValue1', beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10 }
    const { samples } = await stage.engine.samples(1, query)
    return { values: samples.map(({ value }) => value), snapshot: await stage.engine.snapshot(1) }
  }
  const looked = await look()
  expect(looked.values).toEqual([1, 2, 300, 3, 4, 5, 6])
  expect(looked.snapshot).toMatchObject({ state: 'ok', current: { returnValue1: { value: 6 } } })
  expect(stage.told.map(({ to }) => to)).toEqual(['major', 'ok'])
  await stage.crash()
  expect(await look()).toEqual(looked)
})

test('a flush has all rounds before it that nobody looked at, and leaves those that come meanwhile', async () => {
  const stage = await openRoutine()
  await stage.engine.configure(2, rulesWith())
  for (const value of [2, 3, 4]) await sendBoth(stage, value)
  stage.byHand = true
  const flushed = stage.engine.flush()
  const rounds = [sendBoth(stage, 5), sendBoth(stage, 6)]
  // A read of a job during its flush adds no samples that the flush has not seen.
  stage.values.onCommit = () => Promise.all([1, 2].map((id) => stage.engine.snapshot(id)))
  stage.byHand = false
  stage.endTurn()
  await Promise.all([flushed, ...rounds])
  await sendBoth(stage, 7)
  await stage.crash()
  expect(await valuesOfBoth(stage)).toEqual([
    [1, 2, 3, 4, 5, 6, 7],
    [2, 3, 4, 5, 6, 7],
  ])
})

test('a row reaches a job that was created again with the id of an earlier job in such rows', async () => {
  const stage = await openRoutine()
  await stage.engine.configure(2, rulesWith())
  for (const value of [2, 3, 4]) await sendBoth(stage, value)
  stage.byHand = true
  const forgotten = stage.engine.forget(2)
  const refused = sendBoth(stage, 5)
  const made = stage.engine.configure(2, rulesWith())
  const accepted = sendBoth(stage, 6)
  stage.byHand = false
  stage.endTurn()
  await Promise.all([forgotten, made])
  expect(await refused).toMatchObject([{ accepted: 1, late: 0, refused: [{ index: 1, code: 'not_found' }] }])
  expect(await accepted).toEqual([{ accepted: 2, late: 0, refused: [] }])
  expect(await valuesOfBoth(stage)).toEqual([[1, 2, 3, 4, 5, 6], [6]])
  await stage.crash()
  expect(await valuesOfBoth(stage)).toEqual([[1, 2, 3, 4, 5, 6], [6]])
})

test('of a round that is still in the journal, a job that has a later checkpoint takes nothing again', async () => {
  const stage = await openRoutine()
  await stage.engine.configure(2, rulesWith())
  await send(stage, 2, 3)
  // Segments and checkpoints are stored, and the journal is not trimmed.
  stage.values.failAt = stage.values.commits + 2
  await rejection(stage.engine.flush())
  const both = { key: 'returnValue1', timestampAt: null, jobIds: [1, 2], values: [4, 5] }
  await stage.engine.deliverRounds([both], ANYBODY)
  const before = await stage.engine.snapshot(1)
  await stage.crash()
  expect(await stage.engine.snapshot(1)).toEqual(before)
  const query = { key: 'returnValue1', beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10 }
  const { samples } = await stage.engine.samples(1, query)
  expect(samples.map(({ value }) => value)).toEqual([1, 2, 3, 4])
})

/** A round with this value for jobs 1 and 2, a second after whatever came before. */
function sendBoth(stage: Stage, value: number) {
  const timestampAt = (stage.now += 1_000)
  const round = { key: 'returnValue1', timestampAt, jobIds: [1, 2], values: [value, value] }
  return stage.engine.deliverRounds([round], ANYBODY)
}

async function valuesOfBoth({ engine }: Stage) {
  const query = { key: 'returnValue1', beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10 }
  const seen = await Promise.all([1, 2].map((id) => engine.samples(id, query)))
  return seen.map(({ samples }) => samples.map(({ value }) => value))
}
