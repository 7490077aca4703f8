import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import type { Client, Request } from './client.ts'
import { call, expectAnswer, good, once, table, throughRouter } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'
import { readUntil } from '../until.ts'

type Refused = {
  readonly at: string
  readonly code: string
  readonly detail: string
  readonly errors: readonly { readonly pointer: string }[]
  readonly sender: Readonly<Record<string, unknown>>
  readonly excerpt: string | null
}

const PARAMETERS = { returnValue: [{ valueName: 'number' }], stringValue: [{ valueName: 'text' }] }
const LIST = 'GET /jobs/{job}/refusals'
const stage = once(async (client) => {
  const device = await makeDevice(client)
  return { device, job: await newJob(client, device) }
})

const newJob = (client: Client, device: number, more: object = {}) =>
  makeJob(client, device, { parameters: PARAMETERS, collectorId: client.userIds.collector, ...more })

const rows: readonly Row[] = [
  { title: 'a request without credentials', call: LIST, as: null, answers: 'unauthenticated' },
  ...ROLES.map((as): Row => ({ title: as, call: LIST, as, answers: 200 })),
  { title: 'a device', call: 'GET /jobs/{device}/refusals', answers: 'not_found' },
  { title: 'no job', call: 'GET /jobs/999999/refusals', answers: 'not_found' },
  { title: 'a page', call: `${LIST}?limit=1`, answers: 'invalid', pointers: ['?limit'] },
]

const listed = async (client: Client, job: number, as?: Request['as']) =>
  (await good<{ items: Refused[] }>(client.request('GET', `/jobs/${job}/refusals`, as ? { as } : {}))).items

const refusalsOf = (client: Client, job: number, count: number) =>
  readUntil(
    () => listed(client, job),
    (items) => items.length >= count,
  )

/** Sends a delivery that is refused until its refusal is listed. An isolate of Workers leaves out refusals that come faster than
 * ten a second, after a burst of 50 of all scenarios. */
const refuse = (client: Client, job: number, headers: Record<string, string> = {}) =>
  readUntil(
    async () => {
      const answer = await send(client, job, { json: { returnValue2: 1 }, headers })
      expectAnswer(answer, { answers: 'value_not_defined' })
      return listed(client, job)
    },
    (items) => items.length > 0,
  )

const send = (client: Client, job: number, request: Request) =>
  client.request('POST', `/webcollector/jobs/${job}/values`, { as: 'collector', ...request })

