import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import type { Context } from '../../src/context.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { readableBy, visibleBy } from '../../src/access/rights/service.ts'
import { readTree, searchPath } from '../../src/monitoring/tree/browse/service.ts'
import { countStates, readChildren, readNodes } from '../../src/monitoring/tree/browse/store.ts'
import { OBJECT_TYPES } from '../../src/monitoring/tree/schema.ts'
import { branchesOf } from '../../src/monitoring/tree/search/branches.ts'
import { parseFilter } from '../../src/monitoring/tree/search/filter.ts'
import { searchGroup } from '../../src/monitoring/tree/search/service.ts'
import { branchSql, findBranches } from '../../src/monitoring/tree/search/store/search.ts'
import type { Branch, FoundObject } from '../../src/monitoring/tree/search/store/search.ts'
import type { Database } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import { migrate, openLibsql } from '../../workers/server/libsql.ts'
import { rejection } from '../contract/rejection.ts'
import { startD1 } from '../hosts/d1-database.ts'
import { MIGRATIONS } from '../hosts/migrations.ts'
import { plantTree } from './large-tree.ts'
import { isScan, planOf, recording } from './plans.ts'
import { expectSnapshot } from './snapshot.ts'

const folder = await mkdtemp(join(FAST_DIR, 'tidemark-search-'))
afterAll(() => rm(folder, { recursive: true }))

async function openFile(name: string) {
  const opened = await openLibsql(`file:${join(folder, name)}`)
  await migrate(opened.database, MIGRATIONS)
  return opened
}

/** One condition of every item and every class of operator; those that find few objects of many have to be driven by
 * an index. */
const CONDITIONS: Record<string, string>[] = [
  { item: 'id', operator: 'eq', expression: '5000' },
  { item: 'id', operator: 'ge', expression: '99990' },
  { item: 'id', operator: 'ne', expression: '5000' },
  { item: 'name', operator: 'eq', expression: 'Device 77' },
  { item: 'name', operator: 'starts_with', expression: 'device 77' },
  { item: 'name', operator: 'contains', expression: 'vice 77' },
  { item: 'name', operator: 'ends_with', expression: 'vice 77' },
  { item: 'name', operator: 'matches', expression: 'dev*77' },
  { item: 'name', operator: 'matches', expression: '*vice*77*' },
  { item: 'name', operator: 'contains', expression: '77' },
  { item: 'name', operator: 'not_contains', expression: '77' },
  { item: 'type', operator: 'eq', expression: 'group' },
  { item: 'type', operator: 'ne', expression: 'group' },
  { item: 'subtype', operator: 'eq', expression: 'router' },
  { item: 'subtype', operator: 'contains', expression: 'oute' },
  { item: 'state', operator: 'eq', expression: 'major' },
  { item: 'state', operator: 'eq', expression: 'ok' },
  { item: 'state', operator: 'eq', expression: 'undefined' },
  { item: 'state', operator: 'ne', expression: 'ok' },
  { item: 'interval', operator: 'eq', expression: 'PT1H' },
  { item: 'interval', operator: 'gt', expression: 'PT5M' },
  { item: 'interval', operator: 'not_defined' },
  { item: 'execution', operator: 'stopped' },
  { item: 'execution', operator: 'started' },
  { item: 'property', operator: 'eq', propertyKey: 'serial', expression: 'SN-77' },
  { item: 'property', operator: 'starts_with', propertyKey: 'serial', expression: 'SN-77' },
  { item: 'property', operator: 'contains', propertyKey: 'owner', expression: '7' },
  { item: 'property', operator: 'matches', propertyKey: 'serial', expression: 'SN*7*7' },
  { item: 'property', operator: 'is_defined', propertyKey: 'owner' },
  { item: 'property', operator: 'ne', propertyKey: 'owner', expression: 'team 7' },
  { item: 'property', operator: 'eq', expression: 'SN-77' },
  { item: 'property', operator: 'contains', expression: 'SN-77' },
  { item: 'property', operator: 'propval_ge', propertyKey: 'rack', expression: '98.5' },
  { item: 'property', operator: 'propval_ne', propertyKey: 'owner', expression: '7' },
  { item: 'property', operator: 'propval_eq', propertyKey: 'owner', expression: 'team 7' },
  { item: 'property_key', operator: 'eq', expression: 'owner' },
  { item: 'property_key', operator: 'ends_with', expression: 'wner' },
  { item: 'property_key', operator: 'ne', expression: 'owner' },
  { item: 'property_id', operator: 'eq', expression: '77' },
  { item: 'device_address', operator: 'eq', expression: '10.0.0.77' },
  { item: 'device_address', operator: 'starts_with', expression: '10.0.0.7' },
  { item: 'device_address', operator: 'contains', expression: '.0.77' },
  { item: 'device_netmask', operator: 'is_defined' },
  { item: 'job_device_name', operator: 'eq', expression: 'device 77' },
  { item: 'job_device_name', operator: 'contains', expression: 'vice 77' },
  { item: 'job_device_name', operator: 'ne', expression: 'device 77' },
  { item: 'job_device_address', operator: 'eq', expression: '10.0.0.77' },
  { item: 'job_device_netmask', operator: 'is_defined' },
  { item: 'value_name_raw', operator: 'eq', expression: 'returnValue2' },
  { item: 'value_name_raw', operator: 'contains', expression: 'Value2' },
  { item: 'value_name_user', operator: 'eq', expression: 'Loss 77' },
  { item: 'value_name_user', operator: 'contains', expression: 'oss 77' },
  { item: 'value_raw', operator: 'eq', value: 'loss 77', expression: '1' },
  { item: 'value_user', operator: 'is_defined', value: 'returnValue2' },
]

