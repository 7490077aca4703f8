import { expect } from 'bun:test'

import { timeFormat } from '../../src/lib/time.ts'
import { TIME_ZONE } from '../hosts/host.ts'
import type { Client } from './client.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * HOUR_MS
const format = timeFormat(TIME_ZONE)
/** The whole hour two days ago, from which on the values lie. */
const ORIGIN_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * DAY_MS
const BEGIN = new Date(ORIGIN_MS).toISOString()
const END = new Date(ORIGIN_MS + 2 * HOUR_MS).toISOString()
const at = (minutes: number) => format(ORIGIN_MS + minutes * MINUTE_MS)

/** The measurements, in the order of delivery: minutes after the origin, and the raw value of `returnValue1`. */
const MEASURED: readonly (readonly [minutes: number, raw: number])[] = [
  [0, 100],
  [1, 200],
  [29, 600],
  [65, 400],
  [70, 10],
  [70, 30],
  [70, 20],
  [119, 40],
  // Late ones belong into the history all the same.
  [10, 300],
  [70, 50],
]
const DIVISOR = 10

/** The same in order of time, as it is read. */
const SERIES = [...MEASURED]
  .sort(([a], [b]) => a - b)
  .map(([minutes, raw]) => ({ timestamp: at(minutes), value: raw / DIVISOR }))

const stage = once(async (client) => {
  const parameters = {
    returnValue: [
      { valueName: 'Round trip', valueUnit: 'ms', valueDivisor: DIVISOR, valuePrecision: 1 },
      { valueName: 'Silent', valueUnit: '%' },
    ],
    stringValue: [{ valueName: 'Version', valueUnit: 'v' }],
  }
  const job = await makeJob(client, await makeDevice(client), { parameters })
  const send = (minutes: number, json: object) =>
    good(
      client.request('POST', `/webcollector/jobs/${job}/values`, {
        as: 'collector',
        json: { ...json, timestamp: at(minutes) },
      }),
    )
  for (const [minutes, raw] of MEASURED) await send(minutes, { returnValue1: raw })
  for (const [minutes, stringValue1] of [
    [120, 'v1'],
    [121, 'v1'],
    [122, 'v2'],
    [123, ''],
    [124, ''],
    [125, 'v1'],
  ] as const)
    await send(minutes, { stringValue1 })
  for (const [minutes, errorCode] of [
    [126, 0],
    [127, 3],
    [128, 3],
    [129, 0],
  ] as const)
    await send(minutes, { errorCode })
  return { job }
})

const HISTORY = 'GET /jobs/{job}/value-history'
const bad = (query: string, answers: Row['answers'], ...pointers: string[]): Row => ({
  title: 'wrong',
  call: `${HISTORY}?${query}`,
  answers,
  pointers,
})

