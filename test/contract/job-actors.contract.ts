import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { Refusal } from '../../src/lib/errors.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'
import type { Delivered, Delivery, BulkItem, Repeat } from '../../src/domain/delivery.ts'
import type { JobRules } from '../../src/domain/job-rules.ts'
import type { World } from '../hosts/engine-world.ts'
import { happen, histories } from '../engine/acts.ts'
import type { Act } from '../engine/acts.ts'
import { ANYBODY, BEGIN_AT, conditionWith, deliveryWith, MINUTE_MS, rulesWith } from '../engine/rules.ts'
import { rejection } from './rejection.ts'

/** What every host's `JobActors` does. `open` gives an engine without jobs. */
export function jobActorsContract(name: string, open: () => Promise<World>): void {
  describe(name, () => {
    let world: World
    let lastId = 0
    /** A new job for each test. */
    const scene: Scene = {
      id: 0,
      get world() {
        return world
      },
      get actors() {
        return world.actors
      },
      deliver: (part = {}) => world.actors.deliver(scene.id, deliveryWith(part), ANYBODY),
      configure: (part = {}) => world.actors.configure(scene.id, rulesWith(part)),
    }

    beforeAll(async () => {
      world = await open()
      world.now = BEGIN_AT
    })

    beforeEach(() => {
      lastId += 1
      scene.id = lastId
      world.now += 24 * 60 * MINUTE_MS
    })

    afterAll(() => world.close())

    missing(scene)
    configuring(scene)
    delivering(scene)
    deliveringMany(scene)
    repeating(scene)
    reading(scene)
    silence(scene)
    ageing(scene)
  })
}

const OVER_TWO = [{ level: 'major', mode: 'or', conditions: [conditionWith({ value: 2 })] }] as const

interface Scene {
  id: number
  readonly world: World
  readonly actors: JobActors
  deliver(part?: Partial<Delivery>): ReturnType<JobActors['deliver']>
  configure(part?: Partial<JobRules>): Promise<void>
}

function missing(scene: Scene): void {
  test('an actor that was never configured has no snapshot, refuses everything else, and can be forgotten', async () => {
    expect(await scene.actors.snapshot(scene.id)).toBeNull()
    const numbers = { key: 'returnValue1', edges: [0, 1], mode: 'avg' } as const
    const samples = { key: 'returnValue1', beginAt: 0, endAt: 1, skip: 0, limit: 1 }
    for (const ask of [
      () => scene.deliver(),
      () => scene.actors.buckets(scene.id, numbers),
      () => scene.actors.samples(scene.id, samples),
    ]) {
      expect(await rejection(ask())).toMatchObject({ code: 'not_found' })
    }
    await scene.actors.forget(scene.id)
    expect(await scene.actors.snapshot(scene.id)).toBeNull()
  })

  test('a forgotten actor is gone with all it kept, also after a restart, and can be made anew', async () => {
    await scene.configure({ revision: 7 })
    await scene.deliver({ values: { returnValue1: 1 } })
    await scene.actors.forget(scene.id)
    expect(await scene.actors.snapshot(scene.id)).toBeNull()
    await scene.world.restart()
    expect(await rejection(scene.deliver())).toMatchObject({ code: 'not_found' })
    await scene.configure({ revision: 1 })
    expect(await scene.actors.snapshot(scene.id)).toMatchObject({
      revision: 1,
      current: {},
      lastReceivedAt: null,
    })
    expect(await valuesOf(scene)).toEqual([])
  })
}

