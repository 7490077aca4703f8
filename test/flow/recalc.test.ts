import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import type { Context } from '../../src/context.ts'
import { outagesQuery } from '../../src/monitoring/outages/schema.ts'
import { listOutages } from '../../src/monitoring/outages/service.ts'
import { revaluationBody, revaluationsQuery } from '../../src/monitoring/revaluations/schema.ts'
import {
  createRevaluation,
  deleteRevaluation,
  listRevaluations,
} from '../../src/monitoring/revaluations/service.ts'
import { stateHistoryQuery } from '../../src/monitoring/state-history/schema.ts'
import { readStateHistory } from '../../src/monitoring/state-history/service.ts'
import { rejection } from '../contract/rejection.ts'
import { openPorts } from '../hosts/ports.ts'
import { contextOf, plantObject, Teller } from './plants.ts'

/** A job of a device in a group, a second job beside it, and a service level object elsewhere over the first device. */
const [GROUP, DEVICE, JOB, OTHER, ELSEWHERE, SLO] = [2, 3, 4, 5, 6, 7]
const DAY = { begin: '2026-03-02T00:00:00+01:00', end: '2026-03-03T00:00:00+01:00' }
const OBJECTS = [
  ['job', JOB],
  ['device', DEVICE],
  ['group', GROUP],
  ['slo', SLO],
] as const
type Type = (typeof OBJECTS)[number][0]

let stage: Awaited<ReturnType<typeof openPorts>>
let context: Context

const at = (time: string) => `2026-03-02T${time}:00+01:00`

beforeAll(async () => {
  stage = await openPorts()
  const { database, flow } = stage.ports
  context = contextOf(stage.ports)
  stage.clock.at = Date.parse('2026-03-01T00:00:00Z')
  await plantObject(database, { id: GROUP, type: 'group', path: '/1/2/' })
  await plantObject(database, { id: DEVICE, type: 'device', path: '/1/2/3/' })
  await plantObject(database, { id: JOB, type: 'job', path: '/1/2/3/4/' })
  await plantObject(database, { id: OTHER, type: 'job', path: '/1/2/3/5/' })
  await plantObject(database, { id: ELSEWHERE, type: 'group', path: '/1/6/', parentId: 1 })
  await plantObject(database, { id: SLO, type: 'slo', path: '/1/6/7/' })
  const counters = { major: 0, minor: 0, warning: 0, minorMinor: 0, minorWarning: 0, warningWarning: 0 }
  const rules = JSON.stringify({ operation: 'and', counters, ignoreMaintenance: false })
  await database.run(sql`insert into slos (id, device_id, state_operation, push_state, sort_mode, rules, is_reason,
    costs_per_min, currency, risk_factor) values (${SLO}, 0, 'and', 'any', 'link', ${rules}, 0, 0, '', 1)`)
  await database.run(
    sql`insert into links (parent_id, child_id, position, weight, overrides) values (${SLO}, ${DEVICE}, 0, 1, '{}')`,
  )
  await database.run(
    sql`insert into stale_tallies values (${DEVICE}, 1), (${GROUP}, 1), (1, 1), (${SLO}, 1), (${ELSEWHERE}, 1)`,
  )
  await flow.runDue()
  stage.clock.at = Date.parse('2026-03-05T00:00:00Z')
  const teller = new Teller(stage.ports)
  await teller.tell(JOB, 'major', at('02:00'), 5)
  await teller.tell(JOB, 'minor', at('02:30'))
  await teller.tell(JOB, 'major', at('02:45'), 5)
  await teller.tell(JOB, 'ok', at('03:00'))
})
afterAll(() => stage.close())

const history = (type: Type, id: number, recalc: boolean) =>
  readStateHistory(
    context,
    { type, id },
    { ...stateHistoryQuery.parse({ timestamp_begin: DAY.begin, timestamp_end: DAY.end }), recalc },
  )
