import { expect } from 'bun:test'

import { PbfReader } from 'pbf'

import { statusOf } from '../../src/http/problem.ts'
import type { Code } from '../../src/lib/errors.ts'
import { ADMIN } from '../hosts/host.ts'
import { PASSWORD } from './client.ts'
import type { Answer, Client, Request } from './client.ts'
import { gaugeRequest, snappyOf, writeRequest } from './metrics-bodies.ts'
import type { Series } from './metrics-bodies.ts'
import { claims } from './objects.ts'
import { anyText, good, once } from './suite.ts'
import type { Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'
import type { Id } from './tree-stage.ts'

const OTLP = '/otlp/v1/metrics'
const WRITE = '/api/v1/write'
const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const WRITE_HEADERS = {
  ...PROTOBUF,
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}
const SENT_MAX_BYTES = 2 * 1024 * 1024
const INFLATED_MAX_BYTES = 4 * 1024 * 1024
const SECOND_MS = 1000

const NAMES = ['temp', 'load', 'lat_count', 'lat_sum']
const PARAMETERS = { timeout: 'PT15M', returnValue: NAMES.map((valueName) => ({ valueName })) }

type Job = Readonly<Record<string, unknown>>

const stage = once(async (client) => {
  const other = await good<Id>(
    client.request('POST', '/users', {
      json: { username: 'another collector of metrics', password: PASSWORD, role: 'collector' },
    }),
  )
  const device = await makeDevice(client)
  const make = (fields: object) => makeJob(client, device, { parameters: PARAMETERS, ...fields })
  return {
    open: await make({}),
    heals: await make({}),
    otlp: await make({}),
    write: await make({}),
    stopped: await make({ stopped: true }),
    others: await make({ collectorId: other.id }),
    startedAt: Date.now() - 60 * SECOND_MS,
  }
})

const { scenarios, claim } = claims(stage)

/** Every series that a job has, as `key: value at its second`. */
async function historyOf(client: Client, jobId: number, startedAt: number): Promise<string[]> {
  const begin = new Date(startedAt - SECOND_MS).toISOString()
  const end = new Date(Date.now() + 60 * SECOND_MS).toISOString()
  const found: string[] = []
  for (let index = 1; index <= NAMES.length; index++) {
    const path = `/jobs/${jobId}/value-history?scale=PT0S&key=returnValue${index}`
    const { values } = await good<{ values: { timestamp: string; value: number }[] }>(
      client.request('GET', `${path}&timestamp_begin=${begin}&timestamp_end=${end}`),
    )
    for (const { timestamp, value } of values)
      found.push(`${index}: ${value} at ${Date.parse(timestamp) - startedAt}`)
  }
  return found
}

const jobOf = (client: Client, id: number) => good<Job>(client.request('GET', `/jobs/${id}`))

const send = (client: Client, path: string, request: Request) =>
  client.request('POST', path, { as: 'collector', ...request })

const write = (client: Client, series: readonly Series[], request: Request = {}) =>
  send(client, WRITE, { bytes: snappyOf(writeRequest(series)), headers: WRITE_HEADERS, ...request })

const series = (job: number | string, name: string, ...samples: [number, number][]): Series => ({
  labels: { __name__: name, ...(job === '' ? {} : { tidemark_job: String(job) }) },
  samples,
})

/** The message of an answer in protobuf: of a status, or of a partial success with the number of what was rejected. */
function protobufOf({ bytes }: Answer): { rejected: number; message: string } {
  const read = { rejected: 0, message: '' }
  new PbfReader(bytes).readFields((field, _, pbf) => {
    if (field === 2) read.message = pbf.readString()
    if (field === 1)
      pbf.readMessage((inner) => {
        if (inner === 1) read.rejected = pbf.readVarint()
        if (inner === 2) read.message = pbf.readString()
      }, null)
  }, null)
  return read
}

claim(
  'OTLP in JSON is stored under the name of the metric, at the instant of its point',
  async (names, client) => {
    const { otlp, startedAt } = names
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    const at = (seconds: number) => ({ timeUnixNano: `${startedAt + seconds * SECOND_MS}999999` })
    const metrics = [
      {
        name: 'temp',
        gauge: {
          dataPoints: [
            { ...at(0), asDouble: 21.5 },
            { ...at(1), asInt: '22' },
          ],
        },
      },
      {
        name: 'requests',
        sum: {
          isMonotonic: true,
          dataPoints: [{ ...at(0), asDouble: 7, attributes: [text('tidemark.value', 'returnValue2')] }],
        },
      },
      {
        name: 'lat',
        histogram: { dataPoints: [{ ...at(0), count: '3', sum: 1.25, bucketCounts: ['1', '2'] }] },
      },
      { name: 'lat', summary: { dataPoints: [{ ...at(1), count: '4', sum: 2.5, quantileValues: [{}] }] } },
    ]
    const resource = { attributes: [text('service.name', 'x'), text('tidemark.job', String(otlp))] }
    const answer = await send(client, OTLP, {
      json: { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] },
    })
    expect([answer.status, answer.text]).toEqual([200, '{}'])
    expect(await historyOf(client, otlp, startedAt)).toEqual([
      '1: 21.5 at 0',
      '1: 22 at 1000',
      '2: 7 at 0',
      '3: 3 at 0',
      '3: 4 at 1000',
      '4: 1.25 at 0',
      '4: 2.5 at 1000',
    ])
    expect(await jobOf(client, otlp)).toMatchObject({ currentState: 'ok', errorCode: 0 })
  },
)

