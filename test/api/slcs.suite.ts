import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { createDevice, createGroup, createJob, refusal } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { until } from '../until.ts'

const ROOT = 1

/** A service level object over one job, and a container over nothing yet. */
const stage = once(async (client: Client) => {
  const group = await createGroup(client, ROOT, { name: 'contracts' })
  const device = await createDevice(client, group, { name: 'contracted' })
  const { job, slo } = await newSlo(client, group, device)
  const slc = await newSlc(client, group, { name: 'gold', limit: 99.9 })
  return { group, device, job, slo, slc }
})

async function newSlo(client: Client, group: number, device: number): Promise<{ job: number; slo: number }> {
  const job = await createJob(client, device, {
    name: 'shop',
    parameters: { returnValue: [{ valueName: 'load' }] },
    thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
  })
  const slo = await create(client, `/slos?parentId=${group}`, { name: 'shop' })
  await setChildren(client, `slo/${slo}/children`, [job])
  return { job, slo }
}

const newSlc = (client: Client, group: number, json: Body) =>
  create(client, `/slcs?parentType=group&parentId=${group}`, json)

async function create(client: Client, path: string, json: Body): Promise<number> {
  return (await good<{ id: number }>(client.request('POST', path, { json }))).id
}

/** @param path the parent, with the mode where it is not to replace: `slc/7/children` */
async function setChildren(client: Client, path: string, ids: readonly number[]): Promise<Body> {
  const json = { items: ids.map((id) => ({ id })) }
  return good<Body>(client.request('PUT', `/${path}`, { json }))
}

async function deliver(client: Client, job: number, load: number): Promise<void> {
  const json = { returnValue1: load, errorCode: 0 }
  await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
}

const read = (client: Client, slc: number) => good(client.request('GET', `/slcs/${slc}`))

const CREATE = 'POST /slcs?parentType=group&parentId={group}'
const CHILDREN = 'PUT /slcs/{slc}/children'
const RECALCULATE = 'POST /slcs/{slc}/periods/recalculate'
const WINDOW = { days: ['monday'], begin: '08:00', end: '18:00' }
const wrong = (call: string, json: object, ...pointers: string[]): Row => ({
  title: 'wrong',
  call,
  json,
  answers: 'invalid',
  pointers,
})
const wrongSlc = (json: object, ...pointers: string[]) =>
  wrong(CREATE, { name: 'x', limit: 99, ...json }, ...pointers)

