import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Context } from '../../src/context.ts'
import { revaluationBody, revaluationsQuery } from '../../src/monitoring/revaluations/schema.ts'
import {
  createRevaluation,
  deleteRevaluation,
  listRevaluations,
  readRevaluation,
  updateRevaluation,
} from '../../src/monitoring/revaluations/service.ts'
import { rejection } from '../contract/rejection.ts'
import { followedBy, precededBy } from '../hosts/interleaved.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const ROOT = { type: 'group', id: 1 } as const
const MAX = 10_000

let opened: Awaited<ReturnType<typeof openPorts>>
let context: Context
beforeAll(async () => {
  opened = await openPorts()
  context = administratorOf(opened.ports)
})
afterAll(() => opened.close())

const after = (other: () => Promise<unknown>): Context => ({
  ...context,
  ports: precededBy(opened.ports, other),
})
const at = (hours: number) => new Date(opened.clock.at + hours * 3_600_000).toISOString()
const bodyOf = (begin: number, end: number, name = '') =>
  revaluationBody.parse({ begin: at(begin), end: at(end), name, active: [] })

test('an end by hand is a version of its own, also when a change comes first', async () => {
  const body = { ...bodyOf(0, 5), end: at(5) }
  const { revaluation, version } = await createRevaluation(context, ROOT, body)
  opened.clock.at += 60_000
  const change = () =>
    updateRevaluation(context, ROOT, {
      revaluationId: revaluation.id,
      body: { ...body, name: 'changed' },
      ifMatch: version,
    })
  await deleteRevaluation(after(change), ROOT, revaluation.id)
  const read = await readRevaluation(context, ROOT, revaluation.id)
  expect([read.version, read.revaluation.name, read.revaluation.status]).toEqual([
    version + 2,
    'changed',
    'cancelled',
  ])
})

test('an adjustment of a range in which an outage opens at the same time is refused', async () => {
  const { database } = opened.ports
  const adjust = (as: Context) =>
    createRevaluation(
      as,
      ROOT,
      revaluationBody.parse({ begin: at(-3), end: at(-1), type: 'adjustment', adjustTo: 'ok' }),
    )
  const begin = async () => {
    await database.run(
      sql`insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
        values (1, 1, ${opened.clock.at - 7_200_000}, ${opened.clock.at}, 'ok', 'major', 'children', 0)`,
    )
    await database.run(
      sql`insert or replace into states (object_id, seq, state, since_at) values (1, 1, 'major', 0)`,
    )
  }
  expect(await rejection(adjust(after(begin)))).toMatchObject({ code: 'conflict' })
  expect(await rejection(adjust(context))).toMatchObject({ code: 'conflict' })
  await database.run(sql`delete from states where object_id = 1`)
  const { revaluation } = await adjust(context)
  await deleteRevaluation(context, ROOT, revaluation.id)
})

test('the answer to a new revaluation is this one, although it is deleted at once', async () => {
  const remove = async () => {
    await opened.ports.database.run(sql`delete from revaluations`)
  }
  const made = await createRevaluation(
    { ...context, ports: followedBy(opened.ports, remove) },
    ROOT,
    bodyOf(24, 25, 'ours'),
  )
  expect(made).toMatchObject({ version: 1, revaluation: { name: 'ours' } })
})

test('an object has 10,000 revaluations, and no more when they are made at the same time', async () => {
  const { database } = opened.ports
  const make = (as = context) => createRevaluation(as, ROOT, bodyOf(24, 25))
  const { revaluation } = await make()
  const columns = sql.raw(
    `object_id, begin_at, end_at, type, adjust_to, in_past, incident, name, comment, active, edit_only, sla_relevant,
     created_at, created_by, running, next_at, cancelled_at, version`,
  )
  await database.run(sql`
    insert into revaluations (${columns}) with recursive n (i) as
      (select 1 + count(*) from revaluations where object_id = 1 union all select i + 1 from n where i < ${MAX - 1})
    select ${columns} from revaluations cross join n where id = ${revaluation.id}`)
  expect(await rejection(make(after(() => make())))).toMatchObject({ code: 'conflict' })
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total from revaluations where object_id = 1`,
  )
  expect(row?.total).toBe(MAX)
  const list = (query: object) => listRevaluations(context, ROOT, revaluationsQuery.parse(query))
  const all = await list({})
  expect([all.items.length, all.next]).toEqual([MAX, null])
  const first = await list({ limit: '1000' })
  const second = await list({ limit: '1000', cursor: first.next })
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(
    all.items.slice(0, 2_000).map(({ id }) => id),
  )
})
