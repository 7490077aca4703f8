import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { anyText, good, once } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'
import { readUntil, until } from '../until.ts'

type Job = Readonly<Record<string, unknown>> & { readonly id: number }

const device = once((client) => makeDevice(client))
const PARAMETERS = {
  returnValue: [{ valueName: 'a' }, { valueName: 'b', valueDivisor: 100 }],
  stringValue: [{ valueName: 's' }],
}

const condition = (key: string, operator: string, value: number | string, more: object = {}) => ({
  key,
  operator,
  value,
  ...more,
})
const level = (conditions: readonly object[], mode = 'or') => ({ mode, conditions })

/** One condition of level minor: what holds it and what does not. */
const OPERATORS: readonly (readonly [
  key: string,
  operator: string,
  limit: number | string,
  holding: unknown[],
  others: unknown[],
])[] = [
  ['returnValue1', '>', 10, [10.5, 11, 1e300], [10, 9, -11]],
  ['returnValue1', '>=', 10, [10, 11], [9.999, -10]],
  ['returnValue1', '<', -1, [-1.5, -2], [-1, 0, 2]],
  ['returnValue1', '<=', 0.3, [0.3, 0], [0.30000000000000004, 1]],
  ['returnValue1', '=', 0, [0], [1, -1, 5e-324]],
  ['returnValue1', '<>', 0, [1, -1], [0]],
  ['returnValue2', '>', 1, [101, 100.1], [100, 99]],
  ['errorCode', '=', 7, [7], [0, 8]],
  ['errorCode', '>=', 100, [100, 2_147_483_647], [0, 99]],
  ['stringValue1', '=', 'Up', ['Up'], ['up', 'Up ', '']],
  ['stringValue1', '<>', 'Up', ['up', '', 'Down'], ['Up']],
  ['stringValue1', 'contains', 'err', ['error', 'an err'], ['Error', 'er', '']],
  ['stringValue1', 'not_contains', 'ok', ['', 'OK', 'bad'], ['ok', 'not ok']],
  ['stringValue1', 'starts_with', 'E:', ['E:1', 'E:'], ['e:1', ' E:1']],
  ['stringValue1', 'ends_with', '!', ['no!', '!'], ['no', '! ']],
  ['stringValue1', 'matches', 'v1.*', ['v1.', 'v1.2'], ['v2.1', 'v1', 'xv1.2']],
  ['stringValue1', 'not_matches', 'v1.*', ['v2', ''], ['v1.0']],
]

const operators: Scenario[] = OPERATORS.map(([key, operator, limit, holding, others]) => ({
  title: `${key} ${operator} ${JSON.stringify(limit)} holds for ${JSON.stringify(holding)} and not for ${JSON.stringify(others)}`,
  decidedAbovePorts: key,
  async run(client) {
    const id = await jobWith(client, { minor: level([condition(key, operator, limit)]) })
    for (const [values, state] of [
      [holding, 'minor'],
      [others, 'ok'],
      [holding, 'minor'],
    ] as const) {
      for (const value of values) {
        expect({ value, state: await stateAfter(client, id, { [key]: value }) }).toEqual({ value, state })
      }
    }
  },
}))

type Sequence = readonly [
  title: string,
  thresholds: object | null,
  rows: readonly (readonly [json: object, state: string])[],
]

const LADDER = {
  warning: level([condition('returnValue1', '>', 10)]),
  minor: level([condition('returnValue1', '>', 20)]),
  major: level([condition('returnValue1', '>', 30)]),
}
const BOTH = [condition('returnValue1', '>', 10), condition('stringValue1', '=', 'x')]
const RECOVERY = { recovery: { value: 180, repetition: 2 } }
const r = (returnValue1: number) => ({ returnValue1 })

