import { afterAll, describe, expect, test } from 'bun:test'

import { TransitionOutbox } from '../../src/monitoring/engine/wal/transition-outbox.ts'
import type { Transition } from '../../src/domain/transition.ts'
import { ANYBODY, deliveryWith, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

const stages = await openStages()
afterAll(() => stages.close())

/** Fails and mends the job in turn: each delivery is a transition. */
const flip = (stage: Stage, errorCode: number, jobId = 1) =>
  stage.engine.deliver(jobId, deliveryWith({ errorCode }), ANYBODY)
const seqs = (transitions: readonly Transition[]) => transitions.map(({ seq }) => seq)

describe('a change of state', () => {
  test('is processed before its delivery is answered', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith())
    await flip(stage, 3)
    expect(stage.told).toMatchObject([{ objectId: 1, seq: 1, from: 'ok', to: 'warning', errorCode: 3 }])
  })

  test('is acknowledged and stored if the listener fails, and delivered later in its order', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith())
    stage.isListenerAway = true
    for (const errorCode of [3, 0, 4]) await flip(stage, errorCode)
    expect(await stage.engine.settled()).toBe(false)
    expect(stage.told).toEqual([])
    stage.isListenerAway = false
    expect(await stage.engine.settled()).toBe(true)
    await flip(stage, 0)
    expect(seqs(stage.told)).toEqual([1, 2, 3, 4])
  })

  test('survives a crash before its delivery, and no checkpoint overtakes it', async () => {
    const stage = await stages.open()
    await stage.engine.configure(1, rulesWith())
    stage.isListenerAway = true
    await flip(stage, 3)
    await stage.engine.flush()
    expect(await stage.count('actors')).toBe(0)
    expect(await stage.count('journal')).toBeGreaterThan(0)
    await stage.crash()
    expect(await stage.engine.settled()).toBe(false)
    stage.isListenerAway = false
    await stage.engine.flush()
    expect(seqs(stage.told)).toEqual([1])
    expect(await stage.count('journal')).toBe(0)
    await stage.crash()
    expect(await stage.engine.settled()).toBe(true)
    expect(seqs(stage.told)).toEqual([1])
  })

  test('of many jobs is delivered in order of time: all lose data with the service, and all recover with it', async () => {
    const stage = await stages.open()
    for (const id of [1, 2]) await stage.engine.configure(id, rulesWith({ timeoutMs: 60_000 }))
    const fromAt = stage.now
    stage.now += 600_000
    await stage.engine.recordIngestGap(fromAt, stage.now)
    expect(stage.told.map(({ objectId, to, at }) => [objectId, to, at])).toEqual([
      [1, 'no_data', fromAt],
      [2, 'no_data', fromAt],
      [1, 'ok', stage.now],
      [2, 'ok', stage.now],
    ])
  })

  test('between two slices of a flush is delivered before the slice that covers it', async () => {
    const stage = await stages.open()
    const ids = Array.from({ length: 130 }, (_, index) => index + 1)
    await Promise.all(ids.map((id) => stage.engine.configure(id, rulesWith())))
    stage.byHand = true
    const flush = stage.engine.flush()
    while ((await stage.count('actors')) < 64) await Bun.sleep(1)
    stage.isListenerAway = true
    await stage.endTurnsUntil(Promise.all([flip(stage, 3, 130), flush]))
    expect(await stage.count('actors where job_id = 130')).toBe(0)
    await stage.crash()
    stage.isListenerAway = false
    stage.byHand = false
    await stage.engine.settled()
    expect(stage.told).toMatchObject([{ objectId: 130, seq: 1 }])
  })

  test('is delivered at least once and in order, however often the listener fails', async () => {
    const stage = await stages.open()
    for (const id of [1, 2]) await stage.engine.configure(id, rulesWith())
    for (let round = 0; round < 60; round += 1) {
      stage.isListenerAway = round % 7 < 3
      await flip(stage, 1 + (round % 2) * -1, 1 + (round % 4 < 2 ? 0 : 1))
      if (round % 11 === 0) await stage.engine.flush()
      if (round % 13 === 0) await stage.crash()
    }
    stage.isListenerAway = false
    await stage.engine.settled()
    for (const id of [1, 2]) {
      const told = seqs(stage.told.filter(({ objectId }) => objectId === id))
      const first = [...new Set(told)]
      expect(first).toEqual(first.map((_, index) => index + 1))
      expect(first.at(-1)).toBeGreaterThan(10)
      // After a crash it begins again at some earlier one, and goes on from there without a gap.
      told.forEach((seq, index) => expect(seq).toBeLessThanOrEqual((told[index - 1] ?? 0) + 1))
    }
  })
})

describe('delivering transitions', () => {
  const log = { info() {}, warn() {}, error() {} }
  const transition = (seq: number) => ({ objectId: 1, seq }) as Transition

  test('goes in parts of 500', async () => {
    const parts: number[] = []
    const facts = new TransitionOutbox((some) => Promise.resolve(void parts.push(some.length)), log)
    facts.add(Array.from({ length: 1_100 }, (_, index) => transition(index + 1)))
    expect(await facts.deliver()).toBe(true)
    expect(parts).toEqual([500, 500, 100])
  })

  test('includes transitions that are added meanwhile, once for all callers', async () => {
    const told: number[] = []
    const facts = new TransitionOutbox(async (some) => {
      await Bun.sleep(1)
      told.push(...seqs(some))
    }, log)
    facts.add([transition(1)])
    const first = facts.deliver()
    facts.add([transition(2)])
    expect(await Promise.all([first, facts.deliver()])).toEqual([true, true])
    expect(told).toEqual([1, 2])
    expect(facts.isDrained).toBe(true)
  })

  test('is repeated at once if the listener fails, and later if it fails twice', async () => {
    for (const failures of [1, 2]) {
      const told: number[] = []
      const logged: unknown[] = []
      let failed = 0
      const follow = (some: readonly Transition[]) => {
        if (failed++ < failures) return Promise.reject(new Error('away'))
        told.push(...seqs(some))
        return Promise.resolve()
      }
      const facts = new TransitionOutbox(follow, {
        info() {},
        warn() {},
        error: (message, cause, fields) => void logged.push([message, String(cause), fields]),
      })
      facts.add([transition(1), transition(2)])
      expect(await facts.deliver()).toBe(failures === 1)
      expect(told).toEqual(failures === 1 ? [1, 2] : [])
      const first = { objectId: 1, transitions: 2 }
      const second = { objectId: 1, waiting: 2 }
      expect(logged).toEqual(
        [
          ['engine: processing state transitions failed; retrying at once', 'Error: away', first],
          ['engine: processing state transitions failed; they are kept, retrying', 'Error: away', second],
        ].slice(0, failures),
      )
    }
  })

  test('continues after a listener throws instead of rejecting', async () => {
    let isAway = true
    const told: number[] = []
    const facts = new TransitionOutbox((some) => {
      if (isAway) throw new Error('away')
      told.push(...seqs(some))
      return Promise.resolve()
    }, log)
    facts.add([transition(1)])
    expect(await facts.deliver()).toBe(false)
    isAway = false
    expect(await facts.deliver()).toBe(true)
    expect(told).toEqual([1])
  })
})