const titleOf = (condition: Record<string, string>) => Object.values(condition).join(' ')

/** Of whom some read the whole tree, others these objects with what is below them: half of all groups, one group, a
 * device and a job. */
const READERS: Readonly<Record<string, readonly number[] | null>> = {
  everything: null,
  'half of the tree': Array.from({ length: 50 }, (_, index) => 52 + index),
  'a group': [77],
  'a device and a job': [179, 99_999],
}

/** Those whose plans are reviewed for every reader: driven by an index, by what may be read, and along the tree. */
const REVIEWED: ReadonlySet<string> = new Set(['name contains vice 77', 'name contains 77', 'state eq ok'])

const branchOf = (condition: Record<string, string>, tops: readonly number[] | null = null): Branch => {
  const [branch] = branchesOf(parseFilter(JSON.stringify({ conditions: [condition] })), '/1/', tops)
  if (!branch) throw new Error(`${titleOf(condition)} cannot find anything`)
  return branch
}

describe('search among 100,000 objects', () => {
  let database: Database
  let close: () => Promise<void>
  const plans = new Map<string, readonly string[]>()

  beforeAll(async () => {
    ;({ database, close } = await openFile('large.db'))
    await plantTree(database, { groups: 100, devices: 9900, jobs: 90_000 })
  }, 180_000)
  afterAll(() => close())

  test('the tree has its stated size', async () => {
    expect(
      await database.all(sql`select type, count(*) as total from objects group by type order by type`),
    ).toEqual([
      { type: 'device', total: 9900 },
      { type: 'group', total: 101 },
      { type: 'job', total: 90_000 },
    ])
  })

  for (const condition of CONDITIONS) {
    test(`${titleOf(condition)} is answered from indexes, with the result of a full scan`, async () => {
      const whole = branchOf(condition)
      const all = await database.all<FoundObject>(
        branchSql(whole, undefined, { after: '/1/', limit: 100_000 }),
      )
      for (const [reader, tops] of Object.entries(READERS)) {
        const branch = branchOf(condition, tops)
        const statements: SQL[] = []
        const [found] = await findBranches(recording(database, statements), [branch], {
          after: '/1/',
          limit: 20,
        })
        const isReadable = ({ path }: FoundObject) =>
          path.split('/').some((id) => tops?.includes(Number(id)) ?? true)
        expect(found ?? [], reader).toEqual(all.filter(isReadable).slice(0, 20))
        for (const statement of statements)
          expect((await planOf(database, statement)).filter(isScan), reader).toEqual([])
        const readerTitle = tops === null ? '' : `, by who reads ${reader}`
        if (tops === null || REVIEWED.has(titleOf(condition)))
          plans.set(titleOf(condition) + readerTitle, await planOf(database, statements.at(-1) ?? sql``))
      }
    })
  }

  test('objects above readable ones are found by their ids, and children are read in index order', async () => {
    const granted = new Map(
      [179, 99_999].map((id) => [id, { write: false, execute: false, maintain: false }]),
    )
    const rights = { userId: 7, role: 'editor', granted, ways: [1, 79, 178] } as const
    const statements: SQL[] = []
    const noting = recording(database, statements)
    await readChildren(noting, 1, {
      after: { type: '', name: '', id: 0 },
      limit: 20,
      visible: visibleBy(rights, 'o'),
      linked: readableBy(rights, 'k'),
    })
    const linked = readableBy(rights, 'k')
    const nodes = { depth: 2, types: OBJECT_TYPES, limit: 5001, visible: visibleBy(rights, 'c'), linked }
    await readNodes(noting, 1, nodes)
    await countStates(noting, [79, 178], readableBy(rights, 'j'))
    for (const [index, title] of ['children', 'tree', 'counts of a tree'].entries()) {
      const plan = await planOf(database, statements[index] ?? sql``)
      expect(plan.filter((line) => isScan(line) && line !== 'SCAN node')).toEqual([])
      plans.set(`${title}, by who reads a device and a job`, plan)
    }
  })

  test('two conditions are driven by the one with fewer objects', async () => {
    const conditions = [
      { item: 'state', operator: 'eq', expression: 'ok' },
      { item: 'name', operator: 'contains', expression: 'job 5 of device 77' },
    ]
    const [branch] = branchesOf(parseFilter(JSON.stringify({ type: 'job', conditions })), '/1/', null)
    const statements: SQL[] = []
    const [found] = await findBranches(recording(database, statements), branch ? [branch] : [], {
      after: '/1/',
      limit: 1000,
    })
    expect(found?.length).toBeGreaterThan(0)
    const plan = await planOf(database, statements.at(-1) ?? sql``)
    expect(plan.filter(isScan)).toEqual([])
    plans.set('state eq ok and name contains job 5 of device 77', plan)
  })

  test('a search that would take too long is rejected with a pointer', async () => {
    const caller = {
      kind: 'user',
      userId: 1,
      username: 'x',
      role: 'administrator',
      sessionHash: null,
    } as const
    const context: Context = { ports: { database } as Ports, caller, requestId: '' }
    const group = { parentType: 'group', parentId: 1 } as const
    const condition = { item: 'value_raw', operator: 'gt', value: 'round trip', expression: '1' }
    const filterDefinition = JSON.stringify({
      conditions: [{ item: 'type', operator: 'eq', expression: 'job' }, condition],
    })
    const refused: [Promise<unknown>, string][] = [
      [readTree(context, group, { depth: null }), '?depth'],
      [readTree(context, group, { depth: 2 }), '?depth'],
      [searchGroup(context, 1, { filterDefinition, limit: 10 }), '?filterDefinition/conditions/1'],
      [searchPath(context, null, { path: '**/*/*', limit: 10, pointer: '?path' }), '?path'],
    ]
    for (const [answer, pointer] of refused) {
      const error = await rejection(answer)
      expect(error).toBeInstanceOf(Refusal)
      expect(error).toMatchObject({ code: 'invalid', errors: [{ pointer }] })
    }
  })

  test('the plans are those that were reviewed', async () => {
    const text = [...plans]
      .map(([title, plan]) => `${title}\n${plan.map((line) => `  ${line}\n`).join('')}`)
      .join('\n')
    await expectSnapshot('search-plans.txt', text)
  })
})

