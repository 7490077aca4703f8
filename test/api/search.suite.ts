import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
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
import { once } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type Condition = Record<string, string | null>

const stage = once(async (client) => {
  const request = requestOf(client)
  const ground = await createGroup(client, 1, { name: 'search suite' })
  const ids = await plant(client, ground)
  const search = (filter: unknown, query = '') =>
    request(
      'GET',
      `/groups/${ground}/search?filterDefinition=${encodeURIComponent(JSON.stringify(filter))}${query}`,
    )
  return { request, ground, ids, search }
})

type Searched = Awaited<ReturnType<typeof stage>>

function searches(): Scenario[] {
  const { scenarios, claim } = claims(stage)

  claim('items have the fields of a list, jobs their device’s name', async ({ ids, search }) => {
    const { body } = await search({
      type: 'job',
      conditions: [{ item: 'name', operator: 'eq', expression: 'PING' }],
    })
    expect(body).toEqual({
      items: [
        {
          id: ids['ping'],
          type: 'job',
          subType: 'webcollector',
          name: 'Ping',
          parentId: ids['srv-1'],
          isTemplate: false,
          permissions: { read: true, write: true, execute: true, maintain: true },
          state: 'major',
          deviceName: 'srv-1',
        },
      ],
    })
  })

  for (const [title, condition, expected] of CONDITIONS) {
    const finds = async ({ ids, search }: Searched) => {
      const asked = Object.fromEntries(
        Object.entries(condition).map(([field, text]) => [
          field,
          (ids[text?.slice(1) ?? ''] ?? text)?.toString() ?? null,
        ]),
      )
      for (const mode of ['and', 'or']) {
        const answer = await search({ mode, conditions: [asked] })
        expect(answer.status, answer.text).toBe(200)
        expect(namesOf(answer).sort(), mode).toEqual([...expected].sort())
      }
    }
    claim(`${title} finds ${expected.join(', ') || 'nothing'}`, finds, 'conditions of searches')
  }

  claim('an empty filter matches everything below the group, and nothing beside it', async ({ search }) => {
    expect(namesOf(await search({})).sort()).toEqual([...EVERYTHING].sort())
    expect(namesOf(await search({ type: 'group' }))).toEqual(['Zürich'])
    expect(namesOf(await search({ type: 'device', mode: 'or', conditions: [] })).sort()).toEqual([
      'router 2',
      'srv-1',
    ])
  })

  claim('`and` needs all conditions, `or` one, and each object occurs once', async ({ search }) => {
    const conditions = [
      { item: 'subType', operator: 'eq', expression: 'router' },
      { item: 'name', operator: 'contains', expression: 'r' },
    ]
    expect(namesOf(await search({ conditions }))).toEqual(['router 2'])
    expect(namesOf(await search({ mode: 'or', conditions })).sort()).toEqual(
      EVERYTHING.filter((name) => name !== 'Ping').sort(),
    )
  })

  claim('values are read of the jobs that meet the other conditions', async ({ search }) => {
    const user = { item: 'value_user', operator: 'gt', expression: '1.5', value: 'Round trip' }
    expect(namesOf(await search({ conditions: [user] }))).toEqual(['Ping'])
    const stopped = { item: 'execution', operator: 'stopped' }
    expect(namesOf(await search({ conditions: [user, stopped] }))).toEqual([])
    expect(namesOf(await search({ mode: 'or', conditions: [user, stopped] })).sort()).toEqual([
      'Ping',
      'traffic',
    ])
  })

  claim(
    'fifty conditions are within the bounds of every database, fifty-one are rejected',
    async ({ search }) => {
      const one = { item: 'property', operator: 'not_matches', propertyKey: 'rack', expression: 'a*b*c*d*e' }
      for (const mode of ['and', 'or']) {
        const answer = await search({ mode, conditions: Array(50).fill(one) })
        expect(namesOf(answer)).toHaveLength(EVERYTHING.length)
      }
      expect(refusal(await search({ conditions: Array(51).fill(one) }))).toEqual([
        422,
        'invalid',
        '?filterDefinition/conditions',
      ])
    },
  )

  claim('pages contain everything once', async ({ request, search }) => {
    for (const filter of [
      {},
      { mode: 'or', conditions: [{ item: 'id', operator: 'gt', expression: '0' }] },
    ]) {
      const seen: string[] = []
      let answer = await search(filter, '&limit=2')
      for (;;) {
        seen.push(...namesOf(answer))
        const next = nextOf(answer)
        if (next === null) break
        expect(namesOf(answer)).toHaveLength(2)
        answer = await request('GET', next)
      }
      expect(seen.sort()).toEqual([...EVERYTHING].sort())
    }
  })

  claim(
    'lists of a type agree with a search below the root group, whole and in pages',
    async ({ request }) => {
      for (const type of ['group', 'device', 'job', 'slo', 'slc']) {
        const filter = encodeURIComponent(JSON.stringify({ type }))
        const found = (await request('GET', `/groups/1/search?filterDefinition=${filter}`)).body['items']
        const list = await request('GET', `/${type}s`)
        expect(list.body['items']).toEqual(found)
        expect(nextOf(list)).toBeNull()
        const page = await request('GET', `/${type}s?limit=1`)
        expect(page.body['items']).toEqual((found as unknown[]).slice(0, 1))
        const next = nextOf(page)
        if (next === null) continue
        expect((await request('GET', next)).body['items']).toEqual((found as unknown[]).slice(1, 2))
      }
      expect(refusal(await request('GET', '/jobs?cursor=x'))).toEqual([422, 'invalid', '?cursor'])
      expect(refusal(await request('GET', '/jobs', { as: null }))).toEqual([401, 'unauthenticated'])
    },
  )

  const refused: [string, string, string[]][] = [
    ['no JSON', '{"type"', ['']],
    ['an array', '[]', ['']],
    ['an unknown type', '{"type":"alarm"}', ['/type']],
    ['an unknown mode', '{"mode":"xor"}', ['/mode']],
    [
      'an unknown field',
      '{"conditions":[{"item":"id","operator":"eq","expression":"1","not":true}]}',
      ['/conditions/0/not'],
    ],
    [
      'an unknown item',
      '{"conditions":[{"item":"colour","operator":"eq","expression":"1"}]}',
      ['/conditions/0/item'],
    ],
    [
      'one fault among conditions',
      '{"conditions":[{"item":"id","operator":"eq","expression":"1"},{"item":"id","operator":"like","expression":"1"},{"item":"type","operator":"eq","expression":"alarm"}]}',
      ['/conditions/1/operator'],
    ],
    [
      'an operator that the item does not know',
      '{"conditions":[{"item":"state","operator":"starts_with","expression":"m"}]}',
      ['/conditions/0/operator'],
    ],
  ]
  for (const [title, filter, pointers] of refused) {
    claim(`${title} is rejected with a pointer into the filter`, async ({ request, ground }) => {
      const answer = await request(
        'GET',
        `/groups/${ground}/search?filterDefinition=${encodeURIComponent(filter)}`,
      )
      expect(refusal(answer)).toEqual([
        422,
        'invalid',
        ...pointers.map((pointer) => `?filterDefinition${pointer}`),
      ])
    })
  }

  claim('a filter is required, and so are a valid limit and cursor', async ({ request, ground, search }) => {
    expect(refusal(await request('GET', `/groups/${ground}/search`))).toEqual([
      422,
      'invalid',
      '?filterDefinition',
    ])
    for (const limit of ['0', '10001', 'x']) {
      expect(refusal(await search({}, `&limit=${limit}`))).toEqual([422, 'invalid', '?limit'])
    }
    for (const cursor of ['x', 'Ii8xLyI', '!']) {
      expect(refusal(await search({}, `&cursor=${cursor}`))).toEqual([422, 'invalid', '?cursor'])
    }
  })

  claim('every signed-in user can search below existing groups', async ({ request, ground, ids }) => {
    for (const as of ['collector', 'Data_Editor', 'dashboard_viewer'] as const) {
      expect((await request('GET', `/groups/${ground}/search?filterDefinition={}`, { as })).status).toBe(200)
    }
    for (const id of [ids['srv-1'], 999_999]) {
      expect(refusal(await request('GET', `/groups/${id}/search?filterDefinition={}`))).toEqual([
        404,
        'not_found',
      ])
    }
  })
  return scenarios
}

