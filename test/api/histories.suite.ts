import { expect } from 'bun:test'

import { timeFormat } from '../../src/lib/time.ts'
import { TIME_ZONE } from '../hosts/host.ts'
import type { Client } from './client.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const JOBS_MAX = 100
const CELLS_MAX = 32_000
const format = timeFormat(TIME_ZONE)
/** The whole hour five hours ago, from which on the values lie. */
const ORIGIN_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS
const iso = (minutes: number) => new Date(ORIGIN_MS + minutes * MINUTE_MS).toISOString()
const TWO_HOURS = `timestamp_begin=${iso(0)}&timestamp_end=${iso(120)}&scale=PT1H`

/** Two jobs with values, of which the second has two and a divisor; and a device, which is no job. */
const stage = once(async (client) => {
  const device = await makeDevice(client)
  const one = await makeJob(client, device, { parameters: { returnValue: [{ valueName: 'load' }] } })
  const two = await makeJob(client, device, {
    parameters: {
      returnValue: [{ valueName: 'trip', valueUnit: 'ms', valueDivisor: 10 }, { valueName: 'lost' }],
      stringValue: [{ valueName: 'version' }],
    },
  })
  const send = (job: number, minutes: number, json: object) =>
    good(
      client.request('POST', `/webcollector/jobs/${job}/values`, {
        as: 'collector',
        json: { ...json, timestamp: iso(minutes), errorCode: 0 },
      }),
    )
  for (const [minutes, value] of [
    [0, 1],
    [59, 3],
    [60, 8],
  ] as const) {
    await send(one, minutes, { returnValue1: value })
    await send(two, minutes, { returnValue1: 100 * value, returnValue2: value })
  }
  return { device, one, two }
})

const ALL = 'GET /value-history'
const bad = (query: string, answers: Row['answers'], ...pointers: string[]): Row => ({
  title: 'wrong',
  call: `${ALL}?${query}`,
  answers,
  pointers,
})
const repeated = (id: string, count: number) => Array(count).fill(`jobId=${id}`).join('&')
const keys = (count: number) => Array(count).fill('key=errorCode').join('&')
/** As many buckets as are asked for, of a second each. */
const seconds = (count: number) =>
  `timestamp_begin=${iso(0)}&timestamp_end=${new Date(ORIGIN_MS + count * 1_000).toISOString()}&scale=PT1S`

const bounds: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: `${ALL}?jobId={one}`,
    as: null,
    answers: 'unauthenticated',
  },
  bad('', 'invalid', '?jobId'),
  bad('jobId=x', 'invalid', '?jobId'),
  bad('jobId=0', 'invalid', '?jobId'),
  bad('jobId={one}&jobId=-1', 'invalid', '?jobId/1'),
  bad('jobId=999999', 'not_found', '?jobId'),
  bad('jobId={device}', 'not_found', '?jobId'),
  bad('jobId={one}&jobId=999999&jobId={two}&jobId={device}', 'not_found', '?jobId/1', '?jobId/3'),
  bad('jobId={one}&jobId={two}&key=returnValue2', 'value_not_defined', '?jobId/0'),
  bad('jobId={two}&key=stringValue1', 'invalid', '?key'),
  bad('jobId={two}&key=errorCode&key=stringValue1', 'invalid', '?key'),
  bad('jobId={two}&scale=PT0S', 'invalid', '?scale'),
  bad('jobId={two}&scale=hour', 'invalid', '?scale'),
  bad('jobId={two}&mode=median', 'invalid', '?mode'),
  bad('jobId={two}&mode=avg&mode=min', 'bad_request', '?mode'),
  bad(`jobId={two}&timestamp_begin=${iso(1)}&timestamp_end=${iso(1)}`, 'invalid', '?timestamp_end'),
  bad(`jobId={two}&${keys(17)}`, 'invalid', '?key'),
  bad(repeated('{one}', JOBS_MAX + 1), 'invalid', '?jobId'),
  {
    title: 'the maximum number of jobs',
    call: `${ALL}?${repeated('{one}', JOBS_MAX)}&${TWO_HOURS}`,
    answers: 200,
  },
  bad(`jobId={two}&${seconds(2_001)}`, 'too_many_buckets', '?scale'),
  bad(`${repeated('{two}', 16)}&${keys(16)}&${seconds(126)}`, 'too_many_buckets', '?scale'),
  {
    title: 'the maximum number of buckets',
    call: `${ALL}?${repeated('{two}', 16)}&${keys(16)}&${seconds(CELLS_MAX / 256)}&values=false`,
    answers: 200,
  },
]

