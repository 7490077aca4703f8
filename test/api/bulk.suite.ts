import { expect } from 'bun:test'

import { PASSWORD } from './client.ts'
import type { Answer, Client, Request } from './client.ts'
import { refusal } from './objects.ts'
import { anyText, bothWays, good, once, table, throughRouter } from './suite.ts'
import type { Names, Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'
import type { Id } from './tree-stage.ts'

type Result = Readonly<Record<string, unknown>> & { readonly status: number }
type Results = { readonly results: readonly Result[]; readonly series: readonly Result[] }

const BULK = 'POST /webcollector/values'
const DAY_MS = 86_400_000
const JSON_TYPE = { 'content-type': 'application/json' }
const BODY_MAX_BYTES = 4 * 1024 * 1024
const PARAMETERS = {
  timeout: 'PT15M',
  returnValue: [{ valueName: 'first' }, { valueName: 'second', valueDivisor: 10 }],
  stringValue: [{ valueName: 'text' }],
}

const stage = once(async (client) => {
  const other = await good<Id>(
    client.request('POST', '/users', {
      json: { username: 'a third collector', password: PASSWORD, role: 'collector' },
    }),
  )
  const device = await makeDevice(client)
  const own = { parameters: PARAMETERS, collectorId: client.userIds.collector }
  return {
    device,
    one: await makeJob(client, device, own),
    two: await makeJob(client, device, own),
    stopped: await makeJob(client, device, { parameters: PARAMETERS, stopped: true }),
    others: await makeJob(client, device, { parameters: PARAMETERS, collectorId: other.id }),
  }
})

/** A new job with two numbers and a string. */
async function newJob(client: Client, fields: object = {}): Promise<number> {
  return makeJob(client, (await stage(client)).device, { parameters: PARAMETERS, ...fields })
}

function send(client: Client, json: unknown, request: Request = {}): Promise<Answer> {
  return client.request('POST', '/webcollector/values', { json, as: 'collector', ...request })
}

const taken = (client: Client, json: unknown, request: Request = {}) =>
  good<Results>(send(client, json, request))

const item = (jobId: unknown, fields: object = { returnValue1: 1 }) => ({ jobId, ...fields })
const column = (jobId: unknown, timestamps: readonly number[], fields: object = {}) => ({
  jobId,
  key: 'returnValue1',
  timestamps,
  values: timestamps.map((_, index) => index),
  ...fields,
})

const refusals: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: BULK,
    as: null,
    json: { deliveries: [] },
    answers: 'unauthenticated',
  },
  ...(['editor', 'Data_Editor', 'dashboard_viewer'] as const).map((as): Row => ({
    title: as,
    call: BULK,
    as,
    json: { deliveries: [] },
    answers: 'forbidden',
  })),
  { title: 'nothing', call: BULK, json: {}, answers: 'invalid', pointers: [''] },
  { title: 'a list', call: BULK, json: [], answers: 'invalid', pointers: [''] },
  {
    title: 'another field',
    call: BULK,
    json: { deliveries: [], values: [] },
    answers: 'invalid',
    pointers: ['/values'],
  },
  { title: 'no list', call: BULK, json: { deliveries: {} }, answers: 'invalid', pointers: ['/deliveries'] },
  { title: 'no list of series', call: BULK, json: { series: 1 }, answers: 'invalid', pointers: ['/series'] },
  { title: 'no JSON', call: BULK, text: '{', headers: JSON_TYPE, answers: 'malformed_json' },
  { title: 'another type', call: BULK, text: '{}', answers: 'unsupported_media_type' },
  {
    title: 'an empty key',
    call: BULK,
    json: { series: [] },
    headers: { 'idempotency-key': 'a b' },
    answers: 'bad_request',
  },
  {
    title: 'a key of 256 characters',
    call: BULK,
    json: { series: [] },
    headers: { 'idempotency-key': 'x'.repeat(256) },
    answers: 'bad_request',
  },
  {
    title: '10,001 deliveries',
    call: BULK,
    json: { deliveries: Array(10_001).fill(1) },
    answers: 'invalid',
    pointers: ['/deliveries'],
  },
  {
    title: '10,001 items of both kinds',
    call: BULK,
    json: { deliveries: Array(10_000).fill(1), series: [1] },
    answers: 'invalid',
    pointers: ['/series'],
  },
  {
    title: '100,001 samples',
    call: BULK,
    json: { series: [...Array<object>(10).fill(column(1, Array<number>(10_000).fill(0))), column(1, [0])] },
    answers: 'invalid',
    pointers: ['/series'],
  },
  {
    title: 'a body past 4 MiB',
    call: BULK,
    text: `{"deliveries":[]${' '.repeat(BODY_MAX_BYTES - 16)}}`,
    headers: JSON_TYPE,
    answers: 'too_large',
  },
]

