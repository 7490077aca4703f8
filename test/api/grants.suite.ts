import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import { PASSWORD } from './client.ts'
import type { Answer, Client } from './client.ts'
import { createDevice, createGroup, createJob, nextOf } from './objects.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Json = Readonly<Record<string, unknown>>

/** A group with a device and a job, somebody, and a group he is in. */
const stage = once(async (client) => {
  const group = await createGroup(client, 1, { name: 'granted' })
  const device = await createDevice(client, group, { name: 'a granted device' })
  const job = await createJob(client, device, {
    name: 'a granted job',
    collectorId: client.userIds.collector,
  })
  const json = { username: 'grantee', password: PASSWORD, role: 'editor' }
  const { id: user } = await good<{ id: number }>(client.request('POST', '/users', { json }))
  const { id: people } = await good<{ id: number }>(
    client.request('POST', '/userGroups', { json: { name: 'grantees' } }),
  )
  await good(client.request('PUT', `/userGroups/${people}/users`, { json: { userIds: [user] } }))
  return { group, device, job, user, people, collector: client.userIds.collector }
})

const ROUTES: readonly (readonly [call: string, json?: object])[] = [
  ['GET /groups/{group}/permissions'],
  ['GET /groups/{group}/permissions/effective'],
  ['PUT /groups/{group}/permissions/user/{user}', { write: true }],
  ['DELETE /groups/{group}/permissions/user/{user}'],
]
const OTHERS = ROLES.filter((role) => role !== 'administrator')

const refusals: readonly Row[] = [
  ...ROUTES.flatMap(([call, json]) => [
    { title: 'a request without credentials', call, as: null, json, answers: 'unauthenticated' } as const,
    ...OTHERS.map((as): Row => ({ title: as, call, as, json, answers: 'forbidden' })),
  ]),
  {
    title: 'a request without credentials',
    call: 'GET /groups/{group}/permissions/explain',
    as: null,
    answers: 'unauthenticated',
  },
  ...OTHERS.map((as): Row => ({
    title: `${as} about another user`,
    call: 'GET /groups/{group}/permissions/explain?userId={user}',
    as,
    answers: 'forbidden',
  })),
  ...['devices/{group}', 'groups/{device}', 'groups/999999', 'groups/0', 'things/{group}'].flatMap(
    (path): Row[] => [
      { title: 'no such object', call: `GET /${path}/permissions`, answers: 'not_found' },
      { title: 'no such object', call: `GET /${path}/permissions/explain`, answers: 'not_found' },
      { title: 'no such object', call: `GET /${path}/permissions/effective`, answers: 'not_found' },
      {
        title: 'an unknown object',
        call: `PUT /${path}/permissions/user/{user}`,
        json: {},
        answers: 'not_found',
      },
      { title: 'no such object', call: `DELETE /${path}/permissions/user/{user}`, answers: 'not_found' },
    ],
  ),
  ...['user/999999', 'userGroup/999999', 'user/0', 'userGroup/0', 'everyone/1', 'role/1', 'user/x'].flatMap(
    (subject): Row[] => [
      {
        title: 'an unknown subject',
        call: `PUT /groups/{group}/permissions/${subject}`,
        json: {},
        answers: 'not_found',
      },
      {
        title: 'an unknown subject',
        call: `DELETE /groups/{group}/permissions/${subject}`,
        answers: 'not_found',
      },
    ],
  ),
  {
    title: 'a user who does not exist',
    call: 'PUT /groups/{group}/permissions/user/999999',
    json: {},
    answers: 'not_found',
    pointers: ['{subjectId}'],
  },
  {
    title: 'an unknown user',
    call: 'GET /groups/{group}/permissions/explain?userId=999999',
    answers: 'not_found',
  },
  ...(
    [
      ['limit=0', 'invalid'],
      ['limit=1', 200],
      ['limit=500', 200],
      ['limit=501', 'invalid'],
      ['cursor=x', 'invalid'],
    ] as const
  ).map(([query, answers]): Row => ({
    title: 'a page of effective rights',
    call: `GET /groups/{group}/permissions/effective?${query}`,
    answers,
    ...(answers === 'invalid' && { pointers: [`?${query.split('=')[0]}`] }),
  })),
  {
    title: 'rights without reading',
    call: 'PUT /groups/{group}/permissions/user/{user}',
    json: { read: false, write: true },
    answers: 'invalid',
    pointers: ['/read'],
  },
  {
    title: 'an unknown right',
    call: 'PUT /groups/{group}/permissions/user/{user}',
    json: { administer: true },
    answers: 'invalid',
    pointers: ['/administer'],
  },
  {
    title: 'an unknown grant',
    call: 'DELETE /groups/{group}/permissions/userGroup/{people}',
    answers: 'not_found',
  },
]

