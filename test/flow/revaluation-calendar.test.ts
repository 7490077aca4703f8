import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { readableBy } from '../../src/access/rights/service.ts'
import type { Rights } from '../../src/access/rights/permissions.ts'
import { findBelow } from '../../src/monitoring/revaluations/calendar/store.ts'
import type { CalendarPlace } from '../../src/monitoring/revaluations/calendar/store.ts'
import type { Database } from '../../src/ports/database.ts'
import { plantTree } from '../api/large-tree.ts'
import { planOf, recording } from '../api/plans.ts'
import { startD1 } from '../hosts/d1-database.ts'
import { openPorts } from '../hosts/ports.ts'

const PLANT_MAX_MS = 60_000
/** Group 2 + i; device 12 + i in group 2 + i % 10; jobs from 72 on, ten in each device. */
const SIZE = { groups: 10, devices: 60, jobs: 600 }
const COUNT = 3_000

async function plantRevaluations(database: Database): Promise<void> {
  await plantTree(database, SIZE)
  await database.run(sql`
    insert into revaluations (object_id, type, adjust_to, begin_at, end_at, name, sla_relevant, active, in_past, edit_only,
      running, version, created_at, created_by)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNT})
    select 1 + i % 670, 'maintenance', 'undefined', (i * 7) % 1000, (i * 7) % 1000 + 1 + i % 50, '', 0, '[]', 0, i % 3 = 0,
      0, 1, 0, 1 from n`)
}

type Change = {
  readonly path?: string
  readonly edit?: boolean
  readonly tops?: readonly number[]
  readonly beginAt?: number
  readonly endAt?: number
}

const CASES: readonly (readonly [title: string, change: Change])[] = [
  ['everything', { beginAt: 0, endAt: 2_000, edit: true }],
  ['everything without entries for editors', { beginAt: 0, endAt: 2_000 }],
  ['a month', {}],
  ['a group', { path: '/1/2/', edit: true }],
  ['a job', { path: '/1/2/12/72/', beginAt: 0 }],
  ['the root, to a reader of a group and of a device in it', { tops: [2, 12], edit: true }],
  ['the root, to a reader of no object', { tops: [] }],
]

function wantOf({ tops, path = '/1/', edit = false, beginAt = 400, endAt = 430 }: Change) {
  const rights: Rights = {
    userId: 7,
    role: tops ? 'editor' : 'administrator',
    granted: new Map((tops ?? []).map((id) => [id, { write: false, execute: false, maintain: false }])),
    ways: [],
  }
  return { path, want: { beginAt, endAt, edit, readable: readableBy(rights, 'o') } }
}

/** The ids of all pages. */
async function pagesOf(database: Database, change: Change): Promise<number[]> {
  const { path, want } = wantOf(change)
  const found: number[] = []
  for (let after: CalendarPlace = { beginAt: -1, id: 0 }; ;) {
    const rows = await findBelow(database, path, { ...want, after, limit: 100 })
    found.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (!last || rows.length < 100) return found
    after = last
  }
}

/** The ids as a filter of all revaluations finds them. */
async function expected(database: Database, change: Change): Promise<number[]> {
  const { path: below, want } = wantOf(change)
  const rows = await database.all<{
    id: number
    beginAt: number
    endAt: number
    edit: number
    path: string
  }>(sql`
    select r.id as id, r.begin_at as "beginAt", r.end_at as "endAt", r.edit_only as edit, o.path as path
    from revaluations r join objects o on o.id = r.object_id`)
  return rows
    .filter(({ beginAt, endAt }) => endAt > want.beginAt && beginAt < want.endAt)
    .filter(({ edit, path }) => (want.edit || edit === 0) && path.startsWith(below))
    .filter(({ path }) => change.tops?.some((id) => path.includes(`/${id}/`)) ?? true)
    .sort((a, b) => a.beginAt - b.beginAt || a.id - b.id)
    .map(({ id }) => id)
}

describe.each(['libSQL', 'D1'])('revaluations below a parent, on %s', (name) => {
  let database: Database
  let close: () => Promise<void>

  beforeAll(async () => {
    if (name === 'D1') ({ database, close } = await startD1())
    else {
      const stage = await openPorts()
      ;({ database } = stage.ports)
      close = () => stage.close()
    }
    await plantRevaluations(database)
  }, PLANT_MAX_MS)
  afterAll(() => close())

  for (const [title, change] of CASES) {
    test(`the pages of ${title} have each readable revaluation once, by begin`, async () => {
      expect(await pagesOf(database, change)).toEqual(await expected(database, change))
    })

    test(`a page of ${title} follows the index on begins`, async () => {
      const statements: SQL[] = []
      const { path, want } = wantOf(change)
      const after = { beginAt: 300, id: 7 }
      await findBelow(recording(database, statements), path, { ...want, after, limit: 100 })
      expect(statements).toHaveLength(1)
      const plan = await planOf(database, statements[0] ?? sql``)
      expect(plan.slice(0, 2)).toEqual([
        'SEARCH r USING INDEX revaluations_by_begin (begin_at>? AND begin_at<?)',
        'SEARCH o USING INTEGER PRIMARY KEY (rowid=?)',
      ])
      expect(plan.join('\n')).not.toContain('TEMP B-TREE')
    })
  }
})