describe('search in a tree too large to read whole', () => {
  const opened: { name: string; database: Database; close: () => Promise<void> }[] = []

  beforeAll(async () => {
    opened.push({ name: 'libSQL', ...(await openFile('small.db')) })
    opened.push({ name: 'D1', ...(await startD1()) })
    for (const { database } of opened) await plantTree(database, { groups: 10, devices: 300, jobs: 2700 })
  }, 180_000)
  afterAll(async () => {
    for (const { close } of opened) await close()
  })

  test('D1 and libSQL find the same, driven by an index or along the tree', async () => {
    const branches = CONDITIONS.flatMap((condition) => [
      { condition, branch: branchOf(condition) },
      { condition, branch: branchOf(condition, [5, 20, 900]) },
    ])
    for (const { condition, branch } of branches) {
      const page = { after: '/1/', limit: 5000 }
      const answers = await Promise.all(
        opened.flatMap(({ database }) => [
          findBranches(database, [branch], page).then(([found]) => found),
          database.all<FoundObject>(branchSql(branch, branch.conditions[0], page)),
          database.all<FoundObject>(branchSql(branch, undefined, page)),
        ]),
      )
      for (const answer of answers) expect(answer, titleOf(condition)).toEqual(answers[0])
    }
  }, 180_000)
})