const SEQUENCES: readonly Sequence[] = [
  [
    'the worst level that holds is the state',
    LADDER,
    [
      [r(5), 'ok'],
      [r(15), 'warning'],
      [r(35), 'major'],
      [r(25), 'minor'],
      [r(10), 'ok'],
    ],
  ],
  [
    'or: one condition is enough',
    { minor: level(BOTH) },
    [
      [r(11), 'minor'],
      [r(1), 'ok'],
      [{ stringValue1: 'x' }, 'minor'],
      [r(11), 'minor'],
      [{ ...r(1), stringValue1: '' }, 'ok'],
    ],
  ],
  [
    'and: all conditions are needed, also from several deliveries',
    { minor: level(BOTH, 'and') },
    [
      [r(11), 'ok'],
      [{ stringValue1: 'x' }, 'minor'],
      [r(1), 'ok'],
      [{ ...r(12), stringValue1: 'x' }, 'minor'],
    ],
  ],
  [
    'a level without conditions never holds, with and least of all',
    { major: level([], 'and'), minor: level([]) },
    [
      [r(1), 'ok'],
      [{ errorCode: 9 }, 'warning'],
    ],
  ],
  [
    'repetition 3 counts breaches in a row, and one good value clears',
    { minor: level([condition('returnValue1', '>', 200, { repetition: 3 })]) },
    [
      [r(250), 'ok'],
      [r(250), 'ok'],
      [r(150), 'ok'],
      [r(250), 'ok'],
      [r(250), 'ok'],
      [r(250), 'minor'],
      [r(250), 'minor'],
      [r(200), 'ok'],
    ],
  ],
  [
    'a delivery without the key leaves the count',
    { minor: level([condition('returnValue1', '>', 200, { repetition: 2 })]) },
    [
      [r(250), 'ok'],
      [{ returnValue2: 1 }, 'ok'],
      [{ errorCode: 0 }, 'ok'],
      [r(250), 'minor'],
      [{ stringValue1: 'x' }, 'minor'],
    ],
  ],
  [
    'repetition 0 counts as 1',
    { minor: level([condition('returnValue1', '>', 200, { repetition: 0 })]) },
    [[r(201), 'minor']],
  ],
  [
    'recovery keeps the state until two values in a row are below its own limit',
    { minor: level([condition('returnValue1', '>', 200, RECOVERY)]) },
    [
      [r(190), 'ok'],
      [r(250), 'minor'],
      [r(190), 'minor'],
      [r(170), 'minor'],
      [r(190), 'minor'],
      [r(170), 'minor'],
      [r(170), 'ok'],
      [r(190), 'ok'],
    ],
  ],
  [
    'limits that look ahead or adapt do not hold while their history is too short',
    {
      major: level([
        condition('returnValue1', '>', 0, { inFuture: 'PT1H' }),
        condition('returnValue1', '>', 0, { adaptiveValues: { window: 'P7D' } }),
      ]),
    },
    [[r(5), 'ok']],
  ],
  [
    'without limits of its own a job takes any error code for a warning',
    null,
    [
      [r(5), 'ok'],
      [{ errorCode: 1 }, 'warning'],
      [r(5), 'warning'],
      [{ errorCode: 0 }, 'ok'],
    ],
  ],
  [
    'nor does it lose that rule to limits on values, or to none at all',
    { minor: level([condition('returnValue1', '>', 200)]) },
    [
      [{ ...r(5), errorCode: 1 }, 'warning'],
      [{ ...r(250), errorCode: 1 }, 'minor'],
      [{ ...r(5), errorCode: 0 }, 'ok'],
    ],
  ],
  [
    'a limit on the error code takes the place of that rule, but for code 5',
    { major: level([condition('errorCode', '=', 7)]) },
    [
      [{ errorCode: 1 }, 'ok'],
      [{ errorCode: 5 }, 'warning'],
      [{ errorCode: 7 }, 'major'],
    ],
  ],
  [
    'which a limit has to name',
    { major: level([condition('errorCode', '<>', 5)]) },
    [
      [{ errorCode: 5 }, 'ok'],
      [{ errorCode: 1 }, 'major'],
    ],
  ],
]

