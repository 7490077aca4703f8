import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import { PASSWORD } from './client.ts'
import type { Client } from './client.ts'
import { expectAnswer, good, once, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Named = { readonly id: number; readonly name: string }

const stage = once(async (client) => {
  const group = await makeGroup(client, 'staged')
  const user = await makeUser(client, 'a member of a group')
  return { group, user }
})

const READS = [
  'GET /userGroups',
  'GET /userGroups/{group}',
  'GET /userGroups/{group}/users',
  'GET /userGroups/users/{user}',
]
const WRITES: readonly (readonly [call: string, json?: object])[] = [
  ['POST /userGroups', { name: 'another' }],
  ['PUT /userGroups/{group}', { name: 'another' }],
  ['PUT /userGroups/{group}/users', { userIds: [] }],
  ['PUT /userGroups/users/{user}', { userGroupIds: [] }],
  ['DELETE /userGroups/{group}'],
]
const OTHERS = ROLES.filter((role) => role !== 'administrator')

const refusals: readonly Row[] = [
  ...READS.map((call): Row => ({
    title: 'a request without credentials',
    call,
    as: null,
    answers: 'unauthenticated',
  })),
  ...WRITES.flatMap(([call, json]) => [
    { title: 'a request without credentials', call, as: null, json, answers: 'unauthenticated' } as const,
    ...OTHERS.map((as): Row => ({ title: as, call, as, json, answers: 'forbidden' })),
  ]),
  ...['999999', '0', 'abc'].flatMap((id): Row[] => [
    { title: 'no such group', call: `GET /userGroups/${id}`, answers: 'not_found' },
    { title: 'no such group', call: `GET /userGroups/${id}/users`, answers: 'not_found' },
    { title: 'no such user', call: `GET /userGroups/users/${id}`, answers: 'not_found' },
    { title: 'no such group', call: `DELETE /userGroups/${id}`, answers: 'not_found' },
    { title: 'no such group', call: `PUT /userGroups/${id}`, json: { name: 'x' }, answers: 'not_found' },
    {
      title: 'no such group',
      call: `PUT /userGroups/${id}/users`,
      json: { userIds: [] },
      answers: 'not_found',
    },
    {
      title: 'no such user',
      call: `PUT /userGroups/users/${id}`,
      json: { userGroupIds: [] },
      answers: 'not_found',
    },
  ]),
  ...(
    [
      ['no name', {}, ['/name']],
      ['an empty name', { name: ' ' }, ['/name']],
      ['a long name', { name: 'x'.repeat(256) }, ['/name']],
      ['a control character', { name: 'a\u0007b' }, ['/name']],
      ['a mark of direction', { name: 'a\u202eb' }, ['/name']],
      ['an unknown field', { name: 'x', users: [] }, ['/users']],
      ['a field that is gone', { name: 'x', visuallyImpaired: false }, ['/visuallyImpaired']],
    ] as const
  ).flatMap(([title, json, pointers]) =>
    ['POST /userGroups', 'PUT /userGroups/{group}'].map((call): Row => ({
      title,
      call,
      json,
      answers: 'invalid',
      pointers,
    })),
  ),
  {
    title: 'a name that is taken',
    call: 'POST /userGroups',
    json: { name: 'staged' },
    answers: 'name_taken',
    pointers: ['/name'],
  },
  {
    title: 'a stale tag',
    call: 'PUT /userGroups/{group}',
    json: { name: 'x' },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  {
    title: 'users of whom two are nobody',
    call: 'PUT /userGroups/{group}/users',
    json: { userIds: [1, 999_998, 999_999] },
    answers: 'invalid',
    pointers: ['/userIds/1', '/userIds/2'],
  },
  {
    title: 'groups of which one is none',
    call: 'PUT /userGroups/users/{user}?mode=merge',
    json: { userGroupIds: [999_999] },
    answers: 'invalid',
    pointers: ['/userGroupIds/0'],
  },
  {
    title: 'one more than may be named at once',
    call: 'PUT /userGroups/{group}/users',
    json: { userIds: Array.from({ length: 10_001 }, () => 1) },
    answers: 'invalid',
    pointers: ['/userIds'],
  },
  {
    title: 'a mode that is none',
    call: 'PUT /userGroups/{group}/users?mode=add',
    json: { userIds: [] },
    answers: 'invalid',
    pointers: ['?mode'],
  },
]

const changes: Scenario[] = [
  {
    title: 'a group is made, read, renamed, sent back as it was read, and deleted',
    async run(client) {
      const made = await client.request('POST', '/userGroups', { json: { name: '  Ope\u0301rateurs ' } })
      expectAnswer(made, { answers: 201 })
      expect(made.body).toEqual({ id: made.body['id'], name: 'Op\u00e9rateurs' })
      const again = await client.request('POST', '/userGroups', { json: { name: 'Op\u00e9rateurs' } })
      expectAnswer(again, { answers: 'name_taken' })
      const path = String(made.headers.get('location'))
      for (const as of ROLES) {
        expect(await good(client.request('GET', path, { as }))).toEqual(made.body)
        expect(await good<Named[]>(client.request('GET', '/userGroups', { as }))).toContainEqual(
          made.body as Named,
        )
      }
      const renamed = await client.request('PUT', path, {
        json: { name: 'Operations' },
        headers: { 'if-match': String(made.headers.get('etag')) },
      })
      expect(renamed.body).toEqual({ ...made.body, name: 'Operations' })
      expect((await client.request('PUT', path, { json: renamed.body })).body).toEqual(renamed.body)
      expectAnswer(await client.request('DELETE', path), { answers: 204 })
      expectAnswer(await client.request('GET', path), { answers: 'not_found' })
    },
  },
  {
    title: 'of two changes that both want the version that was read, one is refused',
    async run(client) {
      const id = await makeGroup(client, 'contested group')
      const etag = String((await client.request('GET', `/userGroups/${id}`)).headers.get('etag'))
      const answers = await Promise.all(
        ['a', 'b', 'c'].map((name) =>
          client.request('PUT', `/userGroups/${id}`, {
            json: { name: `contested ${name}` },
            headers: { 'if-match': etag },
          }),
        ),
      )
      expect(statusesOf(answers)).toEqual([200, 412, 412])
    },
  },
  {
    title: 'members are replaced, added and removed from both sides, and what is refused changes nothing',
    async run(client) {
      const left = await makeGroup(client, 'left side')
      const right = await makeGroup(client, 'right side')
      const made = await Promise.all(['one', 'two', 'three'].map((name) => makeUser(client, `side ${name}`)))
      const users = made.toSorted((a, b) => a - b)
      const [one = 0, two = 0, three = 0] = users
      const members = (group: number, mode: string, userIds: readonly number[]) =>
        idsOf(client.request('PUT', `/userGroups/${group}/users?mode=${mode}`, { json: { userIds } }))
      const groups = (user: number, mode: string, userGroupIds: readonly number[]) =>
        idsOf(client.request('PUT', `/userGroups/users/${user}?mode=${mode}`, { json: { userGroupIds } }))

      expect(await members(left, 'replace', [two, one, one])).toEqual([one, two])
      expect(await members(left, 'merge', [three])).toEqual([one, two, three])
      expect(await members(left, 'remove', [two, 999_999])).toEqual([one, three])
      expect(await groups(one, 'merge', [right])).toEqual([left, right])
      expect(await groups(one, 'remove', [left])).toEqual([right])
      expect(await groups(three, 'replace', [right])).toEqual([right])
      expect(await members(left, 'merge', [])).toEqual([])
      expect(await members(right, 'merge', [])).toEqual([one, three])
      const refused = await client.request('PUT', `/userGroups/${right}/users`, {
        json: { userIds: [two, 999_999] },
      })
      expectAnswer(refused, { answers: 'invalid', pointers: ['/userIds/1'] })
      expect(await idsOf(client.request('GET', `/userGroups/${right}/users`))).toEqual([one, three])
      expect(await idsOf(client.request('GET', `/userGroups/users/${one}`))).toEqual([right])
      expect(await groups(one, 'replace', [])).toEqual([])
      await good(client.request('DELETE', `/users/${three}`))
      expect(await idsOf(client.request('GET', `/userGroups/${right}/users`))).toEqual([])
    },
  },
  {
    title: 'as many as may be named at once are taken',
    async run(client) {
      const { group, user } = await stage(client)
      const userIds = Array.from({ length: 10_000 }, () => user)
      expect(await idsOf(client.request('PUT', `/userGroups/${group}/users`, { json: { userIds } }))).toEqual(
        [user],
      )
    },
  },
]

/** User groups and who is in them. */
export const userGroupsSuite: Suite = {
  name: 'user groups',
  scenarios: [...table(stage, refusals), ...changes],
}

async function makeGroup(client: Client, name: string): Promise<number> {
  return (await good<Named>(client.request('POST', '/userGroups', { json: { name } }))).id
}

async function makeUser(client: Client, username: string): Promise<number> {
  const json = { username, password: PASSWORD, role: 'dashboard_viewer' }
  return (await good<Named>(client.request('POST', '/users', { json }))).id
}

async function idsOf(answer: Parameters<typeof good>[0]): Promise<number[]> {
  return (await good<Named[]>(answer)).map(({ id }) => id)
}