function configuring(scene: Scene): void {
  test('a later revision replaces an earlier one, never the reverse', async () => {
    await scene.configure({ revision: 2 })
    await scene.configure({ revision: 1, stopped: true })
    await scene.configure({ revision: 2, stopped: true })
    expect(await scene.actors.snapshot(scene.id)).toMatchObject({ revision: 2, state: 'ok' })
    await scene.configure({ revision: 3, stopped: true })
    expect(await scene.actors.snapshot(scene.id)).toMatchObject({
      revision: 3,
      state: 'undefined',
      deadlineAt: null,
    })
  })

  test('a snapshot has the last sign of life, or the start if that came later', async () => {
    const { world } = scene
    const heardAt = async () => (await scene.actors.snapshot(scene.id))?.heardAt
    await scene.configure({ revision: 1 })
    expect(await heardAt()).toBe(world.now)
    const deliveredAt = (world.now += MINUTE_MS)
    await scene.deliver({ values: { returnValue1: 1 } })
    world.now += MINUTE_MS
    expect(await heardAt()).toBe(deliveredAt)
    await scene.configure({ revision: 2, stopped: true })
    world.now += MINUTE_MS
    await scene.configure({ revision: 3 })
    expect(await scene.actors.snapshot(scene.id)).toMatchObject({
      heardAt: world.now,
      lastReceivedAt: deliveredAt,
    })
  })

  test('rules of every kind arrive whole', async () => {
    const recovery = { value: 100, repetition: 2 }
    await scene.configure({
      divisors: [0.5, 1e-3, 3],
      textCount: 2,
      thresholds: [
        {
          level: 'major',
          mode: 'and',
          conditions: [conditionWith({ value: 1e300 }), conditionWith({ recovery })],
        },
        {
          level: 'minor',
          mode: 'or',
          conditions: [conditionWith({ key: 'stringValue2', operator: 'matches', value: 'é*\u0000' })],
        },
      ],
    })
    const answer = await scene.deliver({ values: { returnValue3: 1, stringValue2: 'ébène\u0000' } })
    expect(answer.state).toBe('minor')
  })
}

function delivering(scene: Scene): void {
  test('an answered delivery is read by whoever asks next, and after a restart', async () => {
    await scene.configure()
    const values = { returnValue1: 0.1 + 0.2, returnValue2: -1e-7, stringValue1: 'naïve 😀 \u0000 \ud800' }
    const answer = await scene.deliver({ values, errorCode: 3, message: 'line\nbreak' })
    expect(answer).toEqual({
      accepted: 3,
      timestampAt: scene.world.now,
      late: false,
      state: 'warning',
      errorCode: 3,
      deadlineAt: scene.world.now + MINUTE_MS,
    })
    for (const again of [false, true]) {
      if (again) await scene.world.restart()
      const snapshot = await scene.actors.snapshot(scene.id)
      expect(snapshot).toMatchObject({ state: 'warning', errorCode: 3, message: 'line\nbreak' })
      expect(
        Object.fromEntries(Object.entries(snapshot?.current ?? {}).map(([key, { value }]) => [key, value])),
      ).toEqual(values)
      for (const [key, value] of Object.entries(values)) expect(await valuesOf(scene, key)).toEqual([value])
    }
  })

  test('refusals arrive with their code, their words and their pointers, and leave no trace', async () => {
    await scene.configure({ collectorId: 9 })
    const before = await scene.actors.snapshot(scene.id)
    const { now } = scene.world
    const refused = async (part: Partial<Delivery>) => {
      const error = await rejection(scene.deliver(part))
      expect(error).toBeInstanceOf(Refusal)
      return error as Refusal
    }
    const undefinedValue = await refused({ values: { returnValue1: 1, returnValue9: 1 } })
    expect(undefinedValue.code).toBe('value_not_defined')
    expect(undefinedValue.detail.length).toBeGreaterThan(5)
    expect(undefinedValue.errors).toEqual([
      { pointer: '/returnValue9', message: 'is not defined on the job' },
    ])
    expect((await refused({ timestampAt: now + 5 * MINUTE_MS + 1 })).code).toBe('value_in_future')
    expect((await refused({ timestampAt: now - 30 * 86_400_000 - 1 })).code).toBe('value_too_old')
    const stranger = scene.actors.deliver(scene.id, deliveryWith(), { userId: 8, anyJob: false })
    expect(await rejection(stranger)).toMatchObject({ code: 'forbidden' })
    expect(await scene.actors.snapshot(scene.id)).toEqual(before)
    await scene.configure({ revision: 2, stopped: true })
    expect((await refused({})).code).toBe('job_stopped')
  })

  test('deliveries for one job take effect one after the other', async () => {
    await scene.configure()
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        scene.deliver({ values: { returnValue1: index }, errorCode: index % 2 }),
      ),
    )
    expect(answers.filter(({ state }) => state === 'warning')).toHaveLength(100)
    const kept = await valuesOf(scene)
    expect(kept.toSorted((one, other) => Number(one) - Number(other))).toEqual(
      answers.map((_, index) => index),
    )
    await scene.world.settled()
    const told = scene.world.told().filter(({ objectId }) => objectId === scene.id)
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => index + 1))
    told.slice(1).forEach(({ from }, index) => expect(from).toBe(told[index]?.to ?? 'ok'))
    const codes = await valuesOf(scene, 'errorCode')
    codes.slice(1).forEach((code, index) => expect(code).not.toBe(codes[index]))
  })
}