const outages = async (type: Type, id: number, query: object) =>
  (await listOutages(context, { type, id }, outagesQuery.parse({ ...DAY, ...query }))).items.map(
    ({ begin, end, state }) => [begin.slice(11, 16), end?.slice(11, 16), state],
  )
const enter = (
  [type, id]: readonly [Type, number],
  [begin, end]: readonly [string, string],
  more: object = {},
) =>
  createRevaluation(context, { type, id }, revaluationBody.parse({ begin: at(begin), end: at(end), ...more }))

/** Takes every revaluation away again. */
async function clear(): Promise<void> {
  for (const [type, id] of OBJECTS) {
    const query = revaluationsQuery.parse({ begin: DAY.begin, edit: 'true' })
    for (const one of (await listRevaluations(context, { type, id }, query)).items)
      await deleteRevaluation(context, { type, id }, one.id)
  }
}

describe('45 minutes of major around 15 of minor', () => {
  test.each(OBJECTS)('are 96.875 % of the day for the %s, as recorded', async (type, id) => {
    expect(await history(type, id, false)).toMatchObject({
      availability: { percent: 96.875, percentWithMaintenance: 96.875, downSeconds: 2_700 },
      revaluations: [],
    })
    expect(await outages(type, id, {})).toEqual([
      ['02:00', '02:30', 'major'],
      ['02:45', '03:00', 'major'],
    ])
    expect(await outages(type, id, { states: 'major,minor' })).toEqual([['02:00', '03:00', 'major']])
  })

  // Entered where the row says, it is the same for the job and for everything that is made of it.
  describe.each([
    ['job', JOB],
    ['device', DEVICE],
    ['group', GROUP],
  ] as const)('with maintenance of the %s from 02:20 to 02:50', (where, place) => {
    beforeAll(async () => {
      await enter([where, place], ['02:20', '02:50'], { name: 'forgotten' })
    })
    afterAll(clear)

    test.each(OBJECTS)('are 97.872 %% for the %s with recalc, and unchanged without', async (type, id) => {
      expect(await history(type, id, true)).toMatchObject({
        recalc: true,
        availability: {
          percent: 97.872,
          percentWithMaintenance: 96.875,
          downSeconds: 1_800,
          maintenanceSeconds: 1_800,
        },
        revaluations: [{ objectId: place, type: 'maintenance', name: 'forgotten', begin: at('02:20') }],
      })
      expect(await history(type, id, false)).toMatchObject({ availability: { percent: 96.875 } })
    })

    test.each(OBJECTS)('leave an outage of the %s before and one after', async (type, id) => {
      expect(await outages(type, id, { recalc: 'true' })).toEqual([
        ['02:00', '02:20', 'major'],
        ['02:50', '03:00', 'major'],
      ])
      expect(await outages(type, id, { recalc: 'true', minDuration: 'PT11M' })).toEqual([
        ['02:00', '02:20', 'major'],
      ])
      expect(await outages(type, id, {})).toHaveLength(2)
    })

    test('say why', async () => {
      const { transitions } = await history('job', JOB, true)
      expect(transitions.map(({ timestamp, to, reason }) => [timestamp.slice(11, 16), to, reason])).toEqual([
        ['02:00', 'major', 'threshold'],
        ['02:20', 'maintenance_major', 'maintenance'],
        ['02:30', 'maintenance_minor', 'threshold'],
        ['02:45', 'maintenance_major', 'threshold'],
        ['02:50', 'major', 'maintenance'],
        ['03:00', 'ok', 'threshold'],
      ])
    })
  })

  test('return when the overlay is deleted', async () => {
    await enter(['job', JOB], ['01:00', '04:00'], { type: 'adjustment', adjustTo: 'ok' })
    expect(await history('slo', SLO, true)).toMatchObject({ availability: { percent: 100 } })
    await clear()
    for (const [type, id] of OBJECTS) {
      expect(await history(type, id, true)).toMatchObject({
        availability: { percent: 96.875 },
        revaluations: [],
      })
    }
  })
})