/** Items that are refused by themselves, and where they are wrong. */
const FAULTS: readonly (readonly [
  title: string,
  item: (names: Names) => unknown,
  code: string,
  pointers: string[],
])[] = [
  ['no item', () => 1, 'invalid', ['']],
  ['null', () => null, 'invalid', ['']],
  ['no job', () => ({ returnValue1: 1 }), 'invalid', ['/jobId']],
  ['a job by name', () => item('1'), 'invalid', ['/jobId']],
  ['a job that is not there', () => item(999_999), 'not_found', []],
  ['a device', ({ device }) => item(device), 'not_found', []],
  ['a stopped job', ({ stopped }) => item(stopped), 'job_stopped', []],
  ["another collector's job", ({ others }) => item(others), 'forbidden', []],
  ['numeric text', ({ one }) => item(one, { returnValue1: '5', x: 1 }), 'invalid', ['/returnValue1', '/x']],
  ['an undefined value', ({ one }) => item(one, { returnValue3: 1 }), 'value_not_defined', ['/returnValue3']],
  [
    'an array that is too long',
    ({ one }) => item(one, { returnValue: [1, 2, 3] }),
    'value_not_defined',
    ['/returnValue/2'],
  ],
  ['nothing', ({ one }) => item(one, {}), 'invalid', ['']],
  ['no time to live', ({ one }) => item(one, { errorCode: 0, ttl: 'PT0S' }), 'invalid', ['/ttl']],
  [
    'a far future',
    ({ one }) => item(one, { errorCode: 0, timestamp: at(6 * 60_000) }),
    'value_in_future',
    ['/timestamp'],
  ],
  [
    'a far past',
    ({ one }) => item(one, { errorCode: 0, timestamp: at(-31 * DAY_MS) }),
    'value_too_old',
    ['/timestamp'],
  ],
]

const COLUMN_FAULTS: typeof FAULTS = [
  ['no series', () => 'x', 'invalid', ['']],
  ['a job that is not there', () => column(999_999, [Date.now()]), 'not_found', []],
  ['a stopped job', ({ stopped }) => column(stopped, [Date.now()]), 'job_stopped', []],
  ["another collector's job", ({ others }) => column(others, [Date.now()]), 'forbidden', []],
  ['no samples', ({ one }) => column(one, []), 'invalid', ['/timestamps']],
  ['more instants than values', ({ one }) => column(one, [1, 2], { values: [1] }), 'invalid', ['/values']],
  ['text for a number', ({ one }) => column(one, [1, 2], { values: [1, 'x'] }), 'invalid', ['/values/1']],
  ['null for a number', ({ one }) => column(one, [1, 2], { values: [null, 1] }), 'invalid', ['/values/0']],
  ['a number for a text', ({ one }) => column(one, [1], { key: 'stringValue1' }), 'invalid', ['/values/0']],
  [
    'a text with NUL',
    ({ one }) => column(one, [1, 2], { key: 'stringValue1', values: ['x', 'a\0'] }),
    'invalid',
    ['/values/1'],
  ],
  ['half a millisecond', ({ one }) => column(one, [0.5]), 'invalid', ['/timestamps/0']],
  ['no key', ({ one }) => column(one, [1], { key: 'stringValue0', values: ['x'] }), 'invalid', ['/key']],
  ['value 65', ({ one }) => column(one, [1], { key: 'returnValue65' }), 'invalid', ['/key']],
  [
    'an undefined value',
    ({ one }) => column(one, [Date.now()], { key: 'returnValue3' }),
    'value_not_defined',
    ['/key'],
  ],
  ['another field', ({ one }) => column(one, [1], { errorCode: 0 }), 'invalid', ['/errorCode']],
  [
    'a far future alone',
    ({ one }) => column(one, [Date.now() + 6 * 60_000]),
    'value_in_future',
    ['/timestamps/0'],
  ],
  [
    'nothing but the past',
    ({ one }) => column(one, [1, 2]),
    'value_too_old',
    ['/timestamps/0', '/timestamps/1'],
  ],
]