function deliveringMany(scene: Scene): void {
  test('of many deliveries in one call each has its answer, and a refusal hinders no other', async () => {
    const other = scene.id + 20_000
    await scene.configure()
    await scene.actors.configure(other, rulesWith({ thresholds: [] }))
    const at = scene.world.now
    const parcels: readonly BulkItem[] = [
      parcelOf(scene.id, { values: { returnValue1: 1 }, errorCode: 3 }),
      parcelOf(other + 1, { values: { returnValue1: 1 } }),
      parcelOf(other, { values: { returnValue9: 1 } }),
      {
        jobId: other,
        sent: { run: { key: 'returnValue1', at: [at - 1, at + 1e9, at], values: [7, 8, 9] } },
        repeat: null,
      },
      parcelOf(scene.id, { values: { returnValue1: 2 }, errorCode: 0, timestampAt: at - 1 }),
      {
        jobId: scene.id,
        sent: { run: { key: 'stringValue1', at: [at - 5, at], values: ['a', 'b'] } },
        repeat: null,
      },
      parcelOf(scene.id, { values: { returnValue1: 3 }, ttlMs: 5_000 }),
    ]
    const outcomes = await scene.actors.deliverAll(parcels, ANYBODY)
    const after = { state: 'warning', errorCode: 3, deadlineAt: at + MINUTE_MS } as const
    expect(outcomes.map((one) => (one instanceof Refusal ? one.code : one))).toEqual([
      { accepted: 1, timestampAt: at, late: false, ...after },
      'not_found',
      'value_not_defined',
      {
        accepted: 2,
        late: 0,
        refused: [{ index: 1, code: 'value_in_future' }],
        state: 'ok',
        errorCode: 0,
        deadlineAt: at + MINUTE_MS,
      },
      { accepted: 1, timestampAt: at - 1, late: true, ...after },
      { accepted: 2, late: 1, refused: [], ...after },
      { accepted: 1, timestampAt: at, late: false, ...after, deadlineAt: at + 5_000 },
    ])
    for (const again of [false, true]) {
      if (again) await scene.world.restart()
      expect(await valuesOf(scene)).toEqual([2, 1, 3])
      expect(await valuesOf(scene, 'stringValue1')).toEqual(['a', 'b'])
      expect(await valuesOf({ actors: scene.actors, id: other })).toEqual([7, 9])
    }
  })

  test('many are kept in the order of the call, also when they take several journal rows', async () => {
    await scene.configure()
    const text = 'x'.repeat(4_096)
    const numbers = Array.from({ length: 300 }, (_, index) => index)
    const outcomes = await scene.actors.deliverAll(
      numbers.map((returnValue1) => parcelOf(scene.id, { values: { returnValue1, stringValue1: text } })),
      ANYBODY,
    )
    expect(outcomes.every((one) => !(one instanceof Refusal))).toBe(true)
    await scene.world.restart()
    expect(await valuesOf(scene)).toEqual(numbers)
    await scene.world.flush()
    await scene.world.restart()
    expect(await valuesOf(scene)).toEqual(numbers)
  })

  test('a round gives each of its jobs its value, and names those that it could not', async () => {
    await scene.configure({ thresholds: OVER_TWO })
    const values = [1, 5, 3]
    const round = {
      key: 'returnValue1',
      timestampAt: null,
      jobIds: [scene.id, scene.id + 9_999, scene.id],
      values,
    }
    const refused = [{ index: 1, code: 'not_found' }] as const
    expect(await scene.actors.deliverRounds([round, { ...round, timestampAt: 1 }], ANYBODY)).toMatchObject([
      { accepted: 2, late: 0, refused },
      {
        accepted: 0,
        late: 0,
        refused: [{ index: 0, code: 'value_too_old' }, ...refused, { index: 2, code: 'value_too_old' }],
      },
    ])
    expect(await valuesOf(scene)).toEqual([1, 3])
    const picture = await scene.actors.snapshot(scene.id)
    expect(picture).toMatchObject({ state: 'major', current: { returnValue1: { value: 3 } } })
    await scene.world.restart()
    expect(await scene.actors.snapshot(scene.id)).toEqual(picture)
    expect(await valuesOf(scene)).toEqual([1, 3])
  })

  test('a round that is sent again is stored once, also after a flush and a crash, and its error code heals', async () => {
    await scene.configure({ thresholds: OVER_TWO })
    await scene.actors.deliver(scene.id, deliveryWith({ errorCode: 7 }), ANYBODY)
    const { now } = scene.world
    const round = { key: 'returnValue1', jobIds: [scene.id], isOnce: true, errorCode: 0 } as const
    const rounds = [
      { ...round, timestampAt: now, values: [1] },
      { ...round, timestampAt: now + 1, values: [2] },
    ]
    const answer = [1, 2].map(() => ({ accepted: 1, late: 0, refused: [] }))
    expect(await scene.actors.deliverRounds(rounds, ANYBODY)).toEqual(answer)
    const picture = await scene.actors.snapshot(scene.id)
    expect(picture).toMatchObject({ state: 'ok', errorCode: 0 })
    for (const disturb of [() => null, () => scene.world.restart(), () => scene.world.flush()]) {
      await disturb()
      await scene.actors.deliverRounds(rounds, ANYBODY)
      expect(await valuesOf(scene)).toEqual([1, 2])
      expect(await scene.actors.snapshot(scene.id)).toEqual(picture)
    }
  })

  test('values that two callers send at once are stored once, also where only the samples tell', async () => {
    await scene.configure()
    const { now } = scene.world
    const newest = [now, now + 1, now + 2]
    const late = [now - 9, now - 8, now - 7]
    for (const [turn, instants] of [newest, late].entries()) {
      const items = instants.map((timestampAt): BulkItem => {
        const delivery = deliveryWith({ timestampAt, values: { returnValue1: timestampAt - now } })
        return { jobId: scene.id, sent: { delivery }, repeat: null, isOnce: true }
      })
      const rounds = instants.map((timestampAt) => ({
        ...({ key: 'returnValue2', jobIds: [scene.id], isOnce: true, errorCode: 0 } as const),
        timestampAt: timestampAt + 3,
        values: [timestampAt - now],
      }))
      await Promise.all([1, 2].map(() => scene.actors.deliverAll(items, ANYBODY)))
      expect((await valuesOf(scene)).length).toBe(3 * (turn + 1))
      await Promise.all([1, 2].map(() => scene.actors.deliverRounds(rounds, ANYBODY)))
      expect((await valuesOf(scene, 'returnValue2')).length).toBe(3 * (turn + 1))
    }
  })

  test('a run of 10,000 samples is kept whole', async () => {
    await scene.configure()
    const { now } = scene.world
    const at = Array.from({ length: 10_000 }, (_, index) => now - 20_000_000 + index * 1_999 + (index % 3))
    const values = at.map((_, index) => index / 8)
    const run = { key: 'returnValue1', at, values }
    const [outcome] = await scene.actors.deliverAll(
      [{ jobId: scene.id, sent: { run }, repeat: null }],
      ANYBODY,
    )
    expect(outcome).toMatchObject({ accepted: 10_000, late: 0, refused: [] })
    for (const flushes of [false, true]) {
      if (flushes) await scene.world.flush()
      await scene.world.restart()
      expect(await valuesOf(scene)).toEqual(values)
    }
  })
}