const sequences: Scenario[] = SEQUENCES.map(([title, thresholds, rows]) => ({
  title,
  decidedAbovePorts: 'limits',
  async run(client) {
    const id = await jobWith(client, thresholds)
    const states: string[] = []
    for (const [json] of rows) states.push(await stateAfter(client, id, json))
    expect(states).toEqual(rows.map(([, state]) => state))
    expect((await readJob(client, id))['currentState']).toBe(states.at(-1) ?? 'no rows')
  },
}))

const MINUTE_MS = 60_000

/** A job that is major when `returnValue1` is above 100 within an hour, by the values of 64 minutes. */
const filling = (client: Client) =>
  jobWith(client, {
    major: level([condition('returnValue1', '>', 100, { inFuture: { within: 'PT1H', window: 'PT64M' } })]),
  })

const predictionOf = async (client: Client, id: number) => {
  const { predictions, message } = await readJob(client, id)
  const first = (predictions as Readonly<Record<string, unknown>>[])[0] ?? {}
  return { ...first, message } as Readonly<Record<string, unknown>>
}

const aheads: Scenario[] = [
  {
    title: 'a value that grows by 1 a minute is predicted to be above 100 in an hour from 41 on',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await filling(client)
      const beginAt = Math.floor((Date.now() - 90 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS
      const at = (minute: number) => new Date(beginAt + minute * MINUTE_MS)
      const states: unknown[] = []
      for (let minute = 0; minute <= 42; minute++) {
        states.push(await stateAfter(client, id, { ...r(minute), timestamp: at(minute).toISOString() }))
        const { unknown } = await predictionOf(client, id)
        // Half of the window is 32 minutes.
        expect(unknown).toBe(minute < 32 ? 'too_few' : null)
      }
      expect(states.indexOf('major')).toBe(41)
      expect(states.lastIndexOf('ok')).toBe(40)
      const { value, at: shownAt, crossesAt, message } = await predictionOf(client, id)
      expect(value).toBeCloseTo(102, 6)
      expect(Date.parse(String(shownAt))).toBe(at(102).getTime())
      expect(Math.abs(Date.parse(String(crossesAt)) - at(100).getTime())).toBeLessThan(MINUTE_MS)
      expect(message).toBe(`returnValue1 is predicted to be above 100 at ${String(crossesAt)}`)
    },
  },
  {
    title: 'a series has the same effect, and a reset of the value ends the prediction',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await filling(client)
      const beginAt = Math.floor((Date.now() - 90 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS
      const minutes = Array.from({ length: 61 }, (_, minute) => minute)
      const series = {
        jobId: id,
        key: 'returnValue1',
        timestamps: minutes.map((minute) => beginAt + minute * MINUTE_MS),
        values: minutes,
      }
      await good(client.request('POST', '/webcollector/values', { json: { series: [series] } }))
      expect((await readJob(client, id))['currentState']).toBe('major')
      const later = (minute: number) => new Date(beginAt + minute * MINUTE_MS).toISOString()
      expect(await stateAfter(client, id, { ...r(5), timestamp: later(61) })).toBe('ok')
      expect(await predictionOf(client, id)).toMatchObject({
        unknown: 'too_few',
        crossesAt: null,
        message: null,
      })
      for (let minute = 62; minute < 80; minute++)
        expect(await stateAfter(client, id, { ...r(5 + (minute - 61) / 10), timestamp: later(minute) })).toBe(
          'ok',
        )
    },
  },
  {
    title: 'other limits on the same prediction keep its line; the message of a delivery is shown before it',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await filling(client)
      const beginAt = Date.now() - 50 * MINUTE_MS
      for (let minute = 0; minute <= 40; minute++)
        await stateAfter(client, id, {
          ...r(minute),
          message: 'from the disk',
          timestamp: new Date(beginAt + minute * MINUTE_MS).toISOString(),
        })
      const job = await readJob(client, id)
      const conditions = [
        condition('returnValue1', '>=', 90, { inFuture: { within: 'PT1H', window: 'PT64M' } }),
      ]
      const put = await good<Job>(
        client.request('PUT', `/jobs/${id}`, { json: { ...job, thresholds: { minor: level(conditions) } } }),
      )
      expect(put['currentState']).toBe('minor')
      expect(put['message']).toBe('from the disk')
    },
  },
]

const QUARTER_MS = 15 * MINUTE_MS

/** A job with a week of values, 20 to 22 on every day, and then a limit that adapts to them. */
async function learned(client: Client) {
  const id = await jobWith(client, null)
  const endAt = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - MINUTE_MS
  const timestamps = Array.from({ length: 7 * 96 }, (_, index) => endAt - (7 * 96 - index) * QUARTER_MS)
  const values = timestamps.map((_, index) => 20 + Math.floor(index / 96) / 10 + (index % 4) / 10)
  const series = { jobId: id, key: 'returnValue1', timestamps, values }
  await good(client.request('POST', '/webcollector/values', { json: { series: [series] } }))
  const adaptiveValues = { window: 'P7D', season: 'day', minSamples: 4 }
  const thresholds = { minor: level([condition('returnValue1', '<>', 0, { adaptiveValues })]) }
  const job = await readJob(client, id)
  await good(client.request('PUT', `/jobs/${id}`, { json: { ...job, thresholds } }))
  const isMade = async () => {
    const { bands } = await readJob(client, id)
    return (bands as readonly { readonly madeAt: unknown }[])[0]?.madeAt !== null
  }
  await until(isMade)
  return id
}

const adaptives: Scenario[] = [
  {
    title: 'a value that is unusual for its time is bad, and the job has the usual values',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await learned(client)
      expect(await readJob(client, id)).toMatchObject({ limits: { unknown: null }, currentState: 'ok' })
      expect(await stateAfter(client, id, r(20.5))).toBe('ok')
      expect(await stateAfter(client, id, r(30))).toBe('minor')
      const { bands, message } = await readJob(client, id)
      const [band] = bands as readonly Readonly<Record<string, unknown>>[]
      const { lower, upper, begin, end } = band ?? {}
      expect(band).toMatchObject({ severity: 'minor', condition: 0, unknown: null, madeAt: anyText })
      expect([Number(lower) > 15, Number(lower) < 20.3, Number(upper) > 20.6, Number(upper) < 25]).toEqual([
        true,
        true,
        true,
        true,
      ])
      expect([Date.parse(String(begin)) <= Date.now(), Date.parse(String(end)) > Date.now()]).toEqual([
        true,
        true,
      ])
      expect(message).toStartWith('returnValue1 is 30; usual are values from ')
      expect(await stateAfter(client, id, r(20.5))).toBe('ok')
      expect(await stateAfter(client, id, r(10))).toBe('minor')
    },
  },
  {
    title: 'an unknown limit is told in the job and by /readyz, and alarms for no value',
    async run(client) {
      const before = await unknownLimits(client)
      const adaptiveValues = { window: 'P7D', season: 'day' }
      const id = await jobWith(client, {
        major: level([condition('returnValue1', '>', 0, { adaptiveValues })]),
      })
      for (const value of [1, 1e9, -1e9]) expect(await stateAfter(client, id, r(value))).toBe('ok')
      expect(await readJob(client, id)).toMatchObject({
        limits: { unknown: 'too_few' },
        bands: [{ severity: 'major', condition: 0, unknown: 'too_few', lower: null, upper: null }],
        message: null,
      })
      await readUntil(
        () => unknownLimits(client),
        (count) => count === before + 1,
      )
      await good(client.request('PATCH', `/jobs/${id}`, { json: { thresholds: { major: null } } }))
      await readUntil(
        () => unknownLimits(client),
        (count) => count === before,
      )
    },
  },
]

