import { expect } from 'bun:test'

import type { Body } from './client.ts'
import {
  claims,
  createDevice,
  createGroup,
  createJob,
  namesOf,
  nextOf,
  refusal,
  requestOf,
} from './objects.ts'
import { abovePorts, once } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

const stage = once(async (client) => {
  const request = requestOf(client)
  const ground = await createGroup(client, 1, { name: 'browse suite' })
  const site = await createGroup(client, ground, { name: 'Zürich' })
  const server = await createDevice(client, site, { name: 'srv/1' })
  const alone = await createDevice(client, ground, { name: 'alone' })
  const ping = await createJob(client, server, { name: 'Ping' })
  await createJob(client, server, { name: 'stopped', stopped: true })
  const tree = async (query: string) => (await request('GET', `/root/tree/group/${ground}/tree${query}`)).body
  const paths = async (from: string, path: string, more = '') => {
    const answer = await request('GET', `${from}/searchPath?path=${encodeURIComponent(path)}${more}`)
    expect(answer.status, answer.text).toBe(200)
    return (answer.body['items'] as Body[]).map((item) => item['path'])
  }
  return { request, ground, site, server, alone, ping, tree, paths }
})

function children(): Scenario[] {
  const { scenarios, claim } = claims(stage)

  claim(
    'are listed by type and name, with their position',
    async ({ request, ground, site, server, ping }) => {
      const { body } = await request('GET', `/groups/${ground}/children`, { as: 'collector' })
      expect(body['items']).toMatchObject([
        { type: 'device', name: 'alone', state: 'undefined', hasChildren: false, position: 1 },
        { id: site, type: 'group', subType: 'group', name: 'Zürich', hasChildren: true, position: 2 },
      ])
      const jobs = await request('GET', `/device/${server}/children`)
      expect(jobs.body['items']).toMatchObject([
        { id: ping, name: 'Ping', state: 'ok' },
        { name: 'stopped', state: 'undefined' },
      ])
      expect((await request('GET', `/jobs/${ping}/children`)).body).toEqual({ items: [] })
    },
  )

  claim('are paged, and positions continue', async ({ request, ground }) => {
    const first = await request('GET', `/groups/${ground}/children?limit=1`)
    expect(namesOf(first)).toEqual(['alone'])
    const second = await request('GET', nextOf(first) ?? '')
    expect(second.body['items']).toMatchObject([{ name: 'Zürich', position: 2 }])
    expect(second.headers.get('link')).toBeNull()
  })

  claim('of unknown objects, or of another type, are not found', async ({ request, ground }) => {
    for (const path of [
      '/groups/999999/children',
      `/devices/${ground}/children`,
      `/slos/${ground}/children`,
    ]) {
      expect(refusal(await request('GET', path))).toEqual([404, 'not_found'])
    }
    expect(refusal(await request('GET', `/groups/${ground}/children?cursor=x`))).toEqual([
      422,
      'invalid',
      '?cursor',
    ])
  })
  return scenarios
}

function trees(): Scenario[] {
  const { scenarios, claim } = claims(stage)

  claim('only one level is returned by default', async ({ ground, tree }) => {
    const top = await tree('')
    expect(top).toMatchObject({
      id: ground,
      name: 'browse suite',
      state: 'ok',
      worstChild: 'ok',
      counts: { major: 0, minor: 0, warning: 0, ok: 1, undefined: 1 },
      hasChildren: true,
      permissions: { read: true },
      children: [
        { name: 'alone', counts: { ok: 0 }, worstChild: null, hasChildren: false, children: [] },
        { name: 'Zürich', counts: { ok: 1 }, hasChildren: true },
      ],
    })
    expect((top['children'] as Body[])[1]).not.toHaveProperty('children')
  })

  claim(
    'all levels down to jobs are returned, with chosen fields, types and states',
    async ({ ground, site, server, alone, ping, tree }) => {
      expect(await tree('?depth=all&fields=name,children&types=group,device')).toEqual({
        id: ground,
        type: 'group',
        name: 'browse suite',
        children: [
          { id: alone, type: 'device', name: 'alone', children: [] },
          {
            id: site,
            type: 'group',
            name: 'Zürich',
            children: [{ id: server, type: 'device', name: 'srv/1', children: [] }],
          },
        ],
      })
      expect(await tree('?depth=8&fields=children&states=ok,major')).toEqual({
        id: ground,
        type: 'group',
        children: [
          {
            id: site,
            type: 'group',
            children: [{ id: server, type: 'device', children: [{ id: ping, type: 'job', children: [] }] }],
          },
        ],
      })
    },
  )

  const refused: [string, string][] = [
    ['?depth=9', '?depth'],
    ['?types=group,alarm', '?types'],
    ['?states=fine', '?states'],
    ['?fields=colour', '?fields'],
  ]
  for (const [query, pointer] of refused) {
    claim(`${query} is refused`, async ({ request, ground }) => {
      const answer = await request('GET', `/root/tree/groups/${ground}/tree${query}`)
      expect(refusal(answer)).toEqual([422, 'invalid', pointer])
    })
  }
  return scenarios
}