claim('a metric ends an error code, because it has error code 0', async ({ heals }, client) => {
  await good(client.request('POST', `/webcollector/jobs/${heals}/values`, { json: { errorCode: 5 } }))
  expect(await jobOf(client, heals)).toMatchObject({ currentState: 'warning', errorCode: 5 })
  await good(send(client, OTLP, { json: gaugeRequest(heals, 'temp', { asDouble: 1 }) }))
  expect(await jobOf(client, heals)).toMatchObject({ currentState: 'ok', errorCode: 0 })
})

claim('gzip, chunked bodies and administrators are accepted', async ({ open }, client) => {
  const json = JSON.stringify(gaugeRequest(open, 'temp', { asDouble: 1 }))
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }
  const bytes = new Uint8Array(Bun.gzipSync(json))
  expect((await send(client, OTLP, { bytes, headers, as: 'administrator' })).text).toBe('{}')
  const chunks = [json.slice(0, 20), json.slice(20)]
  expect((await send(client, OTLP, { chunks, headers: { 'content-type': 'application/json' } })).text).toBe(
    '{}',
  )
})

claim('Basic credentials are accepted, as senders use them', async ({ open }, client) => {
  const authorization = `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}`
  const json = gaugeRequest(open, 'temp', { asDouble: 1 })
  expect((await send(client, OTLP, { json, as: null, headers: { authorization } })).status).toBe(200)
  const sample = [series(open, 'temp', [1, Date.now()])]
  const answer = await write(client, sample, { as: null, headers: { ...WRITE_HEADERS, authorization } })
  expect(answer.status).toBe(204)
})

claim('an OTLP request without data points is a success in its encoding', async (_, client) => {
  const json = await send(client, OTLP, { json: { resourceMetrics: [] } })
  expect([json.status, json.text]).toEqual([200, '{}'])
  const protobuf = await send(client, OTLP, { bytes: new Uint8Array(), headers: PROTOBUF })
  expect([protobuf.status, protobuf.bytes.length]).toEqual([200, 0])
  expect(protobuf.headers.get('content-type')).toBe('application/x-protobuf')
})

