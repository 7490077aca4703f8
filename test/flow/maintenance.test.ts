import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import type { Context } from '../../src/context.ts'
import { openStatePipeline } from '../../src/state-pipeline.ts'
import { revaluationBody, revaluationsQuery } from '../../src/monitoring/revaluations/schema.ts'
import {
  createRevaluation,
  deleteRevaluation,
  listRevaluations,
  readRevaluation,
  updateRevaluation,
} from '../../src/monitoring/revaluations/service.ts'
import { enqueueArrival } from '../../src/monitoring/states/service.ts'
import { createDevice } from '../../src/monitoring/tree/devices/service.ts'
import { createGroup, updateGroup } from '../../src/monitoring/tree/groups/service.ts'
import { deviceBody, groupBody } from '../../src/monitoring/tree/schema.ts'
import type { State } from '../../src/domain/state.ts'
import { rejection } from '../contract/rejection.ts'
import { openPorts } from '../hosts/ports.ts'
import { contextOf, plantObject, Teller } from './plants.ts'

/** Two groups; in the first a device with two jobs. */
const [GROUP, DEVICE, JOB, OTHER, ELSEWHERE] = [2, 3, 4, 5, 6]
const MINUTE_MS = 60_000
const NOW = '2026-03-02T09:00:00Z'

let stage: Awaited<ReturnType<typeof openPorts>>
let context: Context
let teller: Teller

beforeEach(async () => {
  stage = await openPorts()
  stage.clock.at = Date.parse(NOW) - 1
  context = contextOf(stage.ports)
  const { database, flow } = stage.ports
  await plantObject(database, { id: GROUP, type: 'group', path: '/1/2/' })
  await plantObject(database, { id: DEVICE, type: 'device', path: '/1/2/3/' })
  await plantObject(database, { id: JOB, type: 'job', path: '/1/2/3/4/' })
  await plantObject(database, { id: OTHER, type: 'job', path: '/1/2/3/5/' })
  await plantObject(database, { id: ELSEWHERE, type: 'group', path: '/1/6/' })
  await database.run(sql`insert into stale_tallies values (${DEVICE}, 1), (${GROUP}, 1), (1, 1)`)
  await flow.runDue()
  stage.clock.at++
  teller = new Teller(stage.ports)
})
afterEach(() => stage.close())

const group = { type: 'group', id: GROUP } as const
const device = { type: 'device', id: DEVICE } as const

const minutes = (count: number) => new Date(Date.parse(NOW) + count * MINUTE_MS).toISOString()
const between = (begin: number, end: number, more: object = {}) =>
  revaluationBody.parse({ begin: minutes(begin), end: minutes(end), ...more })
const enter = (object: typeof group | typeof device, begin: number, end: number, more: object = {}) =>
  createRevaluation(context, object, between(begin, end, more))

async function at(minute: number): Promise<void> {
  stage.clock.at = Date.parse(minutes(minute))
  await stage.ports.flow.runDue()
}

/** The states of group, device and both jobs. */
async function states(): Promise<State[]> {
  const rows = await stage.ports.database.all<{ state: State }>(
    sql`select state from states where object_id in (${GROUP}, ${DEVICE}, ${JOB}, ${OTHER}) order by object_id`,
  )
  return rows.map(({ state }) => state)
}

/** The transitions of an object: minute, state, why. */
async function past(id: number): Promise<unknown[]> {
  const rows = await stage.ports.database.all<{ at: number; state: State; reason: string }>(
    sql`select at, to_state as state, reason from transitions where object_id = ${id} and at >= ${Date.parse(NOW)} order by seq`,
  )
  return rows.map((row) => [(row.at - Date.parse(NOW)) / MINUTE_MS, row.state, row.reason])
}

const WELL: State[] = ['ok', 'ok', 'ok', 'ok']
const MAINTAINED: State[] = ['maintenance_ok', 'maintenance_ok', 'maintenance_ok', 'maintenance_ok']

