import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { listPeriods } from '../../src/monitoring/slcs/service.ts'
import { periodsQuery } from '../../src/monitoring/slcs/schema.ts'
import { deleteSlo } from '../../src/monitoring/slos/service.ts'
import { rejection } from '../contract/rejection.ts'
import { openSlcStage } from './slc-stage.ts'
import type { SlcStage } from './slc-stage.ts'

const DAY_MS = 86_400_000
const OPEN_MAX_MS = 60_000

describe('frozen periods', () => {
  let opened: Awaited<ReturnType<typeof openSlcStage>>
  let stage: SlcStage
  let slc: number
  beforeAll(async () => {
    opened = await openSlcStage()
    stage = opened.newStage()
    stage.clock.at = Date.parse('2026-01-01T12:00:00Z')
    const { slo } = await stage.newSlo()
    slc = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [slo])
    await stage.wake(stage.clock.at + 101 * DAY_MS)
  }, OPEN_MAX_MS)
  afterAll(() => opened.close())

  test('are listed at most a hundred at once, latest first', async () => {
    const first = await listPeriods(stage.context, slc, periodsQuery.parse({}))
    expect(first.items).toHaveLength(100)
    const rest = await listPeriods(stage.context, slc, periodsQuery.parse({ cursor: first.next }))
    expect(rest).toMatchObject({ items: [{ period: { end: '2026-01-02T01:00:00+01:00' } }], next: null })
    const whole = await listPeriods(
      stage.context,
      slc,
      periodsQuery.parse({ limit: '1', cursor: first.next }),
    )
    expect(whole.next).toBeNull()
  })

  test('are recalculated at most a hundred at once', async () => {
    const begin = '2026-01-01T00:00:00Z'
    const hundred = await stage.recalculate(slc, begin, '2026-04-11T00:00:00Z')
    expect(hundred.items).toHaveLength(100)
    expect(await rejection(stage.recalculate(slc, begin, '2026-04-12T00:00:00Z'))).toMatchObject({
      code: 'invalid',
      errors: [{ pointer: '/begin' }],
    })
  })

  test('have at most twenty revisions, also when two callers add the last one at once', async () => {
    const [begin, end] = ['2026-04-11T00:00:00Z', '2026-04-12T00:00:00Z']
    while (((await stage.periodsOf(slc))[0]?.revisions.length ?? 20) < 19)
      await stage.recalculate(slc, begin, end)
    const both = await Promise.allSettled([1, 2].map(() => stage.recalculate(slc, begin, end)))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await rejection(stage.recalculate(slc, begin, end))).toMatchObject({
      code: 'conflict',
      detail: 'A period already has 20 revisions, which is the maximum.',
    })
    const [latest] = await stage.periodsOf(slc)
    expect(latest?.revisions).toHaveLength(20)
  })

  test('are not recalculated without the history of a child of their time', async () => {
    const { slo } = await stage.newSlo()
    const other = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [slo])
    const begin = new Date(stage.clock.at).toISOString()
    await stage.wake(stage.clock.at + DAY_MS)
    await deleteSlo(stage.context, slo)
    const end = new Date(stage.clock.at).toISOString()
    expect(await rejection(stage.recalculate(other, begin, end))).toMatchObject({ code: 'conflict' })
  })
})