claim(
  'a point that a job cannot accept is rejected alone, counted, and reported with its reason',
  async (names, client) => {
    const { open, others, stopped, startedAt } = names
    const point = (job: number | string | null, name = 'temp', number: number | string = 1) =>
      (gaugeRequest(job, name, { asDouble: number }, startedAt) as { resourceMetrics: object[] })
        .resourceMetrics
    const before = await historyOf(client, open, startedAt)
    const resourceMetrics = [
      ...point(open),
      ...point(null),
      ...point('x'),
      ...point(999_999_999),
      ...point(open, 'unknown'),
      ...point(others),
      ...point(stopped),
      ...point(open, 'load', 'Infinity'),
      ...point(open, 'load', 'NaN'),
      ...point(open, 'load', 'many'),
    ]
    const answer = await send(client, OTLP, { json: { resourceMetrics } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      partialSuccess: {
        rejectedDataPoints: '8',
        errorMessage:
          '8 of 10 data points were rejected: the data point names no job: tidemark_job is missing (1); ' +
          'tidemark_job must be the id of a job (1); /asDouble does not match the OTLP schema (1); job 999999999: there is no such webhook job (1); ' +
          `job ${open}: the value is not defined on the job (1); job ${open}: the value must be finite (1); ` +
          `job ${others}: the job accepts deliveries from another collector only (1); ` +
          `job ${stopped}: the job is stopped and accepts no values until it is started (1). ` +
          '1 without a number (NaN, stale) were skipped.',
      },
    })
    const after = await historyOf(client, open, startedAt)
    expect(after.length).toBe(before.length + 1)
    expect(after).toContain('1: 1 at 0')
  },
)

claim('points of the far future and past are rejected alone', async ({ open }, client) => {
  const sent = [
    ...[-31 * 86_400, 600].map((seconds) => series(open, 'temp', [1, Date.now() + seconds * SECOND_MS])),
    series(open, 'load', [1, Date.now()]),
  ]
  const { status, body } = await write(client, sent)
  expect([status, body['detail']]).toEqual([
    400,
    `2 of 3 data points were rejected: job ${open}: the timestamp is older than 30 days (1); ` +
      `job ${open}: the timestamp is more than 5 minutes in the future (1).`,
  ])
})

claim(
  'remote write is stored under the name of the metric, at the instant of its sample',
  async (names, client) => {
    const { write: job, startedAt } = names
    const stale = new DataView(new ArrayBuffer(8))
    stale.setBigUint64(0, 0x7ff0_0000_0000_0002n)
    const answer = await write(client, [
      series(
        job,
        'temp',
        [21.5, startedAt],
        [22, startedAt + SECOND_MS],
        [stale.getFloat64(0), startedAt + 2000],
      ),
      series(job, 'load', [Number.NaN, startedAt], [0.5, startedAt + SECOND_MS]),
      {
        labels: { __name__: 'any', tidemark_job: String(job), tidemark_value: 'returnValue4' },
        samples: [[-3, startedAt]],
      },
    ])
    expect([answer.status, answer.text, answer.headers.get('tidemark-samples-skipped')]).toEqual([
      204,
      '',
      '2',
    ])
    expect(await historyOf(client, job, startedAt)).toEqual([
      '1: 21.5 at 0',
      '1: 22 at 1000',
      '2: 0.5 at 1000',
      '4: -3 at 0',
    ])
  },
)

claim(
  'remote write answers 400 for rejected samples, which are not repeated; the rest is stored',
  async (names, client) => {
    const { open, others, startedAt } = names
    const at = startedAt + 30 * SECOND_MS
    const { status, body } = await write(client, [
      series(open, 'load', [5, at]),
      series('', 'up', [1, at]),
      series(others, 'temp', [1, at]),
      series(open, 'none', [1, at], [2, at + 1]),
    ])
    expect({ status, ...body }).toMatchObject({
      status: 400,
      code: 'bad_request',
      detail:
        '4 of 5 data points were rejected: the data point names no job: tidemark_job is missing (1); ' +
        `job ${open}: the value is not defined on the job (2); ` +
        `job ${others}: the job accepts deliveries from another collector only (1).`,
      errors: [
        { pointer: '/timeseries/1', message: anyText },
        { pointer: '/timeseries/3', message: anyText },
        { pointer: '/timeseries/2', message: anyText },
      ],
    })
    expect(await historyOf(client, open, startedAt)).toContain('2: 5 at 30000')
  },
)