describe('maintenance of a group', () => {
  test('covers everything below from its begin to its end, to the instant', async () => {
    await enter(group, 10, 20)
    await at(10 - 1 / MINUTE_MS)
    expect(await states()).toEqual(WELL)
    await at(10)
    expect(await states()).toEqual(MAINTAINED)
    await at(20 - 1 / MINUTE_MS)
    expect(await states()).toEqual(MAINTAINED)
    await at(20)
    expect(await states()).toEqual(WELL)
  })

  test('is dated at the planned instant, even if the host wakes late, in any order of events', async () => {
    await enter(group, 10, 20)
    stage.clock.at = Date.parse(minutes(17))
    await teller.tell(JOB, 'major', minutes(15))
    await at(500)
    await at(500)
    expect(await past(JOB)).toEqual([
      [10, 'maintenance_ok', 'maintenance'],
      [15, 'maintenance_major', 'threshold'],
      [20, 'major', 'maintenance'],
    ])
    expect(await past(OTHER)).toEqual([
      [10, 'maintenance_ok', 'maintenance'],
      [20, 'ok', 'maintenance'],
    ])
    expect(await past(GROUP)).toEqual([
      [10, 'maintenance_ok', 'maintenance'],
      [15, 'maintenance_major', 'child'],
      [20, 'major', 'maintenance'],
    ])
    expect(await states()).toEqual(['major', 'major', 'major', 'ok'])
  })

  test('does not affect deliveries: values are stored, and a bad state shows at the end', async () => {
    await enter(group, 0, 30)
    await teller.tell(JOB, 'minor', minutes(5))
    await teller.tell(JOB, 'ok', minutes(6))
    await teller.tell(JOB, 'no_data', minutes(7))
    expect(await states()).toEqual(['maintenance_ok', 'maintenance_ok', 'no_data', 'maintenance_ok'])
    await teller.tell(JOB, 'warning', minutes(8))
    await at(30)
    expect(await states()).toEqual(['warning', 'warning', 'warning', 'ok'])
  })

  test('that overlaps another one ends with the last of them', async () => {
    await enter(group, 10, 40)
    await enter(device, 20, 30)
    await enter(device, 35, 50)
    for (const minute of [10, 25, 30, 37]) {
      await at(minute)
      expect(await states()).toEqual(MAINTAINED)
    }
    await at(40)
    expect(await states()).toEqual(MAINTAINED)
    await at(50)
    expect(await states()).toEqual(WELL)
    // An object that stays in maintenance does not leave it in between.
    expect(await past(JOB)).toHaveLength(2)
    expect(await past(GROUP)).toHaveLength(2)
  })

  test('continues after a restart', async () => {
    await enter(group, 10, 20)
    const { ports } = stage
    let commits = 0
    const dying = {
      ...ports,
      database: new Proxy(ports.database, {
        get(target, name, receiver) {
          if (name !== 'batch') return Reflect.get(target, name, receiver) as unknown
          return (...batch: Parameters<typeof target.batch>) =>
            ++commits > 2 ? Promise.reject(new Error('gone')) : target.batch(...batch)
        },
      }),
    }
    stage.clock.at = Date.parse(minutes(12))
    expect(String(await rejection(openStatePipeline(dying).runDue()))).toContain('gone')
    expect(await states()).toEqual(['maintenance_ok', 'ok', 'ok', 'ok'])
    stage.clock.at = Date.parse(minutes(15))
    await openStatePipeline(ports).runDue()
    expect(await states()).toEqual(MAINTAINED)
    expect(await past(JOB)).toEqual([[10, 'maintenance_ok', 'maintenance']])
  })
})

describe('objects that are created and moved', () => {
  test('a new job of a device in maintenance is in maintenance, and a moved one is not', async () => {
    await enter(group, 0, 30)
    const { database, flow } = stage.ports
    const inner = await createGroup(context, GROUP, groupBody.parse({ name: 'inner' }))
    const made = await createDevice(context, inner.group.id, deviceBody.parse({ name: 'new' }))
    const job = made.device.id + 1
    await plantObject(database, {
      id: job,
      type: 'job',
      path: `/1/${GROUP}/${inner.group.id}/${made.device.id}/${job}/`,
    })
    await database.run(sql`insert into stale_tallies values (${made.device.id}, 1)`)
    await flow.runDue()
    const stateOf = async (id: number) =>
      (await database.all<{ state: State }>(sql`select state from states where object_id = ${id}`))[0]?.state
    // Planted behind the service's back, so it is told as a creation tells it.
    await database.batch([enqueueArrival(database, job, stage.clock.at)])
    await flow.runDue()
    expect(await stateOf(job)).toBe('maintenance_ok')
    const body = groupBody.parse({ name: 'inner', parentId: ELSEWHERE })
    await updateGroup(context, inner.group.id, { body, ifMatch: null })
    expect(await stateOf(job)).toBe('ok')
    expect(await stateOf(ELSEWHERE)).toBe('ok')
    await updateGroup(context, inner.group.id, {
      body: groupBody.parse({ name: 'inner', parentId: GROUP }),
      ifMatch: null,
    })
    expect(await stateOf(job)).toBe('maintenance_ok')
  })
})