function at(offsetMs: number): string {
  return new Date(Date.now() + offsetMs).toISOString()
}

function codeOf({ code, errors = [] }: Result): unknown[] {
  return [code, ...(errors as { pointer: string }[]).map(({ pointer }) => pointer)]
}

const items: readonly Scenario[] = [
  ...FAULTS.map(([title, make, code, pointers]): Scenario => ({
    title: `${title} is rejected alone, and the items around it are stored`,
    decidedAbovePorts: 'items of bulk deliveries',
    async run(client) {
      const names = await stage(client)
      const { two } = names
      const { results } = await taken(client, { deliveries: [item(two), make(names), item(two)] })
      expect(results.map(({ status }) => status === 200)).toEqual([true, false, true])
      expect(codeOf(results[1] ?? { status: 0 })).toEqual([
        code,
        ...pointers.map((one) => `/deliveries/1${one}`),
      ])
      expect((await readJob(client, names.one))['lastReceivedAt']).toBeNull()
    },
  })),
  ...COLUMN_FAULTS.map(([title, make, code, pointers]): Scenario => ({
    title: `a series with ${title} is rejected alone, and the items around it are stored`,
    decidedAbovePorts: 'items of bulk deliveries',
    async run(client) {
      const names = await stage(client)
      const good2 = column(names.two, [Date.now()])
      const { series } = await taken(client, { series: [good2, make(names), good2] })
      expect(series.map(({ status }) => status === 200)).toEqual([true, false, true])
      expect(codeOf(series[1] ?? { status: 0 })).toEqual([code, ...pointers.map((one) => `/series/1${one}`)])
      expect((await readJob(client, names.one))['lastReceivedAt']).toBeNull()
    },
  })),
]

