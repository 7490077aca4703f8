import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import { readUntil } from '../until.ts'
import { PASSWORD } from './client.ts'
import type { Body, Client } from './client.ts'
import { createDevice, createGroup, createJob } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Alarm = {
  readonly id: number
  readonly status: string
  readonly state: string
  readonly object: { readonly id: number; readonly path: string; readonly properties: readonly Body[] }
  readonly assignee: { readonly userId: number; readonly name: string } | null
  readonly comments: readonly { readonly text: string }[]
  readonly [more: string]: unknown
}
type Alarms = { readonly items: readonly Alarm[]; readonly total: number; readonly nextCursor: string | null }

const BAD = 99
const WELL = 1

const plantJob = async (client: Client, device: number, name: string) => {
  const job = await createJob(client, device, {
    name,
    parameters: { returnValue: [{ valueName: 'load' }] },
    thresholds: {
      minor: { conditions: [{ key: 'returnValue1', operator: '>', value: 50 }] },
      major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] },
    },
    properties: [{ key: 'room', value: 'R 7' }],
  })
  return job
}

const deliver = (client: Client, job: number, load: number) =>
  good(
    client.request('POST', `/webcollector/jobs/${job}/values`, {
      json: { returnValue1: load, errorCode: 0 },
    }),
  )

const ofObject = (objectId: number, more: readonly object[] = []) => ({
  conditions: [{ item: 'objectId', operator: 'eq', expression: String(objectId) }, ...more],
})

const listed = (client: Client, json: Body) => good<Alarms>(client.request('POST', '/alarms', { json }))

/** The latest alarm of an object. */
async function alarmOf(client: Client, objectId: number): Promise<Alarm> {
  const state = ['open', 'assigned', 'closed']
  const { items } = await listed(client, { filterDefinition: ofObject(objectId), state, limit: 1 })
  const [alarm] = items
  if (!alarm) throw new Error(`There is no alarm of ${objectId}.`)
  return alarm
}

/** A group with a device and a bad job, one with a closed alarm, somebody who may read all, and somebody who may not. */
const stage = once(async (client: Client) => {
  const group = await createGroup(client, 1, { name: 'alarmed' })
  const device = await createDevice(client, group, { name: 'server' })
  const job = await plantJob(client, device, 'bad')
  const well = await plantJob(client, device, 'well again')
  await deliver(client, job, BAD)
  await deliver(client, well, BAD)
  await deliver(client, well, WELL)
  const alarm = await alarmOf(client, job)
  const closed = await alarmOf(client, well)
  return { group, device, job, well, alarm: alarm.id, closed: closed.id, editor: client.userIds.editor }
})

const filtered = (definition: object) =>
  `/alarms?filterDefinition=${encodeURIComponent(JSON.stringify(definition))}`
const wrongFilter = (condition: object, field: string): Row => ({
  title: `asks ${JSON.stringify(condition)}`,
  call: `GET ${filtered({ conditions: [condition] })}`,
  answers: 'invalid',
  pointers: [`?filterDefinition/conditions/0/${field}`],
})
const conditions = (count: number) => ({
  conditions: Array.from({ length: count }, () => ({
    item: 'severity',
    operator: 'ge',
    expression: 'warning',
  })),
})

const ROUTES: readonly (readonly [call: string, json?: object])[] = [
  ['GET /alarms'],
  ['POST /alarms', {}],
  ['GET /alarms/trend'],
  ['GET /alarms/{alarm}'],
  ['POST /alarms/{alarm}/comment', { text: 'x' }],
  ['POST /alarms/{alarm}/assign', { userId: null }],
  ['POST /alarms/actions', { action: 'comment', ids: [1], text: 'x' }],
  ['GET /group/{group}/alarmLinks'],
  ['PUT /group/{group}/alarmLinks', { links: [] }],
]
/** A trend of 1,000 minutes. */
const trendOf = (scale: string) =>
  `/alarms/trend?begin=2026-01-01T00:00:00Z&end=2026-01-01T16:40:00Z&scale=${scale}`
const links = (count: number) => ({ links: Array.from({ length: count }, () => ({ minState: 'major' })) })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => 10_000_000 + index)