describe('a service level object', () => {
  test('in maintenance, or over children in maintenance, is maintained unless it ignores maintenance', async () => {
    const { database, flow } = stage.ports
    const counters = { major: 0, minor: 0, warning: 0, minorMinor: 0, minorWarning: 0, warningWarning: 0 }
    const plantSlo = async (id: number, parent: number, ignoreMaintenance: boolean) => {
      await plantObject(database, { id, type: 'slo', path: `/1/${parent}/${id}/`, parentId: parent })
      const rules = JSON.stringify({ operation: 'and', counters, ignoreMaintenance })
      await database.run(sql`insert into slos (id, device_id, state_operation, push_state, sort_mode, rules, is_reason,
        costs_per_min, currency, risk_factor) values (${id}, 0, 'and', 'any', 'link', ${rules}, 0, 0, '', 1)`)
      await database.run(
        sql`insert into links (parent_id, child_id, position, weight, overrides) values (${id}, ${JOB}, 0, 1, '{}')`,
      )
      await database.run(sql`insert into stale_tallies values (${id}, 1)`)
    }
    await plantSlo(20, ELSEWHERE, false)
    await plantSlo(21, ELSEWHERE, true)
    await plantSlo(22, GROUP, true)
    await flow.runDue()
    const slos = async () =>
      (
        await database.all<{ state: State }>(
          sql`select state from states where object_id in (20, 21, 22) order by object_id`,
        )
      ).map(({ state }) => state)
    expect(await slos()).toEqual(['ok', 'ok', 'ok'])
    await enter(group, 0, 10)
    expect(await slos()).toEqual(['maintenance_ok', 'ok', 'maintenance_ok'])
    await teller.tell(JOB, 'major', minutes(5))
    expect(await slos()).toEqual(['maintenance_major', 'major', 'maintenance_major'])
    await at(10)
    expect(await slos()).toEqual(['major', 'major', 'major'])
  })
})

