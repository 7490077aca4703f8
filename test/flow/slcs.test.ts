import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { DAYS } from '../../src/monitoring/slcs/active-time.ts'
import { updateSlc } from '../../src/monitoring/slcs/service.ts'
import { slcBody } from '../../src/monitoring/slcs/schema.ts'
import type { Database } from '../../src/ports/database.ts'
import { rejection } from '../contract/rejection.ts'
import { startD1 } from '../hosts/d1-database.ts'
import { openSlcStage } from './slc-stage.ts'
import { EVERY_ROW } from '../api/suite.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const OPEN_MAX_MS = 60_000

async function openOnD1() {
  const { database, close } = await startD1()
  const opened = await openSlcStage(() => database)
  return {
    ...opened,
    close: async () => {
      await opened.close()
      await close()
    },
  }
}

describe.each([
  ['libSQL', openSlcStage],
  ['D1', openOnD1],
])('a service level container on %s', (name, open) => {
  let opened: Awaited<ReturnType<typeof openSlcStage>>
  beforeAll(async () => {
    opened = await open()
  }, OPEN_MAX_MS)
  afterAll(() => opened.close())

  /** Of the rules, which are the same on each database: with D1 by `npm run test:edge`. */
  const testOfRules = (title: string, run: () => Promise<void>, timeoutMs?: number) => {
    if (name === 'libSQL' || EVERY_ROW) test(title, run, timeoutMs)
  }

  test('of March 2026 in Zurich, limit 99 %: changes at the exact instants, and its period is frozen', async () => {
    const stage = opened.newStage()
    stage.clock.at = Date.parse('2026-02-20T12:00:00+01:00')
    const { job, slo } = await stage.newSlo()
    const slc = await stage.newSlc({ limit: 99, target: 99.5 }, [slo])
    expect(stage.armedAt).toBe(Date.parse('2026-03-01T00:00:00+01:00'))
    await stage.wakeUntil(Date.parse('2026-03-10T07:00:00+01:00'))
    expect(await stage.valuesOf(slc)).toMatchObject({
      period: { begin: '2026-03-01T00:00:00+01:00', end: '2026-04-01T00:00:00+02:00' },
      percent: 100,
      creditTotal: 26_748,
      creditUsed: 0,
      creditLeft: 26_748,
      burnRate1h: 0,
      projectedBreachAt: null,
    })
    await stage.tell(job, Date.parse('2026-03-10T08:00:00+01:00'), 'major')
    // No state changes from here on: only time passes.
    expect(stage.armedAt).toBe(Date.parse('2026-03-10T13:56:38.400+01:00'))
    await stage.wakeUntil(Date.parse('2026-03-10T14:00:00+01:00'))
    expect(await stage.valuesOf(slc)).toMatchObject({
      creditUsed: 21_600,
      creditLeft: 5_148,
      burnRate1h: 100,
      burnRate6h: 100,
      projectedBreachAt: '2026-03-10T15:25:48.001+01:00',
    })
    expect(stage.armedAt).toBe(Date.parse('2026-03-10T15:25:48.001+01:00'))
    await stage.wakeUntil(Date.parse('2026-03-10T16:00:00+01:00'))
    await stage.tell(job, Date.parse('2026-03-10T16:00:00+01:00'), 'ok')
    expect(await stage.stateOf(slc)).toBe('major')
    expect(await stage.valuesOf(slc)).toMatchObject({ creditLeft: -2_052, projectedBreachAt: null })
    await stage.wakeUntil(Date.parse('2026-04-02T00:00:00+02:00'))
    expect(await stage.changesOf(slc)).toEqual([
      ['2026-03-10T13:56:38.400+01:00', 'minor', 'child', slo],
      ['2026-03-10T15:25:48.001+01:00', 'major', 'child', slo],
      ['2026-04-01T00:00:00+02:00', 'ok', 'period', null],
    ])
    const [march, february] = await stage.periodsOf(slc)
    expect(march).toMatchObject({
      period: { begin: '2026-03-01T00:00:00+01:00', end: '2026-04-01T00:00:00+02:00' },
      limit: 99,
      target: 99.5,
      revisions: [
        {
          revision: 1,
          state: 'major',
          percent: 98.923,
          creditTotal: 26_748,
          creditUsed: 28_800,
          creditLeft: -2_052,
          created: '2026-04-01T00:05:00+02:00',
          author: null,
          reason: null,
        },
      ],
    })
    // Made on the 20th: what was before counts as good.
    expect(february).toMatchObject({ revisions: [{ state: 'ok', percent: 100, creditTotal: 24_192 }] })
  }, 180_000)

  testOfRules(
    'October 2026 in Zurich has 745 hours, 220 of them from eight to six on working days, and two of one Sunday night',
    async () => {
      const stage = opened.newStage()
      stage.clock.at = Date.parse('2026-10-25T12:00:00+01:00')
      const { slo } = await stage.newSlo()
      const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
      const whole = await stage.newSlc({ limit: 99 }, [slo])
      const office = await stage.newSlc({ limit: 99, activeTime: [{ days, begin: '08:00', end: '18:00' }] }, [
        slo,
      ])
      const night = [{ days: ['sunday'], begin: '02:00', end: '03:00' }]
      const sundays = await stage.newSlc({ limit: 99, activeTime: night }, [slo])
      expect((await stage.valuesOf(whole)).creditTotal).toBe(745 * 36)
      expect((await stage.valuesOf(office)).creditTotal).toBe(220 * 36)
      expect((await stage.valuesOf(sundays)).creditTotal).toBe(5 * 36)
    },
  )

  testOfRules(
    'has the same history when it is woken late, twice, or by another process',
    async () => {
      const stage = opened.newStage()
      stage.clock.at = Date.parse('2026-06-01T12:00:00Z')
      const { job, slo } = await stage.newSlo()
      const slc = await stage.newSlc({ limit: 95, duration: 'day', timezone: 'UTC' }, [slo])
      await stage.tell(job, Date.parse('2026-06-02T23:00:00Z'), 'major')
      stage.restart()
      // The pipeline did not run for three days.
      await stage.wake(Date.parse('2026-06-05T00:04:59Z'))
      const changes = await stage.changesOf(slc)
      expect(changes.map(([at, to]) => [at, to])).toEqual([
        ['2026-06-03T01:57:36+02:00', 'minor'],
        ['2026-06-03T02:00:00+02:00', 'ok'],
        ['2026-06-03T02:57:36+02:00', 'minor'],
        ['2026-06-03T03:12:00.001+02:00', 'major'],
        ['2026-06-04T02:00:00+02:00', 'ok'],
        ['2026-06-04T02:57:36+02:00', 'minor'],
        ['2026-06-04T03:12:00.001+02:00', 'major'],
        ['2026-06-05T02:00:00+02:00', 'ok'],
      ])
      for (let again = 0; again < 3; again++) {
        stage.restart()
        await stage.wake(stage.clock.at)
      }
      expect(await stage.changesOf(slc)).toEqual(changes)
      expect(await stage.periodsOf(slc)).toHaveLength(3)
      await stage.wake(stage.clock.at + SECOND_MS)
      expect((await stage.periodsOf(slc)).map(({ revisions }) => revisions[0]?.creditUsed)).toEqual([
        86_400, 86_400, 3_600, 0,
      ])
    },
    180_000,
  )

  testOfRules(
    'includes late changes of an assessed time, and dates nothing before a recorded change',
    async () => {
      const stage = opened.newStage()
      stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
      const [one, other] = [await stage.newSlo(), await stage.newSlo()]
      const slc = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [one.slo, other.slo])
      const at = (time: string) => Date.parse(`2026-06-01T${time}Z`)
      await stage.tell(one.job, at('06:00:00'), 'major')
      await stage.tell(one.job, at('07:00:00'), 'ok')
      // Judged, and long settled.
      await stage.tell(one.job, at('12:00:00'), 'major')
      await stage.tell(one.job, at('12:30:00'), 'ok')
      expect((await stage.valuesOf(slc)).creditUsed).toBe(5_400)
      await stage.tell(other.job, at('06:30:00'), 'major')
      await stage.tell(other.job, at('08:30:00'), 'ok')
      // 06:00 to 08:30 and half an hour: three of 2.4 hours.
      expect((await stage.valuesOf(slc)).creditUsed).toBe(10_800)
      expect((await stage.changesOf(slc)).map(([when, to]) => [when, to])).toEqual([
        // Reached while the second was not yet heard of to have recovered.
        ['2026-06-01T09:55:12+02:00', 'minor'],
        ['2026-06-01T10:24:00.001+02:00', 'major'],
      ])
    },
  )

  testOfRules(
    'uses new terms and children from their change on, and does not recover from a breach by them',
    async () => {
      const stage = opened.newStage()
      stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
      const [one, other] = [await stage.newSlo(), await stage.newSlo()]
      const body = { name: 'slc', duration: 'day', timezone: 'UTC' }
      const slc = await stage.newSlc({ ...body, limit: 90 }, [one.slo])
      const agree = (limit: number) =>
        updateSlc(stage.context, slc, { body: slcBody.parse({ ...body, limit }), ifMatch: null })
      const noon = Date.parse('2026-06-01T12:00:00Z')
      await stage.tell(one.job, noon - 2 * HOUR_MS, 'major')
      await stage.tell(one.job, noon, 'ok')
      await agree(50)
      await stage.wake(noon + HOUR_MS)
      await agree(95)
      await agree(50)
      await stage.link('slc', slc, [other.slo])
      expect((await stage.changesOf(slc)).map(([when, to]) => [when, to])).toEqual([
        ['2026-06-01T13:55:12+02:00', 'minor'],
        ['2026-06-01T14:00:00+02:00', 'ok'],
        ['2026-06-01T15:00:00+02:00', 'major'],
      ])
      expect((await stage.valuesOf(slc)).creditUsed).toBe(0)
    },
  )

  testOfRules('is frozen with the terms at the end of the period, not with later ones', async () => {
    const stage = opened.newStage()
    stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
    const { job, slo } = await stage.newSlo()
    const body = { name: 'slc', duration: 'day', timezone: 'UTC' }
    const slc = await stage.newSlc({ ...body, limit: 90 }, [slo])
    await stage.tell(job, Date.parse('2026-06-01T20:00:00Z'), 'major')
    await stage.wakeUntil(Date.parse('2026-06-02T00:04:59.999Z'))
    expect(await stage.periodsOf(slc)).toEqual([])
    await updateSlc(stage.context, slc, { body: slcBody.parse({ ...body, limit: 50 }), ifMatch: null })
    await stage.link('slc', slc, [])
    await stage.wakeUntil(Date.parse('2026-06-02T00:05:00Z'))
    expect(await stage.periodsOf(slc)).toMatchObject([
      { limit: 90, revisions: [{ state: 'major', creditTotal: 8_640, creditUsed: 14_400 }] },
    ])
  })

  testOfRules('applies a new active time to the whole period', async () => {
    const stage = opened.newStage()
    stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
    const { job, slo } = await stage.newSlo()
    const body = { name: 'slc', duration: 'day', timezone: 'UTC', limit: 50 }
    const slc = await stage.newSlc(body, [slo])
    await stage.tell(job, Date.parse('2026-06-01T02:00:00Z'), 'major')
    await stage.tell(job, Date.parse('2026-06-01T04:00:00Z'), 'ok')
    await stage.tell(job, Date.parse('2026-06-01T12:00:00Z'), 'major')
    await stage.tell(job, Date.parse('2026-06-01T12:30:00Z'), 'ok')
    const activeTime = [{ days: DAYS, begin: '03:00', end: '24:00' }]
    await updateSlc(stage.context, slc, { body: slcBody.parse({ ...body, activeTime }), ifMatch: null })
    expect(await stage.valuesOf(slc)).toMatchObject({ creditTotal: 37_800, creditUsed: 5_400 })
  })

  testOfRules(
    'with a week that rolls by days drops downtime of a week ago at midnight',
    async () => {
      const stage = opened.newStage()
      stage.clock.at = Date.parse('2026-03-20T12:00:00+01:00')
      const { job, slo } = await stage.newSlo()
      // 168 hours, or 167 with the short night in them: an hour of credit and some.
      const slc = await stage.newSlc({ limit: 99.4, duration: 'week', resetInterval: 'day' }, [slo])
      await stage.tell(job, Date.parse('2026-03-25T10:00:00+01:00'), 'major')
      await stage.wakeUntil(Date.parse('2026-03-25T12:00:00+01:00'))
      await stage.tell(job, Date.parse('2026-03-25T12:00:00+01:00'), 'ok')
      await stage.wakeUntil(Date.parse('2026-04-02T12:00:00+02:00'))
      expect((await stage.changesOf(slc)).map(([at, to]) => [at, to])).toEqual([
        ['2026-03-25T10:48:23.040+01:00', 'minor'],
        ['2026-03-25T11:00:28.801+01:00', 'major'],
        ['2026-04-01T00:00:00+02:00', 'ok'],
      ])
      const periods = await stage.periodsOf(slc)
      expect(periods.map(({ revisions }) => revisions[0]?.creditUsed)).toEqual([
        0, 7_200, 7_200, 7_200, 7_200, 7_200, 7_200, 7_200, 0, 0, 0, 0, 0,
      ])
      expect(periods[3]).toMatchObject({
        period: { begin: '2026-03-23T00:00:00+01:00', end: '2026-03-30T00:00:00+02:00' },
        revisions: [{ state: 'major', creditTotal: 3_607.2 }],
      })
    },
    180_000,
  )

  testOfRules('beyond its credit does not affect the states of other objects', async () => {
    const stage = opened.newStage()
    stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
    const { job, slo } = await stage.newSlo()
    const slc = await stage.newSlc({ limit: 100 }, [slo])
    await stage.tell(job, Date.parse('2026-06-01T01:00:00Z'), 'major')
    expect(await stage.stateOf(stage.group)).toBe('major')
    await stage.tell(job, Date.parse('2026-06-01T02:00:00Z'), 'ok')
    await stage.wake(Date.parse('2026-06-01T03:00:00Z'))
    // Also when the group is counted anew.
    await stage.context.ports.database.run(sql`insert into stale_tallies values (${stage.group}, 1)`)
    await stage.wake(stage.clock.at)
    expect(await stage.stateOf(slc)).toBe('major')
    expect(await stage.stateOf(stage.group)).toBe('ok')
  })

  testOfRules(
    'uses no credit while a child is in maintenance, and does so after its end if the child is still down',
    async () => {
      const stage = opened.newStage()
      stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
      const { job, slo } = await stage.newSlo()
      const slc = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [slo])
      await stage.revalue(slo, '2026-06-01T02:00:00Z', '2026-06-01T08:00:00Z')
      await stage.tell(job, Date.parse('2026-06-01T01:00:00Z'), 'major')
      await stage.wakeUntil(Date.parse('2026-06-01T07:00:00Z'))
      expect(await stage.valuesOf(slc)).toMatchObject({ creditTotal: 8_640, creditUsed: 3_600 })
      // No state changes from here on.
      await stage.wakeUntil(Date.parse('2026-06-01T10:00:00Z'))
      expect(await stage.changesOf(slc)).toEqual([
        ['2026-06-01T10:55:12+02:00', 'minor', 'child', slo],
        ['2026-06-01T11:24:00.001+02:00', 'major', 'child', slo],
      ])
    },
    180_000,
  )

  test('recalculates a frozen period with the terms of that time, as a new revision', async () => {
    const stage = opened.newStage()
    stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
    const { job, slo } = await stage.newSlo()
    const body = { name: 'slc', duration: 'day', timezone: 'UTC' }
    const slc = await stage.newSlc({ ...body, limit: 90 }, [slo])
    await stage.wakeUntil(Date.parse('2026-06-02T10:00:00Z'))
    // Heard of a day late.
    await stage.tell(job, Date.parse('2026-06-01T10:00:00Z'), 'major')
    await stage.tell(job, Date.parse('2026-06-01T14:00:00Z'), 'ok')
    await updateSlc(stage.context, slc, { body: slcBody.parse({ ...body, limit: 10 }), ifMatch: null })
    expect(await stage.periodsOf(slc)).toMatchObject([{ revisions: [{ creditUsed: 0 }] }])
    const [begin, end] = ['2026-06-01T00:00:00Z', '2026-06-02T00:00:00Z']
    const first = { revision: 1, state: 'ok', percent: 100, creditUsed: 0, author: null, reason: null }
    const second = {
      revision: 2,
      state: 'major',
      percent: 83.333,
      creditTotal: 8_640,
      creditUsed: 14_400,
      author: 'admin',
      reason: 'the meter was wrong',
    }
    const { items } = await stage.recalculate(slc, begin, end)
    expect(items).toMatchObject([{ limit: 90, revisions: [first, second] }])
    expect(await stage.periodsOf(slc)).toEqual(items)
    // The range is (begin, end]: of periods by their end.
    expect(await stage.recalculate(slc, end, '2026-06-03T00:00:00Z')).toEqual({ items: [] })
    expect(await stage.recalculate(slc, begin, '2026-06-01T23:59:59Z')).toEqual({ items: [] })
    for (let revision = 3; revision <= 20; revision++) await stage.recalculate(slc, begin, end)
    expect(await rejection(stage.recalculate(slc, begin, end))).toMatchObject({ code: 'conflict' })
    expect((await stage.periodsOf(slc))[0]?.revisions).toHaveLength(20)
  }, 180_000)

  testOfRules(
    'leaves later maintenance out of a recalculated period, unless it is slaRelevant',
    async () => {
      const stage = opened.newStage()
      stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
      const { job, slo } = await stage.newSlo()
      const slc = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [slo])
      await stage.tell(job, Date.parse('2026-06-01T10:00:00Z'), 'major')
      await stage.tell(job, Date.parse('2026-06-01T14:00:00Z'), 'ok')
      await stage.wakeUntil(Date.parse('2026-06-02T10:00:00Z'))
      const usedNow = async () => {
        const { items } = await stage.recalculate(slc, '2026-06-01T00:00:00Z', '2026-06-02T00:00:00Z')
        return items[0]?.revisions.map(({ creditUsed, state }) => [creditUsed, state])
      }
      await stage.revalue(slo, '2026-06-01T09:00:00Z', '2026-06-01T11:00:00Z', { slaRelevant: true })
      expect(await usedNow()).toEqual([
        [14_400, 'major'],
        [14_400, 'major'],
      ])
      await stage.revalue(slo, '2026-06-01T12:00:00Z', '2026-06-01T15:00:00Z')
      expect((await usedNow())?.at(-1)).toEqual([7_200, 'minor'])
      await stage.revalue(slo, '2026-06-01T20:00:00Z', '2026-06-01T20:30:00Z', {
        type: 'adjustment',
        adjustTo: 'major',
      })
      expect((await usedNow())?.at(-1)).toEqual([9_000, 'major'])
      // The changes of the container stay, and the period keeps its first result.
      const before = await stage.changesOf(slc)
      expect(before.map(([, to]) => to)).toEqual(['minor', 'major', 'ok'])
      // With all corrections the changes would have been these.
      expect(await stage.changesOf(slc, true)).toEqual([
        ['2026-06-01T13:55:12+02:00', 'minor', 'child', slo],
        ['2026-06-01T22:24:00.001+02:00', 'major', 'adjustment', null],
        ['2026-06-02T02:00:00+02:00', 'ok', 'period', null],
      ])
      expect((await stage.periodsOf(slc))[0]?.revisions[0]).toMatchObject({ revision: 1, creditUsed: 14_400 })
    },
    180_000,
  )

  // Twenty are assessed at once. On a busy machine D1 takes two seconds for making one container.
  const [count, spelled] = name === 'libSQL' ? [45, 'forty-five'] : [21, 'twenty-one']
  testOfRules(
    `${spelled} containers whose periods end at the same midnight are all assessed`,
    async () => {
      const stage = opened.newStage()
      stage.clock.at = Date.parse('2026-06-01T12:00:00Z')
      const { job, slo } = await stage.newSlo()
      const slcs = await Promise.all(
        Array.from({ length: count }, () => stage.newSlc({ limit: 100, duration: 'day' }, [slo])),
      )
      await stage.tell(job, stage.clock.at + HOUR_MS, 'major')
      await stage.tell(job, stage.clock.at + HOUR_MS, 'ok')
      // A delivery judges some containers and leaves the rest to the next wake-up.
      expect(stage.armedAt).toBe(0)
      await stage.wake(stage.clock.at)
      const statesOf = () => Promise.all(slcs.map((slc) => stage.stateOf(slc)))
      expect(await statesOf()).toEqual(slcs.map(() => 'major'))
      await stage.wake(Date.parse('2026-06-02T12:00:00Z'))
      expect(await statesOf()).toEqual(slcs.map(() => 'ok'))
    },
    180_000,
  )
})

