import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import type { Rights } from '../../src/access/rights/permissions.ts'
import { readableBelow, readableBy } from '../../src/access/rights/service.ts'
import { readStateChanges } from '../../src/monitoring/state-history/changes/store.ts'
import type { ChangePlace, ChangesWanted } from '../../src/monitoring/state-history/changes/store.ts'
import { OBJECT_TYPES } from '../../src/monitoring/tree/schema.ts'
import type { ObjectType } from '../../src/monitoring/tree/schema.ts'
import type { Database } from '../../src/ports/database.ts'
import { plantTree } from '../api/large-tree.ts'
import { isScan, planOf, recording } from '../api/plans.ts'
import { expectSnapshot } from '../api/snapshot.ts'
import { startD1 } from '../hosts/d1-database.ts'
import { openPorts } from '../hosts/ports.ts'

const PLANT_MAX_MS = 60_000
/** Group 2 + i; device 12 + i in group 2 + i % 10; jobs from 72 on, ten in each device. */
const SIZE = { groups: 10, devices: 60, jobs: 600 }
const OBJECTS = 670
const DEVICE = 13
const DEVICE_PATH = `/1/3/${DEVICE}/`
const OLD_CHANGES = 9_000
const CHANGES = 24_000
/** Four changes share an instant. */
const END_AT = CHANGES / 4 + 1

/** Transitions of all objects in turn, then of one device alone; a third of them leave the state as it is. */
async function plantChanges(database: Database): Promise<void> {
  await plantTree(database, SIZE)
  await database.run(sql`
    insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CHANGES})
    select case when i < ${OLD_CHANGES} then 2 + i % ${OBJECTS} else ${DEVICE} end, i, i / 4, i,
      case when i % 3 = 0 then 'major' else 'ok' end, 'major', 'threshold', 5
    from n`)
}

const reader = (tops: readonly number[] | null): Rights => ({
  userId: 7,
  role: tops === null ? 'administrator' : 'editor',
  granted: new Map((tops ?? []).map((id) => [id, { write: false, execute: false, maintain: false }])),
  ways: [],
})

type Row = ChangePlace & { readonly path: string; readonly type: ObjectType }

/** The changes as a filter of all of them finds them. */
async function expected(database: Database, tops: readonly number[] | null, want: ChangesWanted) {
  const rows = await database.all<Row>(sql`
    select t.at as at, t.object_id as "objectId", t.seq as seq, o.path as path, o.type as type
    from transitions t join objects o on o.id = t.object_id where t.from_state <> t.to_state
    order by t.at desc, t.object_id desc, t.seq desc`)
  return rows
    .filter(({ at }) => at >= want.beginAt && at < want.endAt)
    .filter(({ path }) => path.startsWith(want.path))
    .filter(({ path }) => tops?.some((id) => path.includes(`/${id}/`)) ?? true)
    .filter(({ type }) => want.types.includes(type))
    .map(({ at, objectId, seq }) => ({ at, objectId, seq }))
}

/** All pages of a list. */
async function pagesOf(database: Database, want: ChangesWanted): Promise<ChangePlace[]> {
  const found: ChangePlace[] = []
  for (let after: ChangePlace | null = null; ;) {
    const { rows, next } = await readStateChanges(database, { ...want, after })
    found.push(...rows.map(({ at, objectId, seq }) => ({ at, objectId, seq })))
    if (next === null) return found
    after = next
  }
}

type Change = Partial<Pick<ChangesWanted, 'beginAt' | 'endAt' | 'path' | 'types' | 'after' | 'limit'>>

/** The list that a reader of some objects wants; null for a reader of everything. */
function wantOf(tops: readonly number[] | null, { path = '/1/', ...change }: Change = {}): ChangesWanted {
  const rights = reader(tops)
  return {
    beginAt: 0,
    endAt: END_AT,
    types: OBJECT_TYPES,
    after: null,
    limit: 200,
    path,
    below: readableBelow(rights, path),
    readable: { objects: readableBy(rights, 'o'), causes: readableBy(rights, 'c') },
    ...change,
  }
}

/** The readers of nine groups may not read the objects that changed last. */
const NINE_GROUPS = [2, 4, 5, 6, 7, 8, 9, 10, 11]

type Case = readonly [title: string, tops: readonly number[] | null, change: Change]

const CASES: readonly Case[] = [
  ['everything', null, { beginAt: 5_000 }],
  ['jobs and groups', null, { types: ['job', 'group'] }],
  ['a range', null, { beginAt: 2_000, endAt: 2_400 }],
  ['a group', null, { path: '/1/2/' }],
  ['a device, in small pages', null, { path: DEVICE_PATH, beginAt: END_AT - 200, limit: 7 }],
  ['a job', null, { path: `${DEVICE_PATH}73/` }],
  ['everything, to a reader of a device and of a job in it', [DEVICE, 73], { beginAt: 2_000, endAt: 2_400 }],
  ['everything, to a reader of nine groups', NINE_GROUPS, { beginAt: 1_500 }],
  ['a group, to a reader of a device in it and of one elsewhere', [12, DEVICE], { path: '/1/2/' }],
  ['everything, to a reader of no object', [], {}],
]

describe.each(['libSQL', 'D1'])('state changes below a parent, on %s', (name) => {
  let database: Database
  let close: () => Promise<void>

  beforeAll(async () => {
    if (name === 'D1') ({ database, close } = await startD1())
    else {
      const stage = await openPorts()
      ;({ database } = stage.ports)
      close = () => stage.close()
    }
    await plantChanges(database)
  }, PLANT_MAX_MS)
  afterAll(() => close())

  for (const [title, tops, change] of CASES) {
    test(`the pages of ${title} have each readable change once, latest first`, async () => {
      const want = wantOf(tops, change)
      expect(await pagesOf(database, want)).toEqual(await expected(database, tops, want))
    })
  }

  test('a page examines 10,000 changes, and can be empty before the last', async () => {
    const first = await readStateChanges(database, wantOf(NINE_GROUPS))
    expect(first.rows).toEqual([])
    expect(first.next).toMatchObject({ objectId: DEVICE, seq: CHANGES - 10_000 + 1 })
    const second = await readStateChanges(database, wantOf(NINE_GROUPS, { after: first.next }))
    expect(second.rows).toHaveLength(200)
  })
})

test(
  'every statement is driven by an index',
  async () => {
    const stage = await openPorts()
    const { database } = stage.ports
    await plantChanges(database)
    const plans = new Map<string, readonly string[]>()
    for (const [title, tops, change] of CASES) {
      const statements: SQL[] = []
      const after = { at: 2_300, objectId: 300, seq: 9_200 }
      await readStateChanges(recording(database, statements), wantOf(tops, { ...change, after }))
      expect(statements.length, title).toBeLessThanOrEqual(3)
      for (const statement of statements)
        expect((await planOf(database, statement)).filter(isScan), title).toEqual([])
      plans.set(title, await planOf(database, statements.at(-1) ?? sql``))
    }
    await stage.close()
    await expectSnapshot(
      'state-change-plans.txt',
      [...plans].map(([title, plan]) => `${title}\n${plan.map((line) => `  ${line}\n`).join('')}`).join('\n'),
    )
  },
  PLANT_MAX_MS,
)
