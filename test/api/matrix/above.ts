import { expect } from 'bun:test'

import { ROLES } from '../../../src/context.ts'
import { PASSWORD } from '../client.ts'
import type { Answer, Client, Request } from '../client.ts'
import { namesOf, nextOf } from '../objects.ts'
import { expectAnswer, good } from '../suite.ts'
import { BAD, CANARY, deliver } from './world.ts'
import type { World } from './world.ts'

type Node = {
  readonly name: string
  readonly state: string
  readonly counts: Readonly<Record<string, number>>
  readonly permissions: Readonly<Record<string, boolean>>
  readonly children: readonly Node[]
}

type Claim = {
  readonly title: string
  readonly run: (client: Client, world: World) => Promise<void>
}

const OTHERS = ROLES.filter((role) => role !== 'administrator')

const SEARCHES: readonly object[] = [
  { conditions: [] },
  { mode: 'or', conditions: [nameContains('own'), nameContains('read'), nameContains(CANARY)] },
  { mode: 'or', conditions: [nameContains('device'), { item: 'type', operator: 'eq', expression: 'group' }] },
  { conditions: [{ item: 'property', operator: 'contains', expression: 'value' }] },
  {
    type: 'job',
    conditions: [{ item: 'value_raw', operator: 'not_contains', value: 'load', expression: 'x' }],
  },
]

function nameContains(expression: string): object {
  return { item: 'name', operator: 'contains', expression }
}

const searchOf = (group: number, filter: object) =>
  `/groups/${group}/search?filterDefinition=${encodeURIComponent(JSON.stringify(filter))}`

/** The results of a search of the administrator, on all of its pages. */
async function allNamesOf(client: Client, path: string): Promise<readonly string[]> {
  const names: string[] = []
  for (let next: string | null = path; next !== null;) {
    const answer: Answer = await client.request('GET', next)
    names.push(...namesOf(answer))
    next = nextOf(answer)
  }
  return names
}