const scenarios: Scenario[] = [
  {
    title: 'each job and key has the answer of a single request, by job and then by key',
    decidedAbovePorts: 'value histories of many jobs',
    async run(client) {
      const { one, two } = await stage(client)
      const query = `${TWO_HOURS}&mode=sum`
      const all = await read(
        client,
        `jobId=${two}&jobId=${one}&jobId=${two}&key=errorCode&key=returnValue1&${query}`,
      )
      const alone = async (job: number) =>
        good<Series[]>(
          client.request('GET', `/jobs/${job}/value-history?key=errorCode&key=returnValue1&${query}`),
        )
      expect(all).toEqual([...(await alone(two)), ...(await alone(one)), ...(await alone(two))])
    },
  },
  {
    title: 'values are user values, one job alone gives a list as well, and later values show at once',
    decidedAbovePorts: 'value histories of many jobs',
    async run(client) {
      const { two } = await stage(client)
      const bucket = (hours: number, rest: object) => ({
        timestamp: format(ORIGIN_MS + hours * HOUR_MS),
        ...rest,
      })
      expect(await read(client, `jobId=${two}&${TWO_HOURS}`)).toEqual([
        {
          jobId: two,
          key: 'returnValue1',
          name: 'trip',
          unit: 'ms',
          precision: null,
          mode: 'avg',
          scale: 'PT1H',
          begin: format(ORIGIN_MS),
          end: format(ORIGIN_MS + 2 * HOUR_MS),
          values: [
            bucket(0, { value: 20, min: 10, max: 30, count: 2 }),
            bucket(1, { value: 80, min: 80, max: 80, count: 1 }),
          ],
          aggregate: { min: 10, max: 80, avg: 40, last: 80, count: 3, sum: 120 },
        },
      ])
    },
  },
  {
    title: 'the mean of numbers whose sum is beyond the range of a double is a number, and the sum is null',
    async run(client) {
      const device = await makeDevice(client)
      const job = await makeJob(client, device, { parameters: { returnValue: [{ valueName: 'huge' }] } })
      const numbers = [1e308, 1e308, 1.6e308]
      const deliveries = numbers.map((returnValue1, minute) => ({
        jobId: job,
        returnValue1,
        timestamp: iso(minute),
      }))
      await good(client.request('POST', '/webcollector/values', { as: 'collector', json: { deliveries } }))
      const [series] = await read(client, `jobId=${job}&${TWO_HOURS}`)
      expect(series).toMatchObject({
        values: [{ value: 1.2e308, max: 1.6e308, count: 3 }, { count: 0 }],
        aggregate: { avg: 1.2e308, sum: null, count: 3 },
      })
    },
  },
  {
    title: 'values=false returns only aggregates, and Accept: text/csv all series one below the other',
    decidedAbovePorts: 'value histories of many jobs',
    async run(client) {
      const { one, two } = await stage(client)
      const query = `jobId=${one}&jobId=${two}&${TWO_HOURS}`
      const counts = (await read(client, `${query}&values=false`)).map(({ values, aggregate }) => ({
        values,
        count: (aggregate as { count: number }).count,
      }))
      expect(counts).toEqual([
        { values: undefined, count: 3 },
        { values: undefined, count: 3 },
      ])
      const { text, headers } = await client.request('GET', `/value-history?${query}`, {
        headers: { accept: 'text/csv' },
      })
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(text.split('\r\n').map((line) => line.split(',')[0])).toEqual([
        'jobId',
        ...[one, one, two, two].map(String),
        '',
      ])
    },
  },
]

export const historiesSuite: Suite = {
  name: 'value histories of many jobs',
  scenarios: [...table(stage, bounds), ...scenarios],
}

type Series = Readonly<Record<string, unknown>>

function read(client: Client, query: string): Promise<Series[]> {
  return good(client.request('GET', `/value-history?${query}`))
}
