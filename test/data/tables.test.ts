import { afterAll, beforeAll, expect, test } from 'bun:test'

import {
  abandonGeneration,
  beginGeneration,
  deleteTable,
  inGeneration,
  openTable,
  publishTable,
  sweepGenerations,
} from '../../src/data/tables/service.ts'
import { createDataSource, deleteDataSource, updateDataSource } from '../../src/data/sources/service.ts'
import { dataSourceBody } from '../../src/data/sources/schema.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { rejection } from '../contract/rejection.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const HOURS_MS = 7_200_000
const COLUMNS = [{ name: 'a', type: 'integer' as const }]

let world: Awaited<ReturnType<typeof openPorts>>
let sourceId = 0
const dropped: number[] = []
beforeAll(async () => {
  world = await openPorts()
  const body = dataSourceBody.parse({ name: 'files', type: 'csv' })
  sourceId = (await createDataSource(administratorOf(world.ports), body)).view.id
})
afterAll(() => world.close())

/** Publishes a generation as a table, or in place of one. */
async function publish(name: string, before: Awaited<ReturnType<typeof openTable>> = null) {
  const generation = await beginGeneration(world.ports, sourceId)
  const contents = { name, columns: COLUMNS, rows: 1, generation }
  await publishTable(administratorOf(world.ports), contents, { before, others: [] })
  return generation
}

/** Deletes all generations that are due after two hours, and notes which. */
async function sweepLater() {
  world.clock.at += HOURS_MS
  const tables = {
    ...world.ports.tables,
    drop: async (generations: readonly { readonly tableId: number }[]) =>
      void dropped.push(...generations.map(({ tableId }) => tableId)),
  }
  await sweepGenerations({ ...world.ports, tables })
}

test('a generation that a table has stays although its import is abandoned; one without a table goes', async () => {
  const published = await publish('kept')
  await abandonGeneration(world.ports, published)
  const unused = await beginGeneration(world.ports, sourceId)
  await abandonGeneration(world.ports, unused)
  await sweepLater()
  expect(dropped).toContain(unused.tableId)
  expect(dropped).not.toContain(published.tableId)
  expect((await openTable(world.ports, sourceId, 'KEPT'))?.generation).toEqual(published)
})

test('an import does not replace a table that was replaced or deleted meanwhile, and its generation goes', async () => {
  await publish('orders')
  const before = await openTable(world.ports, sourceId, 'orders')
  const second = await publish('orders', before)
  const refused = async () => {
    const error = await publish('orders', before).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(Refusal)
    expect((error as Refusal).code).toBe('conflict')
  }
  await refused()
  expect((await openTable(world.ports, sourceId, 'orders'))?.generation).toEqual(second)
  await deleteTable(administratorOf(world.ports), { id: sourceId, table: 'orders' })
  await refused()
  expect(await openTable(world.ports, sourceId, 'orders')).toBeNull()
  await sweepLater()
  for (const id of [second.tableId, second.tableId + 1, second.tableId + 2]) expect(dropped).toContain(id)
})

test('an import makes no table of a data source that became a database or was deleted meanwhile', async () => {
  const context = administratorOf(world.ports)
  const { view } = await createDataSource(context, dataSourceBody.parse({ name: 'changing', type: 'csv' }))
  const generation = await beginGeneration(world.ports, view.id)
  const contents = { name: 'late', columns: COLUMNS, rows: 1, generation }
  const refused = async () =>
    expect(await rejection(publishTable(context, contents, { before: null, others: [] }))).toMatchObject({
      code: 'not_found',
    })
  const connection = { host: 'db.example.org', database: 'sales', user: 'reader' }
  const body = dataSourceBody.parse({ name: 'changing', type: 'mysql', connection })
  await updateDataSource(context, view.id, { body, ifMatch: null })
  await refused()
  expect(await openTable(world.ports, view.id, 'late')).toBeNull()
  await deleteDataSource(context, view.id, { isForced: false })
  await refused()
})

test('work that fails has its own error, also where its generation cannot be abandoned', async () => {
  const { ports } = world
  const failing = (target: typeof ports.database, name: string): unknown =>
    name === 'batch' ? () => Promise.reject(new Error('The database is away.')) : Reflect.get(target, name)
  const logged: string[] = []
  const log = { ...ports.log, error: (message: string) => void logged.push(message) }
  const database = new Proxy(ports.database, { get: failing })
  const failure = new Error('The file is broken.')
  const outcome = inGeneration({ ...ports, database, log }, sourceId, () => Promise.reject(failure))
  expect(await outcome.catch((error: unknown) => error)).toBe(failure)
  expect(logged).toHaveLength(1)
})
