import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'

import { Refusal } from '../../src/lib/errors.ts'
import { WAITING_ITEMS_MAX } from '../../src/monitoring/keeper/group-commit.ts'
import { decodeEntries, encodeEntry } from '../../src/monitoring/keeper/journal.ts'
import type { Round } from '../../src/ports/job-actors.ts'
import { ANYBODY, BEGIN_AT, conditionWith, deliveryWith, MINUTE_MS, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

setDefaultTimeout(120_000)
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
  await stage.keeper.configure(1, rulesWith({ thresholds: limit }))
  await stage.keeper.configure(2, rulesWith({ timeoutMs: null }))
  await stage.keeper.configure(3, rulesWith({ stopped: true }))
  await stage.keeper.configure(4, rulesWith({ collectorId: 9 }))
}

async function pictureOf({ keeper }: Stage): Promise<unknown> {
  await keeper.settled()
  const query = { beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10_000 }
  return Promise.all(
    JOBS.map(async (id) => ({
      snapshot: await keeper.snapshot(id),
      series: await Promise.all(KEYS.map((key) => keeper.samples(id, { ...query, key }))),
    })),
  )
}

/** The same as single deliveries, one after the other. */
async function one({ keeper }: Stage, round: Round, sender: typeof ANYBODY) {
  const { key, timestampAt, jobIds, values } = round
  const refused: { index: number; code: string }[] = []
  let late = 0
  for (const [index, jobId] of jobIds.entries()) {
    const delivery = deliveryWith({ values: { [key]: values[index] ?? 0 }, timestampAt })
    const outcome = await keeper.deliver(jobId, delivery, sender).catch((error: unknown) => error as Refusal)
    if (outcome instanceof Refusal) refused.push({ index, code: outcome.code })
    else late += Number(outcome.late)
  }
  return { accepted: jobIds.length - refused.length, late, refused }
}

test('a round does what a delivery of each of its values does, and is found again after a crash', async () => {
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
  const step = fc.record({ round, sender, afterMs: fc.constantFrom(0, 1, 1_000, -300), folds: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const [inRounds, singly] = [await stages.open(), await stages.open()]
      await Promise.all([configure(inRounds), configure(singly)])
      for (const { round: wished, sender: by, afterMs, folds } of steps) {
        const { offsetMs, ...rest } = wished
        const now = inRounds.now + afterMs
        inRounds.now = now
        singly.now = now
        const sent: Round = { ...rest, timestampAt: offsetMs === null ? null : now + offsetMs }
        const [outcome] = await inRounds.keeper.deliverRounds([sent], by)
        expect(outcome).toEqual((await one(singly, sent, by)) as never)
        const picture = await pictureOf(inRounds)
        expect(picture).toEqual(await pictureOf(singly))
        if (folds) await inRounds.keeper.fold()
        await inRounds.crash()
        expect(await pictureOf(inRounds)).toEqual(picture)
      }
      await Promise.all([inRounds.close(), singly.close()])
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
})

test('rounds of one call share a commit; one that fails takes nothing, and leaves what was refused its reason', async () => {
  const stage = await stages.open()
  await configure(stage)
  const before = await pictureOf(stage)
  const round = { key: 'returnValue1', timestampAt: null, jobIds: [1, 9, 2, 1], values: [1, 2, 3, 4] }
  stage.values.failAt = stage.values.commits + 1
  const codes = ['unavailable', 'not_found', 'unavailable', 'unavailable']
  expect(await stage.keeper.deliverRounds([round, round], ANYBODY)).toEqual(
    [1, 2].map(() => ({
      accepted: 0,
      late: 0,
      refused: codes.map((code, index) => ({ index, code })) as never,
    })),
  )
  expect(await pictureOf(stage)).toEqual(before)
  const { commits } = stage.values
  const [first, second] = await stage.keeper.deliverRounds([round, round], ANYBODY)
  expect([first?.accepted, second?.accepted, stage.values.commits - commits]).toEqual([3, 3, 1])
})

test('every value of a round counts for what may wait', async () => {
  const stage = await stages.open()
  await configure(stage)
  stage.byHand = true
  const jobIds = Array.from({ length: 10_000 }, () => 2)
  const round: Round = { key: 'returnValue1', timestampAt: null, jobIds, values: jobIds }
  const rounds = Array.from({ length: WAITING_ITEMS_MAX / 10_000 + 1 }, () => round)
  const answer = stage.keeper.deliverRounds(rounds, ANYBODY)
  stage.byHand = false
  stage.endTurn()
  const outcomes = await answer
  expect(outcomes.map(({ accepted }) => accepted)).toEqual(rounds.map((_, index) => (index < 5 ? 10_000 : 0)))
  expect(new Set(outcomes.at(-1)?.refused.map(({ code }) => code))).toEqual(new Set(['overloaded']))
})

test('a round is one journal entry, with every number as it was', () => {
  const round = { key: 'returnValue1', timestampAt: 5, jobIds: [7, 8], values: [-0, 1.5] }
  const text = encodeEntry({ jobId: 0, at: 99, event: { kind: 'round', round } })
  expect(text).toBe('[0,99,"v","returnValue1",5,[7,8],[-0,1.5]]')
  const deliveries = [-0, 1.5].map((returnValue1, index) => ({
    jobId: 7 + index,
    at: 99,
    event: { kind: 'deliver', delivery: deliveryWith({ values: { returnValue1 }, timestampAt: 5 }) },
  }))
  expect(decodeEntries(`[${text}]`)).toEqual(deliveries as never)
})