describe('a revaluation', () => {
  test('that is created in its middle is split in two: a correction of the past and live maintenance', async () => {
    const { revaluation } = await enter(group, -30, 30, { name: 'change of disks' })
    expect(revaluation).toMatchObject({
      inPast: false,
      status: 'running',
      begin: '2026-03-02T10:00:00+01:00',
      end: '2026-03-02T10:30:00+01:00',
      nextEnd: '2026-03-02T10:30:00+01:00',
    })
    const { items } = await listRevaluations(context, group, revaluationsQuery.parse({}))
    const [overlay] = items
    expect(overlay).toMatchObject({
      id: revaluation.linkedId,
      linkedId: revaluation.id,
      inPast: true,
      status: 'ended',
      name: 'change of disks',
      begin: '2026-03-02T09:30:00+01:00',
      end: '2026-03-02T10:00:00+01:00',
    })
    expect(await states()).toEqual(MAINTAINED)
  })

  test('that recurs is planned one occurrence ahead, also across a DST change', async () => {
    const nights = { type: 'daily', timezone: 'Europe/Zurich', times: [{ begin: '02:30', duration: 'PT1H' }] }
    const begin = '2026-03-28T02:30:00+01:00'
    const body = { begin, end: '2026-04-01T00:00:00Z', active: [nights] }
    const { revaluation } = await createRevaluation(context, group, revaluationBody.parse(body))
    expect(revaluation).toMatchObject({
      status: 'planned',
      nextBegin: begin,
      nextEnd: '2026-03-28T03:30:00+01:00',
    })
    stage.clock.at = Date.parse('2026-04-02T00:00:00Z')
    await stage.ports.flow.runDue()
    const seen = await stage.ports.database.all<{ at: number }>(
      sql`select at from transitions where object_id = ${JOB} and at >= ${Date.parse(begin)} order by seq`,
    )
    expect(seen.map((row) => new Date(row.at).toISOString().slice(0, 16))).toEqual([
      '2026-03-28T01:30',
      '2026-03-28T02:30',
      // 02:30 does not exist that day: the window begins after the gap.
      '2026-03-29T01:00',
      '2026-03-29T02:00',
      '2026-03-30T00:30',
      '2026-03-30T01:30',
      '2026-03-31T00:30',
      '2026-03-31T01:30',
    ])
    const { revaluation: after } = await readRevaluation(context, group, revaluation.id)
    expect(after).toMatchObject({ status: 'ended', nextBegin: null, nextEnd: null })
  })

  test('that is deleted while it applies ends now; its past stays', async () => {
    const { revaluation } = await enter(group, 10, 60)
    await at(25)
    await deleteRevaluation(context, group, revaluation.id)
    expect(await states()).toEqual(WELL)
    expect(await past(JOB)).toEqual([
      [10, 'maintenance_ok', 'maintenance'],
      [25, 'ok', 'maintenance'],
    ])
    const { revaluation: after } = await readRevaluation(context, group, revaluation.id)
    expect(after).toMatchObject({ status: 'cancelled', end: '2026-03-02T10:25:00+01:00', nextEnd: null })
    expect(await rejection(deleteRevaluation(context, group, revaluation.id))).toMatchObject({
      code: 'conflict',
    })
    await at(70)
    expect(await past(JOB)).toHaveLength(2)
  })

  test('that is deleted before its start is removed', async () => {
    const { revaluation } = await enter(group, 10, 60)
    await at(5)
    await deleteRevaluation(context, group, revaluation.id)
    await at(20)
    expect(await states()).toEqual(WELL)
    expect(await rejection(readRevaluation(context, group, revaluation.id))).toMatchObject({
      code: 'not_found',
    })
  })

  test('can be changed before its start; after it only its end can', async () => {
    const { revaluation, version } = await enter(group, 10, 60)
    const change = (begin: number, end: number, ifMatch: number | null = null) =>
      updateRevaluation(context, group, {
        revaluationId: revaluation.id,
        body: between(begin, end, { name: 'longer' }),
        ifMatch,
      })
    await change(20, 50, version)
    expect(await rejection(change(20, 55, version))).toMatchObject({ code: 'precondition_failed' })
    expect(await rejection(change(-5, 50))).toMatchObject({ errors: [{ pointer: '/begin' }] })
    await at(10)
    expect(await states()).toEqual(WELL)
    await at(20)
    expect(await states()).toEqual(MAINTAINED)
    expect(await rejection(change(21, 50))).toMatchObject({ errors: [{ pointer: '/begin' }] })
    expect(await rejection(change(20, 19))).toMatchObject({ errors: [{ pointer: '/end' }] })
    await change(20, 30)
    await at(25)
    expect(await states()).toEqual(MAINTAINED)
    await change(20, 25)
    expect(await states()).toEqual(WELL)
    expect(await rejection(change(20, 90))).toMatchObject({ code: 'conflict' })
  })

  test('adjusts only the past, and no open outage', async () => {
    const adjust = (begin: number, end: number) =>
      enter(group, begin, end, { type: 'adjustment', adjustTo: 'ok' })
    await at(100)
    await teller.tell(JOB, 'major', minutes(40))
    await teller.tell(JOB, 'minor', minutes(60))
    expect(await rejection(adjust(20, 101))).toMatchObject({ errors: [{ pointer: '/end' }] })
    expect(await rejection(adjust(20, 41))).toMatchObject({ code: 'conflict' })
    expect((await adjust(20, 40)).revaluation).toMatchObject({ inPast: true, adjustTo: 'ok' })
    await teller.tell(JOB, 'ok', minutes(90))
    expect((await adjust(20, 100)).revaluation).toMatchObject({ status: 'ended' })
  })

  test('is rejected beyond 10,000 of an object', async () => {
    await stage.ports.database.run(sql`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 9999)
      insert into revaluations (object_id, type, adjust_to, begin_at, end_at, name, sla_relevant, active, in_past,
        edit_only, running, version, created_at, created_by)
      select ${GROUP}, 'comment', 'undefined', 1, 2, '', 0, '[]', 1, 0, 0, 1, 1, 1 from n`)
    await enter(group, 10, 20)
    expect(await rejection(enter(group, 10, 20))).toMatchObject({ code: 'conflict' })
    expect(await enter(device, 10, 20)).toBeDefined()
  })
})