const NONE = { read: false, write: false, execute: false, maintain: false }

const changes: Scenario[] = [
  {
    title: 'at first everyone has the rights of their role on the root group and below',
    async run(client) {
      const { device } = await stage(client)
      const everyone = {
        subjectType: 'everyone',
        subjectId: 0,
        subjectName: '',
        ...NONE,
        read: true,
        write: true,
        execute: true,
        object: { id: 1, type: 'group', name: 'root' },
      }
      expect(await good<unknown>(client.request('GET', '/groups/1/permissions'))).toEqual([
        { ...everyone, inherited: false },
      ])
      expect(await good<unknown>(client.request('GET', `/device/${device}/permissions`))).toEqual([
        { ...everyone, inherited: true },
      ])
    },
  },
  {
    title: 'grants are set, replaced, listed with those above, nearest first, and revoked one by one',
    async run(client) {
      const { group, device, user, people } = await stage(client)
      const given = (path: string, json: Json) => good(client.request('PUT', `/${path}`, { json }))
      expect(await given(`groups/${group}/permissions/user/${user}`, { write: true })).toEqual({
        subjectType: 'user',
        subjectId: user,
        subjectName: 'grantee',
        ...NONE,
        read: true,
        write: true,
        inherited: false,
        object: { id: group, type: 'group', name: 'granted' },
      })
      await given(`groups/${group}/permissions/user/${user}`, { execute: true })
      await given(`devices/${device}/permissions/userGroup/${people}`, { maintain: true })
      await given(`devices/${device}/permissions/everyone/0`, {})
      await given(`devices/${device}/permissions/everyone/0`, { read: true })
      const seen = () => listed(client, `/devices/${device}/permissions`)
      expect(await seen()).toEqual([
        `userGroup grantees rm on ${device}`,
        `everyone  r on ${device}`,
        `user grantee rx on ${group}`,
        'everyone  rwx on 1',
      ])
      await removed(client, `/devices/${device}/permissions/everyone/0`)
      await removed(client, `/groups/${group}/permissions/user/${user}`)
      expect(await seen()).toEqual([`userGroup grantees rm on ${device}`, 'everyone  rwx on 1'])
      await removed(client, `/devices/${device}/permissions/userGroup/${people}`)
      expect(await seen()).toEqual(['everyone  rwx on 1'])
    },
  },
  {
    title: 'grants are deleted with their object, user or user group',
    async run(client) {
      const group = await createGroup(client, 1, { name: 'fading' })
      const json = { username: 'fading user', password: PASSWORD, role: 'editor' }
      const { id: user } = await good<{ id: number }>(client.request('POST', '/users', { json }))
      const { id: people } = await good<{ id: number }>(
        client.request('POST', '/userGroups', { json: { name: 'fading people' } }),
      )
      await good(client.request('PUT', `/groups/${group}/permissions/user/${user}`, { json: {} }))
      await good(client.request('PUT', `/groups/${group}/permissions/userGroup/${people}`, { json: {} }))
      expect((await listed(client, `/groups/${group}/permissions`)).length).toBe(3)
      await good(client.request('DELETE', `/users/${user}`))
      await good(client.request('DELETE', `/userGroups/${people}`))
      expect(await listed(client, `/groups/${group}/permissions`)).toEqual(['everyone  rwx on 1'])
      await good(client.request('PUT', `/groups/${group}/permissions/everyone/0`, { json: {} }))
      expectAnswer(await client.request('DELETE', `/groups/${group}`), { answers: 204 })
    },
  },
  {
    title: 'explanations are for administrators about all users, for others about themselves',
    async run(client) {
      const { job, user, group } = await stage(client)
      await good(
        client.request('PUT', `/groups/${group}/permissions/user/${user}`, { json: { maintain: true } }),
      )
      const explained = await good(client.request('GET', `/jobs/${job}/permissions/explain?userId=${user}`))
      expect(explained).toMatchObject({
        user: { id: user, username: 'grantee', role: 'editor' },
        permissions: { read: true, write: true, execute: true, maintain: true },
        reasons: { read: 'granted', write: 'granted', execute: 'granted', maintain: 'granted' },
      })
      expect((explained['grants'] as unknown[]).length).toBe(2)
      await removed(client, `/groups/${group}/permissions/user/${user}`)
      const expected = {
        administrator: ['administrator', 'administrator', 'administrator', 'administrator'],
        editor: ['granted', 'granted', 'granted', 'write'],
        collector: ['granted', 'role', 'granted', 'not_granted'],
        Data_Editor: ['granted', 'role', 'role', 'not_granted'],
        dashboard_viewer: ['granted', 'role', 'role', 'not_granted'],
      } as const
      for (const as of ROLES) {
        const { reasons } = await good<{ reasons: object }>(
          client.request('GET', `/jobs/${job}/permissions/explain?userId=${client.userIds[as]}`, { as }),
        )
        const [read, write, execute, maintain] = expected[as]
        expect({ as, reasons }).toEqual({ as, reasons: { read, write, execute, maintain } })
      }
    },
  },
  {
    title:
      'effective rights of all users equal the rights of their explanations, with the nearest grant of each right',
    async run(client) {
      const { job, device, group, user, people, collector } = await stage(client)
      const paths = [
        `devices/${device}/permissions/userGroup/${people}`,
        `groups/${group}/permissions/user/${user}`,
        `groups/${group}/permissions/user/${collector}`,
      ]
      const [toPeople = '', toUser = '', toCollector = ''] = paths
      await good(client.request('PUT', `/${toPeople}`, { json: { execute: true } }))
      await good(client.request('PUT', `/${toUser}`, { json: { write: true, execute: true } }))
      await good(client.request('PUT', `/${toCollector}`, { json: { write: true } }))
      const items = await effective(client, `/jobs/${job}/permissions/effective`)
      for (const { user: one, permissions, reasons } of items) {
        const path = `/jobs/${job}/permissions/explain?userId=${one.id}`
        expect(await good<unknown>(client.request('GET', path))).toMatchObject({
          user: one,
          permissions,
          reasons,
        })
      }
      const everyone = 'everyone 0 on 1'
      const decided = (id: number) => {
        const found = items.find((one) => one.user.id === id)
        return Object.values(found?.decidedBy ?? {}).map(
          (one) => one && `${one.subjectType} ${one.subjectId} on ${one.object.id}`,
        )
      }
      const [ofPeople, ofUser] = [`userGroup ${people} on ${device}`, `user ${user} on ${group}`]
      expect(decided(user)).toEqual([ofPeople, ofUser, ofPeople, ofUser])
      expect(decided(collector)).toEqual([`user ${collector} on ${group}`, null, everyone, null])
      expect(decided(client.userIds.Data_Editor)).toEqual([everyone, null, null, null])
      expect(decided(client.userIds.administrator)).toEqual([null, null, null, null])
      for (const path of paths) await removed(client, `/${path}`)
    },
  },
  {
    title: 'pages of effective rights have each user once, by id',
    async run(client) {
      const { group } = await stage(client)
      const whole = await effective(client, `/groups/${group}/permissions/effective?limit=500`)
      const ids = whole.map(({ user }) => user.id)
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
      expect(ids.length).toBeGreaterThan(ROLES.length)
      expect(await effective(client, `/groups/${group}/permissions/effective?limit=2`)).toEqual(whole)
    },
  },
]

