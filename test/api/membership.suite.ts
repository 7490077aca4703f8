import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { createDevice, createGroup, createJob, refusal } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const ROOT = 1

const stage = once(async (client: Client) => {
  const group = await createGroup(client, ROOT, { name: 'membership' })
  const device = await createDevice(client, group, { name: 'host' })
  const slo = await newSlo(client, group, { name: 'plain' })
  return { group, device, slo }
})

type Condition = { item: string; operator: string; expression?: string; propertyKey?: string }

const filter = (groupId: number, ...conditions: Condition[]) => ({
  groupId,
  filterDefinition: { conditions },
})
const ofTeam = (team: string): Condition => ({
  item: 'property',
  operator: 'eq',
  expression: team,
  propertyKey: 'team',
})
const team = (value: string) => ({ properties: [{ key: 'team', value }] })

const JOB = {
  parameters: { returnValue: [{ valueName: 'load' }] },
  thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
}

async function newSlo(client: Client, group: number, json: Body): Promise<number> {
  const path = `/slos?parentType=group&parentId=${group}`
  return (await good<{ id: number }>(client.request('POST', path, { json }))).id
}

type Item = { readonly id: number; readonly by: string; readonly state: string; readonly position: number }

async function childrenOf(client: Client, slo: number): Promise<readonly [number, string][]> {
  const { items } = await good<{ items: Item[] }>(client.request('GET', `/slos/${slo}/children`))
  return items.map(({ id, by }) => [id, by])
}

const sloOf = (client: Client, slo: number) => good<Body>(client.request('GET', `/slos/${slo}`))

const deliver = (client: Client, job: number, load: number) =>
  good(
    client.request('POST', `/webcollector/jobs/${job}/values`, {
      json: { returnValue1: load, errorCode: 0 },
    }),
  )

const CREATE = 'POST /slos?parentType=group&parentId={group}'
const refused = (childrenFilter: unknown, ...pointers: string[]): Row => ({
  title: `the filter ${JSON.stringify(childrenFilter).slice(0, 60)}`,
  call: CREATE,
  json: { name: 'x', childrenFilter },
  answers: 'invalid',
  pointers: pointers.map((pointer) => `/childrenFilter${pointer}`),
})
const refusedItem = (item: string, more: object = {}) =>
  refused(
    { filterDefinition: { conditions: [{ item, operator: 'eq', expression: 'ok', ...more }] } },
    '/filterDefinition/conditions/0/item',
  )

const refusals: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: 'POST /slos/{slo}/copy?destinationName=x',
    as: null,
    answers: 'unauthenticated',
  },
  {
    title: 'a viewer',
    call: 'POST /slos/{slo}/copy?destinationName=x',
    as: 'dashboard_viewer',
    answers: 'forbidden',
  },
  { title: 'a device', call: 'POST /slos/{device}/copy?destinationName=x', answers: 'not_found' },
  {
    title: 'no parent',
    call: 'POST /slos/{slo}/copy?destinationName=x&destinationType=none&parentId={device}',
    answers: 'not_found',
  },
  {
    title: 'a group for a parent',
    call: 'POST /slos/{slo}/copy?destinationName=x&destinationType=none&parentId={group}',
    answers: 'not_found',
  },
  { title: 'no name', call: 'POST /slos/{slo}/copy', answers: 'invalid', pointers: ['?destinationName'] },
  {
    title: 'a job for a parent',
    call: 'POST /slos/{slo}/copy?destinationName=x&parentType=job',
    answers: 'invalid',
    pointers: ['?parentType'],
  },
  refused('x', ''),
  refused({}, '/filterDefinition'),
  refused({ groupId: 999_999, filterDefinition: {} }, '/groupId'),
  refused({ groupId: 0, filterDefinition: {} }, '/groupId'),
  refused({ filterDefinition: { mode: 'xor' } }, '/filterDefinition/mode'),
  refused(
    { filterDefinition: { conditions: [{ item: 'size', operator: 'eq' }] } },
    '/filterDefinition/conditions/0/item',
  ),
  refused(
    { filterDefinition: { conditions: [{ item: 'name', operator: 'started' }] } },
    '/filterDefinition/conditions/0/operator',
  ),
  refused(
    { filterDefinition: { conditions: Array.from({ length: 51 }, () => ofTeam('a')) } },
    '/filterDefinition/conditions',
  ),
  refusedItem('state'),
  refusedItem('value_raw', { value: 'load' }),
  refusedItem('value_user', { value: 'load' }),
  { title: 'a cursor of another list', call: 'GET /groups/{group}/children?cursor=MQ', answers: 'invalid' },
]

