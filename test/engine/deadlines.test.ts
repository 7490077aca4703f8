import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'

import { rejection } from '../contract/rejection.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, MINUTE_MS, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'

setDefaultTimeout(180_000)
const stages = await openStages()
afterAll(() => stages.close())

describe('waking', () => {
  test('lets 10,000 jobs time out in the same second, each once, dated at its deadline', async () => {
    const stage = await stages.open()
    const ids = Array.from({ length: 10_000 }, (_, index) => index + 1)
    await Promise.all(
      ids.map((id) => stage.engine.configure(id, rulesWith({ timeoutMs: MINUTE_MS + (id % 1_000) }))),
    )
    expect(stage.engine.nextAt).toBe(BEGIN_AT + MINUTE_MS)
    stage.now = BEGIN_AT + MINUTE_MS + 1_000
    const commits = stage.values.commits
    while (stage.engine.nextAt <= stage.now) await stage.engine.wake()
    await stage.engine.wake()
    await stage.engine.settled()
    expect(stage.values.commits - commits).toBeLessThanOrEqual(6)
    expect(stage.told).toHaveLength(10_000)
    expect(new Set(stage.told.map(({ objectId }) => objectId)).size).toBe(10_000)
    for (const { objectId, at, detectedAt, seq } of stage.told) {
      expect(at).toBe(BEGIN_AT + MINUTE_MS + (objectId % 1_000))
      expect([detectedAt, seq]).toEqual([stage.now, 1])
    }
    expect(stage.engine.nextAt).toBe(Infinity)
    await stage.crash()
    expect(stage.engine.nextAt).toBe(Infinity)
  })

  test('too early or without a due deadline writes nothing', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith())
    const commits = stage.values.commits
    for (const ms of [0, 1, MINUTE_MS - 1]) {
      stage.now = BEGIN_AT + ms
      await stage.engine.wake()
    }
    expect(stage.values.commits).toBe(commits)
    expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode: 0 })
  })

  test('the figure of lateness is the time since the earliest deadline that is not judged yet, and 0 after it was', async () => {
    const stage = await stages.open()
    const overdueMs = () => stage.engine.figures().overdueMs
    expect(overdueMs()).toBe(0)
    await stage.engine.configure(1, rulesWith())
    await stage.engine.configure(2, rulesWith({ timeoutMs: 2 * MINUTE_MS }))
    stage.now = BEGIN_AT + MINUTE_MS - 1
    expect(overdueMs()).toBe(0)
    stage.now = BEGIN_AT + 2 * MINUTE_MS + 500
    expect(overdueMs()).toBe(MINUTE_MS + 500)
    // While nothing can be stored, deadlines are extended and not late.
    stage.values.isAway = true
    expect(String(await rejection(stage.engine.wake()))).toContain('The storage is unavailable')
    expect(overdueMs()).toBe(0)
  })

  test('a deadline that moved later is checked at its new time only', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith())
    const { armed } = stage
    for (let second = 1; second <= 50; second += 1) {
      stage.now = BEGIN_AT + second * 1_000
      await stage.engine.deliver(1, deliveryWith(), ANYBODY)
    }
    // No delivery had to tell the host: it looks too early once, and then at the right time.
    expect(stage.armed).toBe(armed)
    expect(stage.engine.nextAt).toBe(BEGIN_AT + MINUTE_MS)
    stage.now = BEGIN_AT + MINUTE_MS
    await stage.engine.wake()
    expect(stage.engine.nextAt).toBe(BEGIN_AT + 50_000 + MINUTE_MS)
    expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode: 0 })
  })

  test('after a crash the engine waits for the current deadline, not for earlier ones', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith())
    for (const ms of [10_000, 20_000, 30_000]) {
      stage.now = BEGIN_AT + ms
      await stage.engine.deliver(1, deliveryWith(), ANYBODY)
    }
    await stage.crash()
    expect(stage.engine.nextAt).toBe(BEGIN_AT + 30_000 + MINUTE_MS)
  })

  test('a deadline that moved earlier is reported to the host, and fires at its new time', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith({ graceMs: 5_000 }))
    const { armed } = stage
    await stage.engine.deliver(1, deliveryWith({ signal: 'start' }), ANYBODY)
    expect(stage.armed).toBe(armed + 1)
    expect(stage.engine.nextAt).toBe(BEGIN_AT + 5_000)
    stage.now = BEGIN_AT + 5_000
    await stage.engine.wake()
    await stage.engine.settled()
    expect(stage.told).toMatchObject([{ at: BEGIN_AT + 5_000, errorCode: 5 }])
  })

  test('a deleted job does not fire, not even for a new job with its id', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith({ timeoutMs: 1_000 }))
    await stage.engine.forget(1)
    await stage.engine.configure(1, rulesWith({ timeoutMs: null }))
    stage.now += 2_000
    await stage.engine.wake()
    expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode: 0, state: 'ok' })
    expect(stage.engine.nextAt).toBe(Infinity)
  })

  test('delivery and deadline in one turn make at most one transition', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith())
    stage.now = BEGIN_AT + MINUTE_MS
    await Promise.all([stage.engine.deliver(1, deliveryWith({ errorCode: 0 }), ANYBODY), stage.engine.wake()])
    await stage.engine.settled()
    expect(stage.told).toEqual([])
  })
})

describe('time in which nothing could be received', () => {
  test('is credited to every job once, and the credit survives a crash', async () => {
    const stage = await stages.open()
    for (const id of [1, 2, 3]) await stage.engine.configure(id, rulesWith({ timeoutMs: id * MINUTE_MS }))
    stage.now = BEGIN_AT + 2.5 * MINUTE_MS
    await stage.engine.recordIngestGap(BEGIN_AT + 90_000, stage.now)
    await stage.engine.wake()
    await stage.engine.settled()
    const deadlines = async () =>
      Promise.all([1, 2, 3].map(async (id) => (await stage.engine.snapshot(id))?.deadlineAt ?? null))
    const before = await deadlines()
    // The first was due before; the second meanwhile; the third would be due too soon after.
    expect(before).toEqual([null, BEGIN_AT + 3.5 * MINUTE_MS, BEGIN_AT + 3.5 * MINUTE_MS])
    expect(stage.told.map(({ objectId, to, at }) => [objectId, to, at - BEGIN_AT])).toEqual([
      [2, 'no_data', 90_000],
      [2, 'ok', 150_000],
      [1, 'warning', 60_000],
    ])
    await stage.crash()
    expect(await deadlines()).toEqual(before)
  })

  test('does not change other jobs, also after a crash with the clock set back', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith({ timeoutMs: null }))
    await stage.engine.configure(2, rulesWith({ timeoutMs: 35_000 }))
    stage.now = BEGIN_AT + 30_000
    await stage.engine.recordIngestGap(BEGIN_AT + 10_000, stage.now)
    expect(await stage.engine.snapshot(2)).toMatchObject({ deadlineAt: BEGIN_AT + 50_000 })
    stage.now = BEGIN_AT + 20_000
    await stage.engine.deliver(1, deliveryWith({ ttlMs: 5_000 }), ANYBODY)
    const before = await stage.engine.snapshot(1)
    await stage.crash()
    expect(await stage.engine.snapshot(1)).toEqual(before)
  })
})