test('changes of children during an assessment are not lost', async () => {
  let meanwhile: (() => Promise<unknown>) | null = null
  const opened = await openSlcStage((database) =>
    Object.assign(Object.create(database) as Database, {
      batch: async (items: Parameters<Database['batch']>[0]) => {
        const first = meanwhile
        meanwhile = null
        await first?.()
        return database.batch(items)
      },
    }),
  )
  const stage = opened.newStage()
  stage.clock.at = Date.parse('2026-06-01T12:00:00Z')
  const { job, slo } = await stage.newSlo()
  const slc = await stage.newSlc({ limit: 100 }, [])
  await stage.tell(job, stage.clock.at, 'major')
  const { database } = stage.context.ports
  const linked = [
    database.run(
      sql`insert into links (parent_id, child_id, position, weight, overrides) values (${slc}, ${slo}, 0, 1, '{}')`,
    ),
    database.run(
      sql`insert into stale_tallies values (${slc}, 1) on conflict (object_id) do update set mark = mark + 1`,
    ),
  ] as const
  await database.run(sql`insert into stale_tallies values (${slc}, 1)`)
  meanwhile = async () => {
    for (const write of linked) await write
  }
  await stage.wake(stage.clock.at + HOUR_MS)
  expect(await stage.stateOf(slc)).toBe('major')
  await opened.close()
})
