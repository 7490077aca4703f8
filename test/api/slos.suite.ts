import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { createDevice, createGroup, createJob, refusal } from './objects.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const ROOT = 1

/** A group with a device of four servers, and a service level object over nothing yet. */
const stage = once(async (client: Client) => {
  const group = await createGroup(client, ROOT, { name: 'services' })
  const device = await createDevice(client, group, { name: 'cluster' })
  const jobs: number[] = []
  for (let index = 0; index < 4; index++) jobs.push(await newJob(client, device, `server ${index}`))
  const slo = await newSlo(client, group, { name: 'shop' })
  const [job = 0] = jobs
  return { group, device, job, slo, jobs }
})

/** The names that rows can use. */
const names = async (client: Client) => {
  const { jobs: _, ...ids } = await stage(client)
  return ids
}

const THRESHOLDS = {
  major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] },
  minor: { conditions: [{ key: 'returnValue1', operator: '>', value: 50 }] },
}

function newJob(client: Client, device: number, name: string): Promise<number> {
  return createJob(client, device, {
    name,
    parameters: { returnValue: [{ valueName: 'load' }] },
    thresholds: THRESHOLDS,
  })
}

async function newSlo(client: Client, group: number, json: Body): Promise<number> {
  const made = await good<{ id: number }>(
    client.request('POST', `/slos?parentType=group&parentId=${group}`, { json }),
  )
  return made.id
}

async function setChildren(
  client: Client,
  slo: number,
  items: readonly object[],
  mode = 'replace',
): Promise<Body> {
  return good<Body>(client.request('PUT', `/slo/${slo}/children?mode=${mode}`, { json: { items } }))
}

async function deliver(client: Client, job: number | undefined, load: number): Promise<void> {
  await good(
    client.request('POST', `/webcollector/jobs/${job}/values`, {
      json: { returnValue1: load, errorCode: 0 },
    }),
  )
}

async function stateOf(client: Client, slo: number): Promise<unknown> {
  return (await good(client.request('GET', `/slos/${slo}`)))['currentState']
}

const CREATE = 'POST /slos?parentType=group&parentId={group}'
const CHILDREN = 'PUT /slos/{slo}/children'
const wrong = (call: string, json: object, ...pointers: string[]): Row => ({
  title: 'wrong',
  call,
  json,
  answers: 'invalid',
  pointers,
})

const refusals: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: CREATE,
    as: null,
    json: { name: 'x' },
    answers: 'unauthenticated',
  },
  { title: 'a request without credentials', call: 'GET /slos/{slo}', as: null, answers: 'unauthenticated' },
  {
    title: 'a request without credentials',
    call: CHILDREN,
    as: null,
    json: { items: [] },
    answers: 'unauthenticated',
  },
  { title: 'a viewer', call: CREATE, as: 'dashboard_viewer', json: { name: 'x' }, answers: 'forbidden' },
  { title: 'a collector', call: CHILDREN, as: 'collector', json: { items: [] }, answers: 'forbidden' },
  { title: 'a collector', call: 'DELETE /slos/{slo}', as: 'collector', answers: 'forbidden' },
  {
    title: 'below a device',
    call: 'POST /slos?parentType=group&parentId={device}',
    json: { name: 'x' },
    answers: 'not_found',
  },
  ...['999999', '{job}', '{group}', '0'].flatMap((id): Row[] => [
    { title: 'none', call: `GET /slos/${id}`, answers: 'not_found' },
    { title: 'none', call: `PUT /slos/${id}`, json: { name: 'x' }, answers: 'not_found' },
    { title: 'none', call: `DELETE /slos/${id}`, answers: 'not_found' },
    { title: 'none', call: `PUT /slos/${id}/children`, json: { items: [] }, answers: 'not_found' },
  ]),
  {
    title: 'the children of a group',
    call: 'PUT /groups/{group}/children',
    json: { items: [] },
    answers: 'not_found',
    pointers: ['{parentType}'],
  },
  {
    title: 'an id that is no number',
    call: 'PUT /slos/first/children',
    json: { items: [] },
    answers: 'not_found',
    pointers: ['{parentId}'],
  },
  {
    title: 'two unknown children',
    call: CHILDREN,
    json: { items: [{ id: 999_998 }, { id: 999_999 }] },
    answers: 'not_found',
    pointers: ['/items/0/id', '/items/1/id'],
  },
  wrong(CREATE, {}, '/name'),
  wrong(CREATE, { name: 'x', stateOperation: 'nand' }, '/stateOperation'),
  wrong(CREATE, { name: 'x', pushState: 'warning' }, '/pushState'),
  wrong(CREATE, { name: 'x', sortMode: 'size' }, '/sortMode'),
  wrong(CREATE, { name: 'x', major: -1, minorMinor: 1.5 }, '/major', '/minorMinor'),
  wrong(CREATE, { name: 'x', major: 1_000_001 }, '/major'),
  wrong(
    CREATE,
    { name: 'x', parameters: { currency: 'euro', costsPerMin: -1 } },
    '/parameters/currency',
    '/parameters/costsPerMin',
  ),
  ...['ABC', 'chf', 'CH', 'CHF '].map((currency) =>
    wrong(CREATE, { name: 'x', parameters: { currency } }, '/parameters/currency'),
  ),
  wrong(CREATE, { name: 'x', parameters: { riskFactor: 1e13 } }, '/parameters/riskFactor'),
  wrong(CREATE, { name: 'x', deviceId: 999_999 }, '/deviceId'),
  wrong(CREATE, { name: 'x', colour: 'red' }, '/colour'),
  wrong(CHILDREN, {}, '/items'),
  wrong(CHILDREN, { items: [{ id: 0 }] }, '/items/0/id'),
  wrong(CHILDREN, { items: [{ id: 1, weight: 0 }] }, '/items/0/weight'),
  wrong(CHILDREN, { items: [{ id: 1, weight: 1_001 }] }, '/items/0/weight'),
  wrong(CHILDREN, { items: [{ id: 1, stateOverrides: { bad: 'ok' } }] }, '/items/0/stateOverrides/bad'),
  wrong(CHILDREN, { items: Array.from({ length: 1_001 }, (_, index) => ({ id: index + 1 })) }, '/items'),
  wrong(`${CHILDREN}?mode=add`, { items: [] }, '?mode'),
  {
    title: 'an unknown child',
    call: CHILDREN,
    json: { items: [{ id: 999_999 }] },
    answers: 'not_found',
    pointers: ['/items/0/id'],
  },
  { title: 'itself', call: 'PUT /slos/999999/children', json: { items: [{ id: 1 }] }, answers: 'not_found' },
  {
    title: 'a group',
    call: 'PUT /groups/{group}/children',
    json: { items: [] },
    answers: 'not_found',
  },
]