const refusals: readonly Row[] = [
  { title: 'a request without credentials', call: HISTORY, as: null, answers: 'unauthenticated' },
  ...['999999', '1', 'x', '0'].map((id): Row => ({
    title: 'no job',
    call: `GET /jobs/${id}/value-history`,
    answers: 'not_found',
  })),
  bad('key=returnValue3', 'value_not_defined', '?key'),
  bad('key=stringValue2', 'value_not_defined', '?key'),
  bad('key=returnValue1&key=returnValue9', 'value_not_defined', '?key'),
  bad('key=returnValue0', 'invalid', '?key'),
  bad('key=returnValue', 'invalid', '?key'),
  bad('key=', 'invalid', '?key'),
  bad('key=returnValue100', 'invalid', '?key'),
  bad('key=errorCode&key=nonsense', 'invalid', '?key/1'),
  bad(Array(17).fill('key=errorCode').join('&'), 'invalid', '?key'),
  bad('mode=median', 'invalid', '?mode'),
  bad('mode=AVG', 'invalid', '?mode'),
  bad('values=no', 'invalid', '?values'),
  bad('scale=hour', 'invalid', '?scale'),
  bad('scale=-PT1H', 'invalid', '?scale'),
  bad('scale=60', 'invalid', '?scale'),
  bad('scale=', 'invalid', '?scale'),
  bad('timestamp_begin=yesterday', 'invalid', '?timestamp_begin'),
  bad('timestamp_begin=2026-01-01', 'invalid', '?timestamp_begin'),
  bad('timestamp_end=2026-01-01T00:00:00', 'invalid', '?timestamp_end'),
  bad('timestamp_begin=2026-01-01T00:00:00+01:00', 'invalid', '?timestamp_begin'),
  bad('timestamp_begin=-000001-01-01T00:00:00Z', 'invalid', '?timestamp_begin'),
  bad(`timestamp_begin=${END}&timestamp_end=${BEGIN}`, 'invalid', '?timestamp_end'),
  bad(`timestamp_begin=${BEGIN}&timestamp_end=${BEGIN}`, 'invalid', '?timestamp_end'),
  bad('timestamp_begin=2999-01-01T00:00:00Z', 'invalid', '?timestamp_end'),
  bad('timestamp_end=%2B275760-09-13T00:00:00Z', 'invalid', '?timestamp_end'),
  bad('timestamp_end=9999-12-31T23:59:59Z', 'invalid', '?timestamp_end'),
  bad('limit=0', 'invalid', '?limit'),
  bad('limit=10001', 'invalid', '?limit'),
  bad('limit=1.5', 'invalid', '?limit'),
  bad('limit=x', 'invalid', '?limit'),
  bad('limit=', 'invalid', '?limit'),
  bad('scale=PT0S&cursor=x', 'invalid', '?cursor'),
  bad('scale=PT0S&cursor=1.2.3', 'invalid', '?cursor'),
  bad('scale=PT0S&cursor=-1.0', 'invalid', '?cursor'),
  bad('scale=PT0S&key=returnValue1&key=errorCode&cursor=1.0', 'invalid', '?cursor'),
  bad('scale=PT1S', 'too_many_buckets', '?scale'),
  bad(
    `timestamp_begin=${BEGIN}&timestamp_end=${new Date(ORIGIN_MS + 2001 * MINUTE_MS).toISOString()}&scale=PT1M`,
    'too_many_buckets',
    '?scale',
  ),
  bad('timestamp_begin=1970-01-01T00:00:00Z&scale=P1D', 'too_many_buckets', '?scale'),
  bad('scale=PT0.000000001S', 'too_many_buckets', '?scale'),
]

