import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import type { Body } from './client.ts'
import { claims, createDevice, createGroup, createJob, refusal, requestOf } from './objects.ts'
import { abovePorts, once } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

const groupStage = once(async (client) => ({
  request: requestOf(client),
  ground: await createGroup(client, 1, { name: 'groups suite' }),
}))

function groups(): Scenario[] {
  const { scenarios, claim } = claims(groupStage)

  claim(
    'the root group exists without a parent, and is neither deleted nor moved',
    async ({ request, ground }) => {
      const root = await request('GET', '/groups/1')
      expect(root.body).toMatchObject({
        id: 1,
        type: 'group',
        name: 'root',
        parentId: null,
        instanceType: 'none',
      })
      expect(refusal(await request('DELETE', '/groups/1?recursive=true'))).toEqual([409, 'conflict'])
      expect(
        refusal(await request('PUT', '/groups/1', { json: { ...root.body, parentId: ground } })),
      ).toEqual([409, 'conflict'])
      expect((await request('PUT', '/groups/1', { json: root.body })).status).toBe(200)
    },
  )

  claim(
    'a new group is returned with its place, and a read returns the same',
    async ({ request, ground }) => {
      const created = await request('POST', `/groups?parentType=group&parentId=${ground}`, {
        json: { name: '  Zürich ', subType: 'site', properties: [{ key: 'rack', value: '7' }] },
      })
      expect(created.status).toBe(201)
      expect(created.headers.get('location')).toEndWith(`/groups/${String(created.body['id'])}`)
      expect(created.headers.get('etag')).toBe('"1"')
      expect(created.body).toMatchObject({
        type: 'group',
        subType: 'site',
        name: 'Zürich',
        parentId: ground,
        hasChildren: false,
        isTemplate: false,
        templateId: null,
        properties: [{ key: 'rack', value: '7' }],
        permissions: { read: true, write: true, execute: true, maintain: true },
      })
      expect((await request('GET', `/groups/${String(created.body['id'])}`)).body).toEqual(created.body)
    },
  )

  claim('a read can be sent back, and properties keep their ids', async ({ request, ground }, client) => {
    const properties = [
      { key: 'a', value: '1' },
      { key: 'b', value: '2' },
    ]
    const id = await createGroup(client, ground, { name: 'sent back', properties })
    const before = await request('GET', `/groups/${id}`)
    const same = await request('PUT', `/groups/${id}`, { json: before.body })
    expect(same.body).toEqual(before.body)
    expect(same.headers.get('etag')).toBe('"2"')
    const [a] = before.body['properties'] as Body[]
    const changed = await request('PUT', `/groups/${id}`, {
      json: {
        ...before.body,
        properties: [
          { ...a, value: '3' },
          { key: 'c', value: '' },
        ],
      },
    })
    expect(changed.body['properties']).toEqual([
      { id: a?.['id'], key: 'a', value: '3' },
      { id: (changed.body['properties'] as Body[])[1]?.['id'], key: 'c', value: '' },
    ])
  })

  const refused: [string, Body, unknown[]][] = [
    ['no name', {}, ['/name']],
    ['an empty name', { name: '  ' }, ['/name']],
    ['a name with a line break', { name: 'a\nb' }, ['/name']],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, ['/name']],
    ['an unknown field', { name: 'x', colour: 'red' }, ['/colour']],
    ['an address, which devices have', { name: 'x', address: '::1' }, ['/address']],
    [
      'a property twice',
      {
        name: 'x',
        properties: [
          { key: 'a', value: '1' },
          { key: 'a', value: '2' },
        ],
      },
      ['/properties/1/key'],
    ],
    ['a property without a key', { name: 'x', properties: [{ key: '', value: '' }] }, ['/properties/0/key']],
    [
      '201 properties',
      {
        name: 'x',
        properties: Array.from({ length: 201 }, (_, index) => ({ key: `k${index}`, value: '' })),
      },
      ['/properties'],
    ],
    ['a text with NUL', { name: 'x', properties: [{ key: 'a', value: '\0' }] }, ['/properties/0/value']],
  ]
  for (const [title, json, pointers] of refused) {
    claim(`a group with ${title} is rejected with a pointer`, async ({ request, ground }) => {
      expect(refusal(await request('POST', `/groups?parentId=${ground}`, { json }))).toEqual([
        422,
        'invalid',
        ...pointers,
      ])
    })
  }

  claim('an absent parent, or one that is not a group, is not found', async ({ request, ground }, client) => {
    const device = await createDevice(client, ground, { name: 'no parent for groups' })
    for (const parentId of [999_999, device]) {
      expect(refusal(await request('POST', `/groups?parentId=${parentId}`, { json: { name: 'x' } }))).toEqual(
        [404, 'not_found'],
      )
    }
  })

  claim('If-Match accepts the current version only', async ({ request, ground }, client) => {
    const id = await createGroup(client, ground, { name: 'guarded' })
    const put = (tag: string) =>
      request('PUT', `/groups/${id}`, { json: { name: 'guarded' }, headers: { 'if-match': tag } })
    expect((await put('"1"')).status).toBe(200)
    expect(refusal(await put('"1"'))).toEqual([412, 'precondition_failed'])
    expect((await put('"2"')).headers.get('etag')).toBe('"3"')
  })

  claim('of ten changes of one version exactly one succeeds', async ({ request, ground }, client) => {
    const id = await createGroup(client, ground, { name: 'raced' })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        request('PUT', `/groups/${id}`, {
          json: { name: `racer ${index}` },
          headers: { 'if-match': '"1"' },
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(9)
  })

  claim(
    'a move takes all objects below along, and never goes below the object itself',
    async ({ request, ground }, client) => {
      const [from, to] = [
        await createGroup(client, ground, { name: 'from' }),
        await createGroup(client, ground, { name: 'to' }),
      ]
      const inner = await createGroup(client, from, { name: 'inner' })
      const device = await createDevice(client, inner, { name: 'moved device' })
      const move = (id: number, parentId: number) =>
        request('PUT', `/groups/${id}`, { json: { name: 'moved', parentId } })
      expect(refusal(await move(from, inner))).toEqual([409, 'cycle'])
      expect(refusal(await move(from, from))).toEqual([409, 'cycle'])
      expect(refusal(await move(inner, device))).toEqual([422, 'invalid', '/parentId'])
      expect((await move(inner, to)).body['parentId']).toBe(to)
      const found = await request('GET', `/groups/${to}/searchPath?path=**/moved device`)
      expect(found.body['items']).toMatchObject([{ id: device, path: '/groups suite/to/moved/moved device' }])
      expect((await request('GET', `/groups/${from}`)).body['hasChildren']).toBe(false)
      expect((await request('DELETE', `/groups/${from}`)).status).toBe(204)
      expect((await request('GET', `/devices/${device}`)).status).toBe(200)
    },
  )

  claim(
    'two moves that would form a cycle together do not both succeed',
    async ({ request, ground }, client) => {
      const [a, b] = [
        await createGroup(client, ground, { name: 'a' }),
        await createGroup(client, ground, { name: 'b' }),
      ]
      const answers = await Promise.all([
        request('PUT', `/groups/${a}`, { json: { name: 'a', parentId: b } }),
        request('PUT', `/groups/${b}`, { json: { name: 'b', parentId: a } }),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect((await request('GET', `/groups/${ground}/searchPath?path=**/a`)).body['items']).toHaveLength(1)
    },
  )

  claim(
    'a group with children is deleted only recursively, and then completely',
    async ({ request, ground }, client) => {
      const id = await createGroup(client, ground, { name: 'full' })
      const device = await createDevice(client, id, { name: 'in it' })
      const job = await createJob(client, device, { name: 'in it too' })
      const answer = await request('DELETE', `/groups/${id}`)
      expect(refusal(answer)).toEqual([409, 'has_children'])
      expect(answer.body['detail']).toContain('2')
      expect((await request('DELETE', `/groups/${id}?recursive=true`)).status).toBe(204)
      for (const path of [`/groups/${id}`, `/devices/${device}`, `/jobs/${job}`]) {
        expect(refusal(await request('GET', path))).toEqual([404, 'not_found'])
      }
    },
  )
  return scenarios
}

const deviceStage = once(async (client) => ({
  request: requestOf(client),
  ground: await createGroup(client, 1, { name: 'devices suite' }),
}))

function devices(): Scenario[] {
  const { scenarios, claim } = claims(deviceStage)

  const full = {
    name: 'srv1',
    address: '192.0.2.1',
    netmask: '255.255.255.0',
    deviceName: 'srv1.example',
    parameter: { community: { name: 'x' }, ports: [22, 80] },
    instanceType: 'sub',
  }

  claim('every field of the specification is returned', async ({ request, ground }) => {
    const created = await request('POST', `/devices?parentType=group&parentId=${ground}`, { json: full })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toEndWith(`/devices/${String(created.body['id'])}`)
    expect(created.body).toMatchObject({
      ...full,
      type: 'device',
      subType: 'server',
      collectorId: 0,
      hasChildren: false,
    })
  })

  claim(
    'POST on a device changes it as PUT does, and a read can be sent back',
    async ({ request, ground }, client) => {
      const id = await createDevice(client, ground, full)
      const before = (await request('GET', `/devices/${id}`)).body
      expect((await request('PUT', `/devices/${id}`, { json: before })).body).toEqual(before)
      const posted = await request('POST', `/devices/${id}`, { json: { ...before, name: 'srv2' } })
      expect(posted.body).toEqual({ ...before, name: 'srv2' })
    },
  )

  claim('the collector is 0 or a user with the role collector', async ({ request, ground }, client) => {
    const collectorId = client.userIds.collector
    const id = await createDevice(client, ground, { ...full, collectorId })
    expect((await request('GET', `/devices/${id}`)).body['collectorId']).toBe(collectorId)
    for (const wrong of [client.userIds.editor, 999_999]) {
      const json = { ...full, collectorId: wrong }
      expect(refusal(await request('PUT', `/devices/${id}`, { json }))).toEqual([
        422,
        'invalid',
        '/collectorId',
      ])
    }
  })

  claim('a new collector of the device is that of its jobs at once', async ({ request, ground }, client) => {
    const id = await createDevice(client, ground, { ...full, collectorId: client.userIds.collector })
    const job = await createJob(client, id, {
      name: 'j',
      parameters: { returnValue: [{ valueName: 'v' }] },
    })
    const deliver = () =>
      request('POST', `/webcollector/jobs/${job}/values`, { json: { returnValue1: 1 }, as: 'collector' })
    expect((await deliver()).status).toBe(200)
    const other = await request('POST', '/users', {
      json: { username: `collector of ${id}`, password: 'password of it', role: 'collector' },
    })
    const json = { ...full, collectorId: other.body['id'] }
    expect((await request('PUT', `/devices/${id}`, { json })).status).toBe(200)
    expect(refusal(await deliver())).toEqual([403, 'forbidden'])
  })

  claim(
    'a deleted device takes its jobs along, which then accept no deliveries',
    async ({ request, ground }, client) => {
      const id = await createDevice(client, ground, full)
      const job = await createJob(client, id, {
        name: 'j',
        parameters: { returnValue: [{ valueName: 'v' }] },
      })
      const values = `/webcollector/jobs/${job}/values`
      expect((await request('POST', values, { json: { returnValue1: 1 } })).status).toBe(200)
      expect(refusal(await request('DELETE', `/devices/${id}`))).toEqual([409, 'has_children'])
      expect((await request('DELETE', `/devices/${id}?recursive=true`)).status).toBe(204)
      expect(refusal(await request('POST', values, { json: { returnValue1: 1 } }))).toEqual([
        404,
        'not_found',
      ])
      expect(refusal(await request('DELETE', `/devices/${id}?recursive=true`))).toEqual([404, 'not_found'])
    },
  )

  claim('a parameter of more than 16 KiB is rejected, at any depth', async ({ request, ground }) => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as Body
    for (const parameter of [{ text: 'x'.repeat(16 * 1024) }, deep]) {
      const answer = await request('POST', `/devices?parentId=${ground}`, {
        json: { name: 'x', parameter },
      })
      expect(refusal(answer)).toEqual([422, 'invalid', '/parameter'])
    }
  })

  const rights: Record<string, Body> = {
    administrator: { read: true, write: true, execute: true, maintain: true },
    editor: { read: true, write: true, execute: true, maintain: true },
    collector: { read: true, write: false, execute: true, maintain: false },
    Data_Editor: { read: true, write: false, execute: false, maintain: false },
    dashboard_viewer: { read: true, write: false, execute: false, maintain: false },
  }
  for (const role of ROLES) {
    claim(`${role} sees its true rights`, async ({ request, ground }, client) => {
      const id = await createDevice(client, ground, full)
      const seen = await request('GET', `/devices/${id}`, { as: role })
      expect(seen.body['permissions']).toEqual(rights[role])
      const put = await request('PUT', `/devices/${id}`, { json: full, as: role })
      expect(put.status).toBe(rights[role]?.['write'] === true ? 200 : 403)
    })
  }
  return scenarios
}

const copyStage = once(async (client) => {
  const ground = await createGroup(client, 1, { name: 'copies suite' })
  const template = await createDevice(client, ground, {
    name: 'template',
    address: '192.0.2.9',
    isTemplate: true,
    parameter: { a: 1 },
    properties: [{ key: 'rack', value: '9' }],
  })
  const job = await createJob(client, template, {
    name: 'ping',
    properties: [{ key: 'unit', value: 'ms' }],
    parameters: { returnValue: [{ valueName: 'Round trip', valueUnit: 'ms' }] },
  })
  await createJob(client, template, { name: 'stopped', stopped: true })
  const request = requestOf(client)
  const copy = (query: Record<string, string>) =>
    request('POST', `/devices/${template}/copy?${new URLSearchParams(query).toString()}`)

  const jobsOf = async (id: unknown) => {
    const children = (await request('GET', `/devices/${String(id)}/children`)).body['items'] as Body[]
    return Promise.all(
      children.map(async (child) => (await request('GET', `/jobs/${String(child['id'])}`)).body),
    )
  }

  return { request, ground, template, job, copy, jobsOf }
})

function copies(): Scenario[] {
  const { scenarios, claim } = claims(copyStage)

  claim(
    'an instance has the template’s fields and jobs, and refers to it',
    async ({ request, ground, template, job, copy, jobsOf }, client) => {
      const target = await createGroup(client, ground, { name: 'target' })
      const answer = await copy({
        destinationName: 'one',
        parentType: 'group',
        parentId: String(target),
        destinationType: 'instance',
      })
      expect(answer.status).toBe(201)
      expect(answer.headers.get('location')).toEndWith(`/devices/${String(answer.body['id'])}`)
      expect(answer.body).toMatchObject({
        name: 'one',
        address: '192.0.2.9',
        parameter: { a: 1 },
        parentId: target,
        isTemplate: false,
        instanceType: 'instance',
        templateId: template,
        hasChildren: true,
        properties: [{ key: 'rack', value: '9' }],
      })
      const jobs = await jobsOf(answer.body['id'])
      expect(jobs).toMatchObject([
        {
          name: 'ping',
          deviceId: answer.body['id'],
          deviceName: 'one',
          instanceType: 'sub',
          templateId: job,
          stopped: false,
          properties: [{ key: 'unit', value: 'ms' }],
          parameters: { returnValue: [{ valueName: 'Round trip' }] },
        },
        { name: 'stopped', instanceType: 'sub', stopped: true },
      ])
      const found = await request('GET', `/groups/${target}/searchPath?path=one/ping`)
      expect(found.body['items']).toMatchObject([{ id: jobs[0]?.['id'] }])
      const delivered = await request('POST', `/webcollector/jobs/${String(jobs[0]?.['id'])}/values`, {
        json: { returnValue1: 4 },
      })
      expect(delivered.body).toMatchObject({ accepted: 1, state: 'ok' })
    },
  )

  claim('address, collector and stopped jobs follow the query', async ({ ground, copy, jobsOf }, client) => {
    const collectorId = client.userIds.collector
    const answer = await copy({
      destinationName: 'two',
      destinationAddress: '',
      collectorId: String(collectorId),
      jobsStopped: 'true',
    })
    expect(answer.body).toMatchObject({ address: '', collectorId, parentId: ground })
    const jobs = await jobsOf(answer.body['id'])
    expect(jobs).toMatchObject([
      { name: 'ping', stopped: true, currentState: 'undefined', collectorId: 0 },
      { name: 'stopped', stopped: true },
    ])
  })

  claim(
    'a plain copy refers to no template and needs none',
    async ({ request, ground, copy, jobsOf }, client) => {
      const plain = await createDevice(client, ground, { name: 'plain' })
      const url = `/devices/${plain}/copy?destinationName=again`
      expect(refusal(await request('POST', url))).toEqual([409, 'conflict'])
      const answer = await request('POST', `${url}&destinationType=none`)
      expect(answer.body).toMatchObject({
        name: 'again',
        instanceType: 'none',
        templateId: null,
        hasChildren: false,
      })
      const whole = await copy({ destinationName: 'three', destinationType: 'none' })
      expect(whole.body).toMatchObject({ isTemplate: true, instanceType: 'none', templateId: null })
      expect(await jobsOf(whole.body['id'])).toMatchObject([{ instanceType: 'none', templateId: null }, {}])
    },
  )

  const refused: [string, Record<string, string>, unknown[]][] = [
    ['without a name', {}, [422, 'invalid', '?destinationName']],
    [
      'to an unknown type',
      { destinationName: 'x', destinationType: 'sub' },
      [422, 'invalid', '?destinationType'],
    ],
    ['below a group that is not there', { destinationName: 'x', parentId: '999999' }, [404, 'not_found']],
    [
      'for a collector who is none',
      { destinationName: 'x', collectorId: '999999' },
      [422, 'invalid', '?collectorId'],
    ],
  ]
  for (const [title, query, expected] of refused) {
    claim(`a copy ${title} is rejected`, async ({ copy }) => {
      expect(refusal(await copy(query))).toEqual(expected)
    })
  }
  return scenarios
}

/** Groups, devices and their copies. */
export const treeSuite: Suite = {
  name: 'groups and devices',
  scenarios: [...groups(), ...devices(), ...abovePorts('copies', copies())],
}
