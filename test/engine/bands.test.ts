import { afterAll, describe, expect, test } from 'bun:test'

import type { Adaptive, Thresholds } from '../../src/domain/job-rules.ts'
import { ANYBODY, BEGIN_AT, conditionWith, deliveryWith, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

const stages = await openStages()
afterAll(() => stages.close())

const JOB = 7
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Midnight of a Monday, four weeks of values later. */
const MIDNIGHT = BEGIN_AT - 8 * HOUR_MS

const ADAPTIVE: Adaptive = {
  windowMs: 28 * DAY_MS,
  season: 'week',
  bucketMs: HOUR_MS,
  timeZone: 'UTC',
  factor: 3,
  side: 'both',
  minSamples: 4,
  minWidth: 0,
  offset: 0,
  learnsMaintenance: false,
}

const limitsWith = (part: Partial<Adaptive> = {}): Thresholds => [
  {
    level: 'minor',
    mode: 'or',
    conditions: [conditionWith({ predicted: true, adaptive: { ...ADAPTIVE, ...part } })],
  },
]

/** 10 at night, 100 by day; each quarter of an hour and each week a little different. */
const usualAt = (at: number) => {
  const hour = Math.floor(at / HOUR_MS) % 24
  const week = Math.floor((at - MIDNIGHT) / (7 * DAY_MS))
  return (hour >= 8 && hour < 18 ? 100 : 10) + (week % 3) + (Math.floor(at / 900_000) % 4) / 10
}

/** A job with four weeks of values, and its adaptive limit. */
async function learned(part: Partial<Adaptive> = {}, usual = usualAt): Promise<Stage> {
  const stage = await stages.open()
  stage.now = MIDNIGHT
  await stage.engine.configure(JOB, rulesWith({ timeoutMs: null, thresholds: [], divisors: [2] }))
  const at = Array.from({ length: 28 * 96 }, (_, index) => MIDNIGHT + (index - 28 * 96) * 900_000 + 1)
  const run = { key: 'returnValue1', at, values: at.map((one) => 2 * usual(one)) }
  await stage.engine.deliverAll([{ jobId: JOB, sent: { run }, repeat: null }], ANYBODY)
  await stage.engine.flush()
  await configure(stage, 2, limitsWith(part))
  return stage
}

const configure = (stage: Stage, revision: number, thresholds: Thresholds) =>
  stage.engine.configure(JOB, rulesWith({ revision, timeoutMs: null, thresholds, divisors: [2] }))

/** The state after a value in user units, sent at an instant. */
async function stateAt(stage: Stage, hour: number, value: number): Promise<string> {
  stage.now = MIDNIGHT + hour * HOUR_MS
  const delivery = deliveryWith({ values: { returnValue1: 2 * value } })
  return (await stage.engine.deliver(JOB, delivery, ANYBODY)).state
}

const bandOf = async (stage: Stage) => (await stage.engine.snapshot(JOB))?.bands[0]

describe('an adaptive limit', () => {
  test('takes a value of 10 o’clock for unusual at 3 o’clock, from its history', async () => {
    const stage = await learned()
    expect(await bandOf(stage)).toMatchObject({ unknown: 'too_few', madeAt: null })
    expect(stage.engine.nextBandsAt).toBe(0)
    await stage.engine.makeBands()
    expect(await stateAt(stage, 3, 11)).toBe('ok')
    expect(await stateAt(stage, 3.1, 101)).toBe('minor')
    expect(await bandOf(stage)).toMatchObject({
      unknown: null,
      madeAt: MIDNIGHT,
      fromAt: MIDNIGHT + 3 * HOUR_MS,
    })
    expect(await stateAt(stage, 3.2, 11)).toBe('ok')
    expect(await stateAt(stage, 10, 101)).toBe('ok')
    expect(await stateAt(stage, 10.1, 11)).toBe('minor')
    expect(stage.told.map(({ to }) => to)).toEqual(['minor', 'ok', 'minor'])
  })

  test('is made again once in a bucket in which values came, in half an hour after it begins', async () => {
    const stage = await learned()
    await stage.engine.makeBands()
    expect(stage.engine.nextBandsAt).toBe(Infinity)
    await stateAt(stage, 0.5, 11)
    const dueAt = stage.engine.nextBandsAt
    expect(dueAt).toBeWithin(MIDNIGHT + HOUR_MS, MIDNIGHT + 1.5 * HOUR_MS)
    stage.now = dueAt - 1
    await stage.engine.makeBands()
    expect((await bandOf(stage))?.madeAt).toBe(MIDNIGHT)
    stage.now = dueAt
    await stage.engine.makeBands()
    expect((await bandOf(stage))?.madeAt).toBe(dueAt)
    expect(stage.engine.nextBandsAt).toBe(Infinity)
  })

  test.each([true, false])('is the same after a crash; flushed before it: %p', async (isFlushed) => {
    const stage = await learned()
    await stage.engine.makeBands()
    await stateAt(stage, 3, 101)
    if (isFlushed) await stage.engine.flush()
    const [before, told] = [await stage.engine.snapshot(JOB), stage.told.length]
    await stage.crash()
    expect(await stage.engine.snapshot(JOB)).toEqual(before)
    expect(before?.bands[0]?.unknown).toBeNull()
    expect(await stateAt(stage, 3.1, 101)).toBe('minor')
    expect(await stateAt(stage, 3.2, 11)).toBe('ok')
    expect(stage.told.length).toBeGreaterThan(told)
  })

  test('is kept through other changes of the limits, with its state', async () => {
    const stage = await learned()
    await stage.engine.makeBands()
    await stateAt(stage, 3, 101)
    const band = await bandOf(stage)
    await configure(stage, 3, [
      { level: 'major', mode: 'or', conditions: [conditionWith({ value: 1_000 })] },
      ...limitsWith(),
    ])
    expect(await bandOf(stage)).toEqual(band)
    expect((await stage.engine.snapshot(JOB))?.state).toBe('minor')
    await configure(stage, 4, limitsWith({ factor: 5 }))
    expect(await bandOf(stage)).toMatchObject({ unknown: 'too_few', madeAt: null })
    expect(stage.engine.nextBandsAt).toBe(0)
  })

  test('leaves values during maintenance out', async () => {
    // Since the second week the values are others.
    const moved = (at: number) => usualAt(at) + (at < MIDNIGHT - 21 * DAY_MS ? 0 : 500)
    const [with_, without] = [await learned({}, moved), await learned({ learnsMaintenance: true }, moved)]
    const maintenance = [{ beginAt: MIDNIGHT - 21 * DAY_MS, endAt: MIDNIGHT }]
    for (const stage of [with_, without]) {
      stage.maintenance = maintenance
      await stage.engine.makeBands()
    }
    expect((await bandOf(with_))?.lower).toBeNull()
    expect((await bandOf(without))?.lower).toBeGreaterThan(100)
  })

  test('is listed while it is unknown', async () => {
    const stage = await learned()
    expect(stage.engine.unknownLimits).toEqual([JOB])
    await stage.engine.makeBands()
    expect(stage.engine.unknownLimits).toEqual([])
    await configure(stage, 3, [
      {
        level: 'minor',
        mode: 'or',
        conditions: [conditionWith({ predicted: true, ahead: { withinMs: 1, windowMs: 600_000 } })],
      },
    ])
    expect(stage.engine.unknownLimits).toEqual([JOB])
    await configure(stage, 4, [])
    expect(stage.engine.unknownLimits).toEqual([])
  })

  test('of values that do not vary makes no alarm, unless it has a width', async () => {
    const [without, with_] = [await learned({}, () => 7), await learned({ minWidth: 1 }, () => 7)]
    for (const stage of [without, with_]) await stage.engine.makeBands()
    expect([await stateAt(without, 1, 8), await stateAt(with_, 1, 8)]).toEqual(['ok', 'minor'])
    expect((await bandOf(without))?.unknown).toBe('constant')
  })

  test('is kept while its history cannot be read, and made later', async () => {
    const stage = await learned()
    stage.isMaintenanceAway = true
    await stage.engine.makeBands()
    expect(stage.errors).toEqual(['engine: computing usual values failed; retrying'])
    expect(stage.engine.nextBandsAt).toBe(stage.now + 60_000)
    stage.isMaintenanceAway = false
    stage.now += 60_000
    await stage.engine.makeBands()
    expect((await bandOf(stage))?.unknown).toBeNull()
  })

  test('is not made for a stopped job, nor for one that was deleted', async () => {
    const stage = await learned()
    await stage.engine.configure(
      JOB,
      rulesWith({ revision: 3, timeoutMs: null, thresholds: limitsWith(), stopped: true }),
    )
    expect(stage.engine.nextBandsAt).toBe(Infinity)
    await configure(stage, 4, limitsWith())
    expect(stage.engine.nextBandsAt).toBe(0)
    await stage.engine.forget(JOB)
    expect(stage.engine.nextBandsAt).toBe(Infinity)
  })
})