const refusals: readonly Row[] = [
  ...ROUTES.map(([call, json]): Row => ({
    title: 'a request without credentials',
    call,
    as: null,
    json,
    answers: 'unauthenticated',
  })),
  ...ROLES.filter((role) => !['administrator', 'editor'].includes(role)).flatMap((as): Row[] => [
    { title: as, call: 'PUT /group/{group}/alarmLinks', as, json: { links: [] }, answers: 'forbidden' },
    { title: as, call: 'POST /alarms/{alarm}/assign', as, json: { userId: null }, answers: 'forbidden' },
  ]),
  ...['GET /alarms/999999999', 'GET /alarms/0', 'GET /alarms/x'].map((call): Row => ({
    title: 'an unknown alarm',
    call,
    answers: 'not_found',
  })),
  {
    title: 'an unknown alarm',
    call: 'POST /alarms/999999999/comment',
    json: { text: 'x' },
    answers: 'not_found',
  },
  {
    title: 'an unknown alarm',
    call: 'POST /alarms/999999999/assign',
    json: { userId: null },
    answers: 'not_found',
  },
  {
    title: 'a closed alarm',
    call: 'POST /alarms/{closed}/assign',
    json: { userId: null },
    answers: 'alarm_closed',
  },
  ...['', 'x'.repeat(4_001)].map((text): Row => ({
    title: `a comment of ${text.length} characters`,
    call: 'POST /alarms/{alarm}/comment',
    json: { text },
    answers: 'invalid',
    pointers: ['/text'],
  })),
  {
    title: 'a comment of 4,000 characters',
    call: 'POST /alarms/{closed}/comment',
    json: { text: 'x'.repeat(4_000) },
    answers: 201,
  },
  {
    title: 'an unknown user',
    call: 'POST /alarms/{alarm}/assign',
    json: { userId: 999_999 },
    answers: 'invalid',
    pointers: ['/userId'],
  },
  {
    title: 'until an instant in the past',
    call: 'POST /alarms/{alarm}/assign',
    json: { userId: 1, until: '2020-01-01T00:00:00Z' },
    answers: 'invalid',
    pointers: ['/until'],
  },
  {
    title: 'until an instant, without a user',
    call: 'POST /alarms/{alarm}/assign',
    json: { userId: null, until: '2100-01-01T00:00:00Z' },
    answers: 'invalid',
    pointers: ['/until'],
  },
  { title: 'no page', call: 'GET /alarms?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the largest page', call: 'GET /alarms?limit=1000', answers: 200 },
  { title: 'a larger page', call: 'GET /alarms?limit=1001', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the largest page', call: 'POST /alarms', json: { limit: 1_000 }, answers: 200 },
  {
    title: 'a page beyond the maximum',
    call: 'POST /alarms',
    json: { limit: 1_001 },
    answers: 'invalid',
    pointers: ['/limit'],
  },
  { title: 'a foreign cursor', call: 'GET /alarms?cursor=x', answers: 'invalid', pointers: ['?cursor'] },
  { title: 'an unknown status', call: 'GET /alarms?state=bad', answers: 'invalid', pointers: ['?state'] },
  { title: 'no instant', call: 'GET /alarms?begin=now', answers: 'invalid', pointers: ['?begin'] },
  ...(['PT0S', 'P1M', 'hour'] as const).map((scale): Row => ({
    title: `a trend by ${scale}`,
    call: `GET /alarms/trend?scale=${scale}`,
    answers: 'invalid',
    pointers: ['?scale'],
  })),
  { title: 'a trend of 1,000 intervals', call: `GET ${trendOf('PT1M')}`, answers: 200 },
  {
    title: 'a trend of 1,001 intervals',
    call: `GET ${trendOf('PT59.95S')}`,
    answers: 'invalid',
    pointers: ['?scale'],
  },
  {
    title: 'a trend that ends before it begins',
    call: 'GET /alarms/trend?begin=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z',
    answers: 'invalid',
    pointers: ['?end'],
  },
  { title: '50 conditions', call: 'POST /alarms', json: { filterDefinition: conditions(50) }, answers: 200 },
  {
    title: '51 conditions',
    call: 'POST /alarms',
    json: { filterDefinition: conditions(51) },
    answers: 'invalid',
    pointers: ['/filterDefinition/conditions'],
  },
  wrongFilter({ item: 'severity', operator: 'eq', expression: 'ok' }, 'expression'),
  wrongFilter({ item: 'severity', operator: 'contains', expression: 'major' }, 'operator'),
  wrongFilter({ item: 'assignee', operator: 'gt', expression: '1' }, 'operator'),
  wrongFilter({ item: 'opened', operator: 'ge', expression: 'yesterday' }, 'expression'),
  wrongFilter({ item: 'id', operator: 'eq' }, 'expression'),
  wrongFilter({ item: 'value_raw', operator: 'gt', expression: '1', value: 'load' }, 'item'),
  wrongFilter({ item: 'objectId', operator: 'eq', expression: 'x' }, 'expression'),
  wrongFilter({ item: 'colour', operator: 'eq', expression: 'x' }, 'item'),
  {
    title: 'neither ids nor a filter',
    call: 'POST /alarms/actions',
    json: { action: 'comment', text: 'x' },
    answers: 'invalid',
    pointers: ['/ids'],
  },
  {
    title: 'both ids and a filter',
    call: 'POST /alarms/actions',
    json: { action: 'comment', text: 'x', ids: [1], filter: {} },
    answers: 'invalid',
    pointers: ['/ids'],
  },
  {
    title: '1,001 alarms',
    call: 'POST /alarms/actions',
    json: { action: 'comment', text: 'x', ids: numbers(1_001) },
    answers: 'invalid',
    pointers: ['/ids'],
  },
  {
    title: '1,000 alarms',
    call: 'POST /alarms/actions',
    json: { action: 'comment', text: 'x', ids: numbers(1_000) },
    answers: 200,
  },
  {
    title: '51 links',
    call: 'PUT /device/{device}/alarmLinks',
    json: links(51),
    answers: 'invalid',
    pointers: ['/links'],
  },
  { title: '50 links', call: 'PUT /device/{device}/alarmLinks', json: links(50), answers: 200 },
  {
    title: 'the id of another object’s link',
    call: 'PUT /device/{device}/alarmLinks',
    json: { links: [{ id: 1 }] },
    answers: 'invalid',
    pointers: ['/links/0/id'],
  },
  {
    title: 'unknown recipients',
    call: 'PUT /device/{device}/alarmLinks',
    json: { links: [{ recipientId: 999_999 }, { recipientId: null }, { recipientId: 999_998 }] },
    answers: 'invalid',
    pointers: ['/links/0/recipientId', '/links/2/recipientId'],
  },
  {
    title: 'filters, which only recipients have',
    call: 'PUT /device/{device}/alarmLinks',
    json: { links: [{ filters: {} }] },
    answers: 'invalid',
    pointers: ['/links/0/filters'],
  },
  ...(['P7D', 'P7DT0.001S'] as const).map((delay, index): Row => ({
    title: `a delay of ${delay}`,
    call: 'PUT /device/{device}/alarmLinks',
    json: { links: [{ delay, covers: 'object' }] },
    ...(index === 0 ? { answers: 200 } : { answers: 'invalid', pointers: ['/links/0/delay'] }),
  })),
  // Remaining alarms would explain later ones.
  { title: 'no links', call: 'PUT /device/{device}/alarmLinks', json: links(0), answers: 200 },
]

const idsOf = ({ items }: Alarms) => items.map(({ id }) => id)

const scenarios: readonly Scenario[] = [
  {
    title: 'an alarm opens with its job’s bad state, describes it, and closes with the recovery',
    decidedAbovePorts: 'alarms',
    async run(client) {
      const { device } = await stage(client)
      const job = await plantJob(client, device, 'short')
      await deliver(client, job, 60)
      const open = await alarmOf(client, job)
      expect(open).toMatchObject({
        status: 'open',
        state: 'minor',
        worstState: 'minor',
        end: null,
        reason: 'threshold',
        object: {
          id: job,
          type: 'job',
          name: 'short',
          path: '/alarmed/server/short',
          permissions: { read: true, write: true },
          properties: [{ key: 'room', value: 'R 7' }],
        },
        linkId: 1,
        recipientId: null,
        assignee: null,
        suppressedBy: null,
        heldReason: null,
        reasons: [],
        comments: [],
        _v: 1,
      })
      await deliver(client, job, BAD)
      await deliver(client, job, WELL)
      const read = await client.request('GET', `/alarms/${open.id}`)
      expect(read.body).toMatchObject({ status: 'closed', state: 'major', worstState: 'major', _v: 3 })
      expect(read.headers.get('etag')).toBe('"3"')
      expect(read.body['end']).not.toBeNull()
      await deliver(client, job, BAD)
      expect((await alarmOf(client, job)).id).not.toBe(open.id)
    },
  },
  {
    title: 'alarms of unreadable objects are visible nowhere',
    async run(client) {
      const { job, alarm } = await stage(client)
      // The alarms of removed links close after the answer.
      await readUntil(
        () => listed(client, { filterDefinition: ofObject(job) }),
        ({ total }) => total === 1,
      )
      const json = { username: 'blind', password: PASSWORD, role: 'editor' }
      const { id } = await good<{ id: number }>(client.request('POST', '/users', { json }))
      await good(client.request('DELETE', '/groups/1/permissions/everyone/0'))
      try {
        const login = { json: { username: 'blind', password: PASSWORD }, as: null }
        const { sessionId } = await good<{ sessionId: string }>(
          client.request('POST', '/session/login', login),
        )
        const as = { as: null, headers: { 'x-session-id': sessionId } } as const
        const mine = { filterDefinition: ofObject(job) }
        expect((await client.request('POST', '/alarms', { ...as, json: mine })).body).toEqual({
          items: [],
          total: 0,
          nextCursor: null,
        })
        expect((await client.request('GET', `/alarms/${alarm}`, as)).status).toBe(404)
        const calm = await client.request('GET', '/alarms/trend', as)
        expect(calm.body).toMatchObject({
          now: { unacknowledged: 0, acknowledged: 0, suppressed: 0 },
          isComplete: true,
        })
        const items = calm.body['items'] as readonly Body[]
        expect(items.map(({ objects, major }) => [objects, major])).toEqual(
          Array.from({ length: 96 }, () => [0, 0]),
        )
        const deed = { action: 'comment', ids: [alarm], text: 'let me in' }
        const acted = await client.request('POST', '/alarms/actions', { ...as, json: deed })
        expect(acted.body).toMatchObject({ items: [{ id: alarm, status: 'refused', code: 'not_found' }] })
        // Nor is it given to who may not read it.
        const given = await client.request('POST', `/alarms/${alarm}/assign`, { json: { userId: id } })
        expect([given.status, given.body['code']]).toEqual([422, 'invalid'])
        await good(client.request('PUT', `/job/${job}/permissions/user/${id}`, { json: {} }))
        const seen = await client.request('POST', '/alarms', { ...as, json: mine })
        expect(seen.body).toMatchObject({
          items: [{ id: alarm, object: { permissions: { write: false } } }],
          total: 1,
        })
        const trend = await client.request('GET', '/alarms/trend?scale=PT6H', as)
        const none = { objects: 0, major: 0 }
        expect(trend.body).toMatchObject({
          now: { unacknowledged: 1, acknowledged: 0, suppressed: 0 },
          items: [none, none, none, { objects: 1, major: 1 }],
        })
      } finally {
        const everything = { json: { write: true, execute: true } }
        await good(client.request('PUT', '/groups/1/permissions/everyone/0', everything))
      }
    },
  },
  {
    title: 'an assignment ends when the alarm gets worse, unless it is sticky; it can have a comment',
    decidedAbovePorts: 'alarms',
    async run(client) {
      const { device, editor } = await stage(client)
      const job = await plantJob(client, device, 'assigned')
      await deliver(client, job, 60)
      const { id } = await alarmOf(client, job)
      const assign = (json: Body) => good<Alarm>(client.request('POST', `/alarms/${id}/assign`, { json }))
      const given = await assign({ userId: editor, until: '2100-01-01T00:00:00+01:00', comment: 'yours' })
      expect(given).toMatchObject({
        status: 'assigned',
        assignee: { userId: editor, name: 'editor' },
        assignedUntil: '2100-01-01T00:00:00+01:00',
        comments: [{ text: 'yours' }],
      })
      const mine = await good<Alarms>(client.request('GET', `/alarms?assignee=${editor}`))
      expect(idsOf(mine)).toContain(id)
      await deliver(client, job, BAD)
      expect(await alarmOf(client, job)).toMatchObject({ status: 'open', assignee: null, state: 'major' })
      await deliver(client, job, 60)
      await assign({ userId: editor, sticky: true })
      await deliver(client, job, BAD)
      expect(await alarmOf(client, job)).toMatchObject({
        status: 'assigned',
        assignedUntil: null,
        sticky: true,
      })
      expect(await assign({ userId: null })).toMatchObject({ status: 'open', assignee: null })
    },
  },
  {
    title: 'filters apply to the alarm and its object; pages follow each other without gaps',
    decidedAbovePorts: 'alarms',
    async run(client) {
      const { group } = await stage(client)
      const device = await createDevice(client, group, { name: 'many' })
      const jobs: number[] = []
      for (const name of ['a 1', 'a 2', 'b 3']) jobs.push(await plantJob(client, device, name))
      for (const [index, job] of jobs.entries()) await deliver(client, job, index === 2 ? BAD : 60)
      const here = { item: 'job_device_name', operator: 'eq', expression: 'many' }
      const asked = async (...more: readonly object[]) => {
        const { items, total } = await listed(client, { filterDefinition: { conditions: [here, ...more] } })
        expect(total).toBe(items.length)
        return items.map(({ object }) => jobs.indexOf(object.id)).toSorted((a, b) => a - b)
      }
      expect(await asked()).toEqual([0, 1, 2])
      expect(await asked({ item: 'severity', operator: 'ge', expression: 'major' })).toEqual([2])
      expect(await asked({ item: 'severity', operator: 'lt', expression: 'major' })).toEqual([0, 1])
      expect(await asked({ item: 'objectName', operator: 'starts_with', expression: 'A' })).toEqual([0, 1])
      expect(
        await asked({ item: 'property_key', operator: 'eq', expression: 'R 7', propertyKey: 'room' }),
      ).toHaveLength(3)
      expect(await asked({ item: 'state', operator: 'eq', expression: 'minor' })).toEqual([0, 1])
      expect(await asked({ item: 'assignee', operator: 'is_defined' })).toEqual([])
      expect(await asked({ item: 'opened', operator: 'lt', expression: '2020-01-01T00:00:00Z' })).toEqual([])
      const either = [
        { item: 'objectId', operator: 'eq', expression: String(jobs[0]) },
        { item: 'objectId', operator: 'eq', expression: String(jobs[2]) },
      ]
      const both = await listed(client, { filterDefinition: { mode: 'or', conditions: either } })
      expect(both.total).toBe(2)
      const pages: number[] = []
      let cursor: string | null = null
      do {
        const json: Body = { filterDefinition: { conditions: [here] }, limit: 2, cursor }
        const page: Alarms = await listed(client, json)
        pages.push(...idsOf(page))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(pages).toEqual(idsOf(await listed(client, { filterDefinition: { conditions: [here] } })))
      expect(new Set(pages).size).toBe(3)
    },
  },
  {
    title: 'one call acts on many alarms and returns the result for each',
    decidedAbovePorts: 'alarms',
    async run(client) {
      const { group, closed, editor } = await stage(client)
      const device = await createDevice(client, group, { name: 'in bulk' })
      const ids: number[] = []
      for (const name of ['x', 'y']) {
        const job = await plantJob(client, device, name)
        await deliver(client, job, BAD)
        ids.push((await alarmOf(client, job)).id)
      }
      const act = (json: Body) => good<Body>(client.request('POST', '/alarms/actions', { json }))
      const done = ids.map((id) => ({ id, status: 'done', code: null, detail: null }))
      const given = await act({ action: 'assign', ids: [...ids, closed, 999_999_999], userId: editor })
      expect(given).toMatchObject({
        items: [
          ...done,
          { id: closed, status: 'refused', code: 'alarm_closed' },
          { id: 999_999_999, status: 'refused', code: 'not_found' },
        ],
        isMore: false,
      })
      const here = { conditions: [{ item: 'job_device_name', operator: 'eq', expression: 'in bulk' }] }
      const said = await act({ action: 'comment', filter: { filterDefinition: here }, text: 'both' })
      expect(said).toEqual({ items: done.toReversed(), isMore: false })
      for (const id of ids) {
        const { body } = await client.request('GET', `/alarms/${id}`)
        expect(body).toMatchObject({ status: 'assigned', commentsTotal: 1, comments: [{ text: 'both' }] })
        expect(body).toMatchObject({ notifications: { sent: 0, failed: 0 } })
      }
    },
  },
  {
    title: 'a group with its own link has an alarm of its own, which closes with the link',
    async run(client) {
      const group = await createGroup(client, 1, { name: 'linked' })
      const device = await createDevice(client, group, { name: 'a part' })
      const job = await plantJob(client, device, 'of a part')
      const path = `/groups/${group}/alarmLinks`
      const made = await good<{ links: { id: number }[] }>(
        client.request('PUT', path, { json: { links: [{ covers: 'object', minState: 'major' }] } }),
      )
      expect(made.links).toMatchObject([
        {
          covers: 'object',
          minState: 'major',
          delay: 'PT0S',
          recoveryDelay: 'PT0S',
          recipientId: null,
        },
      ])
      expect((await good(client.request('GET', path))).links).toEqual(made.links)
      await deliver(client, job, 60)
      const ofGroup = { filterDefinition: ofObject(group) }
      expect((await listed(client, ofGroup)).total).toBe(0)
      await deliver(client, job, BAD)
      expect((await listed(client, ofGroup)).items).toMatchObject([
        { state: 'major', object: { type: 'group' }, reasons: [{ id: job, state: 'major' }] },
      ])
      await good(client.request('PUT', path, { json: { links: [] } }))
      expect((await listed(client, ofGroup)).total).toBe(0)
      expect(await alarmOf(client, group)).toMatchObject({ status: 'closed' })
      const stale = await client.request('PUT', path, { json: { links: [] }, headers: { 'if-match': '"1"' } })
      expect(stale.status).toBe(412)
    },
  },
]

export const alarmsSuite: Suite = { name: 'alarms', scenarios: [...table(stage, refusals), ...scenarios] }