function repeating(scene: Scene): void {
  const send = async (part: Partial<Delivery>, repeat: Partial<Repeat> = {}) => {
    const parcel = { ...parcelOf(scene.id, part), repeat: { key: 'a key', digest: 'a digest', ...repeat } }
    const [outcome] = await scene.actors.deliverAll([parcel], ANYBODY)
    return outcome instanceof Refusal ? outcome.code : outcome
  }

  test('under a key a repetition is answered as the first was, also after a restart, and kept once', async () => {
    await scene.configure()
    const first = await send({ values: { returnValue1: 1 }, errorCode: 3 })
    expect(first).toMatchObject({ accepted: 1, errorCode: 3, state: 'warning' })
    await scene.deliver({ errorCode: 0 })
    for (const again of [false, true]) {
      if (again) await scene.world.restart()
      expect(await send({ values: { returnValue1: 1 }, errorCode: 3 })).toEqual({
        ...(first as Delivered),
        replayed: true,
      })
      expect(await send({ values: { returnValue1: 2 } }, { digest: 'another' })).toBe('idempotency_conflict')
      expect(await valuesOf(scene)).toEqual([1])
    }
    expect(await send({ values: { returnValue1: 2 } }, { key: 'another key' })).not.toMatchObject({
      replayed: true,
    })
    expect(await valuesOf(scene)).toEqual([1, 2])
  })

  test('a key is known for 24 hours, and one of another job never', async () => {
    await scene.configure({ timeoutMs: null })
    await send({ values: { returnValue1: 1 } })
    scene.world.now += 86_400_000 - 1
    expect(await send({})).toMatchObject({ replayed: true })
    scene.world.now += 1
    expect(await send({ values: { returnValue1: 2 } })).not.toMatchObject({ replayed: true })
    expect(await send({})).toMatchObject({ replayed: true })
    expect(await valuesOf(scene)).toEqual([1, 2])
    scene.id += 30_000
    await scene.configure()
    expect(await send({ values: { returnValue1: 3 } })).not.toMatchObject({ replayed: true })
  })

  test('what was refused is not remembered', async () => {
    await scene.configure({ stopped: true })
    expect(await send({ values: { returnValue1: 1 } })).toBe('job_stopped')
    await scene.configure({ revision: 2 })
    expect(await send({ values: { returnValue1: 2 } }, { digest: 'another' })).toMatchObject({ accepted: 1 })
    expect(await valuesOf(scene)).toEqual([2])
  })

  test('a repetition that arrives meanwhile waits for the first and gets its answer', async () => {
    await scene.configure()
    const answers = await Promise.all(
      [0, 1, 2, 3].map((number) =>
        send({ values: { returnValue1: 1 } }, { digest: number === 3 ? 'another' : 'one' }),
      ),
    )
    const digests = answers.map((answer) =>
      typeof answer === 'string' ? answer : 'replayed' in (answer ?? {}),
    )
    const [first] = digests.filter((one) => one === false)
    expect(first).toBe(false)
    expect(await valuesOf(scene)).toEqual([1])
    expect(digests.filter((one) => one === false)).toHaveLength(1)
    expect(digests.filter((one) => one === 'idempotency_conflict').length).toBeGreaterThan(0)
  })

  test('of one key twice in a call the second is a repetition', async () => {
    await scene.configure()
    const parcel = {
      ...parcelOf(scene.id, { values: { returnValue1: 1 } }),
      repeat: { key: 'k', digest: 'd' },
    }
    const plain = parcelOf(scene.id, { values: { returnValue1: 2 } })
    const outcomes = await scene.actors.deliverAll([parcel, plain, parcel], ANYBODY)
    expect(outcomes.map((one) => 'replayed' in one)).toEqual([false, false, true])
    expect(await valuesOf(scene)).toEqual([1, 2])
  })

  test('a job made anew under the same id knows no key of the former', async () => {
    await scene.configure()
    await send({ values: { returnValue1: 1 } })
    await scene.actors.forget(scene.id)
    await scene.configure()
    expect(await send({ values: { returnValue1: 2 } })).not.toMatchObject({ replayed: true })
    expect(await valuesOf(scene)).toEqual([2])
  })
}