const EVERYTHING = ['Zürich', 'srv-1', 'router 2', 'Ping', 'version', 'traffic']

/** A group with two devices and three jobs, one of which is in a bad state. */
async function plant(client: Client, ground: number): Promise<Record<string, number>> {
  const group = await createGroup(client, ground, {
    name: 'Zürich',
    properties: [{ key: 'site', value: 'west' }],
  })
  const server = await createDevice(client, group, {
    name: 'srv-1',
    address: '192.0.2.1',
    netmask: '255.255.255.0',
    properties: [
      { key: 'rack', value: '10' },
      { key: 'Room', value: 'a*b' },
    ],
  })
  const router = await createDevice(client, group, {
    name: 'router 2',
    subType: 'router',
    address: '2001:db8::2',
    properties: [{ key: 'rack', value: '9.5' }],
  })
  const ping = await createJob(client, server, {
    name: 'Ping',
    interval: 'PT5M',
    parameters: { returnValue: [{ valueName: 'Round trip', valueDivisor: 1000 }] },
    thresholds: { major: { mode: 'or', conditions: [{ key: 'returnValue1', operator: '>', value: 1 }] } },
    properties: [{ key: 'rack', value: 'none' }],
  })
  const version = await createJob(client, server, {
    name: 'version',
    interval: 'PT1H',
    parameters: { stringValue: [{ valueName: 'Release' }] },
  })
  await createJob(client, router, {
    name: 'traffic',
    stopped: true,
    parameters: { returnValue: [{ valueName: 'In' }] },
  })
  for (const [job, json] of [
    [ping, { returnValue1: 2000 }],
    [version, { stringValue1: 'v1.2.3' }],
  ] as [number, Body][]) {
    const answer = await client.request('POST', `/webcollector/jobs/${job}/values`, { json })
    expect(answer.status, answer.text).toBe(200)
  }
  await settled(client, ping, 'major')
  const [rack] = (await client.request('GET', `/devices/${server}`)).body['properties'] as Body[]
  return { group, 'srv-1': server, router, ping, version, Room: Number(rack?.['id']) }
}