const changes: Scenario[] = [
  {
    title: 'a late value counts for no limit',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await jobWith(client, {
        minor: level([condition('returnValue1', '>', 200, { repetition: 2 })]),
      })
      const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
      expect(await stateAfter(client, id, { ...r(250), timestamp: minutesAgo(5) })).toBe('ok')
      expect(await stateAfter(client, id, { ...r(250), timestamp: minutesAgo(6) })).toBe('ok')
      expect(await stateAfter(client, id, { ...r(1), timestamp: minutesAgo(7) })).toBe('ok')
      expect(await stateAfter(client, id, r(250))).toBe('minor')
    },
  },
  {
    title: 'changed limits evaluate the newest values at once; a change of the name evaluates nothing',
    async run(client) {
      const id = await jobWith(client, {
        minor: level([condition('returnValue1', '>', 200, { repetition: 3 })]),
      })
      await stateAfter(client, id, r(250))
      const put = async (change: object) => {
        const job = await readJob(client, id)
        return (await good(client.request('PUT', `/jobs/${id}`, { json: { ...job, ...change } })))[
          'currentState'
        ]
      }
      expect(await put({ name: 'renamed' })).toBe('ok')
      await stateAfter(client, id, r(250))
      expect(await stateAfter(client, id, r(250))).toBe('minor')
      expect(await put({ thresholds: LADDER })).toBe('major')
      expect(await put({ thresholds: { warning: level([condition('returnValue1', '>', 200)]) } })).toBe(
        'warning',
      )
      expect(await put({ thresholds: {} })).toBe('ok')
    },
  },
  {
    title: 'stateSince is the instant of the change, and stays through deliveries that change nothing',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await jobWith(client, LADDER)
      const timestamp = new Date(Date.now() - 1000).toISOString()
      await stateAfter(client, id, { ...r(35), timestamp })
      // A change is never dated before the one it follows: here the job's creation.
      const since = (await readJob(client, id))['stateSince']
      await stateAfter(client, id, r(36))
      expect((await readJob(client, id))['stateSince']).toBe(since as string)
      const { timestamp: cleared } = await deliver(client, id, r(1))
      expect((await readJob(client, id))['stateSince']).toBe(cleared as string)
    },
  },
]