const scenarios: readonly Scenario[] = [
  {
    title: 'all fields are stored, and a read can be sent back',
    decidedAbovePorts: 'service level objects',
    async run(client) {
      const { group, device } = await stage(client)
      const fields = {
        name: 'all fields',
        subType: 'top',
        deviceId: device,
        stateOperation: 'count',
        pushState: 'minor',
        sortMode: 'name',
        major: 1,
        minor: 2,
        warning: 3,
        minorMinor: 4,
        minorWarning: 5,
        warningWarning: 6,
        ignoreMaintenance: true,
        isReason: true,
        parameters: { costsPerMin: 120.5, currency: 'CHF', riskFactor: 1.5 },
      }
      const slo = await newSlo(client, group, fields)
      const read = await good<Body>(client.request('GET', `/slos/${slo}`))
      expect(read).toMatchObject({
        ...fields,
        type: 'slo',
        deviceName: 'cluster',
        currentState: 'undefined',
        parentId: group,
      })
      expect(read).toMatchObject({ parameters: { children: 0 }, hasChildren: false })
      expect(await good<Body>(client.request('PUT', `/slos/${slo}`, { json: read }))).toEqual(read)
      const plain = await good<Body>(client.request('PUT', `/slos/${slo}`, { json: { name: 'plain' } }))
      expect(plain).toMatchObject({
        name: 'plain',
        stateOperation: 'and',
        pushState: 'any',
        major: 0,
        deviceId: 0,
      })
      expect((await client.request('DELETE', `/slos/${slo}`)).status).toBe(204)
      expect(refusal(await client.request('GET', `/slos/${slo}`))).toEqual([404, 'not_found'])
    },
  },
  {
    title: 'three of four servers: one down makes it minor, two make it major, and it recovers',
    async run(client) {
      const { group, jobs } = await stage(client)
      const slo = await newSlo(client, group, {
        name: 'tomcats',
        stateOperation: 'count',
        minor: 1,
        major: 2,
      })
      expect(
        await setChildren(
          client,
          slo,
          jobs.map((id) => ({ type: 'job', id })),
        ),
      ).toMatchObject({
        items: jobs.map((id, index) => ({ id, type: 'job', state: 'ok', position: index + 1 })),
      })
      expect(await stateOf(client, slo)).toBe('ok')
      for (const [job, load, state] of [
        [0, 95, 'minor'],
        [1, 60, 'minor'],
        [1, 95, 'major'],
        [0, 1, 'minor'],
        [1, 1, 'ok'],
      ] as const) {
        await deliver(client, jobs[job], load)
        expect(await stateOf(client, slo)).toBe(state)
      }
      const outages = client.request('GET', `/slos/${slo}/outages?minDuration=PT0S&states=major,minor`)
      expect(await good<object[]>(outages)).toMatchObject([
        { objectType: 'slo', state: 'major', active: false, cost: null },
      ])
      const history = await good(client.request('GET', `/slos/${slo}/state-history`))
      expect((history['transitions'] as Body[]).map(({ to }) => to)).toEqual([
        'ok',
        'minor',
        'major',
        'minor',
        'ok',
      ])
    },
  },
  {
    title: 'children are added, weighted, overridden, and removed',
    decidedAbovePorts: 'service level objects',
    async run(client) {
      const { group, device } = await stage(client)
      const [bad, well] = [await newJob(client, device, 'bad'), await newJob(client, device, 'well')]
      await deliver(client, bad, 95)
      const slo = await newSlo(client, group, { name: 'changing', stateOperation: 'count', major: 2 })
      await setChildren(client, slo, [{ id: bad }, { id: well }])
      expect(await stateOf(client, slo)).toBe('ok')
      await setChildren(client, slo, [{ id: bad, weight: 2 }], 'merge')
      expect(await stateOf(client, slo)).toBe('major')
      await setChildren(client, slo, [{ id: bad, weight: 2, stateOverrides: { major: 'ok' } }], 'merge')
      expect(await stateOf(client, slo)).toBe('ok')
      expect(await good<Body>(client.request('GET', `/slos/${slo}/children`))).toMatchObject({
        items: [
          { id: bad, weight: 2, stateOverrides: { major: 'ok' } },
          { id: well, weight: 1, stateOverrides: {} },
        ],
      })
      const inTree = await good<{ items: Body[] }>(client.request('GET', `/devices/${device}/children`))
      expect(inTree.items.some((item) => 'weight' in item || 'stateOverrides' in item)).toBe(false)
      expect(await setChildren(client, slo, [{ id: bad }], 'remove')).toMatchObject({ items: [{ id: well }] })
      await good(client.request('DELETE', `/jobs/${well}`))
      expect(await stateOf(client, slo)).toBe('undefined')
      expect(await good<Body>(client.request('GET', `/slos/${slo}/children`))).toEqual({ items: [] })
      await good(client.request('DELETE', `/jobs/${bad}`))
    },
  },
  {
    title: 'a chain of five converges after a burst, its group follows, and sees only the pushed states',
    decidedAbovePorts: 'service level objects',
    async run(client) {
      const { device, jobs } = await stage(client)
      const outer = await createGroup(client, ROOT, { name: 'chain' })
      let below = device
      const chain: number[] = []
      for (let level = 0; level < 5; level++) {
        const slo = await newSlo(client, outer, {
          name: `level ${level}`,
          pushState: level === 4 ? 'major' : 'any',
        })
        await setChildren(client, slo, [{ id: below }])
        chain.push((below = slo))
      }
      await Promise.all(jobs.map((job, index) => deliver(client, job, index === 0 ? 60 : 1)))
      expect(await Promise.all(chain.map((slo) => stateOf(client, slo)))).toEqual(chain.map(() => 'minor'))
      await Promise.all(jobs.map((job) => deliver(client, job, 95)))
      expect(await Promise.all(chain.map((slo) => stateOf(client, slo)))).toEqual(chain.map(() => 'major'))
      await Promise.all(jobs.map((job) => deliver(client, job, 1)))
      expect(await Promise.all(chain.map((slo) => stateOf(client, slo)))).toEqual(chain.map(() => 'ok'))
      const [, , , , top] = chain
      await good(
        client.request('PUT', `/slos/${top}`, {
          json: { name: 'top', stateOperation: 'count', pushState: 'none' },
        }),
      )
      for (const slo of chain.slice(0, 4)) {
        await good(client.request('PUT', `/slos/${slo}`, { json: { name: 'quiet', pushState: 'major' } }))
      }
      await deliver(client, jobs[0], 60)
      expect(await stateOf(client, chain[0] ?? 0)).toBe('minor')
      expect(await stateOf(client, chain[1] ?? 0)).toBe('ok')
      const tree = await good(client.request('GET', `/root/tree/group/${outer}/tree`))
      expect(tree['state']).toBe('ok')
      await deliver(client, jobs[0], 1)
    },
  },
  {
    title: 'cycles are rejected: by links, by the groups that count the object, and by moves',
    decidedAbovePorts: 'service level objects',
    async run(client) {
      const { group } = await stage(client)
      const inner = await createGroup(client, group, { name: 'inner' })
      const [low, high] = [
        await newSlo(client, inner, { name: 'low' }),
        await newSlo(client, ROOT, { name: 'high' }),
      ]
      const children = async (slo: number, id: number) =>
        refusal(await client.request('PUT', `/slos/${slo}/children`, { json: { items: [{ id }] } }))
      await setChildren(client, high, [{ id: low }])
      expect(await children(low, high)).toEqual([409, 'cycle', '/items/0/id'])
      expect(await children(low, low)).toEqual([409, 'cycle', '/items/0/id'])
      expect(await children(low, inner)).toEqual([409, 'cycle', '/items/0/id'])
      expect(await children(low, group)).toEqual([409, 'cycle', '/items/0/id'])
      const aside = await createGroup(client, ROOT, { name: 'aside' })
      await setChildren(client, low, [{ id: aside }])
      const move = await client.request('PUT', `/slos/${low}`, { json: { name: 'low', parentId: aside } })
      expect(refusal(move)).toEqual([409, 'cycle'])
    },
  },
  {
    title: 'a path of names begins with a linked child, and continues in the tree',
    decidedAbovePorts: 'service level objects',
    async run(client) {
      const { group, device } = await stage(client)
      const inner = await createGroup(client, group, { name: 'linked group' })
      const server = await createDevice(client, inner, { name: 'linked server' })
      const hook = await newJob(client, device, 'hook')
      const slo = await newSlo(client, group, { name: 'with a path' })
      await setChildren(client, slo, [{ id: hook }, { id: inner }])
      const found = async (path: string) => {
        const query = `path=${encodeURIComponent(path)}`
        const { items } = await good<{ items: { id: number }[] }>(
          client.request('GET', `/slos/${slo}/searchPath?${query}`),
        )
        return items.map(({ id }) => id).sort((a, b) => a - b)
      }
      expect(await found('HOOK')).toEqual([hook])
      expect(await found('linked group/linked server')).toEqual([server])
      expect(await found('*')).toEqual([inner, hook].sort((a, b) => a - b))
      expect(await found('**/linked*')).toEqual([inner, server])
      expect(await found('linked server')).toEqual([])
      await good(client.request('DELETE', `/groups/${inner}?recursive=true`))
      await good(client.request('DELETE', `/jobs/${hook}`))
    },
  },
  {
    title: 'children have the requested order',
    decidedAbovePorts: 'service level objects',
    async run(client) {
      const { group, device } = await stage(client)
      const [b, a] = [await newJob(client, device, 'b'), await newJob(client, device, 'a')]
      const c = await newJob(client, device, 'c')
      await deliver(client, c, 95)
      const slo = await newSlo(client, group, { name: 'sorted' })
      const ids = async (sortMode: string) => {
        await good(client.request('PUT', `/slos/${slo}`, { json: { name: 'sorted', sortMode } }))
        const { items } = await good<{ items: { id: number }[] }>(
          client.request('GET', `/slos/${slo}/children`),
        )
        return items.map(({ id }) => id)
      }
      await setChildren(client, slo, [{ id: b }, { id: c }, { id: a }])
      expect(await ids('link')).toEqual([b, c, a])
      expect(await ids('name')).toEqual([a, b, c])
      expect(await ids('state')).toEqual([c, b, a])
      await setChildren(client, slo, [{ id: b, weight: 2 }], 'merge')
      await setChildren(client, slo, [{ id: a }, { id: c }, { id: b }], 'order')
      expect(await ids('link')).toEqual([a, c, b])
      await setChildren(client, slo, [{ id: c }], 'order')
      expect(await ids('link')).toEqual([c, a, b])
      const { items } = await good<{ items: Body[] }>(client.request('GET', `/slos/${slo}/children`))
      expect(items.find(({ id }) => id === b)).toMatchObject({ weight: 2 })
      const version = (await client.request('GET', `/slos/${slo}`)).headers.get('etag') ?? ''
      const send = (wanted: readonly number[], ifMatch: string) =>
        client.request('PUT', `/slos/${slo}/children?mode=order`, {
          json: { items: wanted.map((id) => ({ id })) },
          headers: { 'if-match': ifMatch },
        })
      expectAnswer(await send([a, 999_999], version), { answers: 'invalid', pointers: ['/items/1/id'] })
      expectAnswer(await send([device], version), { answers: 'invalid', pointers: ['/items/0/id'] })
      expect((await send([b], version)).status).toBe(200)
      expectAnswer(await send([a], version), { answers: 'precondition_failed' })
      expect(await ids('link')).toEqual([b, c, a])
      for (const id of [a, b, c]) await good(client.request('DELETE', `/jobs/${id}`))
    },
  },
]

export const slosSuite: Suite = {
  name: 'service level objects',
  scenarios: [...table(names, refusals), ...scenarios],
}
