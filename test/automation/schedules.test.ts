import { afterEach, beforeEach, expect, test } from 'bun:test'

import { openDispatch, orderRun } from '../../src/automation/runs/service.ts'
import { countOwnerless, schedules } from '../../src/automation/schedules/service.ts'
import { saveTreeFile } from '../../src/automation/scripts/files/service.ts'
import { runConfigurationBody } from '../../src/automation/scripts/run-configurations/schema.ts'
import { createRunConfiguration } from '../../src/automation/scripts/run-configurations/service.ts'
import { scheduleConfigurationBody } from '../../src/automation/scripts/schedule-configurations/schema.ts'
import {
  createSchedule,
  deleteSchedule,
  listSchedules,
  updateSchedule,
} from '../../src/automation/scripts/schedule-configurations/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript } from '../../src/automation/scripts/service.ts'
import type { Context } from '../../src/context.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Ports } from '../../src/ports/index.ts'
import { rejection } from '../contract/rejection.ts'
import { mortalPorts } from '../hosts/mortal-ports.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { Mortal } from '../engine/mortal.ts'
import { insertAdministrator } from './people.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let opened: Awaited<ReturnType<typeof openPorts>>
let context: Context
beforeEach(async () => {
  opened = await openPorts()
  context = administratorOf(opened.ports)
  await insertAdministrator(opened.ports)
  await makeScript('s')
})
afterEach(() => opened.close())

async function makeScript(name: string) {
  await createScript(context, scriptBody.parse({ name }))
  const bytes = new TextEncoder().encode('true')
  await saveTreeFile(context, name, { path: 'run.sh', bytes, condition: () => undefined })
}

const add = async (json: object, script = 's') =>
  (await createSchedule(context, script, scheduleConfigurationBody.parse({ name: 'x', ...json }))).view

type Run = {
  readonly at: number
  readonly script: number
  readonly configuration: number
  readonly user: number
  readonly trigger: string
}

const runs = () =>
  opened.ports.database.all<Run>(
    `select queued_at as at, script_id as script, run_configuration_id as configuration, user_id as user, trigger from runs order by id`,
  )

async function lookAt(at: number, ports: Ports = opened.ports): Promise<void> {
  opened.clock.at = at
  await ports.dispatch.runDue()
}

async function lastOf(script = 's') {
  return (await listSchedules(context, script)).map(({ last }) => last)
}

test('a schedule of a script without run configurations orders a run when it is due, once, in the name of whose it is', async () => {
  const { clock } = opened
  const from = clock.at
  await add({ cron: '*/15 * * * *' })
  await lookAt(from + 15 * MINUTE_MS - 1)
  expect(await runs()).toEqual([])
  await lookAt(from + 15 * MINUTE_MS)
  await lookAt(from + 15 * MINUTE_MS)
  await lookAt(from + 16 * MINUTE_MS)
  expect(await runs()).toEqual([
    { at: from + 15 * MINUTE_MS, script: 1, configuration: 0, user: 1, trigger: 'schedule' },
  ])
  expect(await lastOf()).toEqual([{ at: '2026-03-02T10:15:00+01:00', result: 'ordered' }])
  await lookAt(from + 30 * MINUTE_MS)
  expect(await runs()).toHaveLength(2)
})

test('the dispatch knows when to look next: at the next schedule, also one that was just made, changed or removed', async () => {
  const dispatch = openDispatch(opened.ports, schedules)
  const from = opened.clock.at
  const nextAt = async () => {
    await dispatch.runDue()
    return dispatch.nextAt
  }
  expect(await nextAt()).toBe(Infinity)
  const { id } = await add({ cron: '0 * * * *' })
  expect(await nextAt()).toBe(from + HOUR_MS)
  const body = scheduleConfigurationBody.parse({ name: 'x', cron: '*/10 * * * *' })
  await updateSchedule(context, { ref: 's', id }, { body, ifMatch: null })
  expect(await nextAt()).toBe(from + 10 * MINUTE_MS)
  await updateSchedule(context, { ref: 's', id }, { body: { ...body, enabled: false }, ifMatch: null })
  expect(await nextAt()).toBe(Infinity)
  await updateSchedule(context, { ref: 's', id }, { body, ifMatch: null })
  await deleteSchedule(context, 's', id)
  expect(await nextAt()).toBe(Infinity)
})