const extremes: readonly Row[] = [
  {
    title: '2,000 buckets',
    call: `${HISTORY}?timestamp_begin=${BEGIN}&timestamp_end=${new Date(ORIGIN_MS + 2000 * MINUTE_MS).toISOString()}&scale=PT1M`,
    answers: 200,
  },
  {
    title: 'the end of all four-digit years',
    call: `${HISTORY}?timestamp_begin=${BEGIN}&timestamp_end=9999-12-30T23:59:59.999Z`,
    answers: 200,
  },
  {
    title: 'the first possible instant',
    call: `${HISTORY}?timestamp_begin=1970-01-01T00:00:00Z`,
    answers: 200,
  },
  { title: 'a scale longer than all time', call: `${HISTORY}?scale=P4000000000D`, answers: 200 },
  { title: 'a scale of ages', call: `${HISTORY}?scale=P999999Y`, answers: 200 },
  ...(['administrator', 'editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const).map(
    (as): Row => ({ title: as, call: HISTORY, as, answers: 200 }),
  ),
]

const HALF_HOURS = [
  { timestamp: at(0), value: 30, min: 10, max: 60, count: 4 },
  { timestamp: at(30), value: null, min: null, max: null, count: 0 },
  { timestamp: at(60), value: 10.2, min: 1, max: 40, count: 5 },
  { timestamp: at(90), value: 4, min: 4, max: 4, count: 1 },
]
const WHOLE = { min: 1, max: 60, avg: 17.5, last: 4, count: 10, sum: 175 }
const HEADER = {
  key: 'returnValue1',
  name: 'Round trip',
  unit: 'ms',
  precision: 1,
  begin: at(0),
  end: at(120),
}

/** The value of the four half hours in every mode. Percentiles are the nearest rank. */
const MODES: readonly (readonly [mode: string, values: readonly (number | null)[]])[] = [
  ['avg', [30, null, 10.2, 4]],
  ['min', [10, null, 1, 4]],
  ['max', [60, null, 40, 4]],
  ['last', [60, null, 5, 4]],
  ['sum', [120, null, 51, 4]],
  ['count', [4, null, 5, 1]],
  ['p50', [20, null, 3, 4]],
  ['p95', [60, null, 40, 4]],
  ['p99', [60, null, 40, 4]],
]

const buckets: Scenario[] = [
  {
    title: 'buckets are half-open from the start on, in user values, and gaps are null',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const { job } = await stage(client)
      expect(await read(client, { scale: 'PT30M' })).toEqual({
        jobId: job,
        ...HEADER,
        mode: 'avg',
        scale: 'PT30M',
        values: HALF_HOURS,
        aggregate: WHOLE,
      })
    },
  },
  ...MODES.map(([mode, values]) => ({
    title: `mode ${mode} gives ${JSON.stringify(values)}`,
    decidedAbovePorts: 'value histories',
    async run(client: Client) {
      const series = await read(client, { scale: 'PT30M', mode })
      expect(series['mode']).toBe(mode)
      expect((series['values'] as { value: number | null }[]).map(({ value }) => value)).toEqual([...values])
      expect(series['aggregate']).toEqual(WHOLE)
    },
  })),
  {
    title: 'the range includes its start and excludes its end',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const range = { timestamp_begin: iso(1), timestamp_end: iso(29), scale: 'PT28M' }
      expect((await read(client, range))['values']).toEqual([
        { timestamp: at(1), value: 25, min: 20, max: 30, count: 2 },
      ])
    },
  },
  {
    title: 'the last bucket is cut at the end',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const series = await read(client, { scale: 'PT50M' })
      expect((series['values'] as { timestamp: string }[]).map(({ timestamp }) => timestamp)).toEqual([
        at(0),
        at(50),
        at(100),
      ])
    },
  },
  {
    title: 'days begin at midnight of the service zone, the first and the last one cut to the range',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const range = { timestamp_begin: iso(-1500), timestamp_end: iso(1500), scale: 'P1D' }
      const stamps = ((await read(client, range))['values'] as { timestamp: string; count: number }[]).map(
        ({ timestamp }) => timestamp,
      )
      expect(stamps[0]).toBe(at(-1500))
      for (const stamp of stamps.slice(1)) expect(stamp).toMatch(/T00:00:00\+0[12]:00$/)
      expect(stamps.length).toBeGreaterThanOrEqual(3)
    },
  },
  {
    title: 'values=false returns only the aggregate',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const series = await read(client, { scale: 'PT30M', values: 'false' })
      expect(Object.keys(series)).not.toContain('values')
      expect(series['aggregate']).toEqual(WHOLE)
    },
  },
  {
    title: 'a value without samples has empty buckets and an empty aggregate',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const series = await read(client, { key: 'returnValue2', scale: 'PT1H' })
      expect(series).toMatchObject({ name: 'Silent', unit: '%', precision: null })
      const empty = { value: null, min: null, max: null, count: 0 }
      expect(series['values']).toEqual([
        { timestamp: at(0), ...empty },
        { timestamp: at(60), ...empty },
      ])
      expect(series['aggregate']).toEqual({
        min: null,
        max: null,
        avg: null,
        last: null,
        count: 0,
        sum: null,
      })
    },
  },
  {
    title: 'the default is the last day of the first value, in buckets of ten minutes on the clock',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const { job } = await stage(client)
      const before = Date.now()
      const series = await good(client.request('GET', `/jobs/${job}/value-history`))
      const [begin, end] = [Date.parse(String(series['begin'])), Date.parse(String(series['end']))]
      expect(series).toMatchObject({ key: 'returnValue1', mode: 'avg', scale: 'PT10M' })
      expect(end - begin).toBe(DAY_MS)
      expect(end).toBeGreaterThanOrEqual(before)
      const values = series['values'] as readonly { readonly timestamp: string }[]
      expect([144, 145]).toContain(values.length)
      for (const { timestamp } of values.slice(1)) expect(timestamp).toMatch(/:\d0:00(?:\.000)?[+-]/)
    },
  },
  {
    title: 'begin alone reaches to now, and includes a delivery of a moment ago',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const job = await makeJob(client, await makeDevice(client), {
        parameters: { returnValue: [{ valueName: 'x' }] },
      })
      for (const returnValue1 of [1, 2, 3]) {
        await good(
          client.request('POST', `/webcollector/jobs/${job}/values`, {
            json: { returnValue1 },
            as: 'collector',
          }),
        )
        const series = await good(
          client.request('GET', `/jobs/${job}/value-history?timestamp_begin=${BEGIN}&scale=P1D`),
        )
        expect(series['aggregate']).toMatchObject({ count: returnValue1, last: returnValue1 })
      }
    },
  },
  {
    title: 'a repeated key returns an array of series in that order, a single one never',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const series = await readAll(client, ['errorCode', 'returnValue1', 'stringValue1'])
      expect(series.map(({ key, name, unit }) => [key, name, unit])).toEqual([
        ['errorCode', 'Error code', ''],
        ['returnValue1', 'Round trip', 'ms'],
        ['stringValue1', 'Version', 'v'],
      ])
      expect(series[1]?.['values']).toEqual(HALF_HOURS)
      expect(Array.isArray(await read(client, { key: 'errorCode' }))).toBe(false)
    },
  },
]