function parcelOf(jobId: number, part: Partial<Delivery>): BulkItem {
  return { jobId, sent: { delivery: deliveryWith(part) }, repeat: null }
}

function reading(scene: Scene): void {
  test('more than a segment holds is read whole, in pages and in buckets, before and after a flush', async () => {
    await scene.configure()
    const { now } = scene.world
    const count = 1_200
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        scene.deliver({ values: { returnValue1: index }, timestampAt: now - (count - index) * 1_000 }),
      ),
    )
    for (const flushes of [false, true]) {
      if (flushes) await scene.world.flush()
      expect(await valuesOf(scene)).toEqual(Array.from({ length: count }, (_, index) => index))
      const beginAt = now - 700 * 1_000
      const page = await scene.actors.samples(scene.id, {
        key: 'returnValue1',
        beginAt,
        endAt: now,
        skip: 1,
        limit: 3,
      })
      expect(page).toEqual({
        samples: [501, 502, 503].map((value) => ({ at: now - (count - value) * 1_000, value })),
        more: true,
      })
      const edges = [now - 1_200_000, now - 600_000, now, now + 1]
      const { buckets, aggregate } = await scene.actors.buckets(scene.id, {
        key: 'returnValue1',
        edges,
        mode: 'p95',
      })
      expect(buckets).toEqual([
        { at: edges[0] ?? 0, value: 569, min: 0, max: 599, count: 600 },
        { at: edges[1] ?? 0, value: 1_169, min: 600, max: 1_199, count: 600 },
        { at: edges[2] ?? 0, value: null, min: null, max: null, count: 0 },
      ])
      expect(aggregate).toEqual({ min: 0, max: 1_199, avg: 599.5, last: 1_199, count, sum: 719_400 })
    }
  })

  test('many series are answered as each is by itself, in the order asked, flushed or not', async () => {
    const other = 5_000_000 + scene.id
    for (const id of [scene.id, other]) {
      await scene.actors.configure(id, rulesWith())
      for (const value of [id, 2, 3])
        await scene.actors.deliver(id, deliveryWith({ values: { returnValue1: value } }), ANYBODY)
    }
    const names = [
      { jobId: other, key: 'returnValue1' },
      { jobId: scene.id, key: 'returnValue2' },
      { jobId: scene.id, key: 'returnValue1' },
      { jobId: other, key: 'returnValue1' },
    ]
    const { now } = scene.world
    for (const flushes of [false, true]) {
      if (flushes) await scene.world.flush()
      for (const mode of ['avg', 'p95'] as const) {
        const query = { edges: [now - 1_000, now, now + 1_000], mode }
        const alone = names.map(({ jobId, key }) => scene.actors.buckets(jobId, { key, ...query }))
        const answers = await scene.actors.bucketsAll(names, query)
        expect(answers).toEqual(await Promise.all(alone))
        expect(answers.map(({ aggregate }) => aggregate.max)).toEqual([
          other,
          null,
          Math.max(3, scene.id),
          other,
        ])
      }
    }
    const withNobody = [...names, { jobId: other + 1, key: 'returnValue1' }]
    const refused = scene.actors.bucketsAll(withNobody, { edges: [0, 1], mode: 'avg' })
    expect(await rejection(refused)).toMatchObject({ code: 'not_found' })
    expect(await scene.actors.bucketsAll([], { edges: [0, 1], mode: 'avg' })).toEqual([])
    await scene.actors.forget(other)
  })

  test('a series without values reads as empty', async () => {
    await scene.configure()
    expect(await valuesOf(scene, 'returnValue2')).toEqual([])
    const asked = { key: 'returnValue2', edges: [BEGIN_AT, BEGIN_AT + 1], mode: 'sum' } as const
    expect(await scene.actors.buckets(scene.id, asked)).toEqual({
      buckets: [{ at: BEGIN_AT, value: null, min: null, max: null, count: 0 }],
      aggregate: { min: null, max: null, avg: null, last: null, count: 0, sum: null },
    })
  })
}