const accepted: readonly Scenario[] = [
  {
    title: 'each delivery is answered like a single one, in order within its job',
    async run(client) {
      const [first, second] = [await newJob(client), await newJob(client)]
      const timestamp = at(-60_000)
      const { results, series } = await taken(client, {
        deliveries: [
          item(first, { returnValue: [1, 20], errorCode: 3 }),
          item(second, { returnValue1: 5, timestamp, message: 'hello', runId: 'a' }),
          item(first, { returnValue1: 2, stringValue1: 'x', errorCode: 0, ttl: 'PT1H' }),
          item(second, { returnValue1: 4, timestamp: at(-120_000) }),
          item(second, { signal: 'log', message: 'line' }),
        ],
      })
      expect(series).toEqual([])
      const common = {
        status: 200,
        timestamp: anyText,
        late: false,
        state: 'ok',
        errorCode: 0,
        nextTimeoutAt: anyText,
      }
      expect(results).toEqual([
        { ...common, jobId: first, accepted: 2, state: 'warning', errorCode: 3 },
        { ...common, jobId: second, accepted: 1 },
        { ...common, jobId: first, accepted: 2 },
        { ...common, jobId: second, accepted: 1, late: true },
        { ...common, jobId: second, accepted: 0 },
      ])
      const hours = (Date.parse(String(results[2]?.['nextTimeoutAt'])) - Date.now()) / 3_600_000
      expect(Math.round(hours * 10)).toBe(10)
      expect(await history(client, first)).toEqual([1, 2])
      expect(await history(client, second)).toEqual([4, 5])
      expect(await readJob(client, second)).toMatchObject({ message: 'line' })
    },
  },
  {
    title: 'a series counts sample by sample, with repetitions, late samples and refused ones',
    async run(client) {
      const thresholds = {
        minor: { conditions: [{ key: 'returnValue2', operator: '>', value: 20, repetition: 3 }] },
      }
      const id = await newJob(client, { thresholds })
      const now = Date.now() - 10_000
      const values = [250, 250, 150, 250, 999, 250, 250]
      const timestamps = [0, 1, 2, 3, -5, 1e10, 4].map((offset) => now + offset)
      const one = { jobId: id, key: 'returnValue2', timestamps, values }
      const { series } = await taken(client, { series: [one] })
      expect(series).toEqual([
        {
          jobId: id,
          status: 200,
          accepted: 6,
          late: 1,
          refused: [{ index: 5, code: 'value_in_future' }],
          state: 'ok',
          errorCode: 0,
          nextTimeoutAt: anyText,
        },
      ])
      const more = { ...one, timestamps: [now + 5], values: [250] }
      expect((await taken(client, { series: [more] })).series).toMatchObject([{ state: 'minor' }])
      expect(await history(client, id, 'returnValue2')).toEqual([99.9, 25, 25, 15, 25, 25, 25])
    },
  },
  {
    title: 'deliveries come before series, and series can have strings',
    decidedAbovePorts: 'items of bulk deliveries',
    async run(client) {
      const id = await newJob(client)
      const now = Date.now()
      const { results, series } = await taken(client, {
        series: [
          column(id, [now - 5, now], { key: 'stringValue1', values: ['a', 'b'] }),
          column(id, [now + 1]),
        ],
        deliveries: [item(id, { returnValue1: 7, timestamp: new Date(now).toISOString() })],
      })
      expect(results).toMatchObject([{ late: false, accepted: 1 }])
      expect(series).toMatchObject([
        { accepted: 2, late: 1 },
        { accepted: 1, late: 0 },
      ])
      expect(await history(client, id)).toEqual([7, 0])
      expect(await history(client, id, 'stringValue1')).toEqual(['a', 'b'])
    },
  },
  {
    title: 'an administrator delivers to the jobs of all collectors',
    decidedAbovePorts: 'items of bulk deliveries',
    async run(client) {
      const { one, others } = await stage(client)
      const { results } = await taken(
        client,
        { deliveries: [item(one), item(others)] },
        { as: 'administrator' },
      )
      expect(results.map(({ status }) => status)).toEqual([200, 200])
    },
  },
  {
    title: 'an empty delivery is accepted, and so are 10,000 items, 100,000 samples and 4 MiB',
    async run(client) {
      expect(await taken(client, { deliveries: [] })).toEqual({ results: [], series: [] })
      const many = await taken(client, { deliveries: Array(9_999).fill(1), series: [1] })
      expect(many.results.length + many.series.length).toBe(10_000)
      const id = await newJob(client)
      const begin = Date.now() - 200_000
      const series = Array.from({ length: 10 }, (_, part) =>
        column(
          id,
          Array.from({ length: 10_000 }, (_unused, index) => begin + part * 10_000 + index),
        ),
      )
      const whole = await taken(client, { series })
      expect(whole.series.map(({ accepted: count }) => count)).toEqual(Array(10).fill(10_000))
      const text = `{"deliveries":[]${' '.repeat(BODY_MAX_BYTES - 17)}}`
      expect(text.length).toBe(BODY_MAX_BYTES)
      expect((await send(client, undefined, { text, headers: JSON_TYPE })).status).toBe(200)
    },
  },
]