const samples: Scenario[] = [
  {
    title: 'PT0S returns single samples, late ones in their place, those of one instant in order of arrival',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const series = await read(client, { scale: 'PT0S' })
      expect(series).toEqual({
        jobId: expect.any(Number),
        ...HEADER,
        mode: 'avg',
        scale: 'PT0S',
        values: SERIES,
        nextCursor: null,
      })
    },
  },
  ...[1, 2, 3, 4, 5, 9, 10, 11].map((limit) => ({
    title: `pages of ${limit} samples hold each sample once, also those of one instant`,
    decidedAbovePorts: 'value histories',
    async run(client: Client) {
      const { values, pages } = await readPages(client, { scale: 'PT0S', limit: String(limit) })
      expect(values).toEqual(SERIES)
      expect(pages).toBe(Math.ceil(SERIES.length / limit))
    },
  })),
  {
    title: 'string values are returned as changes, for any scale',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const range = { key: 'stringValue1', timestamp_end: iso(180) }
      const expected = [
        [120, 'v1'],
        [122, 'v2'],
        [123, ''],
        [125, 'v1'],
      ].map(([minutes, value]) => ({ timestamp: at(Number(minutes)), value }))
      for (const scale of ['PT0S', 'PT30M'])
        expect((await read(client, { ...range, scale }))['values']).toEqual(expected)
    },
  },
  ...[1, 2, 3, 5].map((limit) => ({
    title: `pages of ${limit} hold each change of a string once`,
    decidedAbovePorts: 'value histories',
    async run(client: Client) {
      const { values } = await readPages(client, {
        key: 'stringValue1',
        scale: 'PT0S',
        timestamp_end: iso(180),
        limit: String(limit),
      })
      expect(values.map(({ value }) => value)).toEqual(['v1', 'v2', '', 'v1'])
    },
  })),
  {
    title: 'the error code is a series of its changes, in samples and in buckets',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const range = { key: 'errorCode', timestamp_begin: iso(126), timestamp_end: iso(130) }
      const raw = (await read(client, { ...range, scale: 'PT0S' }))['values']
      expect(raw).toEqual(
        [
          [127, 3],
          [129, 0],
        ].map(([minutes, value]) => ({ timestamp: at(Number(minutes)), value })),
      )
      expect((await read(client, { ...range, scale: 'PT4M', mode: 'max' }))['values']).toMatchObject([
        { value: 3 },
      ])
    },
  },
]

const CSV_HEAD = 'jobId,key,timestamp,value,min,max,count'