function silence(scene: Scene): void {
  test('a missed deadline is error code 5 from the deadline on, told once, also when it passed during a restart', async () => {
    for (const restarts of [false, true]) {
      await scene.configure()
      await scene.deliver({ errorCode: 0 })
      const deadlineAt = scene.world.now + MINUTE_MS
      scene.world.now = deadlineAt - 1
      await scene.world.wake()
      expect(await scene.actors.snapshot(scene.id)).toMatchObject({ errorCode: 0, deadlineAt })
      scene.world.now = deadlineAt + 5_000
      if (restarts) await scene.world.restart()
      await scene.world.wake()
      await scene.world.wake()
      expect(await scene.actors.snapshot(scene.id)).toMatchObject({
        errorCode: 5,
        state: 'warning',
        sinceAt: deadlineAt,
        deadlineAt: null,
        silentSinceAt: deadlineAt - MINUTE_MS,
      })
      await scene.world.settled()
      const told = scene.world.told().filter(({ objectId }) => objectId === scene.id)
      expect(told).toHaveLength(1)
      expect(told[0]).toMatchObject({
        seq: 1,
        at: deadlineAt,
        detectedAt: scene.world.now,
        reason: 'timeout',
      })
      scene.id += 10_000
    }
  })
}

/** Random histories that are the same in each run: `seed` names them. */
export function fixedHistories(
  seed: number,
  count: number,
): readonly { rules: JobRules; acts: readonly Act[] }[] {
  return fc.sample(histories(30), { seed, numRuns: count })
}