const refusals: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: CREATE,
    as: null,
    json: { name: 'x', limit: 99 },
    answers: 'unauthenticated',
  },
  { title: 'a request without credentials', call: 'GET /slcs/{slc}', as: null, answers: 'unauthenticated' },
  {
    title: 'a request without credentials',
    call: 'GET /slcs/{slc}/periods',
    as: null,
    answers: 'unauthenticated',
  },
  {
    title: 'a request without credentials',
    call: 'GET /slcs/{slc}/burn',
    as: null,
    answers: 'unauthenticated',
  },
  {
    title: 'a viewer',
    call: CREATE,
    as: 'dashboard_viewer',
    json: { name: 'x', limit: 99 },
    answers: 'forbidden',
  },
  { title: 'a collector', call: CHILDREN, as: 'collector', json: { items: [] }, answers: 'forbidden' },
  { title: 'a collector', call: RECALCULATE, as: 'collector', json: {}, answers: 'forbidden' },
  {
    title: 'below a device',
    call: 'POST /slcs?parentType=group&parentId={device}',
    json: { name: 'x', limit: 99 },
    answers: 'not_found',
  },
  ...['999999', '{slo}', '{group}', '0'].flatMap((id): Row[] => [
    { title: 'none', call: `GET /slcs/${id}`, answers: 'not_found' },
    { title: 'none', call: `PUT /slcs/${id}`, json: { name: 'x', limit: 99 }, answers: 'not_found' },
    { title: 'none', call: `DELETE /slcs/${id}`, answers: 'not_found' },
    { title: 'none', call: `GET /slcs/${id}/periods`, answers: 'not_found' },
    { title: 'none', call: `GET /slcs/${id}/burn`, answers: 'not_found' },
    { title: 'none', call: `GET /slcs/${id}/state-history`, answers: 'not_found' },
    { title: 'none', call: `GET /slcs/${id}/outages`, answers: 'not_found' },
    { title: 'none', call: `PUT /slcs/${id}/children`, json: { items: [] }, answers: 'not_found' },
    { title: 'none', call: `POST /slcs/${id}/copy?destinationName=x`, answers: 'not_found' },
  ]),
  {
    title: 'a collector',
    call: 'POST /slcs/{slc}/copy?destinationName=x&destinationType=none',
    as: 'collector',
    answers: 'forbidden',
  },
  { title: 'no template', call: 'POST /slcs/{slc}/copy?destinationName=x', answers: 'conflict' },
  {
    title: 'below a device',
    call: 'POST /slcs/{slc}/copy?destinationName=x&destinationType=none&parentId={device}',
    answers: 'not_found',
  },
  {
    title: 'into another container',
    call: 'POST /slcs/{slc}/copy?destinationName=x&parentType=slc&parentId={slc}',
    answers: 'invalid',
    pointers: ['?parentType'],
  },
  { title: 'no name', call: 'POST /slcs/{slc}/copy', answers: 'invalid', pointers: ['?destinationName'] },
  { title: 'a container', call: 'GET /slos/{slc}', answers: 'not_found' },
  wrong(CREATE, { name: 'x' }, '/limit'),
  wrongSlc({ limit: 100.000001 }, '/limit'),
  wrongSlc({ limit: -0.1 }, '/limit'),
  wrongSlc({ limit: 99.9999999 }, '/limit'),
  wrongSlc({ target: 101 }, '/target'),
  wrongSlc({ warnAt: 0 }, '/warnAt'),
  wrongSlc({ warnAt: 100.1 }, '/warnAt'),
  wrongSlc({ duration: 'decade' }, '/duration'),
  wrongSlc({ duration: 'week', resetInterval: 'month' }, '/resetInterval'),
  wrongSlc({ duration: 'month', resetInterval: 'week' }, '/resetInterval'),
  wrongSlc({ duration: 'year', resetInterval: 'quarter' }, '/resetInterval'),
  wrongSlc({ timezone: 'Europe/Atlantis' }, '/timezone'),
  wrongSlc({ subType: 'top' }, '/subType'),
  wrongSlc({ colour: 'red' }, '/colour'),
  wrongSlc({ activeTime: [] }, '/activeTime'),
  wrongSlc({ activeTime: [{ ...WINDOW, days: [] }] }, '/activeTime/0/days'),
  wrongSlc({ activeTime: [{ ...WINDOW, days: ['noday'] }] }, '/activeTime/0/days/0'),
  wrongSlc({ activeTime: [{ ...WINDOW, begin: '8:00' }] }, '/activeTime/0/begin'),
  wrongSlc({ activeTime: [{ ...WINDOW, end: '24:01' }] }, '/activeTime/0/end'),
  wrongSlc({ activeTime: [{ ...WINDOW, begin: '22:00', end: '06:00' }] }, '/activeTime/0/end'),
  wrongSlc({ activeTime: [{ ...WINDOW, end: '08:00' }] }, '/activeTime/0/end'),
  wrongSlc({ activeTime: Array.from({ length: 101 }, () => WINDOW) }, '/activeTime'),
  wrong('PUT /slcs/{slc}', { name: 'x', limit: 99, duration: 'week' }, '/duration'),
  wrong(
    'PUT /slcs/{slc}',
    { name: 'x', limit: 99, duration: 'year', resetInterval: 'day', timezone: 'UTC' },
    '/duration',
    '/resetInterval',
    '/timezone',
  ),
  wrong(CHILDREN, { items: [{ id: 0 }] }, '/items/0/id'),
  wrong(`${CHILDREN}?mode=add`, { items: [] }, '?mode'),
  {
    title: 'an unknown child',
    call: CHILDREN,
    json: { items: [{ id: 999_999 }] },
    answers: 'not_found',
    pointers: ['/items/0/id'],
  },
  {
    title: 'stale',
    call: CHILDREN,
    json: { items: [] },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  { title: 'wrong', call: 'GET /slcs/{slc}/periods?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'wrong', call: 'GET /slcs/{slc}/periods?limit=101', answers: 'invalid', pointers: ['?limit'] },
  { title: 'wrong', call: 'GET /slcs/{slc}/periods?cursor=x', answers: 'invalid', pointers: ['?cursor'] },
  ...['yesterday', '2099-01-01T00:00:00Z', '2001-01-01T00:00:00Z'].map((at): Row => ({
    title: `at ${at}`,
    call: `GET /slcs/{slc}/burn?at=${at}`,
    answers: 'invalid',
    pointers: ['?at'],
  })),
  wrong(RECALCULATE, {}, '/begin', '/end', '/reason'),
  wrong(RECALCULATE, { begin: '2026-01-01T00:00:00Z', end: '2026-01-01T00:00:00Z', reason: ' ' }, '/reason'),
  wrong(RECALCULATE, { begin: '2026-01-01T00:00:00Z', end: '2026-01-01T00:00:00Z', reason: 'x' }, '/end'),
  wrong(
    RECALCULATE,
    { begin: '2026-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z', reason: 'x'.repeat(4_001) },
    '/reason',
  ),
]

const scenarios: readonly Scenario[] = [
  {
    title: 'all fields are stored, and a read can be sent back',
    decidedAbovePorts: 'service level containers',
    async run(client) {
      const { group } = await stage(client)
      const fields = {
        name: 'all fields',
        subType: 'uc',
        duration: 'year',
        resetInterval: 'day',
        timezone: 'America/New_York',
        limit: 99.999999,
        target: 100,
        warnAt: 0.5,
        activeTime: Array.from({ length: 100 }, () => ({ ...WINDOW, end: '24:00' })),
      }
      const slc = await newSlc(client, group, fields)
      const made = await read(client, slc)
      expect(made).toMatchObject({
        ...fields,
        type: 'slc',
        currentState: 'ok',
        parentId: group,
        hasChildren: false,
      })
      const put = (json: Body) => good<Body>(client.request('PUT', `/slcs/${slc}`, { json }))
      expect({ ...(await put(made)), values: null }).toEqual({ ...made, values: null })
      expect(await put({ name: 'plain', limit: 0 })).toMatchObject({
        name: 'plain',
        subType: 'uc',
        duration: 'year',
        resetInterval: 'day',
        timezone: 'America/New_York',
        limit: 0,
        target: null,
        warnAt: 80,
        activeTime: null,
      })
      const stale = { json: { name: 'late', limit: 1 }, headers: { 'if-match': '"1"' } }
      expect(refusal(await client.request('PUT', `/slcs/${slc}`, stale))).toEqual([
        412,
        'precondition_failed',
      ])
      expect((await client.request('DELETE', `/slcs/${slc}`)).status).toBe(204)
      expect(refusal(await client.request('GET', `/slcs/${slc}`))).toEqual([404, 'not_found'])
    },
  },
  {
    title:
      'the default is an agreement by calendar months of the service’s time zone, at any time of the day',
    decidedAbovePorts: 'service level containers',
    async run(client) {
      const { slc } = await stage(client)
      const { values, ...rest } = await read(client, slc)
      expect(rest).toMatchObject({
        subType: 'sla',
        duration: 'month',
        resetInterval: 'month',
        timezone: 'Europe/Zurich',
        activeTime: null,
        warnAt: 80,
      })
      const { period, creditTotal } = values as {
        period: { begin: string; end: string }
        creditTotal: number
      }
      expect(period.begin).toMatch(/-01T00:00:00\+0[12]:00$/)
      const seconds = (Date.parse(period.end) - Date.parse(period.begin)) / 1000
      expect(creditTotal).toBe(Math.floor(seconds * 1000 * 0.001 + 1e-6) / 1000)
      expect(values).toMatchObject({
        percent: 100,
        creditUsed: 0,
        creditLeft: creditTotal,
        projectedBreachAt: null,
      })
    },
  },
  {
    title: 'children are service level objects only, set, added and removed; each change is a new version',
    decidedAbovePorts: 'service level containers',
    async run(client) {
      const { group, device, job, slo } = await stage(client)
      const other = await newSlo(client, group, device)
      const slc = await newSlc(client, group, { name: 'made of', limit: 99 })
      const ids = (body: Body) => (body['items'] as { id: number }[]).map(({ id }) => id)
      for (const id of [job, device, group, ROOT, slc]) {
        const refused = await client.request('PUT', `/slcs/${slc}/children`, {
          json: { items: [{ id: slo }, { id }] },
        })
        expect(refusal(refused)).toEqual([422, 'invalid', '/items/1/id'])
      }
      const ofSlo = await client.request('PUT', `/slos/${slo}/children`, { json: { items: [{ id: slc }] } })
      expect(refusal(ofSlo)).toEqual([422, 'invalid', '/items/0/id'])
      const mistyped = { json: { items: [{ id: slo, type: 'job' }] } }
      expect(refusal(await client.request('PUT', `/slcs/${slc}/children`, mistyped))).toEqual([
        422,
        'invalid',
        '/items/0/type',
      ])
      expect(ids(await setChildren(client, `slc/${slc}/children`, [slo]))).toEqual([slo])
      expect(ids(await setChildren(client, `slcs/${slc}/children?mode=merge`, [other.slo]))).toEqual([
        slo,
        other.slo,
      ])
      expect(ids(await setChildren(client, `slc/${slc}/children?mode=remove`, [slo]))).toEqual([other.slo])
      expect(ids(await good<Body>(client.request('GET', `/slcs/${slc}/children`)))).toEqual([other.slo])
      expect(await read(client, slc)).toMatchObject({ hasChildren: true })
      const etag = (await client.request('GET', `/slcs/${slc}`)).headers.get('etag') ?? ''
      const change = { json: { items: [] }, headers: { 'if-match': etag } }
      const changed = await client.request('PUT', `/slc/${slc}/children`, change)
      expect([changed.status, changed.headers.get('etag')]).not.toContain(etag)
      expect(changed.headers.get('etag')).toBe(
        (await client.request('GET', `/slcs/${slc}`)).headers.get('etag'),
      )
      expect(refusal(await client.request('PUT', `/slc/${slc}/children`, change))).toEqual([
        412,
        'precondition_failed',
      ])
    },
  },
  {
    title:
      'a container is an object in the tree: found by search and path, listed in its group, moved and deleted with it',
    decidedAbovePorts: 'service level containers',
    async run(client) {
      const outer = await createGroup(client, ROOT, { name: 'of slcs' })
      const inner = await createGroup(client, outer, { name: 'inside' })
      const slc = await newSlc(client, outer, { name: 'findable', limit: 99 })
      const filter = {
        type: 'slc',
        mode: 'and',
        conditions: [{ item: 'name', operator: 'eq', expression: 'findable' }],
      }
      const query = encodeURIComponent(JSON.stringify(filter))
      const found = [{ id: slc, type: 'slc' }]
      expect(
        await good(client.request('GET', `/groups/${outer}/search?filterDefinition=${query}`)),
      ).toMatchObject({
        items: found,
      })
      expect(await good(client.request('GET', '/root/searchPath?path=/of%20slcs/findable'))).toMatchObject({
        items: found,
      })
      const tree = await good(client.request('GET', `/root/tree/group/${outer}/tree`))
      expect((tree['children'] as Body[]).find(({ id }) => id === slc)).toMatchObject({
        type: 'slc',
        state: 'ok',
      })
      const body = await read(client, slc)
      await good(client.request('PUT', `/slcs/${slc}`, { json: { ...body, parentId: inner } }))
      await good(client.request('DELETE', `/groups/${outer}?recursive=true`))
      expect(refusal(await client.request('GET', `/slcs/${slc}`))).toEqual([404, 'not_found'])
    },
  },
  {
    title:
      'the state changes when only time passes: minor and major at the exact instants, and it stays major',
    async run(client) {
      const { group, device } = await stage(client)
      const aside = await createGroup(client, ROOT, { name: 'of the container' })
      const { job, slo } = await newSlo(client, group, device)
      // Three hundred-millionths of a year, and some: about a second.
      const slc = await newSlc(client, aside, {
        name: 'fast',
        limit: 99.999997,
        duration: 'year',
        timezone: 'UTC',
      })
      await setChildren(client, `slc/${slc}/children`, [slo])
      await deliver(client, job, 95)
      const values = (await read(client, slc))['values'] as { creditTotal: number; period: { begin: string } }
      const creditMs = values.creditTotal * 1000
      expect(creditMs).toBe(Math.floor(daysOf(values.period.begin) * 86_400_000 * 3e-8 + 1e-6))
      const changes = async () => {
        const history = await good(client.request('GET', `/slcs/${slc}/state-history`))
        return history['transitions'] as { timestamp: string; to: string; detectedAt: string; cause: Body }[]
      }
      await until(async () => (await changes()).length >= 2)
      const bad = (await good(client.request('GET', `/slos/${slo}/state-history`)))['transitions'] as {
        timestamp: string
      }[]
      const begunAt = Date.parse(bad.at(-1)?.timestamp ?? '')
      const after = (ms: number) => new Date(begunAt + ms).getTime()
      const [minor, major] = await changes()
      expect({ ...minor, timestamp: Date.parse(minor?.timestamp ?? '') }).toMatchObject({
        to: 'minor',
        timestamp: after(Math.ceil(daysOf(values.period.begin) * 86_400_000 * 2.4e-8 - 1e-6)),
        cause: { type: 'slo', id: slo },
      })
      expect({ ...major, timestamp: Date.parse(major?.timestamp ?? '') }).toMatchObject({
        to: 'major',
        timestamp: after(creditMs + 1),
      })
      await deliver(client, job, 1)
      await expectBurn(client, slc)
      expect(await read(client, slc)).toMatchObject({
        currentState: 'major',
        values: { projectedBreachAt: null },
      })
      const tree = await good(client.request('GET', `/root/tree/group/${aside}/tree`))
      expect(tree['state']).not.toBe('major')
      const outages = await good<object[]>(client.request('GET', `/slcs/${slc}/outages?minDuration=PT0S`))
      expect(outages).toMatchObject([
        { objectId: slc, objectType: 'slc', state: 'major', begin: major?.timestamp, end: null, cost: null },
      ])
    },
  },
  {
    title: 'an instance of a container has the same terms and children, and begins with its own credit',
    async run(client) {
      const { group, device } = await stage(client)
      const { job, slo } = await newSlo(client, group, device)
      const home = await createGroup(client, group, { name: 'home' })
      const agreed = {
        subType: 'ola',
        duration: 'year',
        resetInterval: 'month',
        timezone: 'UTC',
        limit: 99.999997,
        target: 99.5,
        warnAt: 70,
        activeTime: [{ days: ['monday', 'sunday'], begin: '08:00', end: '24:00' }],
        properties: [{ key: 'team', value: 'gold' }],
      }
      const always = { ...agreed, activeTime: null }
      const template = await newSlc(client, group, { name: 'template', isTemplate: true, ...always })
      const json = { items: [{ id: slo, stateOverrides: { minor: 'major' } }] }
      await good(client.request('PUT', `/slc/${template}/children`, { json }))
      await deliver(client, job, 95)
      const copy = (query: string) => client.request('POST', `/slcs/${template}/copy?${query}`)
      const made = await copy(`destinationName=made&parentId=${home}`)
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({
        ...always,
        properties: [{ key: 'team', value: 'gold' }],
        name: 'made',
        type: 'slc',
        isTemplate: false,
        instanceType: 'instance',
        templateId: template,
        parentId: home,
        hasChildren: true,
      })
      const id = Number(made.body['id'])
      expect(made.headers.get('location')).toBe(`/slcs/${id}`)
      const children = await good(client.request('GET', `/slc/${id}/children`))
      expect(children['items']).toMatchObject([{ id: slo, type: 'slo' }])
      expect(await good(client.request('GET', `/slcs/${id}/periods`))).toMatchObject({ items: [] })
      // Bad states before the creation of the container do not count; later ones do.
      const { values } = (await read(client, id)) as { values: { creditUsed: number } }
      const { values: original } = (await read(client, template)) as { values: { creditUsed: number } }
      expect(values.creditUsed).toBeLessThan(original.creditUsed)
      const plain = await copy('destinationName=plain&destinationType=none')
      expect(plain.body).toMatchObject({
        isTemplate: true,
        instanceType: 'none',
        templateId: null,
        parentId: group,
      })
      // A change of the original is none of its copies.
      await good(
        client.request('PUT', `/slcs/${template}`, { json: { name: 'template', ...agreed, limit: 50 } }),
      )
      expect(await read(client, id)).toMatchObject({ limit: 99.999997, activeTime: null })
      await deliver(client, job, 1)
    },
  },
  {
    title: 'before its first period ends, a container has no frozen periods and none to recalculate',
    async run(client) {
      const { slc } = await stage(client)
      expect(await good<Body>(client.request('GET', `/slcs/${slc}/periods?limit=100`))).toEqual({ items: [] })
      const json = { begin: '2020-01-01T00:00:00Z', end: '2030-01-01T00:00:00Z', reason: 'x'.repeat(4_000) }
      expect(await good<Body>(client.request('POST', `/slcs/${slc}/periods/recalculate`, { json }))).toEqual({
        items: [],
      })
    },
  },
]

type Burn = {
  readonly period: { readonly begin: string; readonly end: string }
  readonly creditTotal: number
  readonly points: readonly { readonly creditUsed: number; readonly creditEven: number }[]
}

/** The last point of the burn-down has the figures of the container. */
async function expectBurn(client: Client, slc: number): Promise<void> {
  const { period, creditTotal, creditUsed } = (await read(client, slc))['values'] as Body
  const burn = await good<Burn>(client.request('GET', `/slcs/${slc}/burn`))
  expect(burn).toMatchObject({ period, limit: 99.999997, warnAt: 80, creditTotal })
  expect(burn.points).toHaveLength(241)
  expect(burn.points[0]).toMatchObject({ creditUsed: 0, creditEven: 0 })
  expect(burn.points.at(-1)?.creditUsed).toBe(creditUsed as number)
  expect(burn.points.at(-1)?.creditEven).toBeLessThanOrEqual(creditTotal as number)
  // The period contains its begin, and its end belongs to the next one.
  expect(
    await good(client.request('GET', `/slcs/${slc}/burn?at=${encodeURIComponent(burn.period.begin)}`)),
  ).toMatchObject({ period })
}

/** How many days the year has that begins then. */
function daysOf(begin: string): number {
  const year = new Date(begin).getUTCFullYear() + (new Date(begin).getUTCMonth() === 11 ? 1 : 0)
  return (Date.UTC(year + 1, 0) - Date.UTC(year, 0)) / 86_400_000
}

export const slcsSuite: Suite = {
  name: 'service level containers',
  scenarios: [...table(stage, refusals), ...scenarios],
}