test('what was due while nobody was there is missed, or run once for all of it; the runs of before make no difference', async () => {
  const from = opened.clock.at
  await makeScript('other')
  await add({ cron: '0 * * * *', misfire: 'skip' })
  await add({ cron: '0 * * * *', misfire: 'run_once' }, 'other')
  await lookAt(from + 50 * HOUR_MS + 6 * MINUTE_MS)
  expect((await runs()).map(({ script }) => script)).toEqual([2])
  expect(await lastOf()).toMatchObject([{ result: 'missed' }])
  expect(await lastOf('other')).toMatchObject([{ result: 'ordered' }])
  await opened.ports.database.run('delete from runs')
  await lookAt(from + 50 * HOUR_MS + 30 * MINUTE_MS)
  expect(await runs()).toEqual([])
  await lookAt(from + 51 * HOUR_MS + 5 * MINUTE_MS)
  expect(new Set((await runs()).map(({ script }) => script))).toEqual(new Set([1, 2]))
})

test('of many that look at once one orders a run', async () => {
  await add({ cron: '0 * * * *' })
  opened.clock.at += HOUR_MS
  const lookers = Array.from({ length: 8 }, () => openDispatch(opened.ports, schedules))
  await Promise.all(lookers.map((one) => one.runDue()))
  expect(await runs()).toHaveLength(1)
})

for (const ends of ['before', 'after'] as const) {
  test(`whoever dies ${ends} a step, each instant is run once`, async () => {
    const from = opened.clock.at
    await add({ cron: '0 * * * *' })
    for (let hour = 1; hour <= 4; hour++) {
      opened.clock.at = from + hour * HOUR_MS
      const dying = mortalPorts(new Mortal(hour, ends), opened.ports)
      await openDispatch(dying, schedules)
        .runDue()
        .catch(() => undefined)
      await lookAt(from + hour * HOUR_MS + MINUTE_MS)
      expect(await runs()).toHaveLength(hour)
    }
  })
}

test('what cannot be ordered is passed over with the reason, and comes again', async () => {
  const from = opened.clock.at
  await createScript(context, scriptBody.parse({ name: 'empty' }))
  await add({ cron: '0 * * * *' }, 'empty')
  await add({ cron: '0 * * * *' })
  await lookAt(from + HOUR_MS)
  expect((await runs()).map(({ script }) => script)).toEqual([1])
  expect(await lastOf('empty')).toMatchObject([{ result: 'no_runner' }])
  await lookAt(from + 2 * HOUR_MS)
  expect(await lastOf('empty')).toEqual([{ at: '2026-03-02T12:00:00+01:00', result: 'no_runner' }])
  expect(await runs()).toHaveLength(2)
})

for (const [what, change] of [
  ['loses the role', `update users set role = 'collector' where id = 1`],
  ['is disabled', 'update users set disabled_at = 1 where id = 1'],
  ['is gone', 'delete from users where id = 1'],
] as const) {
  test(`a schedule whose user ${what} is disabled when it is due, once and on record, and is counted until somebody saves it`, async () => {
    const { ports, clock, logs } = opened
    const from = clock.at
    await add({ cron: '0 * * * *' })
    expect(await countOwnerless(ports)).toBe(0)
    await ports.database.run(change)
    expect(await countOwnerless(ports)).toBe(1)
    for (let hour = 1; hour <= 3; hour++) await lookAt(from + hour * HOUR_MS)
    expect(await runs()).toEqual([])
    const [view] = await listSchedules(context, 's')
    expect(view).toMatchObject({
      enabled: false,
      nextRuns: [],
      last: { at: '2026-03-02T11:00:00+01:00', result: 'forbidden' },
    })
    expect(view?.problem).toContain('The user of this schedule was deleted or may not run scripts.')
    expect(logs.filter((line) => line.includes('a schedule was disabled'))).toHaveLength(1)
    expect(await countOwnerless(ports)).toBe(1)
    if (what === 'is gone') await insertAdministrator(ports)
    else await ports.database.run(`update users set role = 'administrator', disabled_at = null where id = 1`)
    const body = scheduleConfigurationBody.parse({ ...view, enabled: true })
    await updateSchedule(context, { ref: 's', id: view?.id ?? 0 }, { body, ifMatch: null })
    expect(await countOwnerless(ports)).toBe(0)
    await lookAt(from + 4 * HOUR_MS)
    expect(await runs()).toHaveLength(1)
  })
}