const scenarios: readonly Scenario[] = [
  {
    title: 'an object counts exactly while it matches the filter',
    decidedAbovePorts: 'filters of children',
    async run(client) {
      const { group, device } = await stage(client)
      const inner = await createGroup(client, group, { name: 'inner' })
      const slo = await newSlo(client, group, { name: 'red', childrenFilter: filter(group, ofTeam('red')) })
      expect(await sloOf(client, slo)).toMatchObject({
        childrenFilter: { groupId: group, isFull: false, filterDefinition: { mode: 'and' } },
        parameters: { children: 0 },
        currentState: 'undefined',
      })
      const job = await createJob(client, device, { name: 'late', ...JOB, ...team('red') })
      expect(await childrenOf(client, slo)).toEqual([[job, 'filter']])
      expect(await sloOf(client, slo)).toMatchObject({
        parameters: { children: 1 },
        currentState: 'ok',
        hasChildren: true,
      })
      await deliver(client, job, 95)
      expect((await sloOf(client, slo))['currentState']).toBe('major')
      const put = (json: Body) =>
        good(client.request('PUT', `/jobs/${job}`, { json: { name: 'late', ...JOB, ...json } }))
      await put(team('blue'))
      expect((await sloOf(client, slo))['currentState']).toBe('undefined')
      await put(team('red'))
      expect((await sloOf(client, slo))['currentState']).toBe('major')
      const aside = await createGroup(client, ROOT, { name: 'aside' })
      const move = (parentId: number) =>
        good(client.request('PUT', `/devices/${device}`, { json: { name: 'host', parentId } }))
      await move(aside)
      expect(await childrenOf(client, slo)).toEqual([])
      await move(inner)
      expect(await childrenOf(client, slo)).toEqual([[job, 'filter']])
      await good(client.request('DELETE', `/jobs/${job}`))
      expect(await sloOf(client, slo)).toMatchObject({
        parameters: { children: 0 },
        currentState: 'undefined',
      })
      await move(group)
    },
  },
  {
    title: 'a link takes precedence over a filter, and a removed link may still match',
    decidedAbovePorts: 'filters of children',
    async run(client) {
      const { group, device } = await stage(client)
      const jobs = []
      for (const name of ['c', 'b', 'a'])
        jobs.push(await createJob(client, device, { name, ...JOB, ...team('green') }))
      const [c = 0, b = 0, a = 0] = jobs
      const fields = { name: 'green', stateOperation: 'count', major: 2 }
      const slo = await newSlo(client, group, { ...fields, childrenFilter: filter(ROOT, ofTeam('green')) })
      await deliver(client, c, 95)
      expect((await sloOf(client, slo))['currentState']).toBe('ok')
      const put = (items: object[], mode: string) =>
        good(client.request('PUT', `/slo/${slo}/children?mode=${mode}`, { json: { items } }))
      await put([{ id: c, weight: 2 }], 'merge')
      expect((await sloOf(client, slo))['currentState']).toBe('major')
      expect(await childrenOf(client, slo)).toEqual([
        [c, 'link'],
        [a, 'filter'],
        [b, 'filter'],
      ])
      await put([{ id: a }, { id: c }], 'remove')
      expect((await childrenOf(client, slo)).map(([, by]) => by)).toEqual(['filter', 'filter', 'filter'])
      expect((await sloOf(client, slo))['currentState']).toBe('ok')
      const page = await client.request('GET', `/slos/${slo}/children?limit=2`)
      expect((page.body['items'] as Item[]).map(({ position }) => position)).toEqual([1, 2])
      const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
      const rest = await client.request('GET', next)
      expect((rest.body['items'] as Item[]).map(({ position }) => position)).toEqual([3])
      expect(rest.headers.get('link')).toBeNull()
      const plain = await good(client.request('PUT', `/slos/${slo}`, { json: fields }))
      expect(plain).toMatchObject({ childrenFilter: null, parameters: { children: 0 } })
      await put([{ id: c }], 'replace')
      expect(await childrenOf(client, slo)).toEqual([[c, 'link']])
      for (const id of jobs) await good(client.request('DELETE', `/jobs/${id}`))
    },
  },
  {
    title: 'objects that contain the filter’s object are left out, also mutually',
    decidedAbovePorts: 'filters of children',
    async run(client) {
      const { device } = await stage(client)
      const group = await createGroup(client, ROOT, { name: 'circles' })
      const job = await createJob(client, device, { name: 'leaf', ...JOB, ...team('grey') })
      const fields = (name: string) => ({
        name,
        ...team('grey'),
        childrenFilter: filter(ROOT, ofTeam('grey')),
      })
      const one = await newSlo(client, group, fields('one'))
      expect(await childrenOf(client, one)).toEqual([[job, 'filter']])
      const two = await newSlo(client, group, fields('two'))
      expect(await childrenOf(client, one)).toEqual([[job, 'filter']])
      expect(await childrenOf(client, two)).toEqual([[job, 'filter']])
      await good(client.request('PUT', `/groups/${group}`, { json: { name: 'circles', ...team('grey') } }))
      expect(await childrenOf(client, one)).toEqual([[job, 'filter']])
      await good(client.request('PUT', `/slos/${two}`, { json: { name: 'two', ...team('grey') } }))
      expect((await childrenOf(client, one)).map(([id]) => id)).toEqual([job, two])
      await deliver(client, job, 95)
      expect((await sloOf(client, one))['currentState']).toBe('major')
      await good(client.request('DELETE', `/jobs/${job}`))
      await good(client.request('DELETE', `/groups/${group}?recursive=true`))
    },
  },
  {
    title: 'an excluded match counts once the object that closed the cycle is deleted',
    decidedAbovePorts: 'filters of children',
    async run(client) {
      const group = await createGroup(client, ROOT, { name: 'freed' })
      const finder = await newSlo(client, group, {
        name: 'finder',
        childrenFilter: filter(ROOT, ofTeam('pink')),
      })
      const found = await newSlo(client, group, { name: 'found', ...team('pink') })
      const between = await newSlo(client, group, { name: 'between' })
      expect(await childrenOf(client, finder)).toEqual([[found, 'filter']])
      const link = (slo: number, id: number) =>
        client.request('PUT', `/slo/${slo}/children`, { json: { items: [{ id }] } })
      await good(link(between, finder))
      expect(refusal(await link(found, between))).toEqual([409, 'cycle', '/items/0/id'])
      await good(client.request('PUT', `/slos/${found}`, { json: { name: 'found' } }))
      await good(link(found, between))
      await good(client.request('PUT', `/slos/${found}`, { json: { name: 'found', ...team('pink') } }))
      expect(await childrenOf(client, finder)).toEqual([])
      await good(client.request('DELETE', `/slos/${between}`))
      expect(await childrenOf(client, finder)).toEqual([[found, 'filter']])
      await good(client.request('DELETE', `/groups/${group}?recursive=true`))
    },
  },
]