/** Waits until lists show the state, which may be a moment behind. */
async function settled(client: Client, id: number, state: string): Promise<void> {
  const filter = encodeURIComponent(
    JSON.stringify({ conditions: [{ item: 'id', operator: 'eq', expression: String(id) }] }),
  )
  for (let attempt = 0; attempt < 100; attempt++) {
    const { body } = await client.request('GET', `/groups/1/search?filterDefinition=${filter}`)
    if ((body['items'] as Body[])[0]?.['state'] === state) return
    await Bun.sleep(20)
  }
  throw new Error(`The state of ${id} is not ${state} after two seconds.`)
}

const is = (item: string, operator: string, expression?: string, more: Condition = {}): Condition => ({
  item,
  operator,
  ...(expression === undefined ? {} : { expression }),
  ...more,
})

const DEVICES = ['srv-1', 'router 2']
const JOBS = ['Ping', 'version', 'traffic']
const without = (...names: string[]) => EVERYTHING.filter((name) => !names.includes(name))
const rack = { propertyKey: 'rack' }

/** One condition each, and what it finds; `#name` stands for an id. */
const CONDITIONS: [string, Condition, string[]][] = [
  ['id eq', is('id', 'eq', '#srv-1'), ['srv-1']],
  ['id ne', is('id', 'ne', '#srv-1'), without('srv-1')],
  ['id ge', is('id', 'ge', '#ping'), JOBS],
  ['id gt', is('id', 'gt', '#ping'), ['version', 'traffic']],
  ['id le', is('id', 'le', '#group'), ['Zürich']],
  ['id lt', is('id', 'lt', '#srv-1'), ['Zürich']],
  ['name eq, whatever the case', is('name', 'eq', 'zÜRICH'), ['Zürich']],
  ['name eq, decomposed', is('name', 'eq', 'Zu\u0308rich'), ['Zürich']],
  ['name ne', is('name', 'ne', 'ping'), without('Ping')],
  ['name starts_with', is('name', 'starts_with', 'SRV'), ['srv-1']],
  ['name not_starts_with', is('name', 'not_starts_with', 'srv'), without('srv-1')],
  ['name contains, two characters', is('name', 'contains', 'er'), ['router 2', 'version']],
  ['name contains, four characters', is('name', 'contains', 'OUTE'), ['router 2']],
  ['name contains, a quote', is('name', 'contains', '"or"'), []],
  ['name not_contains', is('name', 'not_contains', 'r'), ['Ping']],
  ['name ends_with', is('name', 'ends_with', 'RICH'), ['Zürich']],
  ['name not_ends_with', is('name', 'not_ends_with', 'rich'), without('Zürich')],
  ['name matches a prefix', is('name', 'matches', 'sr*1'), ['srv-1']],
  ['name matches in the middle', is('name', 'matches', '*out*r*'), ['router 2']],
  ['name matches what LIKE would take', is('name', 'matches', 'srv_1'), []],
  ['name not_matches', is('name', 'not_matches', '*r*'), ['Ping']],
  ['name matches, more than 50 bytes', is('name', 'matches', `*ping*${'x'.repeat(60)}`), []],
  ['type eq', is('type', 'eq', 'device'), DEVICES],
  ['type ne', is('type', 'ne', 'job'), ['Zürich', ...DEVICES]],
  ['subtype eq', is('subtype', 'eq', 'router'), ['router 2']],
  ['subType ne', is('subType', 'ne', 'webcollector'), ['Zürich', ...DEVICES]],
  ['subType starts_with', is('subType', 'starts_with', 'web'), JOBS],
  ['subType contains', is('subType', 'contains', 'oute'), ['router 2']],
  ['state eq major', is('state', 'eq', 'major'), ['Zürich', 'srv-1', 'Ping']],
  ['state eq ok', is('state', 'eq', 'ok'), ['version']],
  ['state eq undefined', is('state', 'eq', 'undefined'), ['router 2', 'traffic']],
  ['state ne', is('state', 'ne', 'undefined'), ['Zürich', 'srv-1', 'Ping', 'version']],
  ['interval eq, written otherwise', is('interval', 'eq', 'PT300S'), ['Ping']],
  ['interval ne', is('interval', 'ne', 'PT5M'), ['version', 'traffic']],
  ['interval gt', is('interval', 'gt', 'PT5M'), ['version']],
  ['interval ge', is('interval', 'ge', 'PT5M'), ['Ping', 'version']],
  ['interval lt', is('interval', 'lt', 'PT1H'), ['Ping', 'traffic']],
  ['interval le', is('interval', 'le', 'PT5M'), ['Ping', 'traffic']],
  ['interval is_defined', is('interval', 'is_defined'), ['Ping', 'version']],
  ['interval not_defined', is('interval', 'not_defined'), ['traffic']],
  ['execution started', is('execution', 'started'), ['Ping', 'version']],
  ['execution stopped', is('execution', 'stopped'), ['traffic']],
  ['property eq', is('property', 'eq', '10', rack), ['srv-1']],
  ['property eq of any key', is('property', 'eq', 'west'), ['Zürich']],
  ['property ne', is('property', 'ne', '10', rack), without('srv-1')],
  ['property starts_with', is('property', 'starts_with', 'no', rack), ['Ping']],
  ['property contains', is('property', 'contains', '.', rack), ['router 2']],
  ['property contains, of any key', is('property', 'contains', 'es'), ['Zürich']],
  ['property ends_with', is('property', 'ends_with', 'ne', rack), ['Ping']],
  ['property matches', is('property', 'matches', '*.*', rack), ['router 2']],
  ['property matches, in order', is('property', 'matches', 'w*e*t'), ['Zürich']],
  ['property not_matches', is('property', 'not_matches', '*0*', rack), without('srv-1')],
  ['property is_defined', is('property', 'is_defined', undefined, rack), ['srv-1', 'router 2', 'Ping']],
  ['property is_defined, any', is('property', 'is_defined'), ['Zürich', 'srv-1', 'router 2', 'Ping']],
  ['property not_defined', is('property', 'not_defined', undefined, rack), ['Zürich', 'version', 'traffic']],
  ['property_key eq', is('property_key', 'eq', 'site'), ['Zürich']],
  ['property_key ne', is('property_key', 'ne', 'rack'), ['Zürich', 'version', 'traffic']],
  ['property_key contains', is('property_key', 'contains', 'oo'), ['srv-1']],
  ['property_key matches', is('property_key', 'matches', 'r*k'), ['srv-1', 'router 2', 'Ping']],
  ['property_key eq with a propertyKey', is('property_key', 'eq', '10', rack), ['srv-1']],
  ['property_id eq', is('property_id', 'eq', '#Room'), ['srv-1']],
  ['propval_eq of a number', is('property', 'propval_eq', '10.0', rack), ['srv-1']],
  ['propval_ne of a number', is('property', 'propval_ne', '10', rack), ['router 2', 'Ping']],
  ['propval_ge', is('property', 'propval_ge', '9.5', rack), DEVICES],
  ['propval_gt', is('property_key', 'propval_gt', '9.5', rack), ['srv-1']],
  ['propval_le', is('property', 'propval_le', '9.5', rack), ['router 2']],
  ['propval_lt', is('property', 'propval_lt', '1e1', rack), ['router 2']],
  ['propval_eq of a text', is('property', 'propval_eq', 'none', rack), ['Ping']],
  ['propval_gt of a text', is('property', 'propval_gt', 'n', rack), ['Ping']],
  ['device_address eq', is('device_address', 'eq', '192.0.2.1'), ['srv-1']],
  ['device_address ne', is('device_address', 'ne', '192.0.2.1'), ['router 2']],
  ['device_address starts_with', is('device_address', 'starts_with', '2001:'), ['router 2']],
  ['device_address contains', is('device_address', 'contains', '0.2'), ['srv-1']],
  ['device_netmask is_defined', is('device_netmask', 'is_defined'), ['srv-1']],
  ['device_netmask not_defined', is('device_netmask', 'not_defined'), ['router 2']],
  ['job_device_name eq', is('job_device_name', 'eq', 'SRV-1'), ['Ping', 'version']],
  ['job_device_name ne', is('job_device_name', 'ne', 'srv-1'), ['traffic']],
  ['job_device_name contains', is('job_device_name', 'contains', 'outer'), ['traffic']],
  ['job_device_address starts_with', is('job_device_address', 'starts_with', '192.'), ['Ping', 'version']],
  ['job_device_netmask not_defined', is('job_device_netmask', 'not_defined'), ['traffic']],
  ['slo_method eq', is('slo_method', 'eq', 'x'), []],
  ['slo_service ne', is('slo_service', 'ne', 'x'), []],
  ['value_name_raw eq', is('value_name_raw', 'eq', 'returnValue1'), ['Ping', 'traffic']],
  ['value_name_raw starts_with', is('value_name_raw', 'starts_with', 'string'), ['version']],
  ['value_name_raw contains', is('value_name_raw', 'contains', 'turnV'), ['Ping', 'traffic']],
  ['value_name_user eq', is('value_name_user', 'eq', 'ROUND TRIP'), ['Ping']],
  ['value_name_user ends_with', is('value_name_user', 'ends_with', 'EASE'), ['version']],
  ['value_name_user ne', is('value_name_user', 'ne', 'In'), ['Ping', 'version']],
  ['value_raw eq', is('value_raw', 'eq', '2000', { value: 'returnValue1' }), ['Ping']],
  ['value_raw ne', is('value_raw', 'ne', '2000', { value: 'returnValue1' }), []],
  ['value_raw by name', is('value_raw', 'ge', '2e3', { value: 'round trip' }), ['Ping']],
  ['value_user le', is('value_user', 'le', '2', { value: 'Round trip' }), ['Ping']],
  ['value_user lt', is('value_user', 'lt', '2', { value: 'Round trip' }), []],
  ['value_user starts_with', is('value_user', 'starts_with', 'v1.', { value: 'Release' }), ['version']],
  ['value_user not_matches', is('value_user', 'not_matches', 'v2*', { value: 'stringValue1' }), ['version']],
  ['value_user is_defined', is('value_user', 'is_defined', undefined, { value: 'returnValue1' }), ['Ping']],
  [
    'value_user not_defined',
    is('value_user', 'not_defined', undefined, { value: 'returnValue1' }),
    ['version', 'traffic'],
  ],
]

/** Search by filter definitions. */
export const searchSuite: Suite = {
  name: 'search',
  scenarios: searches(),
}