claim('a remote write request with metadata only is 204', async (_, client) => {
  expect((await write(client, [])).status).toBe(204)
})

const REFUSALS: readonly (readonly [title: string, path: string, request: Request, code: Code])[] = [
  ['OTLP as text', OTLP, { text: '{}', headers: { 'content-type': 'text/plain' } }, 'unsupported_media_type'],
  ['OTLP without a media type', OTLP, { bytes: new Uint8Array(1) }, 'unsupported_media_type'],
  ['OTLP in zstd', OTLP, { json: {}, headers: { 'content-encoding': 'zstd' } }, 'unsupported_media_type'],
  ['OTLP that is no gzip', OTLP, { json: {}, headers: { 'content-encoding': 'gzip' } }, 'bad_request'],
  [
    'OTLP that is no JSON',
    OTLP,
    { text: '{', headers: { 'content-type': 'application/json' } },
    'bad_request',
  ],
  ['OTLP of another shape', OTLP, { json: { resourceMetrics: 1 } }, 'bad_request'],
  ['OTLP that is no protobuf', OTLP, { text: 'protobuf', headers: PROTOBUF }, 'bad_request'],
  ['a write in JSON', WRITE, { json: {} }, 'unsupported_media_type'],
  [
    'a write without Snappy',
    WRITE,
    { bytes: new Uint8Array(1), headers: PROTOBUF },
    'unsupported_media_type',
  ],
  [
    'a write of version 2',
    WRITE,
    {
      bytes: snappyOf(new Uint8Array()),
      headers: {
        ...WRITE_HEADERS,
        'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
      },
    },
    'unsupported_media_type',
  ],
  ['a write that is no Snappy', WRITE, { bytes: new Uint8Array([1]), headers: WRITE_HEADERS }, 'bad_request'],
  [
    'a write that is no protobuf',
    WRITE,
    { bytes: snappyOf(Uint8Array.of(0x0a, 9)), headers: WRITE_HEADERS },
    'bad_request',
  ],
  [
    'a write that says it is 4 GiB',
    WRITE,
    { bytes: snappyOf(new Uint8Array(9), 2 ** 32 - 1), headers: WRITE_HEADERS },
    'too_large',
  ],
]

for (const [title, path, request, code] of REFUSALS) {
  claim(`${title} is ${code}`, async (_, client) => {
    const answer = await send(client, path, request)
    expect(answer.status).toBe(statusOf(code))
    if (path === WRITE) expect(answer.body['code']).toBe(code)
  })
}

claim('a write can state version 1', async (_, client) => {
  const headers = { ...WRITE_HEADERS, 'content-type': 'application/x-protobuf;proto=prometheus.WriteRequest' }
  expect((await write(client, [], { headers })).status).toBe(204)
})

claim('OTLP errors are a status in the encoding of the request', async (_, client) => {
  const json = await send(client, OTLP, { json: {}, as: null })
  expect([json.status, json.headers.get('content-type')]).toEqual([401, 'application/json'])
  expect(json.body).toEqual({ message: 'The credentials are missing, wrong or no longer valid.' })
  expect(json.headers.get('www-authenticate')).toContain('Basic')
  const protobuf = await send(client, OTLP, { text: 'x', headers: PROTOBUF, as: 'editor' })
  expect([protobuf.status, protobuf.headers.get('content-type')]).toEqual([403, 'application/x-protobuf'])
  expect(protobufOf(protobuf).message).toBe('Your role does not allow this request.')
})

