import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import type { Client } from './client.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Span = { readonly state: string; readonly begin: string; readonly end: string }
type Replayed = {
  readonly begin: string
  readonly end: string
  readonly about: boolean
  readonly values: number
  readonly seconds: Readonly<Record<string, number>>
  readonly alarms: Readonly<Record<string, number>>
  readonly thresholds: readonly { readonly level: string; readonly crossings: number }[]
  readonly spans: readonly Span[]
  readonly moreSpans: boolean
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const CALL = 'POST /jobs/{job}/replay'
const PARAMETERS = { returnValue: [{ valueName: 'a', valueDivisor: 10 }, { valueName: 'b' }] }

const above = (value: number, more: object = {}) => ({
  conditions: [{ key: 'returnValue1', operator: '>', value, ...more }],
})

const stage = once(async (client) => {
  const device = await makeDevice(client)
  return { device, job: await newJob(client, device) }
})

const newJob = (client: Client, device: number, more: object = {}) =>
  makeJob(client, device, { parameters: PARAMETERS, ...more })

const range = (days: number, moreMs = 0) => ({
  begin: new Date(Date.UTC(2026, 0, 1)).toISOString(),
  end: new Date(Date.UTC(2026, 0, 1 + days) + moreMs).toISOString(),
})

const rows: readonly Row[] = [
  { title: 'a request without credentials', call: CALL, as: null, json: {}, answers: 'unauthenticated' },
  ...ROLES.map((as): Row => ({ title: as, call: CALL, as, json: {}, answers: 200 })),
  { title: 'a device', call: 'POST /jobs/{device}/replay', json: {}, answers: 'not_found' },
  { title: 'no job', call: 'POST /jobs/999999/replay', json: {}, answers: 'not_found' },
  { title: '90 days', call: CALL, json: range(90), answers: 200 },
  { title: 'more than 90 days', call: CALL, json: range(90, 1), answers: 'invalid', pointers: ['/begin'] },
  { title: 'an empty range', call: CALL, json: range(0), answers: 'invalid', pointers: ['/begin'] },
  {
    title: 'the future',
    call: CALL,
    json: { begin: '2999-01-01T00:00:00Z' },
    answers: 'invalid',
    pointers: ['/begin'],
  },
  { title: 'no instant', call: CALL, json: { end: 'now' }, answers: 'invalid', pointers: ['/end'] },
  { title: 'no timeout', call: CALL, json: { timeout: null }, answers: 200 },
  {
    title: 'a timeout of zero',
    call: CALL,
    json: { timeout: 'PT0S' },
    answers: 'invalid',
    pointers: ['/timeout'],
  },
  {
    title: 'a threshold with an unknown operator',
    call: CALL,
    json: { thresholds: { major: above(1, { operator: 'near' }) } },
    answers: 'invalid',
    pointers: ['/thresholds/major/conditions/0/operator'],
  },
  {
    title: 'an unknown field',
    call: CALL,
    json: { interval: 'PT1M' },
    answers: 'invalid',
    pointers: ['/interval'],
  },
]

/** Delivers samples, each as a delivery of its own, at instants of whole minutes. */
async function deliver(
  client: Client,
  jobId: number,
  samples: readonly (readonly [at: number, raw: number])[],
) {
  const columns = []
  for (let from = 0; from < samples.length; from += 10_000) {
    const part = samples.slice(from, from + 10_000)
    columns.push({
      jobId,
      key: 'returnValue1',
      timestamps: part.map(([at]) => at),
      values: part.map(([, raw]) => raw),
    })
  }
  const { series } = await good<{ series: { accepted: number }[] }>(
    client.request('POST', '/webcollector/values', { json: { series: columns } }),
  )
  expect(series.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(samples.length)
}

const replay = (client: Client, job: number, json: object) =>
  good<Replayed>(client.request('POST', `/jobs/${job}/replay`, { json }))

const iso = (at: number) => new Date(at).toISOString()
const epoch = ({ state, begin, end }: Span) => [state, Date.parse(begin), Date.parse(end)]

const scenarios: Scenario[] = [
  {
    title: 'a job without values has no spans',
    decidedAbovePorts: 'replays',
    async run(client) {
      const { device } = await stage(client)
      const answer = await replay(client, await newJob(client, device), { timeout: 'PT1M' })
      expect(answer).toMatchObject({ values: 0, spans: [], moreSpans: false, about: false })
    },
  },
  {
    title: 'a replay of the own limits has the transitions of the state history',
    decidedAbovePorts: 'replays',
    async run(client) {
      const { device } = await stage(client)
      const thresholds = {
        major: above(8),
        minor: above(6, { repetition: 2 }),
        warning: above(4, { recovery: { value: 2, repetition: 3 } }),
      }
      const job = await newJob(client, device, { thresholds })
      const beginAt = Date.now() - (Date.now() % HOUR_MS) - 20 * DAY_MS
      const samples = Array.from(
        { length: 150 },
        (_, n) => [beginAt + n * HOUR_MS, (n * 37 + ((n * n) % 53)) % 100] as const,
      )
      await deliver(client, job, samples)
      const asked = { begin: iso(beginAt), end: iso(beginAt + 149.5 * HOUR_MS) }
      const answer = await replay(client, job, asked)
      // Transitions that are older than the job are dated at its creation.
      const { transitions } = await good<{ transitions: { from: string; to: string }[] }>(
        client.request('GET', `/jobs/${job}/state-history?begin=${asked.begin}`),
      )
      const lived = transitions.filter(({ from, to }) => from !== to).map(({ to }) => to)
      expect(answer.about).toBe(false)
      expect(answer.values).toBe(150)
      expect(answer.spans.length).toBeGreaterThan(20)
      expect(answer.spans.slice(1).map(({ state }) => state)).toEqual(lived)
      const total = Object.values(answer.seconds).reduce((sum, one) => sum + one, 0)
      expect(total).toBe(149.5 * 3_600)
      const reached = answer.spans.slice(1).filter(({ state }) => state === 'major').length
      expect(answer.alarms['major']).toBe(reached)
    },
  },
  {
    title: 'proposed limits and a proposed timeout change nothing on the job',
    decidedAbovePorts: 'replays',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      const beginAt = Date.now() - (Date.now() % HOUR_MS) - 5 * DAY_MS
      const hours = [0, 1, 2, 3, 10, 11, 12]
      await deliver(
        client,
        job,
        hours.map((hour) => [beginAt + hour * HOUR_MS, hour === 2 ? 90 : 10] as const),
      )
      const before = (await client.request('GET', `/jobs/${job}?thresholds=true&values=true`)).body
      const answer = await replay(client, job, {
        thresholds: { major: above(8) },
        timeout: 'PT2H',
        begin: iso(beginAt),
        end: iso(beginAt + 13 * HOUR_MS),
      })
      const at = (hour: number) => beginAt + hour * HOUR_MS
      expect(answer.spans.map(epoch)).toEqual([
        ['ok', at(0), at(2)],
        ['major', at(2), at(3)],
        ['ok', at(3), at(5)],
        ['warning', at(5), at(10)],
        ['ok', at(10), at(13)],
      ])
      expect(answer.seconds).toEqual({
        ok: 7 * 3_600,
        warning: 5 * 3_600,
        minor: 0,
        major: 3_600,
        no_data: 0,
      })
      expect(answer.alarms).toEqual({ warning: 2, minor: 1, major: 1 })
      expect(answer.thresholds).toMatchObject([{ level: 'major', crossings: 1 }])
      expect((await client.request('GET', `/jobs/${job}?thresholds=true&values=true`)).body).toEqual(before)
    },
  },
  {
    title: 'the state at the begin follows from the last value before it',
    decidedAbovePorts: 'replays',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      const at = Date.now() - (Date.now() % HOUR_MS) - 5 * DAY_MS
      await deliver(client, job, [
        [at, 90],
        [at + 4 * HOUR_MS, 10],
      ])
      const answer = await replay(client, job, {
        thresholds: { major: above(8) },
        begin: iso(at + HOUR_MS),
        end: iso(at + 5 * HOUR_MS),
      })
      expect(answer.spans.map(({ state }) => state)).toEqual(['major', 'ok'])
      expect(Date.parse(answer.begin)).toBe(at + HOUR_MS)
      expect(answer.alarms).toEqual({ warning: 0, minor: 0, major: 0 })
    },
  },
  {
    title: 'more than 50,000 values are replayed from summaries, and spans are bounded',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      const beginAt = Date.now() - (Date.now() % HOUR_MS) - 20 * DAY_MS
      const every = 20_000
      const spike = 30_000
      const samples = Array.from(
        { length: 60_000 },
        (_, n) => [beginAt + n * every, n === spike ? 90 : (n % 15) + 10] as const,
      )
      await deliver(client, job, samples)
      const asked = { begin: iso(beginAt), end: iso(beginAt + 60_000 * every) }
      const answer = await replay(client, job, { ...asked, thresholds: { major: above(8) }, timeout: 'PT1M' })
      expect(answer.about).toBe(true)
      expect(answer.alarms).toEqual({ warning: 1, minor: 1, major: 1 })
      expect(answer.spans.map(({ state }) => state)).toEqual(['ok', 'major', 'ok'])
      const spikeAt = beginAt + spike * every
      expect(Math.abs(Date.parse(answer.spans[1]?.begin ?? '') - spikeAt)).toBeLessThan(600_000)
      const restless = await replay(client, job, { ...asked, thresholds: { minor: above(1.5) } })
      expect([restless.spans.length, restless.moreSpans]).toEqual([1_000, true])
    },
  },
]

/** Limits over past values. */
export const replaySuite: Suite = { name: 'replays', scenarios: [...table(stage, rows), ...scenarios] }
