import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { SQL } from 'drizzle-orm'

import { createUser } from '../../src/access/users/service.ts'
import { newUserBody } from '../../src/access/users/schema.ts'
import { forecastBody } from '../../src/analytics/forecasts/definition.ts'
import {
  createForecast,
  deleteForecast,
  listForecasts,
  readForecast,
} from '../../src/analytics/forecasts/service.ts'
import { orderDueForecasts } from '../../src/analytics/forecasts/service/due.ts'
import { FORECASTS_ID } from '../../src/automation/scripts/forecasts-id.ts'
import { insertForecastsRow } from '../../src/automation/scripts/service.ts'
import { dataSourceBody } from '../../src/data/sources/schema.ts'
import { createDataSource } from '../../src/data/sources/service.ts'
import { commit } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import { isScan, planOf, recording } from '../api/plans.ts'
import { plantObject } from '../flow/plants.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const HOUR_MS = 3_600_000

let opened: Awaited<ReturnType<typeof openPorts>>
beforeAll(async () => {
  opened = await openPorts()
})
afterAll(() => opened.close())

test('a forecast of a data query that nobody published fails at its time, also after a process ended, and says so', async () => {
  const { ports, clock } = opened
  const context = administratorOf(ports)
  await createUser(
    context,
    newUserBody.parse({ username: 'admin', password: 'Tide-and-time-1', role: 'administrator' }),
  )
  const { view: dataSource } = await createDataSource(
    context,
    dataSourceBody.parse({ name: 'full', type: 'csv' }),
  )
  const about = JSON.stringify({ name: 'r', refusal: null, capabilities: ['forecast'] })
  await ports.database.run(
    `insert into runners (name, token_hash, about, registered_at, seen_at) values ('r', 'x', '${about}', 0, ${clock.at + 1.25 * HOUR_MS})`,
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
  // The process ends before the run is ordered: what it would have committed is lost.
  const lost = (target: typeof ports.database, name: string): unknown =>
    name === 'batch' ? () => Promise.reject(new Error('The process ended.')) : Reflect.get(target, name)
  await orderDueForecasts({ ...ports, database: new Proxy(ports.database, { get: lost }) })
  expect(await readForecast(context, view.id)).toMatchObject({ view: { failure: null } })
  clock.at += HOUR_MS / 4
  await orderDueForecasts(ports)
  expect(await readForecast(context, view.id)).toMatchObject({
    view: { state: 'failed', failure: { code: 'conflict' } },
  })
})

test('a run that is ordered at its time moves the schedule to the next time', async () => {
  const { ports, clock } = opened
  const context = administratorOf(ports)
  const { database } = ports
  await plantObject(database, { id: 50, type: 'device', path: '/1/50/' })
  await plantObject(database, { id: 51, type: 'job', path: '/1/50/51/' })
  await database.run(
    `insert into jobs (id, interval, interval_ms, stopped, parameters, thresholds)
     values (51, 'PT0S', 0, 0, '{"returnValue":[{"valueName":"level","valueDivisor":1}],"stringValue":[]}', '{}')`,
  )
  const buckets: Ports['jobActors']['buckets'] = (_, { edges }) =>
    Promise.resolve({
      buckets: edges.slice(1).map((at, place) => ({ at, value: place % 24, min: 0, max: 23, count: 1 })),
      aggregate: { min: 0, max: 23, avg: 1, last: 1, count: 1, sum: 1 },
    })
  const body = forecastBody.parse({
    name: 'level to come',
    source: { type: 'job', jobId: 51, key: 'returnValue1' },
    step: 'PT1H',
    history: 'P7D',
    horizon: 'PT1H',
    model: { kind: 'prophet' },
    schedule: { cron: '0 * * * *' },
  })
  const { view } = await createForecast(context, body)
  clock.at = Math.ceil((clock.at + 1) / HOUR_MS) * HOUR_MS
  await database.run(`update runners set seen_at = ${clock.at}`)
  await orderDueForecasts({ ...ports, jobActors: { ...ports.jobActors, buckets } })
  const { view: ordered } = await readForecast(context, view.id)
  expect(ordered).toMatchObject({ failure: null })
  expect(Date.parse(ordered.nextRunAt ?? '')).toBe(clock.at + HOUR_MS)
  expect(await database.all("select 1 from runs where state = 'queued'")).toHaveLength(1)
})

test('50 forecasts are listed in two statements, and the runs of each are found in indexes of runs that have not ended', async () => {
  const stage = await openPorts()
  const { ports } = stage
  const context = administratorOf(ports)
  const { database } = ports
  const source = { type: 'job', jobId: 51, key: 'returnValue1' }
  const common = { source, step: 'PT1H', history: 'P7D', horizon: 'PT1H', model: { kind: 'prophet' } }
  for (let place = 1; place <= 50; place++)
    await createForecast(context, forecastBody.parse({ name: `of many ${place}`, ...common }))
  await commit(database, insertForecastsRow(database, 0))
  for (const [id, state, finishedAt] of [
    [7, 'queued', 'null'],
    [8, 'succeeded', 1],
  ])
    await database.run(
      `insert into runs (id, script_id, run_configuration_id, "trigger", state, attempt, "order", retries, is_cancelled,
        log_sequence, log_lines, queued_at, finished_at)
       values ('j_${id}', ${FORECASTS_ID}, ${id}, 'manual', '${state}', 1, '{}', 0, 0, 0, 0, 0, ${finishedAt})`,
    )
  let count = 0
  const counting = new Proxy(database, {
    get(target, name): unknown {
      if (name === 'select' || name === 'all') count++
      return Reflect.get(target, name)
    },
  })
  const statements: SQL[] = []
  const noting = { ...context, ports: { ...ports, database: recording(counting, statements) } }
  const byState = Map.groupBy(await listForecasts(noting), ({ state }) => state)
  expect(byState.get('never')).toHaveLength(49)
  expect(byState.get('running')?.map(({ name }) => name)).toEqual(['of many 7'])
  expect(count).toBe(2)
  const plans = await Promise.all(statements.map((statement) => planOf(database, statement)))
  expect(plans.flat().filter(isScan)).toEqual([])
  expect(plans.flat().join('\n')).toMatch(/ runs_queued [^]+ runs_held /)
  await stage.close()
})

test('the deletion of a forecast enqueues the configurations of all jobs whose limits name it', async () => {
  const { ports } = opened
  const context = administratorOf(ports)
  const { database } = ports
  await plantObject(database, { id: 1_000, type: 'device', path: '/1/1000/' })
  const body = forecastBody.parse({
    name: 'of many',
    source: { type: 'job', jobId: 51, key: 'returnValue1' },
    step: 'PT1H',
    history: 'P7D',
    horizon: 'PT1H',
    model: { kind: 'prophet' },
  })
  const { view } = await createForecast(context, body)
  const conditions = [{ adaptiveValues: { source: 'forecast', forecastId: view.id, level: 80 } }]
  const thresholds = JSON.stringify({ major: { conditions } })
  const ids = Array.from({ length: 101 }, (_, at) => 1_001 + at)
  for (const id of ids) {
    await plantObject(database, { id, type: 'job', path: `/1/1000/${id}/` })
    await database.run(
      `insert into jobs (id, interval, interval_ms, stopped, parameters, thresholds)
       values (${id}, 'PT0S', 0, 0, '{"returnValue":[],"stringValue":[]}', '${thresholds}')`,
    )
  }
  // The process ends before the actors get the configurations.
  const lost = (target: typeof database, name: string): unknown =>
    name === 'batch'
      ? async (...batch: Parameters<typeof database.batch>) => {
          await target.batch(...batch)
          throw new Error('The process ended.')
        }
      : Reflect.get(target, name)
  const ending = { ...context, ports: { ...ports, database: new Proxy(database, { get: lost }) } }
  const deletion = deleteForecast(ending, view.id, { isForced: true })
  expect(await deletion.catch((error: unknown) => error)).toHaveProperty('message', 'The process ended.')
  const rows = await database.all<{ id: number }>(
    'select object_id as id from stale_job_configs where object_id > 1000 order by object_id',
  )
  expect(rows.map(({ id }) => id)).toEqual(ids)
})