const copy = (client: Client, slo: number, query: string) =>
  client.request('POST', `/slos/${slo}/copy?${query}`)

const COPIES: readonly Scenario[] = [
  {
    title: 'an instance of a template has the same children, and becomes the last child of its parent',
    async run(client) {
      const { device } = await stage(client)
      const group = await createGroup(client, ROOT, { name: 'copies' })
      const home = await createGroup(client, group, { name: 'home' })
      const jobs: number[] = []
      for (const name of ['a', 'b'])
        jobs.push(await createJob(client, device, { name, ...JOB, ...team('white') }))
      const [a = 0, b = 0] = jobs
      await deliver(client, a, 95)
      const fields = {
        ...team('template'),
        isTemplate: true,
        subType: 'top',
        deviceId: device,
        stateOperation: 'count',
        pushState: 'minor',
        sortMode: 'name',
        major: 3,
        isReason: true,
        childrenFilter: filter(ROOT, ofTeam('white')),
        parameters: { costsPerMin: 2, currency: 'EUR', riskFactor: 3 },
      }
      const template = await newSlo(client, group, { name: 'template', ...fields })
      const link = (slo: number, items: object[]) =>
        good(client.request('PUT', `/slo/${slo}/children`, { json: { items } }))
      await link(template, [{ id: a, weight: 3, stateOverrides: { warning: 'ok' } }])
      const parent = await newSlo(client, home, { name: 'parent' })
      await link(parent, [{ id: b }])
      const answer = await copy(
        client,
        template,
        `destinationName=made&parentType=slo&parentId=${parent}&destinationType=instance`,
      )
      expect(answer.status).toBe(201)
      const { id, name, type, isTemplate, instanceType, templateId, parentId } = answer.body
      expect({ name, type, isTemplate, instanceType, templateId, parentId }).toEqual({
        name: 'made',
        type: 'slo',
        isTemplate: false,
        instanceType: 'instance',
        templateId: template,
        parentId: home,
      })
      expect(answer.headers.get('location')).toBe(`/slos/${String(id)}`)
      const { isTemplate: _, properties: __, childrenFilter, parameters, ...rest } = fields
      expect(answer.body).toMatchObject({
        ...rest,
        childrenFilter: { groupId: childrenFilter.groupId, isFull: false },
        parameters: { ...parameters, children: 2 },
        properties: [{ key: 'team', value: 'template' }],
        currentState: 'major',
      })
      expect(await childrenOf(client, Number(id))).toEqual([
        [a, 'link'],
        [b, 'filter'],
      ])
      expect(await childrenOf(client, parent)).toEqual([
        [b, 'link'],
        [Number(id), 'link'],
      ])
      expect((await sloOf(client, parent))['currentState']).toBe('major')
      await deliver(client, a, 1)
      expect((await sloOf(client, Number(id)))['currentState']).toBe('ok')
      const plain = await copy(client, template, 'destinationName=plain&destinationType=none')
      expect(plain.body).toMatchObject({
        isTemplate: true,
        instanceType: 'none',
        templateId: null,
        parentId: group,
      })
      const placed = await copy(client, template, `destinationName=placed&parentType=group&parentId=${home}`)
      expect(placed.body).toMatchObject({ instanceType: 'instance', parentId: home })
      expect(await childrenOf(client, parent)).toHaveLength(2)

      expect(refusal(await copy(client, parent, 'destinationName=x'))).toEqual([409, 'conflict'])
      const inner = await newSlo(client, group, { name: 'inner' })
      await link(template, [{ id: inner }])
      const circular = await copy(client, template, `destinationName=x&parentId=${inner}`)
      expect(refusal(circular)).toEqual([409, 'cycle', '?parentId'])
      for (const job of jobs) await good(client.request('DELETE', `/jobs/${job}`))
      await good(client.request('DELETE', `/groups/${group}?recursive=true`))
    },
  },
]