claim('OTLP in protobuf is answered in protobuf, also with rejected points', async ({ open }, client) => {
  // Resource, scope, metric and sum in turn, around one data point: asDouble, and the job when there is one.
  const request = (job: number | null) => {
    const within = (field: number, bytes: readonly number[]): number[] => [
      field * 8 + 2,
      bytes.length,
      ...bytes,
    ]
    const text = (words: string) => [...new TextEncoder().encode(words)]
    const attribute = [...within(1, text('tidemark.job')), ...within(2, within(1, text(String(job))))]
    const point = [0x21, 0, 0, 0, 0, 0, 0, 0, 64, ...(job === null ? [] : within(7, attribute))]
    const metric = [...within(1, text('temp')), ...within(7, within(1, point))]
    return Uint8Array.from(within(1, within(2, within(2, metric))))
  }
  const stored = await send(client, OTLP, { bytes: request(open), headers: PROTOBUF })
  expect([stored.status, stored.bytes.length]).toEqual([200, 0])
  const { values } = await good<{ values: Record<string, { value: number }> }>(
    client.request('GET', `/jobs/${open}?values=true`),
  )
  expect(values['returnValue1']?.value).toBe(2)
  const rejected = await send(client, OTLP, { bytes: request(null), headers: PROTOBUF })
  expect(rejected.status).toBe(200)
  expect(protobufOf(rejected)).toEqual({
    rejected: 1,
    message: '1 of 1 data points were rejected: the data point names no job: tidemark_job is missing (1).',
  })
})

claim('a body can have the maximum size as sent', async (_, client) => {
  const json = (size: number) => JSON.stringify({ x: '' }).padEnd(size)
  const headers = { 'content-type': 'application/json' }
  const post = async (request: Request) => (await send(client, OTLP, { headers, ...request })).status
  expect(await post({ text: json(SENT_MAX_BYTES) })).toBe(200)
  expect(await post({ text: json(SENT_MAX_BYTES + 1) })).toBe(413)
  expect(await post({ chunks: [json(SENT_MAX_BYTES / 2), ' '.repeat(SENT_MAX_BYTES / 2)] })).toBe(200)
  expect(await post({ chunks: [json(SENT_MAX_BYTES / 2), ' '.repeat(SENT_MAX_BYTES / 2 + 1)] })).toBe(413)
})

claim('a body can have the maximum size after decompression', async (_, client) => {
  const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const post = async (size: number) =>
    (await send(client, OTLP, { bytes: new Uint8Array(Bun.gzipSync('{}'.padEnd(size))), headers: gzip }))
      .status
  expect(await post(INFLATED_MAX_BYTES)).toBe(200)
  expect(await post(INFLATED_MAX_BYTES + 1)).toBe(413)
  expect(await post(10 * INFLATED_MAX_BYTES)).toBe(413)
})

claim('a write can state the maximum size, and no more', async (_, client) => {
  // A field nobody reads, of nought bytes that copies of 64 fill up.
  const block = (size: number) => {
    const body = [
      0x7a,
      ...[7, 14, 21].map((bits) => (((size - 5) >> (bits - 7)) & 127) | 128),
      (size - 5) >> 21,
    ]
    const copies = Array<number[]>(Math.floor((size - 6) / 64)).fill([(63 << 2) | 2, 1, 0])
    const rest = (size - 6) % 64
    return Uint8Array.from([
      ...[0, 7, 14].map((bits) => ((size >> bits) & 127) | 128),
      size >> 21,
      5 << 2,
      ...body,
      0,
      ...copies.flat(),
      ...(rest === 0 ? [] : [((rest - 1) << 2) | 2, 1, 0]),
    ])
  }
  const post = (size: number) => send(client, WRITE, { bytes: block(size), headers: WRITE_HEADERS })
  const largest = await post(INFLATED_MAX_BYTES)
  expect([largest.status, largest.text]).toEqual([204, ''])
  expect((await post(INFLATED_MAX_BYTES + 1)).status).toBe(413)
})

