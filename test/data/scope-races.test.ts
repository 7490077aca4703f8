import { afterAll, beforeAll, expect, test } from 'bun:test'

import { createUser } from '../../src/access/users/service.ts'
import type { Context } from '../../src/context.ts'
import { changeTable } from '../../src/data/definitions/service.ts'
import { tableChange } from '../../src/data/definitions/schema.ts'
import { scopeBody } from '../../src/data/scopes/schema.ts'
import { createScope, listScopes } from '../../src/data/scopes/service.ts'
import { sightedTable } from '../../src/data/scopes/service/sighted.ts'
import { readSight, sightedTables } from '../../src/data/scopes/service/sights.ts'
import { dataSourceBody } from '../../src/data/sources/schema.ts'
import { createDataSource } from '../../src/data/sources/service.ts'
import { beginGeneration, deleteTable, openTable, publishTable } from '../../src/data/tables/service.ts'
import type { Database } from '../../src/ports/database.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { rejection } from '../contract/rejection.ts'

const COLUMNS = [{ name: 'region', type: 'string' as const }]

let world: Awaited<ReturnType<typeof openPorts>>
let administrator: Context
let reader: Context
let readerId = 0
beforeAll(async () => {
  world = await openPorts()
  administrator = administratorOf(world.ports)
  const { id } = await createUser(administrator, {
    username: 'reader',
    fullname: 'Reader',
    email: '',
    phone: '',
    language: 'en',
    role: 'collector',
    type: 'local',
    properties: [],
  })
  readerId = id
  const caller = {
    kind: 'user',
    userId: id,
    username: 'reader',
    role: 'collector',
    sessionHash: null,
  } as const
  reader = { ...administrator, caller }
})
afterAll(() => world.close())

let sources = 0
/** A data source with a table without rows. */
async function sourceWith(table: string): Promise<number> {
  sources += 1
  const body = dataSourceBody.parse({ name: `files ${sources}`, type: 'csv' })
  const { id } = (await createDataSource(administrator, body)).view
  await publish(id, table)
  return id
}

/** Gives a table other rows, and another name; without the table before, makes it. */
async function publish(id: number, name: string, before: Awaited<ReturnType<typeof openTable>> = null) {
  const generation = await beginGeneration(world.ports, id)
  await publishTable(
    administrator,
    { name, columns: COLUMNS, rows: 1, generation },
    { before, others: [], changed: () => new Error('changed') as never },
  )
  return generation
}

const openOf = (id: number, table: string) => openTable(world.ports, id, table)
const scopeOf = (table: string, region = 'north') =>
  scopeBody.parse({
    name: `${table} ${region}`,
    tables: [table],
    subjects: { users: [readerId] },
    filter: { column: 'region', op: 'eq', value: region },
  })

/** Acts once, before or after the scopes are read. */
function interrupted<Given extends readonly unknown[], Found>(
  find: (...given: Given) => Promise<Found>,
  { before, after }: { readonly before?: () => Promise<unknown>; readonly after?: () => Promise<unknown> },
) {
  let calls = 0
  return async (...given: Given): Promise<Found> => {
    calls += 1
    if (calls === 1) await before?.()
    const found = await find(...given)
    if (calls === 1) await after?.()
    return found
  }
}

test('rows that came after a new scope are not read without it', async () => {
  const id = await sourceWith('orders')
  const first = (await openOf(id, 'orders'))?.generation
  const secret = async () => {
    await createScope(administrator, id, scopeOf('orders'))
    await publish(id, 'orders', await openOf(id, 'orders'))
  }
  const one = await sightedTable(reader, { id, table: 'orders' }, interrupted(readSight, { after: secret }))
  expect([one.sight.rows, one.opened.generation]).toEqual([null, first as never])
  const all = await sightedTables(reader, id)
  expect(all.get('orders')?.sight.rows).not.toBeNull()
})