const REASONS: readonly Scenario[] = [
  {
    title: 'the reasons of a state are at most 20 jobs, or other objects that can be named',
    decidedAbovePorts: 'filters of children',
    async run(client) {
      const group = await createGroup(client, ROOT, { name: 'reasons' })
      const device = await createDevice(client, group, { name: 'many' })
      const jobs: number[] = []
      for (let index = 0; index < 21; index++)
        jobs.push(await createJob(client, device, { name: `${index}`, ...JOB }))
      const [job = 0, ...others] = jobs
      const top = await newSlo(client, group, { name: 'top', isReason: true, stateOperation: 'xor' })
      const inner = await newSlo(client, group, { name: 'inner' })
      const link = (slo: number, ...items: object[]) =>
        good(client.request('PUT', `/slo/${slo}/children`, { json: { items } }))
      await link(inner, { id: device })
      const reasons = async (path: string) => (await good(client.request('GET', path)))['reasons'] as Body[]
      const everywhere = [`/slos/${inner}`, `/devices/${device}`, `/groups/${group}`]
      for (const path of everywhere) expect(await reasons(path)).toEqual([])
      await deliver(client, job, 95)
      const named = [{ type: 'job', id: job, name: '0', state: 'major' }]
      for (const path of everywhere) expect(await reasons(path)).toEqual(named)
      for (const other of others.slice(0, 19)) await deliver(client, other, 95)
      expect(await reasons(`/slos/${inner}`)).toHaveLength(20)
      await deliver(client, others.at(-1) ?? 0, 95)
      expect(await reasons(`/slos/${inner}`)).toHaveLength(20)
      await Promise.all(jobs.map((one) => deliver(client, one, 1)))
      await link(top, { id: job }, { id: device })
      const itself = { type: 'slo', id: top, name: 'top', state: 'major' }
      expect(await reasons(`/slos/${top}`)).toEqual([itself])
      expect(await reasons(`/groups/${group}`)).toEqual([itself])
      await good(client.request('DELETE', `/groups/${group}?recursive=true`))
    },
  },
]

export const membershipSuite: Suite = {
  name: 'children by filter',
  scenarios: [...table(stage, refusals), ...scenarios, ...COPIES, ...REASONS],
}