test('maintenance of a group covers a service level object in it and its children', async () => {
  const { database } = stage.ports
  const rows = await database.all<{ path: string }>(sql`select path from objects where id = ${SLO}`)
  expect(rows).toEqual([{ path: '/1/6/7/' }])
  const move = (path: string, parent: number) =>
    database.run(sql`update objects set path = ${path}, parent_id = ${parent} where id = ${SLO}`)
  await move('/1/2/7/', GROUP)
  await enter(['group', GROUP], ['02:20', '02:50'])
  expect(await history('slo', SLO, true)).toMatchObject({ availability: { percent: 97.872 } })
  await move('/1/6/7/', ELSEWHERE)
  await clear()
})

describe('several overlays', () => {
  afterAll(clear)

  test('apply in order of creation, each to the result of the earlier ones; comments change nothing', async () => {
    await enter(['job', JOB], ['02:00', '03:00'], { type: 'adjustment', adjustTo: 'minor' })
    await enter(['job', JOB], ['02:10', '02:20'])
    await enter(['job', JOB], ['02:15', '02:18'], { type: 'adjustment', adjustTo: 'major' })
    await enter(['job', JOB], ['00:00', '23:00'], { type: 'comment', comment: 'a bad night' })
    const { transitions, revaluations } = await history('group', GROUP, true)
    expect(transitions.map(({ timestamp, to }) => [timestamp.slice(11, 16), to])).toEqual([
      ['02:00', 'minor'],
      ['02:10', 'maintenance_minor'],
      ['02:15', 'major'],
      ['02:18', 'maintenance_minor'],
      ['02:20', 'minor'],
      ['03:00', 'ok'],
    ])
    expect(revaluations.map(({ type }) => type)).toEqual(['adjustment', 'maintenance', 'adjustment'])
    await clear()
  })

  test('on a child leave the parent with the state of its other children', async () => {
    const teller = new Teller(stage.ports)
    await teller.tell(OTHER, 'warning', at('02:10'))
    await teller.tell(OTHER, 'ok', at('02:25'))
    await enter(['job', JOB], ['02:00', '02:20'], { type: 'adjustment', adjustTo: 'ok' })
    const { transitions } = await history('slo', SLO, true)
    expect(transitions.map(({ timestamp, to }) => [timestamp.slice(11, 16), to])).toEqual([
      ['02:10', 'warning'],
      ['02:20', 'major'],
      ['02:30', 'minor'],
      ['02:45', 'major'],
      ['03:00', 'ok'],
    ])
    // The parent's own overlay comes after those of its children.
    await enter(['slo', SLO], ['02:15', '02:40'], { type: 'adjustment', adjustTo: 'ok' })
    const own = await history('slo', SLO, true)
    expect(own.transitions.map(({ timestamp, to }) => [timestamp.slice(11, 16), to])).toEqual([
      ['02:10', 'warning'],
      ['02:15', 'ok'],
      ['02:40', 'minor'],
      ['02:45', 'major'],
      ['03:00', 'ok'],
    ])
    await clear()
  })

  test('that extend an outage show all of it, beyond the requested range', async () => {
    const begin = '2026-02-01T00:00:00+01:00'
    const body = { begin, end: at('01:00'), type: 'adjustment', adjustTo: 'major' }
    await createRevaluation(context, { type: 'device', id: DEVICE }, revaluationBody.parse(body))
    const { items } = await listOutages(
      context,
      { type: 'group', id: GROUP },
      outagesQuery.parse({ begin: at('00:30'), end: at('00:40'), recalc: 'true' }),
    )
    expect(items[0]).toMatchObject({ begin, end: at('01:00'), revaluations: [{ type: 'adjustment' }] })
    await clear()
  })
})

