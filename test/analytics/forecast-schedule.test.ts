import { afterAll, beforeAll, expect, test } from 'bun:test'

import { createUser } from '../../src/access/users/service.ts'
import { newUserBody } from '../../src/access/users/schema.ts'
import { forecastBody } from '../../src/analytics/forecasts/definition.ts'
import { createForecast, readForecast } from '../../src/analytics/forecasts/service.ts'
import { orderDueForecasts } from '../../src/analytics/forecasts/service/due.ts'
import { dataSourceBody } from '../../src/data/sources/schema.ts'
import { createDataSource } from '../../src/data/sources/service.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const HOUR_MS = 3_600_000

let opened: Awaited<ReturnType<typeof openPorts>>
beforeAll(async () => {
  opened = await openPorts()
})
afterAll(() => opened.close())

test('a forecast of a data query that nobody published fails at its time, and says so', async () => {
  const { ports, clock } = opened
  const context = administratorOf(ports)
  await createUser(
    context,
    newUserBody.parse({ username: 'admin', password: 'Tide-and-time-1', role: 'administrator' }),
  )
  const { dataSource } = await createDataSource(context, dataSourceBody.parse({ name: 'full', type: 'csv' }))
  const about = JSON.stringify({ name: 'r', refusal: null, capabilities: ['forecast'] })
  await ports.database.run(
    `insert into runners (name, token_hash, about, registered_at, seen_at) values ('r', 'x', '${about}', 0, ${clock.at + HOUR_MS})`,
  )
  await ports.database.run(
    `insert into data_queries (id, name, description, data_source_id, text, parameters, published, version, created_at, updated_at)
     values (1, 'levels', '', ${dataSource.id}, 'select 1', '[]', 0, 1, 0, 0)`,
  )
  const body = forecastBody.parse({
    name: 'levels to come',
    source: { type: 'dataQuery', dataQueryId: 1, timeColumn: 'ds', valueColumn: 'y' },
    step: 'PT1H',
    horizon: 'PT1H',
    model: { kind: 'prophet' },
    schedule: { cron: '0 * * * *' },
  })
  const { view } = await createForecast(context, body)
  clock.at += HOUR_MS
  await orderDueForecasts(ports)
  expect(await readForecast(context, view.id)).toMatchObject({
    view: { state: 'failed', failure: { code: 'conflict' } },
  })
})