test('a table that gets the name of another one is read with its own scopes', async () => {
  const id = await sourceWith('salaries')
  await createScope(administrator, id, scopeOf('salaries'))
  const swap = async () => {
    await deleteTable(administrator, { id, table: 'salaries' })
    const [scope] = await listScopes(administrator, id)
    await world.ports.database.run(`delete from data_scopes where id = ${scope?.id}`)
    await publish(id, 'salaries')
  }
  const interruption = { before: swap }
  const one = await sightedTable(reader, { id, table: 'salaries' }, interrupted(readSight, interruption))
  expect([one.sight.rows, one.opened.generation]).toEqual([
    null,
    (await openOf(id, 'salaries'))?.generation as never,
  ])
})

test('all tables of a data source are read with their scopes and users at one time', async () => {
  const id = await sourceWith('salaries')
  await createScope(administrator, id, scopeOf('salaries'))
  let statements = 0
  const database = new Proxy(world.ports.database, {
    get(target, key: keyof Database) {
      const own: unknown = target[key]
      if (typeof own !== 'function') return own
      statements += 1
      return own.bind(target) as unknown
    },
  })
  const all = await sightedTables({ ...reader, ports: { ...world.ports, database } }, id)
  // Nothing comes between the parts of one statement.
  expect(statements).toBe(1)
  const { generation } = (await openOf(id, 'salaries')) ?? {}
  expect(all.get('salaries')).toMatchObject({ opened: { generation }, sight: { columns: COLUMNS } })
  expect(all.get('salaries')?.sight.rows).not.toBeNull()
})

test('a rename and a scope of the name of before exclude each other: the scope begins first', async () => {
  const id = await sourceWith('salaries')
  const { tables } = world.ports
  const during = {
    ...administrator,
    ports: {
      ...world.ports,
      tables: Object.assign(Object.create(tables) as typeof tables, {
        reshape: async () => {
          if ((await listScopes(administrator, id)).length === 0)
            await createScope(administrator, id, scopeOf('salaries'))
          return { rows: 1 }
        },
      }),
    },
  }
  const renamed = changeTable(during, { id, table: 'salaries' }, tableChange.parse({ rename: 'pay' }))
  expect(await rejection(renamed)).toMatchObject({ code: 'conflict' })
  expect(await openOf(id, 'pay')).toBeNull()
  expect((await readSight(reader, id, 'salaries')).rows).not.toBeNull()
})

test('a rename and a scope of the name of before exclude each other: the rename begins first', async () => {
  const id = await sourceWith('salaries')
  const rename = async () => {
    const before = await openOf(id, 'salaries')
    if (before) await publish(id, 'pay', before)
  }
  // After the tables were read, and before the commit.
  let commits = 0
  const database = new Proxy(world.ports.database, {
    get(target, property) {
      if (property !== 'batch') return Reflect.get(target, property, target) as unknown
      return async (...given: Parameters<Database['batch']>) => {
        commits += 1
        if (commits === 1) await rename()
        return target.batch(...given)
      }
    },
  })
  const body = scopeOf('salaries')
  const made = createScope({ ...administrator, ports: { ...world.ports, database } }, id, body)
  expect(await rejection(made)).toMatchObject({ code: 'invalid' })
  expect(await listScopes(administrator, id)).toEqual([])
})

test('a scope that is deleted as soon as it is made is not made again', async () => {
  const id = await sourceWith('salaries')
  const database = new Proxy(world.ports.database, {
    get(target, property) {
      if (property !== 'batch') return Reflect.get(target, property, target) as unknown
      return async (...given: Parameters<Database['batch']>) => {
        const results = await target.batch(...given)
        await target.run('delete from data_scopes')
        return results
      }
    },
  })
  const body = scopeOf('salaries')
  const made = await createScope({ ...administrator, ports: { ...world.ports, database } }, id, body)
  expect(made).toMatchObject({ version: 1, view: { tables: ['salaries'] } })
  expect(await listScopes(administrator, id)).toEqual([])
})