test('live maintenance of a service level object stays when states below are recalculated', async () => {
  const { database, clock, flow } = stage.ports
  const now = stage.clock.at
  stage.clock.at = now + 60_000
  const live = { begin: new Date(clock.now()).toISOString(), end: new Date(now + 600_000).toISOString() }
  await createRevaluation(context, { type: 'slo', id: SLO }, revaluationBody.parse(live))
  stage.clock.at = now + 900_000
  await flow.runDue()
  const range = {
    timestamp_begin: new Date(now).toISOString(),
    timestamp_end: new Date(now + 900_000).toISOString(),
  }
  const read = async (recalc: boolean) => {
    const query = { ...stateHistoryQuery.parse(range), recalc }
    return (await readStateHistory(context, { type: 'slo', id: SLO }, query)).availability
  }
  expect(await read(false)).toMatchObject({ maintenanceSeconds: 540 })
  const overlay = {
    begin: range.timestamp_begin,
    end: range.timestamp_end,
    type: 'adjustment',
    adjustTo: 'major',
  }
  await createRevaluation(context, { type: 'job', id: JOB }, revaluationBody.parse(overlay))
  expect(await read(true)).toMatchObject({ maintenanceSeconds: 540, downSeconds: 360 })
  await database.run(sql`delete from revaluations where object_id = ${JOB}`)
})

test('a year of a group of 100 jobs is recalculated with 1,000 overlays quickly, and with at most 10,000', async () => {
  const { database } = stage.ports
  const from = Date.parse('2026-03-05T00:00:00Z')
  const DAY_MS = 86_400_000
  await plantObject(database, { id: 50, type: 'group', path: '/1/50/', parentId: 1 })
  await plantObject(database, { id: 51, type: 'device', path: '/1/50/51/' })
  for (let id = 100; id < 200; id++) await plantObject(database, { id, type: 'job', path: `/1/50/51/${id}/` })
  await database.run(sql`insert into stale_tallies values (51, 1), (50, 1), (1, 1)`)
  await stage.ports.flow.runDue()
  // Straight into the tables: each job is bad for 20 minutes a day, of which ten are those of the job before it. On ten
  // days the first ten minutes of each are forgiven, in which only the job before it leaves the group major.
  await database.run(sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i < 729)
    insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
    select o.id, i + 1, ${from} + (i / 2) * ${DAY_MS} + o.id * 600000 + (i % 2) * 1200000, 0,
      case when i % 2 then 'major' else 'ok' end, case when i % 2 then 'ok' else 'major' end, 'threshold', 0
    from n, objects o where o.parent_id = 51`)
  const overlays = (count: number) => sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})
    insert into revaluations (object_id, type, adjust_to, begin_at, end_at, name, sla_relevant, active, in_past,
      edit_only, running, version, created_at, created_by)
    select 100 + i % 100, 'adjustment', 'ok', ${from} + (i / 100 % 12 * 30) * ${DAY_MS} + (100 + i % 100) * 600000,
      ${from} + (i / 100 % 12 * 30) * ${DAY_MS} + (101 + i % 100) * 600000, '', 0, '[]', 1, 0, 0, 1, 1, 1 from n`
  await database.run(overlays(1_000))
  stage.clock.at = from + 366 * DAY_MS
  const query = stateHistoryQuery.parse({
    timestamp_begin: new Date(from).toISOString(),
    timestamp_end: new Date(from + 365 * DAY_MS).toISOString(),
    recalc: 'true',
  })
  const read = () => readStateHistory(context, { type: 'group', id: 50 }, query)
  await read()
  const began = process.cpuUsage().user
  const { availability, revaluations } = await read()
  const cpuMs = (process.cpuUsage().user - began) / 1_000
  expect(availability.downSeconds).toBe(10 * 99 * 600)
  expect(revaluations).toHaveLength(1_000)
  expect(cpuMs).toBeLessThan(2_000)
  await database.run(overlays(9_000))
  expect(await read()).toMatchObject({ recalc: true })
  await database.run(overlays(1))
  expect(await rejection(read())).toMatchObject({ code: 'invalid', errors: [{ pointer: '?recalc' }] })
})