function pathSearches(): Scenario[] {
  const { scenarios, claim } = claims(stage)

  const SERVER = '/browse suite/Zürich/srv\\/1'

  const found: [string, string, string[]][] = [
    ['names', '/browse suite/Zürich', ['/browse suite/Zürich']],
    ['spaces around segments, another case', ' BROWSE suite / zÜRICH /', ['/browse suite/Zürich']],
    ['a slash in a name', SERVER, [SERVER]],
    ['a wildcard in a segment', '/browse s*/*ri*/srv*', [SERVER]],
    ['a wildcard for a whole segment', '/browse suite/*', ['/browse suite/Zürich', '/browse suite/alone']],
    ['any depth', '/browse suite/**/ping', [`${SERVER}/Ping`]],
    ['any depth, and a level more', '/browse suite/**/srv*/*', [`${SERVER}/Ping`, `${SERVER}/stopped`]],
    ['nothing', '/browse suite/Bern', []],
    ['a wildcard that would be one of LIKE', '/browse_suite', []],
  ]
  for (const [title, path, expected] of found) {
    claim(`by ${title}`, async ({ paths }) => {
      expect(new Set(await paths('/root', path))).toEqual(new Set(expected))
    })
  }

  claim('an escaped asterisk is part of a name, in answers as well', async ({ request, alone, paths }) => {
    const named = async (name: string) => {
      const parent = `/jobs?parentType=device&parentId=${alone}`
      return Number((await request('POST', parent, { json: { name } })).body['id'])
    }
    const ids = [await named('a*b'), await named('a long b')]
    const both = ['/browse suite/alone/a long b', '/browse suite/alone/a\\*b']
    expect(new Set(await paths('/root', '/browse suite/alone/a*b'))).toEqual(new Set(both))
    expect(await paths('/root', '/browse suite/alone/a\\*B')).toEqual([both[1]])
    for (const id of ids) expect((await request('DELETE', `/jobs/${id}`)).status).toBe(204)
  })

  claim('can begin at a parent, with types and a limit', async ({ request, ground, server, paths }) => {
    expect(await paths(`/groups/${ground}`, 'zürich')).toEqual(['/browse suite/Zürich'])
    const limited = (limit: number) => request('GET', `/device/${server}/searchPath?path=*&limit=${limit}`)
    expect((await limited(1)).body).toMatchObject({ items: [{ name: 'Ping' }], truncated: true })
    expect((await limited(2)).body).toMatchObject({ items: [{}, {}], truncated: false })
    expect(await paths(`/groups/${ground}`, '**', '&type=job')).toEqual([
      `${SERVER}/Ping`,
      `${SERVER}/stopped`,
    ])
    expect(await paths(`/groups/${ground}`, '**/*', '&type=device')).toHaveLength(2)
  })

  claim('can have the path in a body', async ({ request, server }) => {
    for (const path of ['/root/searchPath', `/groups/1/searchPath`]) {
      const answer = await request('POST', path, {
        json: { path: SERVER, type: null },
        as: 'dashboard_viewer',
      })
      const items = [{ id: server, type: 'device', name: 'srv/1', path: SERVER }]
      expect(answer.body).toEqual({ items, truncated: false })
    }
    expect(refusal(await request('POST', '/root/searchPath', { json: { path: '/ /' } }))).toEqual([
      422,
      'invalid',
      '/path',
    ])
    expect(refusal(await request('GET', '/root/searchPath?path='))).toEqual([422, 'invalid', '?path'])
  })
  return scenarios
}

/** Children, trees and path searches. */
export const browseSuite: Suite = {
  name: 'the tree',
  scenarios: [...abovePorts('lists of the tree', [...children(), ...trees()]), ...pathSearches()],
}