claim('many jobs and values are read in one request', async ({ startedAt }, client) => {
  const device = await makeDevice(client)
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => makeJob(client, device, { parameters: PARAMETERS })),
  )
  const all = ids.flatMap((id) => NAMES.map((name, index) => series(id, name, [id * 10 + index, startedAt])))
  expect((await write(client, all)).status).toBe(204)
  for (const id of ids) {
    expect(await historyOf(client, id, startedAt)).toEqual(
      NAMES.map((_, index) => `${index + 1}: ${id * 10 + index} at 0`),
    )
  }
})

claim('a repeated write stores only what is new', async ({ startedAt }, client) => {
  const id = await makeJob(client, await makeDevice(client), { parameters: PARAMETERS })
  const first = [
    series(id, 'temp', [1, startedAt], [2, startedAt + 1], [3, startedAt + 2]),
    series(id, 'load', [7, startedAt + 1]),
  ]
  for (let time = 0; time < 3; time++) expect((await write(client, first)).status).toBe(204)
  const stored = ['1: 1 at 0', '1: 2 at 1', '1: 3 at 2', '2: 7 at 1']
  expect(await historyOf(client, id, startedAt)).toEqual(stored)
  // Another value at an instant, and one that was missing there, are none that the job has.
  const more = [
    series(id, 'temp', [2.5, startedAt + 1]),
    series(id, 'load', [7, startedAt + 1], [8, startedAt]),
  ]
  for (let time = 0; time < 2; time++) expect((await write(client, more)).status).toBe(204)
  const both = ['1: 1 at 0', '1: 2 at 1', '1: 2.5 at 1', '1: 3 at 2', '2: 8 at 0', '2: 7 at 1']
  expect(await historyOf(client, id, startedAt)).toEqual(both)
})

claim('a repeated OTLP export stores only what is new', async ({ startedAt }, client) => {
  const id = await makeJob(client, await makeDevice(client), { parameters: PARAMETERS })
  const text = JSON.stringify(gaugeRequest(id, 'temp', { asDouble: 5 }, startedAt))
  const headers = { 'content-type': 'application/json' }
  for (let time = 0; time < 2; time++) expect((await send(client, OTLP, { text, headers })).status).toBe(200)
  expect(await historyOf(client, id, startedAt)).toEqual(['1: 5 at 0'])
})

claim(
  'a changed name, a new job and a deleted job count from the next write on',
  async ({ startedAt }, client) => {
    const device = await makeDevice(client)
    const id = await makeJob(client, device, { parameters: PARAMETERS })
    const renamed = { ...PARAMETERS, returnValue: PARAMETERS.returnValue.toReversed() }
    expect((await write(client, [series(id, 'temp', [1, startedAt])])).status).toBe(204)
    await good(client.request('PUT', `/jobs/${id}`, { json: { name: 'renamed', parameters: renamed } }))
    const made = await makeJob(client, device, { parameters: PARAMETERS })
    const both = [series(id, 'temp', [2, startedAt + 1]), series(made, 'temp', [3, startedAt])]
    expect((await write(client, both)).status).toBe(204)
    expect(await historyOf(client, id, startedAt)).toEqual(['1: 1 at 0', '4: 2 at 1'])
    expect((await client.request('DELETE', `/jobs/${id}`)).status).toBe(204)
    const answer = await write(client, [
      series(id, 'temp', [4, startedAt + 2]),
      series(made, 'load', [5, startedAt]),
    ])
    expect(answer.body).toMatchObject({ errors: [{ message: `job ${id}: there is no such webhook job` }] })
    expect(await historyOf(client, made, startedAt)).toEqual(['1: 3 at 0', '2: 5 at 0'])
  },
)

export const metricsSuite: Suite = { name: 'metrics', scenarios }