test('a recalculation has at most 100,000 occurrences of corrections', async () => {
  const { database, clock } = stage.ports
  await plantObject(database, { id: 60, type: 'group', path: '/1/60/', parentId: 1 })
  await database.run(sql`update objects set created_at = 0 where id = 60`)
  const [DAYS, DAY_MS] = [3_333, 86_400_000]
  const time = { begin: '00:00', duration: 'PT1M' }
  const active = JSON.stringify([
    { type: 'daily', name: null, timezone: 'UTC', exception: false, times: [time, time, time] },
  ])
  const beginAt = clock.now() - DAYS * DAY_MS
  const overlays = (count: number) => sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into revaluations (object_id, type, adjust_to, begin_at, end_at, name, sla_relevant, active, in_past,
      edit_only, running, version, created_at, created_by)
    select 60, 'maintenance', 'undefined', ${beginAt}, ${clock.now()}, '', 0, ${active}, 1, 0, 0, 1, 1, 1 from n`
  const query = stateHistoryQuery.parse({ timestamp_begin: new Date(beginAt).toISOString(), recalc: 'true' })
  const read = () => readStateHistory(context, { type: 'group', id: 60 }, query)
  await database.run(overlays(9))
  expect((await read()).revaluations).toHaveLength(9)
  await database.run(overlays(1))
  expect(await rejection(read())).toMatchObject({ code: 'invalid', errors: [{ pointer: '?recalc' }] })
})

test('a recalculation has at most 50,000 objects and 200,000 of their changes', async () => {
  const { database, clock } = stage.ports
  const [DEVICE_ID, FIRST, SECOND_MS] = [1_000, 1_001, 1_000]
  const beginAt = clock.now() - 300_000 * SECOND_MS
  await plantObject(database, { id: 999, type: 'group', path: '/1/999/', parentId: 1 })
  await plantObject(database, { id: DEVICE_ID, type: 'device', path: '/1/999/1000/' })
  const jobs = (from: number, count: number) => sql`
    with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + count - 1})
    insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template, instance_type,
      collector_id, version, created_at)
    select i, 'job', 'webcollector', 'j', 'j', ${DEVICE_ID}, '/1/999/1000/' || i || '/', 0, 'none', 0, 1, 0 from n`
  // One job is bad every other second.
  const changes = (from: number, count: number) => sql`
    with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + count - 1})
    insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
    select ${FIRST}, i, ${beginAt} + i * ${SECOND_MS}, 0, case when i % 2 then 'ok' else 'major' end,
      case when i % 2 then 'major' else 'ok' end, 'threshold', 0 from n`
  await database.run(jobs(FIRST, 50_000))
  await database.run(changes(1, 200_000))
  const range = { begin: new Date(beginAt).toISOString(), end: new Date(clock.now()).toISOString() }
  await createRevaluation(
    context,
    { type: 'job', id: FIRST + 1 },
    revaluationBody.parse({ ...range, type: 'adjustment', adjustTo: 'warning' }),
  )
  const query = stateHistoryQuery.parse({
    timestamp_begin: range.begin,
    timestamp_end: range.end,
    recalc: 'true',
  })
  const read = () => readStateHistory(context, { type: 'device', id: DEVICE_ID }, query)
  expect((await read()).availability).toMatchObject({ downSeconds: 100_000, measuredSeconds: 300_000 })
  await database.run(changes(200_001, 1))
  expect(await rejection(read())).toMatchObject({ code: 'invalid', errors: [{ pointer: '?recalc' }] })
  await database.run(sql`delete from transitions where object_id = ${FIRST}`)
  expect((await read()).availability).toMatchObject({ downSeconds: 0 })
  await database.run(jobs(FIRST + 50_000, 1))
  expect(await rejection(read())).toMatchObject({ code: 'invalid', errors: [{ pointer: '?recalc' }] })
})