/** Lives through histories side by side, job by job, and writes down all that anybody could see. */
export async function playOut(
  world: World,
  scenes: readonly { rules: JobRules; acts: readonly Act[] }[],
  restartEach: number,
): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  world.now = BEGIN_AT
  for (const [index, { rules }] of scenes.entries()) await world.actors.configure(index + 1, rules)
  const longest = Math.max(...scenes.map(({ acts }) => acts.length))
  for (let round = 0; round < longest; round += 1) {
    for (const [index, { acts }] of scenes.entries()) {
      const act = acts[round]
      const before = world.now
      if (act) seen.push(await perform(world, index + 1, act))
      // The deadlines of all jobs follow a clock that was set back, in a commit of their own.
      if (world.now < before) await world.settled()
    }
    if (round % restartEach === restartEach - 1) await world.restart()
    if (round % 9 === 8) await world.flush()
    for (const [index] of scenes.entries()) seen.push(await world.actors.snapshot(index + 1))
  }
  await world.settled()
  for (const [index] of scenes.entries()) seen.push(await everything(world, index + 1))
  return seen
}

async function perform(world: World, jobId: number, act: Act): Promise<unknown> {
  const { deadlineAt = null, revision = 0 } = (await world.actors.snapshot(jobId)) ?? {}
  const happening = happen(act, { now: world.now, deadlineAt, revision })
  world.now = happening.now
  switch (happening.kind) {
    case 'deliver': {
      const answer = world.actors.deliver(jobId, happening.delivery, ANYBODY)
      return answer.catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        return [error.code, error.detail, error.errors]
      })
    }
    case 'wake':
      return world.wake()
    case 'ingest gap':
      return world.ingestGap(happening.fromAt, happening.now)
    case 'configure':
      return world.actors.configure(jobId, happening.rules)
  }
}

async function everything(world: World, jobId: number): Promise<unknown> {
  const keys = ['returnValue1', 'returnValue2', 'stringValue1', 'errorCode']
  const range = { beginAt: BEGIN_AT - 1e10, endAt: BEGIN_AT + 1e10, skip: 0, limit: 10_000 }
  const series = await Promise.all(keys.map((key) => world.actors.samples(jobId, { key, ...range })))
  const edges = Array.from({ length: 50 }, (_, index) => BEGIN_AT - 20_000 + index * 9_999)
  const buckets = await world.actors.buckets(jobId, { key: 'returnValue1', edges, mode: 'avg' })
  const told = new Map(world.told().flatMap((one) => (one.objectId === jobId ? [[one.seq, one]] : [])))
  return { series, buckets, told: [...told.values()].toSorted((one, other) => one.seq - other.seq) }
}

async function valuesOf(scene: Pick<Scene, 'actors' | 'id'>, key = 'returnValue1') {
  const range = { beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10_000 }
  const { samples } = await scene.actors.samples(scene.id, { key, ...range })
  return samples.map(({ value }) => value)
}

function ageing(scene: Scene): void {
  test('what has gone cold reads as before, also after a restart; what has expired is in sums only', async () => {
    const { world } = scene
    const DAY_MS = 1_440 * MINUTE_MS
    const retention = { rawMs: 90 * DAY_MS, minutesMs: 100 * DAY_MS, hoursMs: 200 * DAY_MS }
    await scene.configure({ timeoutMs: null, retention })
    const beginAt = Math.ceil(world.now / DAY_MS) * DAY_MS
    world.now = beginAt + 2 * DAY_MS
    // Doubles without end: a thousand of them fill a blob.
    const all = Array.from({ length: 1_400 }, (_, index) => ({
      at: beginAt + index * MINUTE_MS,
      value: Math.sin(index),
    }))
    for (const { at, value } of all) await scene.deliver({ values: { returnValue1: value }, timestampAt: at })
    await world.flush()
    world.now += 40 * DAY_MS
    await scene.deliver({ values: { returnValue2: 1 } })
    await world.tidy()
    const read = async () =>
      (
        await scene.actors.samples(scene.id, {
          key: 'returnValue1',
          beginAt: 0,
          endAt: world.now,
          skip: 0,
          limit: 2_000,
        })
      ).samples
    expect(await read()).toEqual(all)
    await world.restart()
    expect(await read()).toEqual(all)
    world.now += 60 * DAY_MS
    await world.tidy()
    expect(await read()).toEqual([])
    const edges = [beginAt, beginAt + DAY_MS]
    const { aggregate } = await scene.actors.buckets(scene.id, { key: 'returnValue1', edges, mode: 'max' })
    expect(aggregate).toMatchObject({ count: 1_400, max: Math.max(...all.map(({ value }) => value)) })
    await scene.actors.forget(scene.id)
  })
}
