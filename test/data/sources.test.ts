import { afterEach, beforeEach, expect, test } from 'bun:test'

import { dataSourceBody } from '../../src/data/sources/schema.ts'
import {
  createDataSource,
  deleteDataSource,
  listDataSources,
  openDataSource,
  readDataSource,
  updateDataSource,
} from '../../src/data/sources/service.ts'
import { runConfigurationBody } from '../../src/automation/scripts/run-configurations/schema.ts'
import { createRunConfiguration } from '../../src/automation/scripts/run-configurations/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript } from '../../src/automation/scripts/service.ts'
import type { Context } from '../../src/context.ts'
import { rejection } from '../contract/rejection.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { secretsOf } from '../../workers/secrets.ts'

let opened: Awaited<ReturnType<typeof openPorts>>
let context: Context
beforeEach(async () => {
  opened = await openPorts()
  context = administratorOf(opened.ports)
})
afterEach(() => opened.close())

const CONNECTION = { host: 'db', database: 'd', user: 'u', password: 'canary' }
const bodyOf = (name: string, more: object = {}) =>
  dataSourceBody.parse({ name, type: 'postgresql', connection: CONNECTION, ...more })
const make = async (name: string) => (await createDataSource(context, bodyOf(name))).view

test('200 data sources are taken, and no more', async () => {
  await make('first')
  await opened.ports.database.run(
    `insert into data_sources (name, description, type, is_read_only, timeout_ms, connection, version, created_at, updated_at)
     with recursive n(i) as (select 2 union all select i + 1 from n where i < 199)
     select 'source ' || i, '', type, 1, 0, connection, 1, 0, 0 from n, data_sources`,
  )
  const last = await make('last')
  expect(await rejection(make('one too many'))).toMatchObject({ code: 'conflict' })
  expect(await listDataSources(context)).toHaveLength(200)
  await deleteDataSource(context, last.id, { isForced: false })
  await make('in its place')
})

test('a connection that was stored without certificates and a bound has their defaults', async () => {
  const { id } = await make('older')
  await opened.ports.database.run(
    `update data_sources set connection = json_remove(connection, '$.ca', '$.maxConnections')`,
  )
  const { connection } = (await readDataSource(context, id)).view
  expect(connection).toMatchObject({ host: 'db', ca: null, maxConnections: 10 })
})

test('a password is kept sealed, and opened for what runs alone', async () => {
  const { id } = await make('sealed')
  const rows = await opened.ports.database.all('select * from data_sources')
  expect(JSON.stringify(rows)).not.toContain('canary')
  const read = await openDataSource(opened.ports, { dataSourceId: id, access: 'read' })
  expect(read).toMatchObject({ type: 'postgresql', host: 'db', password: 'canary', timeoutMs: 30_000 })
  const secrets = secretsOf(crypto.getRandomValues(new Uint8Array(32)))
  const elsewhere = openDataSource({ ...opened.ports, secrets }, { dataSourceId: id, access: 'read' })
  expect(await rejection(elsewhere)).toMatchObject({
    code: 'conflict',
    detail:
      'The password of the data source sealed cannot be decrypted: the installation key has changed or is missing. Enter it again.',
  })
})

test('of two who change a data source at once one is told', async () => {
  const { id } = await make('contested')
  const change = (description: string) =>
    updateDataSource(context, id, { body: bodyOf('contested', { description }), ifMatch: null })
  const outcomes = await Promise.allSettled([change('one'), change('another')])
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  expect(refused).toMatchObject([{ code: 'precondition_failed' }])
  expect((await readDataSource(context, id)).version).toBe(2)
})

test('what a run configuration names stays, also one that came while it was looked at', async () => {
  const { id } = await make('needed')
  await createScript(context, scriptBody.parse({ name: 'script' }))
  const { database } = opened.ports
  const meanwhile = () =>
    createRunConfiguration(
      context,
      'script',
      runConfigurationBody.parse({ name: 'late', kind: 'database', database: { dataSourceId: id } }),
    )
  const slow = {
    ...opened.ports,
    database: Object.assign(Object.create(database) as typeof database, {
      async batch(...[writes]: Parameters<typeof database.batch>) {
        await meanwhile()
        return database.batch(writes)
      },
    }),
  }
  const refused = await rejection(deleteDataSource({ ...context, ports: slow }, id, { isForced: false }))
  expect(refused).toMatchObject({
    code: 'has_dependents',
    errors: [{ message: 'the run configuration 1, late, of script 1, script' }],
  })
  expect((await readDataSource(context, id)).view.name).toBe('needed')
})