const TIMEOUT_MS = 400
const SILENT = { timeout: 'PT0.4S' }
const STANDS = 'values arrive without errorCode; error code 5 stays until a delivery has an errorCode'
const LEFT = { warnings: [{ code: 'error_code_stands', message: STANDS }] }

const silence: Scenario[] = [
  {
    title: 'silence is error code 5, dated at the deadline; values alone do not end it, an error code does',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await jobWith(client, null, SILENT)
      const { timestamp, nextTimeoutAt } = await deliver(client, id, { ...r(1), errorCode: 0 })
      expect(Date.parse(String(nextTimeoutAt)) - Date.parse(String(timestamp))).toBe(TIMEOUT_MS)
      const silent = await untilSilent(client, id)
      expect(silent).toMatchObject({
        currentState: 'warning',
        stateSince: nextTimeoutAt,
        errorCode: 5,
        message: `no data since ${String(timestamp)}`,
        lastReceivedAt: timestamp,
        nextTimeoutAt: null,
      })
      expect(await errorCodes(client, id, timestamp)).toEqual([
        { timestamp, value: 0 },
        { timestamp: nextTimeoutAt, value: 5 },
      ])

      const values = await deliver(client, id, r(2))
      expect(values).toMatchObject({ state: 'warning', errorCode: 5, nextTimeoutAt: anyText, ...LEFT })
      expect(await readJob(client, id)).toMatchObject({
        values: { returnValue1: { value: 2 } },
        message: STANDS,
      })
      const again = await untilSilent(client, id, ({ nextTimeoutAt: due }) => due === null)
      expect(again['message']).toBe(`no data since ${String(values['timestamp'])}`)
      expect(await errorCodes(client, id, timestamp)).toEqual([
        { timestamp, value: 0 },
        { timestamp: nextTimeoutAt, value: 5 },
        { timestamp: values['nextTimeoutAt'], value: 5 },
      ])
      expect(await deliver(client, id, { ...r(3), errorCode: 0 })).toMatchObject({
        state: 'ok',
        errorCode: 0,
      })
    },
  },
  {
    title: 'series, rounds and bulk items also warn that error code 5 stays; with healsOnData they end it',
    decidedAbovePorts: 'limits',
    async run(client) {
      const [stays, heals] = [
        await jobWith(client, null, SILENT),
        await jobWith(client, null, { ...SILENT, healsOnData: true }),
      ]
      const bulk = (json: object) => good(client.request('POST', '/webcollector/values', { json }))
      const column = (jobId: number) => ({
        jobId,
        key: 'returnValue1',
        timestamps: [Date.now()],
        values: [1],
      })
      for (const send of [
        async () => {
          const { results } = await bulk({ deliveries: [stays, heals].map((jobId) => ({ jobId, ...r(1) })) })
          return results
        },
        async () => (await bulk({ series: [stays, heals].map(column) }))['series'],
        async () => [await deliver(client, stays, { returnValue: [1] }), await deliver(client, heals, r(1))],
      ]) {
        await Promise.all([untilSilent(client, stays), untilSilent(client, heals)])
        const [left, healed] = (await send()) as Readonly<Record<string, unknown>>[]
        expect(left).toMatchObject({ accepted: 1, errorCode: 5, state: 'warning', ...LEFT })
        expect(healed).toMatchObject({ accepted: 1, errorCode: 0, state: 'ok' })
        expect(healed).not.toHaveProperty('warnings')
      }
      await Promise.all([untilSilent(client, stays), untilSilent(client, heals)])
      const since = (await readJob(client, heals))['stateSince']
      const round = { key: 'returnValue1', jobIds: [heals, stays, heals], values: [1, 2, 3] }
      expect((await bulk({ rounds: [round] }))['rounds']).toEqual([
        {
          status: 200,
          accepted: 3,
          late: 0,
          refused: [],
          warnings: [{ code: 'error_code_stands', message: STANDS, indexes: [1] }],
        },
      ])
      // A busy machine may find the job silent again before it answers.
      const codes = (await errorCodes(client, heals, since)) as readonly { readonly value: number }[]
      expect(codes.map(({ value }) => value).slice(0, 2)).toEqual([5, 0])
    },
  },
  {
    title: 'a job with limits on values only becomes a warning by silence',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await jobWith(client, LADDER, SILENT)
      await deliver(client, id, { ...r(5), errorCode: 0 })
      expect(await untilSilent(client, id)).toMatchObject({ currentState: 'warning', errorCode: 5 })
      await deliver(client, id, { ...r(35), errorCode: 0 })
      expect(await untilSilent(client, id)).toMatchObject({ currentState: 'major', errorCode: 5 })
    },
  },
  {
    title: 'a job that never reported times out from its creation, and recovers with any code',
    decidedAbovePorts: 'limits',
    async run(client) {
      const created = Date.now()
      const id = await jobWith(client, null, SILENT)
      const silent = await untilSilent(client, id)
      const since = Date.parse(String(silent['stateSince']))
      expect(since - created).toBeGreaterThanOrEqual(TIMEOUT_MS)
      expect(silent['lastReceivedAt']).toBeNull()
      expect(await deliver(client, id, { errorCode: 12 })).toMatchObject({ state: 'warning', errorCode: 12 })
    },
  },
  {
    title: 'a delivery with an error code is a sign of life: it postpones the deadline',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await jobWith(client, null, SILENT)
      const first = await deliver(client, id, { errorCode: 3 })
      await Bun.sleep(50)
      const second = await deliver(client, id, { errorCode: 3 })
      expect(Date.parse(String(second['nextTimeoutAt']))).toBeGreaterThan(
        Date.parse(String(first['nextTimeoutAt'])),
      )
    },
  },
  {
    title: 'a condition on the error code decides the state of a silent job',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await jobWith(client, { major: level([condition('errorCode', '=', 5)]) }, SILENT)
      expect(await untilSilent(client, id)).toMatchObject({ currentState: 'major', errorCode: 5 })
      expect(await stateAfter(client, id, { errorCode: 0 })).toBe('ok')
    },
  },
  {
    title: 'a stopped job is not silent, and a started one has its whole timeout',
    decidedAbovePorts: 'limits',
    async run(client) {
      const id = await jobWith(client, null, { timeout: 'PT1H' })
      const put = async (change: object) =>
        good<Job>(
          client.request('PUT', `/jobs/${id}`, { json: { ...(await readJob(client, id)), ...change } }),
        )
      expect(await put({ stopped: true })).toMatchObject({ nextTimeoutAt: null })
      expect(await put({ parameters: { ...PARAMETERS, ...SILENT } })).toMatchObject({ nextTimeoutAt: null })
      await Bun.sleep(TIMEOUT_MS + 200)
      expect(await readJob(client, id)).toMatchObject({ currentState: 'undefined', errorCode: 0 })
      const started = Date.now()
      const { nextTimeoutAt } = await put({ stopped: false })
      expect(Date.parse(String(nextTimeoutAt))).toBeGreaterThanOrEqual(started + TIMEOUT_MS)
    },
  },
  {
    title: 'a timeout that is set later is due now at the earliest, and a removed one never',
    async run(client) {
      const id = await jobWith(client, null, { timeout: 'PT1H' })
      await deliver(client, id, r(1))
      await Bun.sleep(TIMEOUT_MS)
      const changed = Date.now()
      const put = (timeout: string | null) =>
        good<Job>(
          client.request('PUT', `/jobs/${id}`, {
            json: { name: 'x', parameters: { ...PARAMETERS, timeout } },
          }),
        )
      await put('PT0.1S')
      const silent = await untilSilent(client, id)
      expect(Date.parse(String(silent['stateSince']))).toBeGreaterThanOrEqual(changed)
      await deliver(client, id, { errorCode: 0 })
      expect(await put(null)).toMatchObject({ nextTimeoutAt: null })
    },
  },
]

