import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { createDevice, createGroup, createJob } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

/** Far more than a host needs to tell what it has committed. */
const TRIES_MAX = 500

const stage = once(async (client) => {
  const group = await createGroup(client, 1, { name: 'watched' })
  const device = await createDevice(client, group, { name: 'watched' })
  const job = await createJob(client, device, {
    name: 'watched',
    parameters: {
      returnValue: [{ valueName: 'load', valueDivisor: 10 }],
      stringValue: [{ valueName: 'note' }],
    },
    thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 9 }] } },
  })
  return { group, device, job, many: 'objectId=1&'.repeat(100), jobs: `jobId=${job}&`.repeat(100) }
})

const refusals = table(stage, [
  { title: 'a request without credentials', call: 'GET /events', as: null, answers: 'unauthenticated' },
  { title: 'no such kind', call: 'GET /events?kind=noise', answers: 'invalid', pointers: ['?kind'] },
  { title: 'no such flag', call: 'GET /events?once=maybe', answers: 'invalid', pointers: ['?once'] },
  {
    title: 'no such object',
    call: 'GET /events?objectId=999999',
    answers: 'not_found',
    pointers: ['?objectId'],
  },
  {
    title: 'no such second object',
    call: 'GET /events?objectId={device}&objectId=999999',
    answers: 'not_found',
    pointers: ['?objectId/1'],
  },
  { title: 'no such job', call: 'GET /events?jobId=999999', answers: 'not_found' },
  {
    title: 'a device as a job',
    call: 'GET /events?jobId={device}',
    answers: 'not_found',
    pointers: ['?jobId'],
  },
  {
    title: 'values of a job without the kind value',
    call: 'GET /events?jobId={job}&kind=state',
    answers: 'invalid',
    pointers: ['?jobId'],
  },
  { title: 'as many objects as may be', call: 'GET /events?{many}once=true', answers: 200 },
  {
    title: 'one object more',
    call: 'GET /events?{many}objectId=1&once=true',
    answers: 'invalid',
    pointers: ['?objectId'],
  },
  { title: 'as many jobs as may be', call: 'GET /events?{jobs}once=true', answers: 200 },
  {
    title: 'one job more',
    call: 'GET /events?{jobs}jobId=1&once=true',
    answers: 'invalid',
    pointers: ['?jobId'],
  },
  {
    title: 'every kind',
    call: 'GET /events?kind=state&kind=alarm&kind=value&kind=script&once=true',
    answers: 200,
  },
  {
    title: 'one kind too many',
    call: 'GET /events?kind=state&kind=alarm&kind=value&kind=script&kind=state&once=true',
    answers: 'invalid',
    pointers: ['?kind'],
  },
])

const scenarios: Scenario[] = [
  {
    title: 'a resumed stream has missed values as user values, then states from below',
    async run(client) {
      const { group, device, job } = await stage(client)
      const path = `/events?kind=state&kind=value&objectId=${group}&jobId=${job}&once=true`
      const first = await client.request('GET', path)
      expect(first.status).toBe(200)
      expect(first.headers.get('content-type')).toBe('text/event-stream')
      const [ready] = framesOf(first.text)
      expect(ready).toMatchObject({ event: 'ready', data: { resumed: false } })
      await good(
        client.request('POST', `/webcollector/jobs/${job}/values`, {
          json: { returnValue1: 120, stringValue1: 'hot', errorCode: 0, timestamp: '2026-11-01T10:00:00Z' },
        }),
      )
      const told = await toldSince(client, { path, lastId: ready?.id ?? '', count: 4 })
      const values = told.filter(({ event }) => event === 'value')
      expect(values).toMatchObject([{ data: { jobId: job, truncated: false } }])
      const timestamp = '2026-11-01T11:00:00+01:00'
      expect(values[0]?.data['samples']).toEqual(
        expect.arrayContaining([
          { key: 'returnValue1', timestamp, value: 12 },
          { key: 'stringValue1', timestamp, value: 'hot' },
        ]),
      )
      const states = told.filter(({ event }) => event === 'state')
      expect(
        states.map(({ data }) => [data['objectType'], data['objectId'], data['from'], data['to']]),
      ).toEqual([
        ['job', job, 'ok', 'major'],
        ['device', device, 'ok', 'major'],
        ['group', group, 'ok', 'major'],
      ])
    },
  },
  {
    title: 'changes of alarms by users are published like others',
    async run(client) {
      const { device } = await stage(client)
      const job = await createJob(client, device, {
        name: 'with an alarm',
        parameters: { returnValue: [{ valueName: 'load' }] },
        thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 9 }] } },
      })
      const path = `/events?kind=alarm&objectId=${job}&once=true`
      const [ready] = framesOf((await client.request('GET', path)).text)
      const json = { returnValue1: 10, errorCode: 0 }
      await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
      const conditions = [{ item: 'objectId', operator: 'eq', expression: String(job) }]
      const filter = { filterDefinition: { conditions } }
      const { items } = await good<{ items: { id: number }[] }>(
        client.request('POST', '/alarms', { json: filter }),
      )
      const [alarmId] = items.map(({ id }) => id)
      await good(client.request('POST', `/alarms/${alarmId}/comment`, { json: { text: 'seen' } }))
      const assigned = { userId: client.userIds.editor }
      await good(client.request('POST', `/alarms/${alarmId}/assign`, { json: assigned }))
      const both = { action: 'comment', filter, text: 'all of them' }
      await good(client.request('POST', '/alarms/actions', { json: both }))
      const told = await toldSince(client, { path, lastId: ready?.id ?? '', count: 4 })
      expect(told.map(({ event, data }) => [event, data['alarmId'], data['kind'], data['version']])).toEqual([
        ['alarm', alarmId, 'opened', 1],
        ['alarm', alarmId, 'commented', 2],
        ['alarm', alarmId, 'assigned', 3],
        ['alarm', alarmId, 'commented', 4],
      ])
    },
  },
  {
    title: 'an unknown id causes a gap and no error',
    async run(client) {
      for (const id of ['x', '999999-1', '1e3', '1-1-1']) {
        const answer = await client.request('GET', '/events?once=true', { headers: { 'last-event-id': id } })
        expect(framesOf(answer.text)).toMatchObject([{ event: 'gap', data: { reason: 'unknown' } }])
      }
    },
  },
]

type Asked = { readonly path: string; readonly lastId: string; readonly count: number }

/** The events after an id, once there are so many: at the edge whoever committed does not wait for readers. */
async function toldSince(client: Client, { path, lastId, count }: Asked): Promise<readonly Frame[]> {
  const told: Frame[] = []
  for (let tried = 0; told.length < count && tried < TRIES_MAX; tried++) {
    const headers = { 'last-event-id': told.at(-1)?.id ?? lastId }
    const { text } = await client.request('GET', path, { headers })
    told.push(...framesOf(text).slice(1))
  }
  return told
}

type Frame = {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The events of a stream that has ended. */
export function framesOf(text: string): Frame[] {
  return [...text.matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)$/gm)].map(
    ([, id = '', event = '', data = '']) => ({
      id,
      event,
      data: JSON.parse(data) as Record<string, unknown>,
    }),
  )
}

export const eventsSuite: Suite = { name: 'events', scenarios: [...refusals, ...scenarios] }