const scenarios: Scenario[] = [
  {
    title:
      'a refused delivery is listed with its faults, sender and the start of its body, without unknown values',
    decidedAbovePorts: 'refused deliveries',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      const json = { returnValue1: 'warm', errorCode: 0, password: 'a secret', message: 'x'.repeat(4_000) }
      expectAnswer(await send(client, job, { json, headers: { 'user-agent': 'sensor/1' } }), {
        answers: 'invalid',
      })
      const [first, ...others] = await refusalsOf(client, job, 1)
      expect(others).toEqual([])
      expect(first).toMatchObject({ code: 'invalid', detail: 'The body is invalid; see errors.' })
      expect(first?.errors.map(({ pointer }) => pointer).sort()).toEqual(['/password', '/returnValue1'])
      expect(first?.sender).toMatchObject({
        userId: client.userIds.collector,
        username: 'collector',
        tokenName: null,
        agent: 'sensor/1',
      })
      expect(JSON.stringify(first)).not.toContain('a secret')
      expect(first?.excerpt).toStartWith('{"returnValue1":"warm","errorCode":0,"password":"…","message":"xxx')
      expect(first?.excerpt?.length).toBeLessThan(300)
      expect(Math.abs(Date.parse(first?.at ?? '') - Date.now())).toBeLessThan(60_000)
    },
  },
  {
    title: 'refusals of each stage of a delivery are listed, latest first; a good delivery is not',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      const values = `/webcollector/jobs/${job}/values`
      const sent: [expected: string, path: string, request: Request][] = [
        ['malformed_json', values, { text: '{', headers: { 'content-type': 'application/json' } }],
        ['unsupported_media_type', values, { text: 'returnValue1=5' }],
        ['value_not_defined', values, { json: { returnValue2: 1 } }],
        ['invalid', throughRouter(values), { json: { returnValue1: 'x' } }],
        [
          'value_in_future',
          throughRouter(values),
          { json: { returnValue1: 1, timestamp: '2999-01-01T00:00:00Z' } },
        ],
      ]
      for (const [code, path, request] of sent) {
        const answer = await client.request('POST', path, { as: 'collector', ...request })
        expect(answer.body['code'], answer.text).toBe(code)
        await refusalsOf(client, job, 1 + sent.findIndex((one) => one[0] === code))
      }
      expectAnswer(await send(client, job, { json: { returnValue1: 1 } }), { answers: 200 })
      const all = await refusalsOf(client, job, sent.length)
      expect(all.map(({ code }) => code).sort()).toEqual(sent.map(([code]) => code).sort())
      const excerpts = Object.fromEntries(all.map(({ code, excerpt }) => [code, excerpt]))
      expect(excerpts).toEqual({
        malformed_json: null,
        unsupported_media_type: null,
        value_not_defined: '{"returnValue2":1}',
        invalid: '{"returnValue1":"x"}',
        value_in_future: '{"returnValue1":1,"timestamp":"2999-01-01T00:00:00Z"}',
      })
    },
  },
  {
    title: 'refused items of a bulk delivery are listed by their jobs',
    decidedAbovePorts: 'refused deliveries',
    async run(client) {
      const { device } = await stage(client)
      const [bad, stopped] = [await newJob(client, device), await newJob(client, device, { stopped: true })]
      const deliveries = [{ jobId: bad, returnValue1: 'x' }]
      const series = [{ jobId: stopped, key: 'returnValue1', timestamps: [Date.now()], values: [1] }]
      await good(
        client.request('POST', '/webcollector/values', { as: 'collector', json: { deliveries, series } }),
      )
      expect(await refusalsOf(client, bad, 1)).toMatchObject([
        { code: 'invalid', excerpt: `{"jobId":${bad},"returnValue1":"x"}` },
      ])
      expect(await refusalsOf(client, stopped, 1)).toMatchObject([{ code: 'job_stopped' }])
      const rounds = [{ key: 'returnValue9', jobIds: [bad], values: [1] }]
      await good(client.request('POST', '/webcollector/values', { as: 'collector', json: { rounds } }))
      expect((await refusalsOf(client, bad, 2)).map(({ code }) => code)).toContain('value_not_defined')
    },
  },
  {
    title: 'refused deliveries with a personal token or a ping token have the name of the token',
    decidedAbovePorts: 'refused deliveries',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
      const { token } = await good<{ token: string }>(
        client.request('POST', '/session/personal-tokens', {
          as: 'collector',
          json: { name: 'sensor of hall 3', scopes: ['execute'], expiresAt },
        }),
      )
      await client.request('POST', `/webcollector/jobs/${job}/values`, {
        as: null,
        headers: { authorization: `Bearer ${token}` },
        json: { returnValue2: 1 },
      })
      const byToken = await refusalsOf(client, job, 1)
      expect(byToken).toMatchObject([{ sender: { username: 'collector', tokenName: 'sensor of hall 3' } }])
      const ping = await good<{ token: string }>(
        client.request('POST', `/jobs/${job}/pings`, { json: { name: 'nightly backup' } }),
      )
      await client.request('GET', `/webcollector/ping/${ping.token}?returnValue2=1`, { as: null })
      const all = await refusalsOf(client, job, 2)
      expect(all.map(({ sender }) => String(sender['tokenName'])).sort()).toEqual([
        'nightly backup',
        'sensor of hall 3',
      ])
      expect(JSON.stringify(all)).not.toContain(ping.token)
    },
  },
  {
    title: 'a job keeps the latest 50 refusals of its senders, and 10 of strangers beside them',
    decidedAbovePorts: 'refused deliveries',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      // On Workers an isolate sends a burst of 50, of all scenarios.
      const [strangerCount, count] = client.host.name === 'bun' ? [12, 60] : [3, 12]
      const strangers = Array.from({ length: strangerCount }, () =>
        send(client, job, { as: null, json: { returnValue1: 1 } }),
      )
      for (const answer of await Promise.all(strangers)) expectAnswer(answer, { answers: 'unauthenticated' })
      for (let sent = 0; sent < count; sent++)
        expectAnswer(await send(client, job, { json: { returnValue2: sent } }), {
          answers: 'value_not_defined',
        })
      const latest = await refusalsOf(client, job, Math.min(50, count) + 1)
      const ofSenders = latest.filter(({ code }) => code === 'value_not_defined')
      expect(ofSenders.length).toBe(Math.min(50, count))
      expect(ofSenders[0]?.excerpt).toBe(`{"returnValue2":${count - 1}}`)
      const ofStrangers = latest.filter(({ code }) => code === 'unauthenticated')
      expect(ofStrangers.length).toBeGreaterThan(0)
      expect(ofStrangers.length).toBeLessThanOrEqual(10)
      expect(ofStrangers[0]).toMatchObject({ excerpt: null, sender: { userId: null, username: null } })
    },
  },
  {
    title: 'addresses and user agents of senders are for callers that may write the job',
    decidedAbovePorts: 'refused deliveries',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      await refuse(client, job, { 'user-agent': 'sensor/2' })
      const agentsOf = async (as: Request['as']) =>
        new Set((await listed(client, job, as)).map(({ sender }) => sender['agent']))
      expect(await agentsOf('editor')).toEqual(new Set(['sensor/2']))
      expect(await agentsOf('dashboard_viewer')).toEqual(new Set([null]))
    },
  },
  {
    title: 'a deleted job has no refusals',
    decidedAbovePorts: 'refused deliveries',
    async run(client) {
      const { device } = await stage(client)
      const job = await newJob(client, device)
      await refuse(client, job)
      expectAnswer(await client.request('DELETE', `/jobs/${job}`), { answers: 204 })
      expectAnswer(await call(client, `GET /jobs/${job}/refusals`), { answers: 'not_found' })
    },
  },
]

/** The latest refused deliveries of a job. */
export const refusalsSuite: Suite = {
  name: 'refused deliveries',
  scenarios: [...table(stage, rows), ...scenarios],
}
