import { afterEach, beforeEach, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { openStatePipeline } from '../../src/state-pipeline.ts'
import type { Database } from '../../src/ports/database.ts'
import type { State } from '../../src/domain/state.ts'
import { crossing } from './transition.ts'
import { plantTree } from '../api/large-tree.ts'
import { rejection } from '../contract/rejection.ts'
import { openPorts } from '../hosts/ports.ts'
import { plantObject } from './plants.ts'

const SIZE = { groups: 10, devices: 100, jobs: 7_000 }
const FIRST_JOB = SIZE.groups + SIZE.devices + 2
const OBJECTS = 1 + SIZE.groups + SIZE.devices + SIZE.jobs
const SLICES_MIN = 7
const HOUR_MS = 3_600_000
/** Over two jobs, the first of which is major. */
const SLO = 900_000

let stage: Awaited<ReturnType<typeof openPorts>>
let beganAt = 0

beforeEach(async () => {
  stage = await openPorts()
  const { database, flow } = stage.ports
  await plantTree(database, SIZE)
  await plantObject(database, { id: SLO, type: 'slo', path: `/1/${SLO}/`, parentId: 1 })
  // What is in maintenance by itself would be as bad as its parents say; this one is not in the tree of the others.
  await database.run(sql`update objects set parent_id = null, path = ${`/${SLO}/`} where id = ${SLO}`)
  const counters = { major: 0, minor: 0, warning: 0, minorMinor: 0, minorWarning: 0, warningWarning: 0 }
  const rules = JSON.stringify({ operation: 'and', counters, ignoreMaintenance: false })
  await database.run(sql`insert into slos (id, device_id, state_operation, push_state, sort_mode, rules, is_reason,
    costs_per_min, currency, risk_factor) values (${SLO}, 0, 'and', 'any', 'link', ${rules}, 0, 0, '', 1)`)
  await database.run(sql`insert into links (parent_id, child_id, position, weight, overrides)
    values (${SLO}, ${FIRST_JOB}, 0, 1, '{}'), (${SLO}, ${FIRST_JOB + 7}, 1, 1, '{}')`)
  await database.run(sql`insert into stale_tallies select id, 1 from objects where type <> 'job'`)
  await flow.runDue()
  stage.clock.at += HOUR_MS
  beganAt = stage.clock.at
  await database.run(sql`
    insert into revaluations (object_id, type, adjust_to, begin_at, end_at, name, sla_relevant, active, in_past,
      edit_only, running, next_at, version, created_at, created_by)
    values (1, 'maintenance', 'undefined', ${beganAt}, ${beganAt + HOUR_MS}, '', 0, '[]', 0, 0, 0, ${beganAt}, 1, 1, 1)`)
})
afterEach(() => stage.close())

const change = (objectId: number, at: number, to: State) => crossing(objectId, { seq: 2, at, to })

const maintained = async () => {
  const [row] = await stage.ports.database.all<{ total: number }>(
    sql`select count(*) as total from states where maintained = 1`,
  )
  return row?.total ?? 0
}

/** The new states of the objects in the tree since then, and their instants, with the number of each. */
const turned = () =>
  stage.ports.database.all<{ at: number; to: State; total: number }>(sql`
    select at - ${beganAt} as at, to_state as "to", count(*) as total from transitions
    where at >= ${beganAt} and object_id <> ${SLO} group by 1, 2 order by 1, 3 desc`)

const changesOf = (id: number) =>
  stage.ports.database.all<{ at: number; to: State }>(
    sql`select at - ${beganAt} as at, to_state as "to" from transitions where object_id = ${id} and at >= ${beganAt} order by seq`,
  )

test('many objects enter maintenance in slices, with other work in between, all dated at the same instant', async () => {
  const { flow } = stage.ports
  let isEntered = false
  const entering = (async () => {
    do await flow.runDue()
    while ((await maintained()) < OBJECTS)
    isEntered = true
  })()
  let turns = 0
  let told = 0
  while (!isEntered) {
    const before = await maintained()
    // Some of these have entered it by then, the others have not.
    const job = FIRST_JOB + 1 + turns * 997
    stage.clock.at = beganAt + 1 + turns
    const isNew = job < FIRST_JOB + SIZE.jobs && (job - FIRST_JOB) % 500 !== 0 && job !== FIRST_JOB + 7
    await flow.apply(isNew ? [change(job, stage.clock.at, 'major')] : [])
    if (isNew) {
      told++
      expect(await changesOf(job)).toEqual([
        { at: 0, to: 'maintenance_ok' },
        { at: 1 + turns, to: 'maintenance_major' },
      ])
    }
    if (before < OBJECTS) turns++
  }
  await entering
  expect(turns).toBeGreaterThanOrEqual(SLICES_MIN)
  expect(told).toBeGreaterThan(5)
  const all = await turned()
  expect(all.filter(({ at }) => at === 0).reduce((sum, { total }) => sum + total, 0)).toBe(OBJECTS)
  expect(all.filter(({ at }) => at > 0).every(({ to }) => to === 'maintenance_major')).toBe(true)
})

test('linked children enter maintenance before other changes of their parents', async () => {
  // One that has just been started, and knows of no plan.
  const flow = openStatePipeline(stage.ports)
  stage.clock.at = beganAt + 5
  await flow.apply([change(FIRST_JOB + 7, beganAt + 5, 'major')])
  expect(await maintained()).toBeLessThan(OBJECTS / 2)
  expect(await changesOf(SLO)).toEqual([{ at: 0, to: 'maintenance_major' }])
})

test('a killed process continues with the remaining slices, dated at the same instant', async () => {
  const { ports } = stage
  let commits = 0
  const dying = Object.assign(Object.create(ports.database) as Database, {
    batch: (items: Parameters<Database['batch']>[0]) =>
      ++commits % 3 === 0 ? Promise.reject(new Error('gone')) : ports.database.batch(items),
  })
  let kills = 0
  for (let count = 0; count < OBJECTS;) {
    // Each begins knowing nothing but what is stored.
    const flow = openStatePipeline({ ...ports, database: dying })
    stage.clock.at += 1_000
    if (String(await rejection(flow.runDue())).includes('gone')) kills++
    const after = await maintained()
    expect(after).toBeGreaterThanOrEqual(count)
    count = after
  }
  expect(kills).toBeGreaterThan(1)
  const began = await turned()
  expect(began.every(({ at }) => at === 0)).toBe(true)
  expect(began.reduce((sum, { total }) => sum + total, 0)).toBe(OBJECTS)

  stage.clock.at = beganAt + HOUR_MS
  while ((await maintained()) > 0) await rejection(openStatePipeline({ ...ports, database: dying }).runDue())
  const ended = (await turned()).filter(({ at }) => at > 0)
  expect(ended.every(({ at, to }) => at === HOUR_MS && !to.startsWith('maintenance'))).toBe(true)
  expect(ended.reduce((sum, { total }) => sum + total, 0)).toBe(OBJECTS)
})
