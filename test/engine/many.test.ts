import { afterAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'

import { Refusal } from '../../src/lib/errors.ts'
import { WAITING_ITEMS_MAX } from '../../src/monitoring/engine/wal/group-commit.ts'
import type { Delivery, DeliveryOutcome, BulkItem } from '../../src/domain/delivery.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

const DAY_MS = 86_400_000
const stages = await openStages()
afterAll(() => stages.close())

let stage: Stage
beforeEach(async () => {
  stage = await stages.open()
  await stage.engine.configure(1, rulesWith())
})

const parcel = (part: Partial<Delivery>, key: string | null = null, jobId = 1): BulkItem => ({
  jobId,
  sent: { delivery: deliveryWith(part) },
  repeat: key === null ? null : { key, digest: 'digest' },
})
const deliverAll = (...parcels: readonly BulkItem[]) => stage.engine.deliverAll(parcels, ANYBODY)
const codesOf = (outcomes: readonly DeliveryOutcome[]) =>
  outcomes.map((outcome) => (outcome instanceof Refusal ? outcome.code : 'kept'))
const numbers = async () => {
  const query = { key: 'returnValue1', beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10_000 }
  return (await stage.engine.samples(1, query)).samples.map(({ value }) => value)
}

describe('many deliveries in one call', () => {
  test('are one commit with few WAL rows of bounded length', async () => {
    const { commits } = stage.values
    const rows = await stage.count('journal')
    const text = 'x'.repeat(4_000)
    const parcels = Array.from({ length: 400 }, (_, index) =>
      parcel({ values: { returnValue1: index, stringValue1: text } }),
    )
    await deliverAll(...parcels)
    expect(stage.values.commits).toBe(commits + 1)
    expect((await stage.count('journal')) - rows).toBe(4)
    expect(await stage.count('journal where length(entries) > 530000')).toBe(0)
    expect(stage.engine.unflushed.rows).toBe(rows + 4)
    await stage.crash()
    expect(await numbers()).toEqual(parcels.map((_, index) => index))
  })

  test('that a failed commit takes with it are refused, and those that were refused before keep their reason', async () => {
    stage.values.failAt = stage.values.commits + 1
    const outcomes = await deliverAll(
      parcel({ values: { returnValue1: 1 } }),
      parcel({}, null, 9),
      parcel({ errorCode: 3 }),
    )
    expect(codesOf(outcomes)).toEqual(['unavailable', 'not_found', 'unavailable'])
    expect(await numbers()).toEqual([])
    expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode: 0, state: 'ok' })
    expect(codesOf(await deliverAll(parcel({ values: { returnValue1: 2 } })))).toEqual(['kept'])
  })

  test('are taken up to what may wait, and each one past it is refused', async () => {
    stage.byHand = true
    const many = Array.from({ length: WAITING_ITEMS_MAX + 2 }, () => parcel({ values: { returnValue1: 1 } }))
    const answer = deliverAll(...many)
    stage.byHand = false
    stage.endTurn()
    const codes = codesOf(await answer)
    expect(codes.indexOf('overloaded')).toBe(WAITING_ITEMS_MAX)
    expect(codes.slice(WAITING_ITEMS_MAX)).toEqual(['overloaded', 'overloaded'])
  }, 180_000)

  test('are answered after their state changes were processed', async () => {
    await deliverAll(parcel({ errorCode: 1 }), parcel({ errorCode: 0 }), parcel({ errorCode: 2 }))
    expect(stage.told.map(({ to }) => to)).toEqual(['warning', 'ok', 'warning'])
  })
})

describe('a key', () => {
  test('is not stored if its commit fails, and repetitions that waited for it are refused, too', async () => {
    stage.values.failAt = stage.values.commits + 1
    const sent = parcel({ values: { returnValue1: 1 } }, 'k')
    const outcomes = await Promise.all([deliverAll(sent), deliverAll(sent)])
    expect(outcomes.flatMap(codesOf)).toEqual(['unavailable', 'unavailable'])
    expect(await stage.count('repeats')).toBe(0)
    const [again] = await deliverAll(sent)
    expect(again).not.toHaveProperty('replayed')
    expect(await numbers()).toEqual([1])
  })

  test('is stored in the commit of its delivery', async () => {
    const { commits } = stage.values
    await deliverAll(parcel({ values: { returnValue1: 1 } }, 'k'))
    expect(stage.values.commits).toBe(commits + 1)
    expect(await stage.count('repeats')).toBe(1)
    await stage.crash()
    expect((await deliverAll(parcel({}, 'k')))[0]).toMatchObject({ accepted: 1, replayed: true })
  })

  test('leaves when its day is over, with later ones or with a flush, 2,000 at once', async () => {
    const keys = Array.from({ length: 4_500 }, (_, index) => parcel({}, `k${index}`))
    await deliverAll(...keys)
    expect(await stage.count('repeats')).toBe(4_500)
    stage.now += DAY_MS - 1
    await deliverAll(parcel({}, 'later'))
    expect(await stage.count('repeats')).toBe(4_501)
    stage.now += 1
    await deliverAll(parcel({}, 'latest'))
    expect(await stage.count('repeats')).toBe(2_502)
    await stage.engine.flush()
    expect(await stage.count('repeats')).toBe(502)
    await stage.engine.flush()
    expect(await stage.count('repeats')).toBe(2)
  })

  test('adds no statement to a delivery without a key', async () => {
    const before = await stage.count('repeats')
    const reads = spyOn(stage.values, 'read')
    await deliverAll(parcel({ errorCode: 0 }), parcel({ errorCode: 0 }))
    await stage.engine.deliver(1, deliveryWith({}), ANYBODY)
    expect(reads).not.toHaveBeenCalled()
    expect(await stage.count('repeats')).toBe(before)
  })
})