test('while the database is away a schedule stays due; what breaks otherwise is passed over, and the log knows', async () => {
  const { ports, clock } = opened
  const from = clock.at
  await add({ cron: '0 * * * *' })
  clock.at = from + HOUR_MS
  const failing = (error: Error) => {
    const get = (target: Ports['database'], name: string | symbol): unknown => {
      if (name === 'batch') return () => Promise.reject(error)
      const found: unknown = Reflect.get(target, name)
      return typeof found === 'function' ? found.bind(target) : found
    }
    return openDispatch({ ...ports, database: new Proxy(ports.database, { get }) }, schedules)
  }
  const away = failing(new Refusal('unavailable', 'The database is away.'))
  expect(await rejection(away.runDue())).toMatchObject({ code: 'unavailable' })
  expect(await lastOf()).toEqual([null])
  await lookAt(from + HOUR_MS + MINUTE_MS)
  expect(await runs()).toHaveLength(1)
  await ports.database.run('alter table runs rename to gone')
  opened.clock.at = from + 2 * HOUR_MS
  await rejection(ports.dispatch.runDue())
  expect(await lastOf()).toMatchObject([{ result: 'internal' }])
  expect(opened.logs.join('\n')).toContain('schedules: ordering a scheduled run failed')
})

test('a schedule takes its configuration, and orders what the configuration says of runs that wait', async () => {
  const from = opened.clock.at
  const json = { name: 'one at a time', concurrency: 'skip' }
  const { id } = (await createRunConfiguration(context, 's', runConfigurationBody.parse(json))).view
  await createRunConfiguration(context, 's', runConfigurationBody.parse({ name: 'other', isDefault: true }))
  await add({ cron: '0 * * * *', runConfigurationId: id })
  const order = {
    scriptId: 1,
    runConfigurationId: id,
    arguments: null,
    parameters: {},
    trigger: 'manual',
  } as const
  await orderRun(context, { ...order, uploads: [], key: null })
  await lookAt(from + HOUR_MS)
  expect(
    await opened.ports.database.all('select run_configuration_id as of, state from runs order by id'),
  ).toEqual([
    { of: id, state: 'queued' },
    { of: id, state: 'cancelled' },
  ])
})

test('where the clock is changed a schedule runs as its rule says', async () => {
  const from = Date.parse('2026-03-28T12:00:00Z')
  opened.clock.at = from
  await add({ name: 'daily', cron: '30 2 * * *' })
  await add({ name: 'often', cron: '0 * * * *' })
  for (let minutes = 0; minutes <= 24 * 60; minutes += 15) await lookAt(from + minutes * MINUTE_MS)
  const ats = (await runs()).map(({ at }) => new Date(at).toISOString())
  // 23 hours, and half past two, which is three that night.
  expect(ats).toHaveLength(25)
  expect(ats.filter((at) => at === '2026-03-29T01:00:00.000Z')).toHaveLength(2)
})

test('200 schedules that are due at once are begun in two rounds, between which others have their turn', async () => {
  const { database } = opened.ports
  const from = opened.clock.at
  await add({ cron: '0 * * * *' })
  await database.run(
    `insert into schedule_configurations (script_id, name, is_enabled, cron, time_zone, misfire, user_id, next_at, created_at, updated_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 199)
     select script_id, 'n' || i, 1, cron, time_zone, misfire, user_id, next_at, 0, 0 from n, schedule_configurations`,
  )
  const dispatch = openDispatch(opened.ports, schedules)
  opened.clock.at = from + HOUR_MS
  await dispatch.runDue()
  expect(await runs()).toHaveLength(100)
  expect(dispatch.nextAt).toBe(from + HOUR_MS)
  await dispatch.runDue()
  expect(await runs()).toHaveLength(200)
  expect(dispatch.nextAt).toBe(from + 2 * HOUR_MS)
})
