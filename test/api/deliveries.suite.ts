import { expect } from 'bun:test'

import { PASSWORD } from './client.ts'
import type { Answer, Client } from './client.ts'
import { anyText, bothWays, call, expectAnswer, good, once, table } from './suite.ts'
import type { Names, Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'
import type { Id } from './tree-stage.ts'

type Job = Readonly<Record<string, unknown>> & { readonly id: number; readonly parameters: object }
type Sample = { readonly timestamp: string; readonly value: number | string }

const DELIVER = 'POST /webcollector/jobs/{sink}/values'
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const JSON_TYPE = { 'content-type': 'application/json' }
const PARAMETERS = {
  timeout: 'PT15M',
  returnValue: [{ valueName: 'first' }, { valueName: 'second', valueDivisor: 10 }],
  stringValue: [{ valueName: 'text' }],
}

/** A job with a history, one that is stopped, one of another collector, and one that has its device's collector. */
const stage = once(async (client) => {
  const { collector } = client.userIds
  const other = await good<Id>(
    client.request('POST', '/users', {
      json: { username: 'another collector', password: PASSWORD, role: 'collector' },
    }),
  )
  const device = await makeDevice(client)
  const otherDevice = await makeDevice(client, { collectorId: other.id })
  const sink = await makeJob(client, device, { parameters: PARAMETERS, collectorId: collector })
  await deliver(client, sink, {
    returnValue: [1, 20],
    stringValue1: 'one',
    errorCode: 3,
    message: 'the first',
  })
  return {
    device,
    sink,
    stopped: await makeJob(client, device, { parameters: PARAMETERS, stopped: true }),
    others: await makeJob(client, device, { parameters: PARAMETERS, collectorId: other.id }),
    devices: await makeJob(client, otherDevice, { parameters: PARAMETERS }),
    open: await makeJob(client, device, { parameters: PARAMETERS }),
  }
})

const from = (as: Row['as'], line: string, answers: Row['answers']): Row => ({
  title: as ?? 'nobody',
  call: line,
  as: as ?? null,
  json: { returnValue1: 1 },
  answers,
})

const senders: readonly Row[] = [
  from(null, DELIVER, 'unauthenticated'),
  from('editor', DELIVER, 'forbidden'),
  from('Data_Editor', DELIVER, 'forbidden'),
  from('dashboard_viewer', DELIVER, 'forbidden'),
  {
    ...from('collector', 'POST /webcollector/jobs/{others}/values', 'forbidden'),
    title: "another collector's job",
  },
  {
    ...from('collector', 'POST /webcollector/jobs/{devices}/values', 'forbidden'),
    title: "a job of another collector's device",
  },
  { ...from('collector', 'POST /webcollector/jobs/{stopped}/values', 'job_stopped'), title: 'a stopped job' },
  ...['999999', '1', '{device}', '0', 'x'].map((id): Row => ({
    ...from('collector', `POST /webcollector/jobs/${id}/values`, 'not_found'),
    title: 'no job',
  })),
]

const at = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString()

/** Bodies that are refused as a whole, and where they are wrong. */
const FAULTS: readonly (readonly [
  title: string,
  json: object,
  code: Row['answers'],
  ...pointers: string[],
])[] = [
  ['numeric text', { returnValue1: '5' }, 'invalid', '/returnValue1'],
  [
    'numeric text beside a good value',
    { returnValue1: 5, returnValue2: '5', stringValue1: 'x' },
    'invalid',
    '/returnValue2',
  ],
  [
    'numeric text in several places',
    { returnValue1: '5', returnValue2: '6', stringValue1: 7 },
    'invalid',
    '/returnValue1',
    '/returnValue2',
    '/stringValue1',
  ],
  ['null, which is how JSON writes NaN', { returnValue1: null }, 'invalid', '/returnValue1'],
  [
    'null beside text',
    { returnValue1: null, returnValue2: '6' },
    'invalid',
    '/returnValue1',
    '/returnValue2',
  ],
  ['the text NaN', { returnValue1: 'NaN' }, 'invalid', '/returnValue1'],
  ['a flag', { returnValue1: true }, 'invalid', '/returnValue1'],
  ['a nested array', { returnValue1: [1] }, 'invalid', '/returnValue1'],
  ['an object', { returnValue1: { value: 1 } }, 'invalid', '/returnValue1'],
  [
    'numeric text in the array',
    { returnValue: [1, '2', null] },
    'invalid',
    '/returnValue/1',
    '/returnValue/2',
  ],
  ['nothing', {}, 'invalid', ''],
  ['a string with NUL', { stringValue1: 'a\0b' }, 'invalid', '/stringValue1'],
  ['a string with half a character', { stringValue1: 'a\uD800' }, 'invalid', '/stringValue1'],
  ['a run with NUL', { returnValue1: 1, runId: 'a\0' }, 'invalid', '/runId'],
  ['an empty array', { returnValue: [] }, 'invalid', ''],
  ['a message alone', { message: 'here', ttl: 'PT1H', runId: 'x' }, 'invalid', ''],
  ['a timestamp alone', { timestamp: '2026-03-02T09:00:00Z' }, 'invalid', ''],
  ['an array that is none', { returnValue: 5 }, 'invalid', '/returnValue'],
  ['both forms at once', { returnValue: [1], returnValue1: 1 }, 'invalid', '/returnValue1'],
  [
    'both forms at once, for different values',
    { returnValue: [1], returnValue2: 1 },
    'invalid',
    '/returnValue2',
  ],
  ['an empty array and the other form', { returnValue: [], returnValue1: 1 }, 'invalid', '/returnValue1'],
  ['65 values', { returnValue: Array(65).fill(1) }, 'invalid', '/returnValue'],
  ['value zero', { returnValue0: 1 }, 'invalid', '/returnValue0'],
  ['value 65', { returnValue65: 1 }, 'invalid', '/returnValue65'],
  ['a padded number', { returnValue01: 1 }, 'invalid', '/returnValue01'],
  ['another case', { returnvalue1: 1 }, 'invalid', '/returnvalue1'],
  ['an unknown field', { returnValue1: 1, value: 1 }, 'invalid', '/value'],
  ['a number as a string', { stringValue1: 1 }, 'invalid', '/stringValue1'],
  ['a long string', { stringValue1: 'x'.repeat(4097) }, 'invalid', '/stringValue1'],
  ['an undefined number', { returnValue1: 1, returnValue3: 1 }, 'value_not_defined', '/returnValue3'],
  [
    'undefined numbers and strings',
    { returnValue9: 1, stringValue2: 'x', stringValue1: 'x' },
    'value_not_defined',
    '/returnValue9',
    '/stringValue2',
  ],
  [
    'an array that is too long',
    { returnValue: [1, 2, 3, 4] },
    'value_not_defined',
    '/returnValue/2',
    '/returnValue/3',
  ],
  ['a negative code', { returnValue1: 1, errorCode: -1 }, 'invalid', '/errorCode'],
  ['half a code', { returnValue1: 1, errorCode: 0.5 }, 'invalid', '/errorCode'],
  ['a huge code', { returnValue1: 1, errorCode: 2_147_483_648 }, 'invalid', '/errorCode'],
  ['a code as text', { returnValue1: 1, errorCode: '0' }, 'invalid', '/errorCode'],
  ['no code', { returnValue1: 1, errorCode: null }, 'invalid', '/errorCode'],
  ['a date without a zone', { returnValue1: 1, timestamp: '2026-01-01T00:00:00' }, 'invalid', '/timestamp'],
  ['a date alone', { returnValue1: 1, timestamp: '2026-01-01' }, 'invalid', '/timestamp'],
  ['a day that is none', { returnValue1: 1, timestamp: '2026-02-30T00:00:00Z' }, 'invalid', '/timestamp'],
  ['a number as a date', { returnValue1: 1, timestamp: 1_700_000_000_000 }, 'invalid', '/timestamp'],
  [
    'a date past all calendars',
    { returnValue1: 1, timestamp: '+300000-01-01T00:00:00Z' },
    'invalid',
    '/timestamp',
  ],
  [
    'the last instant there is',
    { returnValue1: 1, timestamp: '+275760-09-13T00:00:00Z' },
    'value_in_future',
    '/timestamp',
  ],
  [
    'the first instant there is',
    { returnValue1: 1, timestamp: '-271821-04-20T00:00:00Z' },
    'value_too_old',
    '/timestamp',
  ],
  ['a long message', { returnValue1: 1, message: 'x'.repeat(4097) }, 'invalid', '/message'],
  ['a message that is none', { returnValue1: 1, message: 1 }, 'invalid', '/message'],
  ['no time to live', { returnValue1: 1, ttl: 'PT0S' }, 'invalid', '/ttl'],
  ['a negative time to live', { returnValue1: 1, ttl: '-PT1S' }, 'invalid', '/ttl'],
  ['a time to live of months', { returnValue1: 1, ttl: 'P1M' }, 'invalid', '/ttl'],
  ['an empty run', { returnValue1: 1, runId: '' }, 'invalid', '/runId'],
  ['a long run', { returnValue1: 1, runId: 'x'.repeat(65) }, 'invalid', '/runId'],
  ['an unknown signal', { returnValue1: 1, signal: 'stop' }, 'invalid', '/signal'],
  ['a start with a value', { signal: 'start', returnValue1: 1 }, 'invalid', '/returnValue1'],
  ['a start with all values', { signal: 'start', returnValue: [1] }, 'invalid', '/returnValue'],
  ['a log with a text', { signal: 'log', stringValue1: 'x' }, 'invalid', '/stringValue1'],
]

const faults: readonly Row[] = [
  ...FAULTS.map(([title, json, answers, ...pointers]): Row => ({
    title,
    call: DELIVER,
    as: 'collector',
    json,
    answers,
    pointers,
  })),
  {
    title: 'infinity',
    call: DELIVER,
    as: 'collector',
    text: '{"returnValue1":1e999}',
    headers: JSON_TYPE,
    answers: 'invalid',
    pointers: ['/returnValue1'],
  },
  {
    title: 'NaN',
    call: DELIVER,
    as: 'collector',
    text: '{"returnValue1":NaN}',
    headers: JSON_TYPE,
    answers: 'malformed_json',
  },
  {
    title: 'infinity in the array',
    call: DELIVER,
    as: 'collector',
    text: '{"returnValue":[1,-1e999]}',
    headers: JSON_TYPE,
    answers: 'invalid',
    pointers: ['/returnValue/1'],
  },
]

/** Timestamps on both sides of the bounds; a minute is enough for the slowest host. */
const dated: Scenario[] = (
  [
    ['six minutes ahead', 6 * MINUTE_MS, 'value_in_future'],
    ['a day ahead', DAY_MS, 'value_in_future'],
    ['a minute more than 30 days ago', -30 * DAY_MS - MINUTE_MS, 'value_too_old'],
    ['a year ago', -366 * DAY_MS, 'value_too_old'],
  ] as const
).map(([title, offsetMs, answers]) => ({
  title: `a value of ${title} is rejected`,
  decidedAbovePorts: 'values of deliveries',
  async run(client) {
    const names = await stage(client)
    const json = { returnValue1: 1, timestamp: at(offsetMs) }
    expectAnswer(await call(client, DELIVER, { names, json, as: 'collector' }), {
      answers,
      pointers: ['/timestamp'],
    })
    await expectUntouched(client, names)
  },
}))

const untouched = once(async (client) => everythingOf(client, await stage(client)))

/** After a refusal, the job and its history are what they were before the first. */
async function expectUntouched(client: Client, names: Names): Promise<void> {
  expect(await everythingOf(client, names)).toEqual(await untouched(client))
}

async function everythingOf(client: Client, { sink = '' }: Names): Promise<unknown> {
  const job = await good(client.request('GET', `/jobs/${sink}?values=true`))
  const raw: unknown[] = []
  for (const key of ['returnValue1', 'returnValue2', 'stringValue1', 'errorCode'])
    raw.push(await rawHistory(client, sink, key))
  return { job, raw }
}

/** Deliveries that are accepted: the body, and what the job then shows. */
const ACCEPTED: readonly (readonly [
  title: string,
  json: object,
  accepted: number,
  values: Record<string, number | string>,
])[] = [
  ['single fields', { returnValue1: 1.5, returnValue2: -20 }, 2, { returnValue1: 1.5, returnValue2: -2 }],
  ['the array', { returnValue: [2.5, 30] }, 2, { returnValue1: 2.5, returnValue2: 3 }],
  ['a part of the array', { returnValue: [7] }, 1, { returnValue1: 7 }],
  ['the last value alone', { returnValue2: 5 }, 1, { returnValue2: 0.5 }],
  ['a string alone', { stringValue1: 'né\u{1f600}' }, 1, { stringValue1: 'né\u{1f600}' }],
  ['an empty string', { stringValue1: '' }, 1, { stringValue1: '' }],
  ['the longest string', { stringValue1: 'x'.repeat(4096) }, 1, { stringValue1: 'x'.repeat(4096) }],
  [
    'numbers and strings',
    { returnValue: [1, 2], stringValue1: 'x', errorCode: 0 },
    3,
    { returnValue1: 1, returnValue2: 0.2, stringValue1: 'x' },
  ],
  ['an error code alone', { errorCode: 2_147_483_647 }, 0, {}],
  [
    'the greatest and the smallest numbers',
    { returnValue1: Number.MAX_VALUE, returnValue2: 5e-324 },
    2,
    { returnValue1: Number.MAX_VALUE, returnValue2: 5e-324 / 10 },
  ],
]

const accepted: Scenario[] = ACCEPTED.map(([title, json, count, values]) => ({
  title: `${title}: all of it is stored and shown`,
  decidedAbovePorts: 'values of deliveries',
  async run(client) {
    const { device } = await stage(client)
    const id = await makeJob(client, device, { parameters: PARAMETERS })
    const before = Date.now()
    const answer = await deliver(client, id, json)
    const after = Date.now()
    const { errorCode = 0 } = json as { errorCode?: number }
    const state = errorCode === 0 ? 'ok' : 'warning'
    expect(answer).toEqual({
      jobId: id,
      accepted: count,
      late: false,
      state,
      errorCode,
      timestamp: anyText,
      nextTimeoutAt: anyText,
    })
    const measuredAt = Date.parse(String(answer['timestamp']))
    expect(measuredAt >= before && measuredAt <= after).toBe(true)
    expect(Date.parse(String(answer['nextTimeoutAt'])) - measuredAt).toBe(15 * MINUTE_MS)
    const job = await readJob(client, id)
    expect(job).toMatchObject({
      currentState: state,
      errorCode,
      lastReceivedAt: answer['timestamp'],
      nextTimeoutAt: answer['nextTimeoutAt'],
    })
    const shown = Object.entries(job['values'] as Record<string, { value: unknown; timestamp: string }>)
    expect(Object.fromEntries(shown.map(([key, { value }]) => [key, value]))).toEqual(values)
    for (const [, { timestamp }] of shown) expect(timestamp).toBe(String(answer['timestamp']))
    for (const [key, value] of Object.entries(values)) {
      expect(await rawHistory(client, id, key)).toEqual([{ timestamp: String(answer['timestamp']), value }])
    }
  },
}))

const rules: Scenario[] = [
  {
    title:
      'values have their own timestamp, from 30 days back to 5 minutes ahead, with any offset and fraction',
    decidedAbovePorts: 'values of deliveries',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: PARAMETERS })
      const old = new Date(Date.now() - 30 * DAY_MS + MINUTE_MS)
      const stamps = [old.toISOString(), `${at(-MINUTE_MS).slice(0, 19)}+00:00`, at(4 * MINUTE_MS)]
      for (const timestamp of stamps) {
        const answer = await deliver(client, id, { returnValue1: 1, timestamp })
        expect({ at: Date.parse(String(answer['timestamp'])), late: answer['late'] }).toEqual({
          at: Date.parse(timestamp),
          late: false,
        })
      }
      const local = await deliver(client, id, {
        returnValue1: 1,
        timestamp: `${at(4 * MINUTE_MS + 5 * 3_600_000).slice(0, 23)}+05:00`,
      })
      expect(local['late']).toBe(false)
      const history = await rawHistory(client, id, 'returnValue1', old.toISOString())
      expect(history.map(({ timestamp }) => Date.parse(timestamp)).slice(0, 3)).toEqual(
        stamps.map((timestamp) => Date.parse(timestamp)),
      )
    },
  },
  {
    title:
      'a value that is older than the newest is stored, and changes neither state, code, message nor deadline',
    decidedAbovePorts: 'values of deliveries',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: PARAMETERS })
      await deliver(client, id, { returnValue1: 1, timestamp: at(-MINUTE_MS), message: 'newest' })
      const before = await readJob(client, id)
      const late = await deliver(client, id, {
        returnValue1: 9,
        errorCode: 7,
        timestamp: at(-2 * MINUTE_MS),
        message: 'late',
      })
      expect(late).toMatchObject({
        late: true,
        accepted: 1,
        state: 'ok',
        errorCode: 0,
        nextTimeoutAt: before['nextTimeoutAt'],
      })
      expect(await readJob(client, id)).toEqual(before)
      expect((await rawHistory(client, id, 'returnValue1')).map(({ value }) => value)).toEqual([9, 1])
    },
  },
  {
    title: 'two values of the same instant are both stored, in order of arrival',
    decidedAbovePorts: 'values of deliveries',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: PARAMETERS })
      const timestamp = at(-MINUTE_MS)
      for (const value of [1, 3, 2])
        expect(await deliver(client, id, { returnValue1: value, timestamp })).toMatchObject({ late: false })
      expect((await rawHistory(client, id, 'returnValue1')).map(({ value }) => value)).toEqual([1, 3, 2])
      expect((await readJob(client, id))['values']).toMatchObject({ returnValue1: { value: 2 } })
    },
  },
  {
    title: 'an absent key keeps its value, and an absent error code keeps the code',
    decidedAbovePorts: 'values of deliveries',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: PARAMETERS })
      await deliver(client, id, { returnValue: [1, 20], stringValue1: 'x', errorCode: 4 })
      expect(await deliver(client, id, { returnValue1: 2 })).toMatchObject({
        accepted: 1,
        errorCode: 4,
        state: 'warning',
      })
      expect((await readJob(client, id))['values']).toMatchObject({
        returnValue1: { value: 2 },
        returnValue2: { value: 2 },
        stringValue1: { value: 'x' },
      })
      expect(await rawHistory(client, id, 'returnValue2')).toHaveLength(1)
      expect(await deliver(client, id, { errorCode: 0 })).toMatchObject({ errorCode: 0, state: 'ok' })
      expect((await rawHistory(client, id, 'errorCode')).map(({ value }) => value)).toEqual([4, 0])
    },
  },
  {
    title: 'a ttl replaces the timeout for the next delivery only',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: PARAMETERS })
      for (const [ttl, minutes] of [
        ['PT2H', 120],
        [undefined, 15],
        ['PT1M', 1],
      ] as const) {
        const { timestamp, nextTimeoutAt } = await deliver(client, id, { returnValue1: 1, ttl })
        expect(Date.parse(String(nextTimeoutAt)) - Date.parse(String(timestamp))).toBe(minutes * MINUTE_MS)
      }
    },
  },
  {
    title: 'a number that exceeds a double by its divisor is rejected alone',
    decidedAbovePorts: 'values of deliveries',
    async run(client) {
      const parameters = { returnValue: [{ valueName: 'tiny', valueDivisor: 1e-10 }] }
      const thresholds = { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 1e300 }] } }
      const id = await makeJob(client, (await stage(client)).device, { parameters, thresholds })
      const LARGEST = 1.7e298
      const send = (json: object, path = `/webcollector/jobs/${id}/values`) =>
        client.request('POST', path, { json })
      const expectRefused = async () => {
        const answers = 'value_out_of_range'
        expectAnswer(await send({ returnValue1: 2e298 }), { answers, pointers: ['/returnValue1'] })
        expectAnswer(await send({ returnValue: [-2e298] }), { answers, pointers: ['/returnValue/0'] })
      }
      await expectRefused()
      for (const returnValue1 of [1, 2, 3]) await good(send({ returnValue1, errorCode: 0 }))
      await expectRefused()
      expect(await good(send({ returnValue1: LARGEST }))).toMatchObject({ accepted: 1, state: 'major' })
      const key = 'returnValue1'
      const now = Date.now()
      const series = { jobId: id, key, timestamps: [now, now + 1, now + 2], values: [1, 2e298, 3] }
      const beyond = { jobId: id, key, timestamps: [now], values: [2e298] }
      const inBulk = await good(send({ series: [series, beyond] }, '/webcollector/values'))
      expect(inBulk['series']).toMatchObject([
        { status: 200, accepted: 2, refused: [{ index: 1, code: 'value_out_of_range' }] },
        { status: 422, code: 'value_out_of_range', errors: [{ pointer: '/series/1/values/0' }] },
      ])
      const rounds = [{ key, jobIds: [id, id], values: [2e298, 5] }]
      const inRounds = await good(send({ rounds }, '/webcollector/values'))
      expect(inRounds['rounds']).toMatchObject([
        { accepted: 1, refused: [{ index: 0, code: 'value_out_of_range' }] },
      ])
    },
  },
  {
    title: 'a message is shown until the next delivery, and a log line changes it alone',
    decidedAbovePorts: 'values of deliveries',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: PARAMETERS })
      const messageAfter = async (json: object) => {
        await deliver(client, id, json)
        return (await readJob(client, id))['message']
      }
      expect(await messageAfter({ returnValue1: 1, message: 'all is well\nreally' })).toBe(
        'all is well\nreally',
      )
      const before = await readJob(client, id)
      expect(await messageAfter({ signal: 'log', message: 'step 1 of 2' })).toBe('step 1 of 2')
      expect(await readJob(client, id)).toEqual({ ...before, message: 'step 1 of 2' })
      expect(await messageAfter({ errorCode: 0, message: 'disk\0 /dev/sda\uD800 full' })).toBe(
        'disk\uFFFD /dev/sda\uFFFD full',
      )
      expect(await messageAfter({ returnValue1: 1 })).toBeNull()
      expect(await rawHistory(client, id, 'returnValue1')).toHaveLength(2)
    },
  },
  {
    title: 'a start sets the grace deadline, and the end of another run does not clear it',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: { ...PARAMETERS, grace: 'PT1M' } })
      const dueIn = async (json: object) => {
        const before = Date.now()
        const { nextTimeoutAt } = await deliver(client, id, json)
        return Math.round((Date.parse(String(nextTimeoutAt)) - before) / MINUTE_MS)
      }
      expect(await dueIn({ signal: 'start', runId: 'a' })).toBe(1)
      expect(await dueIn({ returnValue1: 1, runId: 'b' })).toBe(1)
      expect(await dueIn({ returnValue1: 1, runId: 'a' })).toBe(15)
      expect((await readJob(client, id))['lastReceivedAt']).not.toBeNull()
    },
  },
  {
    title: 'a job accepts its own collector, its device’s, or any, and always an administrator',
    decidedAbovePorts: 'values of deliveries',
    async run(client) {
      const { sink, open, others, devices, device } = await stage(client)
      const otherLogin = { username: 'another collector', password: PASSWORD }
      const { sessionId } = await good<{ sessionId: string }>(
        client.request('POST', '/session/login', { json: otherLogin, as: null }),
      )
      const asOther = { as: null, headers: { 'x-session-id': sessionId } }
      const status = async (id: number, request: object) =>
        (
          await client.request('POST', `/webcollector/jobs/${id}/values`, {
            json: { returnValue1: 1 },
            ...request,
          })
        ).status
      const collector = { as: 'collector' }
      for (const [id, own, other] of [
        [sink, 200, 403],
        [open, 200, 200],
        [others, 403, 200],
        [devices, 403, 200],
      ] as const) {
        expect({
          id,
          own: await status(id, collector),
          other: await status(id, asOther),
          admin: await status(id, {}),
        }).toEqual({ id, own, other, admin: 200 })
      }
      const moved = await readJob(client, open)
      await good(
        client.request('PUT', `/jobs/${open}`, { json: { ...moved, collectorId: client.userIds.collector } }),
      )
      expect(await status(open, asOther)).toBe(403)
      await good(
        client.request('PUT', `/devices/${device}`, {
          json: { name: 'a device', collectorId: client.userIds.collector },
        }),
      )
      await good(client.request('PUT', `/jobs/${open}`, { json: { ...moved, collectorId: 0 } }))
      expect({ own: await status(open, collector), other: await status(open, asOther) }).toEqual({
        own: 200,
        other: 403,
      })
    },
  },
  {
    title: 'a value is accepted once it is defined',
    decidedAbovePorts: 'values of deliveries',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device)
      const send = () =>
        client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { returnValue1: 1 },
          as: 'collector',
        })
      expectAnswer(await send(), { answers: 'value_not_defined', pointers: ['/returnValue1'] })
      await good(client.request('PUT', `/jobs/${id}`, { json: { name: 'x', parameters: PARAMETERS } }))
      expectAnswer(await send(), { answers: 200 })
    },
  },
  {
    title: 'parallel deliveries are all stored, and each answer has its own request id',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: PARAMETERS })
      const numbers = Array.from({ length: 50 }, (_, index) => index)
      const send = (number: number) =>
        client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { returnValue1: number },
          headers: { 'x-request-id': `delivery-${number}` },
        })
      const answers = await Promise.all(numbers.map(send))
      expect(answers.map(({ status, headers }) => [status, headers.get('x-request-id')])).toEqual(
        numbers.map((number) => [200, `delivery-${number}`]),
      )
      const kept = (await rawHistory(client, id, 'returnValue1')).map(({ value }) => Number(value))
      expect(kept.sort((a, b) => a - b)).toEqual(numbers)
    },
  },
]