/** Reads from above: a search for objects may begin at an unreadable object, and finds the readable ones. */
export const ABOVE: readonly Claim[] = [
  {
    title: 'objects above readable ones cannot be read',
    async run(client, world) {
      for (const as of OTHERS) {
        for (const path of [`/groups/1`, `/groups/${world.lane}`, `/groups/${world.lane}/outages`])
          expectAnswer(await client.request('GET', path, { as }), { answers: 'not_found' })
      }
    },
  },
  {
    title: 'children show objects above readable ones without their state, and readable ones',
    async run(client, world) {
      const stateOf = async (request: Request) => {
        const { items } = await good<{ items: Node[] }>(client.request('GET', '/group/1/children', request))
        return items.map(({ name, state }) => `${name} ${state}`)
      }
      await deliver(client, world.foreign.job, BAD)
      expect(await stateOf({})).toEqual(['lane major'])
      for (const as of OTHERS) {
        expect(await stateOf({ as })).toEqual(['lane undefined'])
        const children = await client.request('GET', `/group/${world.lane}/children`, { as })
        expect(namesOf(children)).toEqual(['own group', 'readonly group'])
        const made = await client.request('GET', `/slo/${world.own.slo}/children`, { as })
        expect(namesOf(made)).toEqual(['own job'])
      }
    },
  },
  {
    title: 'a tree counts and shows readable objects, and the objects above them',
    async run(client, world) {
      await deliver(client, world.foreign.job, BAD)
      const treeOf = (request: Request) =>
        good<Node>(client.request('GET', '/root/tree/group/1/tree?depth=all', request))
      const groups = (await treeOf({})).children[0]?.children ?? []
      const majorIn = (isMeant: (group: Node) => boolean) =>
        groups.filter(isMeant).reduce((sum, { counts }) => sum + (counts['major'] ?? 0), 0)
      expect(majorIn(({ name }) => name.startsWith(CANARY))).toBeGreaterThan(0)
      const major = majorIn(({ name }) => !name.startsWith(CANARY))
      for (const as of OTHERS) {
        const tree = await treeOf({ as })
        const [lane] = tree.children
        expect([tree.state, lane?.state, tree.counts['major']]).toEqual(['undefined', 'undefined', major])
        expect(tree.permissions).toEqual({ read: false, write: false, execute: false, maintain: false })
        expect(lane?.children.map(({ name }) => name)).toEqual(['own group', 'readonly group'])
        expect(lane?.children[1]?.permissions).toEqual({
          read: true,
          write: false,
          execute: false,
          maintain: false,
        })
        expect(lane?.children[0]?.permissions['maintain']).toBe(true)
        expect(JSON.stringify(tree)).not.toContain(CANARY)
      }
    },
  },
  {
    title: 'searches find readable objects, with the rights on each',
    async run(client, world) {
      for (const filter of SEARCHES) {
        for (const group of [1, world.lane]) {
          const path = searchOf(group, filter)
          const all = await allNamesOf(client, path)
          expect(
            all.some((name) => name.startsWith(CANARY)),
            path,
          ).toBe(true)
          const readable = all.filter((name) => !name.startsWith(CANARY))
          for (const as of OTHERS) {
            const found = await client.request('GET', path, { as })
            expect(found.text).not.toContain(CANARY)
            const names = namesOf(found)
            expect(names.some((name) => name.startsWith('own'))).toBe(true)
            expect(names.filter((name) => !readable.includes(name))).toEqual([])
            const items = found.body['items'] as Node[]
            const writable = items.filter(({ permissions }) => permissions['write']).map(({ name }) => name)
            expect(writable.some((name) => name.startsWith('readonly '))).toBe(false)
            expect(writable.length > 0).toBe(as === 'editor')
          }
        }
      }
    },
  },
  {
    title: 'every user sees their own rights',
    async run(client, world) {
      for (const as of OTHERS) {
        const path = `/device/${world.readonly.device}/permissions/explain`
        const { permissions } = await good<Node>(client.request('GET', path, { as }))
        expect(permissions).toEqual({ read: true, write: false, execute: false, maintain: false })
      }
    },
  },
  {
    title: 'pages of a search are full although unreadable objects lie between',
    async run(client) {
      const filter = { conditions: [{ item: 'property', operator: 'contains', expression: 'value' }] }
      const first = await client.request('GET', `${searchOf(1, filter)}&limit=1`, { as: 'editor' })
      const second = await client.request('GET', String(nextOf(first)), { as: 'editor' })
      expect([...namesOf(first), ...namesOf(second)].sort()).toEqual(['own device', 'readonly device'])
      expect(second.headers.get('link')).toBeNull()
    },
  },
  {
    title: 'paths lead from the root through unreadable objects to readable ones',
    async run(client) {
      for (const as of OTHERS) {
        const found = async (path: string) =>
          namesOf(
            await client.request('GET', `/root/searchPath?path=${encodeURIComponent(path)}`, { as }),
          ).sort()
        expect(await found('lane')).toEqual([])
        expect(await found('lane/*')).toEqual(['own group', 'readonly group'])
        expect(await found('lane/* group/* device')).toEqual(['own device', 'readonly device'])
        expect(await found(`lane/${CANARY} group/*`)).toEqual([])
        expect((await found('**')).some((name) => name.startsWith(CANARY) || name === 'lane')).toBe(false)
      }
    },
  },
]