const repeats: readonly Scenario[] = [
  {
    title: 'the router and the fast path answer alike, also under a key',
    async run(client) {
      const id = await newJob(client)
      const headers = { 'idempotency-key': 'both-ways' }
      const json = { deliveries: [item(id)], series: [column(id, [Date.now()])] }
      const answers = await Promise.all(
        ['/webcollector/values', throughRouter('/webcollector/values')].map((path) =>
          client.request('POST', path, { json, as: 'collector', headers }),
        ),
      )
      for (const { status, headers: fields, body } of answers) {
        expect([status, fields.get('content-type')]).toEqual([200, 'application/json'])
        expect(fields.get('x-content-type-options')).toBe('nosniff')
        expect((body as unknown as Results).results).toMatchObject([{ jobId: id, accepted: 1 }])
      }
      const replayed = answers.map(({ headers: fields }) => fields.get('idempotency-replayed'))
      expect(replayed.filter((one) => one === 'true')).toHaveLength(1)
      expect(await history(client, id)).toHaveLength(2)
    },
  },
  {
    title: 'a delivery with a key is stored once, however often it is sent',
    async run(client) {
      const id = await newJob(client)
      const plain = `/webcollector/jobs/${id}/values`
      for (const path of [plain, throughRouter(plain)]) {
        const key = `key ${path}`.replaceAll(/[^a-z%]/g, '-')
        const deliver = (json: object, as: Request['as'] = 'collector') =>
          client.request('POST', path, { json, as, headers: { 'idempotency-key': key } })
        const answers = await Promise.all([1, 2, 3].map(() => deliver({ returnValue1: 1 })))
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
        const replayed = answers.map(({ headers }) => headers.get('idempotency-replayed'))
        expect(replayed.filter((one) => one === 'true')).toHaveLength(2)
        expect(refusal(await deliver({ returnValue1: 2 }))).toEqual([409, 'idempotency_conflict'])
        expect(refusal(await deliver({ returnValue9: 1 }))).toEqual([409, 'idempotency_conflict'])
        // The same key of somebody else is another one.
        expect(
          (await deliver({ returnValue1: 3 }, 'administrator')).headers.get('idempotency-replayed'),
        ).toBeNull()
      }
      expect(await history(client, id)).toEqual([1, 3, 1, 3])
    },
  },
  {
    title: 'a refused delivery is not remembered under its key',
    async run(client) {
      const id = await newJob(client)
      const headers = { 'idempotency-key': '!' }
      const deliver = (json: object) =>
        client.request('POST', `/webcollector/jobs/${id}/values`, { json, as: 'collector', headers })
      expect(refusal(await deliver({ returnValue: [1, 2, 3] }))).toEqual([
        422,
        'value_not_defined',
        '/returnValue/2',
      ])
      expect((await deliver({ returnValue: [1] })).status).toBe(200)
    },
  },
  ...['', 'x'.repeat(256), 'a b', 'é'].map((key): Scenario => ({
    title: `the key "${key.slice(0, 5)}" of ${key.length} characters is rejected`,
    decidedAbovePorts: 'items of bulk deliveries',
    async run(client) {
      const { one } = await stage(client)
      const plain = `/webcollector/jobs/${one}/values`
      for (const path of [plain, throughRouter(plain)]) {
        const request = {
          json: { returnValue1: 1 },
          as: 'collector',
          headers: { 'idempotency-key': key },
        } as const
        expect(refusal(await client.request('POST', path, request))).toEqual([400, 'bad_request'])
      }
    },
  })),
  {
    title: 'a repeated bulk delivery with a key stores only what is missing',
    async run(client) {
      const [first, second] = [await newJob(client), await newJob(client, { stopped: true })]
      const later = Date.now() + 60_000
      const json = {
        deliveries: [item(first), item(second), item(first, { returnValue1: 2 })],
        series: [column(first, [later, later + 1])],
      }
      const again = (body: object = json) =>
        send(client, body, { headers: { 'idempotency-key': 'x'.repeat(255) } })
      const one = await again()
      expect(one.headers.get('idempotency-replayed')).toBeNull()
      expect((one.body as unknown as Results).results.map(({ status }) => status)).toEqual([200, 409, 200])
      const two = await again()
      expect(two.headers.get('idempotency-replayed')).toBe('true')
      const replays = two.body as unknown as Results
      expect([...replays.results, ...replays.series].map(({ replayed }) => replayed)).toEqual([
        true,
        undefined,
        true,
        true,
      ])
      await good(
        client.request('PUT', `/jobs/${second}`, {
          json: { name: 'x', parameters: PARAMETERS, stopped: false },
        }),
      )
      const three = await again()
      expect(three.headers.get('idempotency-replayed')).toBeNull()
      expect((three.body as unknown as Results).results).toMatchObject([
        { replayed: true },
        { status: 200 },
        { replayed: true },
      ])
      const changed = (await again({ ...json, deliveries: [item(first), item(second), item(first)] }))
        .body as unknown as Results
      expect([...changed.results, ...changed.series].map(({ code }) => code)).toEqual(
        Array(4).fill('idempotency_conflict'),
      )
      expect(await history(client, first)).toEqual([1, 2, 0, 1])
      expect(await history(client, second)).toEqual([1])
    },
  },
]

export const bulkSuite: Suite = {
  name: 'bulk deliveries',
  scenarios: [...table(stage, bothWays(refusals)), ...items, ...accepted, ...repeats],
}

function readJob(client: Client, id: string | number): Promise<Readonly<Record<string, unknown>>> {
  return good(client.request('GET', `/jobs/${id}?values=true`))
}

/** The values of a series of the last day, in order of time. */
export async function history(client: Client, id: number, key = 'returnValue1'): Promise<unknown[]> {
  const query = new URLSearchParams({
    key,
    scale: 'PT0S',
    timestamp_begin: at(-DAY_MS),
    timestamp_end: at(600_000),
  })
  const { values } = await good<{ values: { value: unknown }[] }>(
    client.request('GET', `/jobs/${id}/value-history?${query.toString()}`),
  )
  return values.map(({ value }) => value)
}
