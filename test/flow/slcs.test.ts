import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { DAYS } from '../../src/monitoring/slcs/active-time.ts'
import { listPeriods, recalculatePeriods, updateSlc } from '../../src/monitoring/slcs/service.ts'
import { periodsQuery, recalculationBody, slcBody } from '../../src/monitoring/slcs/schema.ts'
import { deleteSlo } from '../../src/monitoring/slos/service.ts'
import type { Database } from '../../src/ports/database.ts'
import type { State } from '../../src/ports/job-actors.ts'
import { openD1 } from '../../workers/edge/d1.ts'
import { rejection } from '../contract/rejection.ts'
import { openPorts } from '../hosts/ports.ts'
import { startStorage } from '../hosts/storage.ts'
import { SlcStage } from './slc-stage.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OPEN_MAX_MS = 60_000
const MIGRATIONS = join(import.meta.dir, '../../db/migrations')

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

async function openOn(open: () => Promise<{ database: Database; close: () => Promise<void> } | null>) {
  const { ports, clock, close } = await openPorts({ timeZone: 'Europe/Zurich' })
  const other = await open()
  closing.push(close, ...(other ? [other.close] : []))
  return () => new SlcStage(ports, clock, other?.database)
}

async function openMigratedD1() {
  const { database, close } = await startStorage()
  for (const file of (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()) {
    const text = await Bun.file(join(MIGRATIONS, file)).text()
    for (const statement of text.split('--> statement-breakpoint')) await database.prepare(statement).run()
  }
  return { database: openD1(database), close }
}

const periodsOf = async (stage: SlcStage, slc: number, query: object = {}) =>
  (await listPeriods(stage.context, slc, periodsQuery.parse(query))).items

const recalculate = (stage: SlcStage, slc: number, begin: string, end: string) =>
  recalculatePeriods(
    stage.context,
    slc,
    recalculationBody.parse({ begin, end, reason: 'the meter was wrong' }),
  )

describe.each([
  ['libSQL', () => Promise.resolve(null)],
  ['D1', openMigratedD1],
])('a service level container on %s', (_, open) => {
  let newStage: Awaited<ReturnType<typeof openOn>>
  beforeAll(async () => {
    newStage = await openOn(open)
  }, OPEN_MAX_MS)

  test('of March 2026 in Zurich, limit 99 %: changes at the exact instants, and its period is frozen', async () => {
    const stage = newStage()
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
    // Nobody tells anything from here on: only time passes.
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
    const [march, february] = await periodsOf(stage, slc)
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
  }, 20_000)

  test('October 2026 in Zurich has 745 hours, 220 of them from eight to six on working days, and two of one Sunday night', async () => {
    const stage = newStage()
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
  })

  test('woken late, twice, or by another process, has the same history', async () => {
    const stage = newStage()
    stage.clock.at = Date.parse('2026-06-01T12:00:00Z')
    const { job, slo } = await stage.newSlo()
    const slc = await stage.newSlc({ limit: 95, duration: 'day', timezone: 'UTC' }, [slo])
    await stage.tell(job, Date.parse('2026-06-02T23:00:00Z'), 'major')
    stage.restart()
    // Nobody was there for three days.
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
    expect(await periodsOf(stage, slc)).toHaveLength(3)
    await stage.wake(stage.clock.at + SECOND_MS)
    expect((await periodsOf(stage, slc)).map(({ revisions }) => revisions[0]?.creditUsed)).toEqual([
      86_400, 86_400, 3_600, 0,
    ])
  }, 20_000)

  test('takes news of a time that it has judged already, and dates nothing before what is on record', async () => {
    const stage = newStage()
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
  })

  test('agreed anew, or made of something else, changes from then on, and is no less beyond its credit', async () => {
    const stage = newStage()
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
  })

  test('beyond its credit is nobody else’s state', async () => {
    const stage = newStage()
    stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
    const { job, slo } = await stage.newSlo()
    const slc = await stage.newSlc({ limit: 100 }, [slo])
    await stage.tell(job, Date.parse('2026-06-01T01:00:00Z'), 'major')
    expect(await stage.stateOf(stage.group)).toBe('major')
    await stage.tell(job, Date.parse('2026-06-01T02:00:00Z'), 'ok')
    await stage.wake(Date.parse('2026-06-01T03:00:00Z'))
    expect(await stage.stateOf(slc)).toBe('major')
    expect(await stage.stateOf(stage.group)).toBe('ok')
  })

  test('calculates a frozen period anew by what was agreed then, beside what it was', async () => {
    const stage = newStage()
    stage.clock.at = Date.parse('2026-06-01T00:00:00Z')
    const { job, slo } = await stage.newSlo()
    const body = { name: 'slc', duration: 'day', timezone: 'UTC' }
    const slc = await stage.newSlc({ ...body, limit: 90 }, [slo])
    await stage.wakeUntil(Date.parse('2026-06-02T10:00:00Z'))
    // Heard of a day late.
    await stage.tell(job, Date.parse('2026-06-01T10:00:00Z'), 'major')
    await stage.tell(job, Date.parse('2026-06-01T14:00:00Z'), 'ok')
    await updateSlc(stage.context, slc, { body: slcBody.parse({ ...body, limit: 10 }), ifMatch: null })
    expect(await periodsOf(stage, slc)).toMatchObject([{ revisions: [{ creditUsed: 0 }] }])
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
    const { items } = await recalculate(stage, slc, begin, end)
    expect(items).toMatchObject([{ limit: 90, revisions: [first, second] }])
    expect(await periodsOf(stage, slc)).toEqual(items)
    // The range is (begin, end]: of periods by their end.
    expect(await recalculate(stage, slc, end, '2026-06-03T00:00:00Z')).toEqual({ items: [] })
    expect(await recalculate(stage, slc, begin, '2026-06-01T23:59:59Z')).toEqual({ items: [] })
    for (let revision = 3; revision <= 20; revision++) await recalculate(stage, slc, begin, end)
    expect(await rejection(recalculate(stage, slc, begin, end))).toMatchObject({ code: 'conflict' })
    expect((await periodsOf(stage, slc))[0]?.revisions).toHaveLength(20)
  }, 20_000)
})

describe('frozen periods', () => {
  let stage: SlcStage
  let slc: number
  beforeAll(async () => {
    stage = (await openOn(() => Promise.resolve(null)))()
    stage.clock.at = Date.parse('2026-01-01T12:00:00Z')
    const { slo } = await stage.newSlo()
    slc = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [slo])
    await stage.wake(stage.clock.at + 101 * DAY_MS)
  }, OPEN_MAX_MS)

  test('are listed a hundred at once, the latest first', async () => {
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

  test('are calculated anew a hundred at once', async () => {
    const begin = '2026-01-01T00:00:00Z'
    const hundred = await recalculate(stage, slc, begin, '2026-04-11T00:00:00Z')
    expect(hundred.items).toHaveLength(100)
    expect(await rejection(recalculate(stage, slc, begin, '2026-04-12T00:00:00Z'))).toMatchObject({
      code: 'invalid',
      errors: [{ pointer: '/begin' }],
    })
  })

  test('are not calculated anew without the history of a child of then', async () => {
    const { slo } = await stage.newSlo()
    const other = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [slo])
    const begin = new Date(stage.clock.at).toISOString()
    await stage.wake(stage.clock.at + DAY_MS)
    await deleteSlo(stage.context, slo)
    const end = new Date(stage.clock.at).toISOString()
    expect(await rejection(recalculate(stage, other, begin, end))).toMatchObject({ code: 'conflict' })
  })
})

test('sixty containers whose periods end at the same midnight are all judged', async () => {
  const stage = (await openOn(() => Promise.resolve(null)))()
  stage.clock.at = Date.parse('2026-06-01T12:00:00Z')
  const { job, slo } = await stage.newSlo()
  const slcs: number[] = []
  for (let made = 0; made < 60; made++) slcs.push(await stage.newSlc({ limit: 100, duration: 'day' }, [slo]))
  await stage.tell(job, stage.clock.at + HOUR_MS, 'major')
  await stage.tell(job, stage.clock.at + HOUR_MS, 'ok')
  // A delivery judges some of them and leaves the rest to whoever is woken.
  expect(stage.armedAt).toBe(0)
  await stage.wake(stage.clock.at)
  expect(new Set(await Promise.all(slcs.map((slc) => stage.stateOf(slc))))).toEqual(new Set(['major']))
  await stage.wake(Date.parse('2026-06-02T12:00:00Z'))
  expect(new Set(await Promise.all(slcs.map((slc) => stage.stateOf(slc))))).toEqual(new Set(['ok']))
}, 60_000)

/** The same numbers in every run (Numerical Recipes' linear congruential generator). */
let chance = 7
function next(max: number): number {
  chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((chance / 2 ** 32) * max)
}

describe('whatever its children do, and whenever it is woken, a container is as counting every second says', () => {
  const zone = 'Europe/Zurich'
  const begin = Date.parse('2026-03-27T18:00:00Z')
  const days = 4
  // Eight to four of local time, also in the night that is an hour shorter.
  const night = [{ days: DAYS, begin: '00:00', end: '06:00' }]
  const isNight = (at: number) => new Date(at + offsetAt(at)).getUTCHours() < 6
  const offsetAt = (at: number) => (at < Date.parse('2026-03-29T01:00:00Z') ? HOUR_MS : 2 * HOUR_MS)
  const dayOf = (at: number) => Math.floor((at + offsetAt(at)) / DAY_MS)

  test.each([
    ['always', null, () => true, 97],
    ['at night', night, isNight, 80],
  ] as const)(
    'active %s',
    async (_, activeTime, isActive, limit) => {
      const stage = (await openOn(() => Promise.resolve(null)))()
      stage.clock.at = begin
      const children = [await stage.newSlo(), await stage.newSlo(), await stage.newSlo()]
      const body = { limit, duration: 'day', timezone: zone, activeTime }
      const slc = await stage.newSlc(
        body,
        children.map(({ slo }) => slo),
      )
      const told = children.map(() => [] as { at: number; bad: boolean }[])
      for (let at = begin; at < begin + days * DAY_MS; at += SECOND_MS * (1 + next(7_200))) {
        const child = next(3)
        const bad = next(4) === 0
        const { job } = children[child] ?? { job: 0 }
        // Now and then nobody wakes it in time.
        if (next(3) > 0) await stage.wakeUntil(at)
        await stage.tell(job, at, bad ? 'major' : 'ok')
        if (next(5) === 0) stage.restart()
        told[child]?.push({ at, bad })
      }
      await stage.wake(begin + days * DAY_MS + HOUR_MS)
      const changes = await stage.changesOf(slc)
      const naive: [at: number, to: string][] = []
      let [used, active, today, state] = [0, 0, dayOf(begin), 'ok']
      const activeOn = (day: number) => {
        const [from, until] = [day * DAY_MS, (day + 1) * DAY_MS].map(
          (local) => local - offsetAt(local - 2 * HOUR_MS),
        )
        let count = 0
        for (let at = from ?? 0; at < (until ?? 0); at += SECOND_MS) if (isActive(at)) count++
        return count
      }
      active = activeOn(today)
      const credit = () => (active * (100 - limit)) / 100
      for (let at = begin; at < begin + days * DAY_MS + HOUR_MS; at += SECOND_MS) {
        if (dayOf(at) !== today) {
          today = dayOf(at)
          ;[used, active] = [0, activeOn(today)]
          if (state !== 'ok') naive.push([at, (state = 'ok')])
        }
        const isBad = told.some((list) => list.findLast((change) => change.at <= at)?.bad)
        if (!isBad || !isActive(at)) continue
        // Within this second: a fifth of the credit is left at a whole ms, and it is exceeded one ms after its end.
        const minorAt = at + Math.ceil((0.8 * credit() - used) * SECOND_MS - 1e-6)
        const majorAt = at + Math.floor((credit() - used) * SECOND_MS + 1e-6) + 1
        used++
        if (state === 'ok' && minorAt <= at + SECOND_MS) naive.push([minorAt, (state = 'minor')])
        if (state === 'minor' && majorAt <= at + SECOND_MS) naive.push([majorAt, (state = 'major')])
      }
      expect(naive.length).toBeGreaterThan(4)
      expect(changes.map(([at, to]) => [new Date(at).toISOString(), to])).toEqual(
        naive.map(([at, to]) => [new Date(at).toISOString(), to]),
      )
    },
    60_000,
  )
})

test('a change of a child reads its last hour, however much it has changed in the period', async () => {
  const { ports, clock, close } = await openPorts({ timeZone: 'Europe/Zurich' })
  closing.push(close)
  let sizeChars = 0
  const measured = Object.assign(Object.create(ports.database) as Database, {
    all: async (statement: SQL) => {
      const rows = await ports.database.all(statement)
      sizeChars += JSON.stringify(rows).length
      return rows
    },
  })
  const stage = new SlcStage(ports, clock, measured)
  stage.clock.at = Date.parse('2026-03-01T00:00:00+01:00')
  const { job, slo } = await stage.newSlo()
  const slc = await stage.newSlc({ limit: 99 }, [slo])
  // Straight into the table: bad for ten seconds of each minute of three weeks.
  const minutes = 21 * 24 * 60
  await ports.database.run(sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${2 * minutes - 1})
    insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
    select ${slo}, i + 2, ${stage.clock.at} + (i / 2) * 60000 + (i % 2) * 10000 + 1, 0,
      case when i % 2 then 'major' else 'ok' end, case when i % 2 then 'ok' else 'major' end, 'child', 0 from n`)
  await ports.database.run(sql`update states set seq = ${2 * minutes + 1} where object_id = ${slo}`)
  const sizeOfChange = async (to: State) => {
    sizeChars = 0
    await stage.tell(job, stage.clock.at + 60_000, to)
    return sizeChars
  }
  stage.clock.at += minutes * 60_000
  expect(await sizeOfChange('major')).toBeGreaterThan(500_000)
  expect(await sizeOfChange('ok')).toBeLessThan(5_000)
  expect((await stage.valuesOf(slc)).creditUsed).toBe(minutes * 10 + 60)
})