export const thresholdsSuite: Suite = {
  name: 'thresholds',
  scenarios: [...operators, ...sequences, ...aheads, ...adaptives, ...changes, ...silence],
}

async function jobWith(client: Client, thresholds: object | null, parameters: object = {}): Promise<number> {
  return makeJob(client, await device(client), { thresholds, parameters: { ...PARAMETERS, ...parameters } })
}

/** How many jobs with unknown limits the warning of the service counts. */
async function unknownLimits(client: Client): Promise<number> {
  const { warnings } = await good<{ warnings: { code: string; detail: string }[] }>(
    client.request('GET', '/readyz'),
  )
  const detail = warnings.find(({ code }) => code === 'limits_unknown')?.detail ?? ''
  return Number(/^Predicted or adaptive limits of (\d+) job/.exec(detail)?.[1] ?? 0)
}

function deliver(client: Client, id: number, json: object): Promise<Readonly<Record<string, unknown>>> {
  return good(client.request('POST', `/webcollector/jobs/${id}/values`, { json, as: 'collector' }))
}

async function stateAfter(client: Client, id: number, json: object): Promise<string> {
  return String((await deliver(client, id, json))['state'])
}

function readJob(client: Client, id: number): Promise<Job> {
  return good<Job>(client.request('GET', `/jobs/${id}?values=true&thresholds=true`))
}

function untilSilent(
  client: Client,
  id: number,
  isThere: (job: Job) => boolean = ({ errorCode }) => errorCode === 5,
): Promise<Job> {
  return readUntil(() => readJob(client, id), isThere)
}

/** The error codes since a delivery. A busy machine may find the job silent before it. */
async function errorCodes(client: Client, id: number, since: unknown): Promise<unknown> {
  const query = `key=errorCode&scale=PT0S&timestamp_begin=${encodeURIComponent(String(since))}`
  return (await good(client.request('GET', `/jobs/${id}/value-history?${query}`)))['values']
}