export const deliveriesSuite: Suite = {
  name: 'deliveries',
  scenarios: [
    {
      title: 'the job of all refusals has a history',
      run: async (client) => void (await untouched(client)),
    },
    ...table(stage, bothWays(senders), expectUntouched),
    ...table(stage, bothWays(faults), expectUntouched),
    ...dated,
    ...accepted,
    ...rules,
  ],
}

function deliver(client: Client, id: number, json: object): Promise<Readonly<Record<string, unknown>>> {
  const answer: Promise<Answer> = client.request('POST', `/webcollector/jobs/${id}/values`, {
    json,
    as: 'collector',
  })
  return good(answer)
}

function readJob(client: Client, id: string | number): Promise<Job> {
  return good<Job>(client.request('GET', `/jobs/${id}?values=true`))
}

/** Every sample of a series, from a day ago to ten minutes ahead unless said otherwise. */
async function rawHistory(
  client: Client,
  id: string | number,
  key: string,
  begin = at(-DAY_MS),
): Promise<Sample[]> {
  const query = new URLSearchParams({
    key,
    scale: 'PT0S',
    timestamp_begin: begin,
    timestamp_end: at(10 * MINUTE_MS),
  })
  return (
    await good<{ values: Sample[] }>(client.request('GET', `/jobs/${id}/value-history?${query.toString()}`))
  ).values
}