const csv: Scenario[] = [
  {
    title: 'Accept: text/csv returns buckets as CSV',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const { job } = await stage(client)
      const rows = HALF_HOURS.map(
        ({ timestamp, value, min, max, count }) =>
          `${job},returnValue1,${timestamp},${value ?? ''},${min ?? ''},${max ?? ''},${count}`,
      )
      expect(await readCsv(client, 'scale=PT30M')).toBe([CSV_HEAD, ...rows, ''].join('\r\n'))
    },
  },
  {
    title: 'CSV holds samples, and several series one below the other',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const { job } = await stage(client)
      const lines = (await readCsv(client, 'scale=PT0S&key=returnValue1&key=stringValue1')).split('\r\n')
      expect(lines.slice(0, 3)).toEqual([
        CSV_HEAD,
        `${job},returnValue1,${at(0)},10,,,`,
        `${job},returnValue1,${at(1)},20,,,`,
      ])
      expect(lines.filter((line) => line.includes('stringValue1'))).toEqual([])
      expect(lines.length).toBe(SERIES.length + 2)
    },
  },
  {
    title: 'CSV quotes text, and defuses formulas',
    decidedAbovePorts: 'value histories',
    async run(client) {
      const job = await makeJob(client, await makeDevice(client), {
        parameters: { stringValue: [{ valueName: 's' }] },
      })
      const texts = ['a,b', 'say "no"', 'two\nlines', '=1+1', '@x', '-5']
      for (const stringValue1 of texts)
        await good(
          client.request('POST', `/webcollector/jobs/${job}/values`, {
            json: { stringValue1 },
            as: 'collector',
          }),
        )
      const answer = await client.request('GET', `/jobs/${job}/value-history?key=stringValue1`, {
        headers: { accept: 'text/csv' },
      })
      const cells = answer.text
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(/:00,|\d,(?=["'])/).at(-1))
      expect(cells).toEqual([
        '"a,b",,,',
        '"say ""no""",,,',
        '"two\nlines",,,',
        "'=1+1,,,",
        "'@x,,,",
        "'-5,,,",
      ])
    },
  },
]

export const historySuite: Suite = {
  name: 'value history',
  scenarios: [...table(stage, refusals), ...table(stage, extremes), ...buckets, ...samples, ...csv],
}

type Series = Readonly<Record<string, unknown>>
type Page = { readonly values: { timestamp: string; value: unknown }[]; readonly nextCursor: string | null }

function iso(minutes: number): string {
  return new Date(ORIGIN_MS + minutes * MINUTE_MS).toISOString()
}

async function read(client: Client, query: Record<string, string>): Promise<Series> {
  const { job } = await stage(client)
  const all = new URLSearchParams({ timestamp_begin: BEGIN, timestamp_end: END, ...query })
  return good(client.request('GET', `/jobs/${job}/value-history?${all.toString()}`))
}

async function readAll(client: Client, keys: readonly string[]): Promise<Series[]> {
  const { job } = await stage(client)
  const query = new URLSearchParams({ timestamp_begin: BEGIN, timestamp_end: END, scale: 'PT30M' })
  for (const key of keys) query.append('key', key)
  return good<Series[]>(client.request('GET', `/jobs/${job}/value-history?${query.toString()}`))
}

async function readPages(client: Client, query: Record<string, string>) {
  const values: Page['values'] = []
  let cursor: string | null = null
  let pages = 0
  do {
    const page = (await read(client, { ...query, ...(cursor === null ? {} : { cursor }) })) as unknown as Page
    values.push(...page.values)
    cursor = page.nextCursor
    pages++
  } while (cursor !== null && pages < 100)
  return { values, pages }
}

async function readCsv(client: Client, query: string): Promise<string> {
  const { job } = await stage(client)
  const path = `/jobs/${job}/value-history?${query}&timestamp_begin=${BEGIN}&timestamp_end=${END}`
  const { status, headers, text } = await client.request('GET', path, { headers: { accept: 'text/csv' } })
  expect({ status, type: headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/csv; charset=utf-8',
  })
  return text
}