/** The effects of changed rights: each at once. */
export const CHANGES: readonly Claim[] = [
  {
    title: 'a user without grants finds nothing, and with a grant on one job only that',
    async run(client, world) {
      const { id, as } = await makeSomebody(client, 'newcomer', 'editor')
      const { job, device } = world.own
      const starts = [
        searchOf(1, { conditions: [] }),
        '/group/1/children',
        '/root/tree/group/1/tree',
        '/group/1/searchPath?path=**',
        `/jobs/${job}`,
      ]
      for (const path of starts) expectAnswer(await client.request('GET', path, as), { answers: 'not_found' })
      expect(namesOf(await client.request('GET', '/root/searchPath?path=**', as))).toEqual([])
      await good(client.request('PUT', `/job/${job}/permissions/user/${id}`, { json: {} }))
      expect(namesOf(await client.request('GET', searchOf(1, { conditions: [] }), as))).toEqual(['own job'])
      const { items } = await good<{ items: { path: string }[] }>(
        client.request('GET', '/root/searchPath?path=**', as),
      )
      expect(items.map(({ path }) => path)).toEqual(['/lane/own group/own device/own job'])
      expect(namesOf(await client.request('GET', `/device/${device}/children`, as))).toEqual(['own job'])
      expectAnswer(await client.request('GET', `/jobs/${job}`, as), { answers: 200 })
      expectAnswer(await client.request('PUT', `/jobs/${job}`, { ...as, json: { name: 'x' } }), {
        answers: 'forbidden',
      })
      expectAnswer(await client.request('GET', `/devices/${device}`, as), { answers: 'not_found' })
      expectAnswer(await client.request('DELETE', `/job/${job}/permissions/user/${id}`), { answers: 204 })
      expectAnswer(await client.request('GET', `/jobs/${job}`, as), { answers: 'not_found' })
    },
  },
  {
    title: 'deliveries are accepted as long as the right to execute is granted',
    async run(client, world) {
      const { id, as } = await makeSomebody(client, 'sender', 'collector')
      const { job, device } = world.own
      const json = { returnValue1: 1, errorCode: 0 }
      const sent = async () =>
        (await client.request('POST', `/webcollector/jobs/${job}/values`, { ...as, json })).status
      const grant = (path: string, rights: object) =>
        good(client.request('PUT', `/${path}/permissions/user/${id}`, { json: rights }))
      expect(await sent()).toBe(404)
      await grant(`device/${device}`, { execute: true })
      expect(await sent()).toBe(200)
      await grant(`device/${device}`, { write: true, maintain: true })
      expect(await sent()).toBe(403)
      await good(client.request('DELETE', `/device/${device}/permissions/user/${id}`))
      expect(await sent()).toBe(404)
    },
  },
  {
    title: 'a right of a user group comes and goes with membership, and with the group',
    async run(client, world) {
      const { id, as } = await makeSomebody(client, 'member', 'dashboard_viewer')
      const path = `/groups/${world.own.group}`
      const { id: people } = await good<{ id: number }>(
        client.request('POST', '/userGroups', { json: { name: 'those who may' } }),
      )
      const status = async () => (await client.request('GET', path, as)).status
      await good(client.request('PUT', `${path}/permissions/userGroup/${people}`, { json: {} }))
      expect(await status()).toBe(404)
      await good(client.request('PUT', `/userGroups/${people}/users`, { json: { userIds: [id] } }))
      expect(await status()).toBe(200)
      await good(client.request('PUT', `/userGroups/users/${id}`, { json: { userGroupIds: [] } }))
      expect(await status()).toBe(404)
      await good(client.request('PUT', `/userGroups/users/${id}`, { json: { userGroupIds: [people] } }))
      expect(await status()).toBe(200)
      expectAnswer(await client.request('DELETE', `/userGroups/${people}`), { answers: 204 })
      expect(await status()).toBe(404)
    },
  },
  {
    title: 'a user with a new role has the rights of that role',
    async run(client, world) {
      const { id, as } = await makeSomebody(client, 'promoted', 'editor')
      const path = `/groups/${world.own.group}`
      await good(client.request('PUT', `${path}/permissions/user/${id}`, { json: { write: true } }))
      const writes = async (request: object) =>
        (await good<Node>(client.request('GET', path, request))).permissions['write']
      expect(await writes(as)).toBe(true)
      await good(client.request('PUT', `/users/${id}`, { json: { role: 'dashboard_viewer' } }))
      expect(await writes(await signedIn(client, 'promoted'))).toBe(false)
    },
  },
]

async function makeSomebody(client: Client, username: string, role: string) {
  const json = { username, password: PASSWORD, role }
  const { id } = await good<{ id: number }>(client.request('POST', '/users', { json }))
  return { id, as: await signedIn(client, username) }
}

async function signedIn(client: Client, username: string) {
  const login = { json: { username, password: PASSWORD }, as: null }
  const { sessionId } = await good<{ sessionId: string }>(client.request('POST', '/session/login', login))
  return { as: null, headers: { 'x-session-id': sessionId } }
}