/** Rights on objects: who was granted what, and why. What they open and close, every route for itself, is in
 * `matrix.test.ts`. */
export const grantsSuite: Suite = { name: 'grants', scenarios: [...table(stage, refusals), ...changes] }

type Decision = {
  readonly subjectType: string
  readonly subjectId: number
  readonly object: { readonly id: number }
}
type Effective = Json & {
  readonly user: { readonly id: number }
  readonly decidedBy: Readonly<Record<string, Decision | null>>
}

/** The items of a page and of all pages behind it. */
async function effective(client: Client, path: string): Promise<Effective[]> {
  const items: Effective[] = []
  for (let next: string | null = path; next !== null;) {
    const answer: Answer = await client.request('GET', next)
    expectAnswer(answer, { answers: 200 })
    items.push(...(answer.body['items'] as Effective[]))
    next = nextOf(answer)
  }
  return items
}

/** Each grant as a line. */
async function listed(client: Client, path: string): Promise<string[]> {
  const grants = await good<Json[]>(client.request('GET', path))
  return grants.map((grant) => {
    const letters = ['read', 'write', 'execute', 'maintain'].filter((right) => grant[right] === true)
    const rights = letters.map((right) => (right === 'execute' ? 'x' : right.charAt(0))).join('')
    const { id } = grant['object'] as { id: number }
    return `${String(grant['subjectType'])} ${String(grant['subjectName'])} ${rights} on ${id}`
  })
}

async function removed(client: Client, path: string): Promise<void> {
  expectAnswer(await client.request('DELETE', path), { answers: 204 })
}
