import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { Paths } from '../../src/access/rights/paths.ts'
import { permissionsOf } from '../../src/access/rights/permissions.ts'
import { grant, revoke, rightsFor, rightsOf, undeliverable } from '../../src/access/rights/service.ts'
import { createGroup, updateMembers } from '../../src/access/user-groups/service.ts'
import { LIST_MAX } from '../../src/access/users/schema.ts'
import { createUser, listUsers } from '../../src/access/users/service.ts'
import type { Context, Role } from '../../src/context.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { listEffectiveRights } from '../../src/monitoring/tree/grants/service.ts'
import type { Ports } from '../../src/ports/index.ts'
import { isScan, planOf, recording } from '../api/plans.ts'
import { rejection } from '../contract/rejection.ts'
import { openPorts } from '../hosts/ports.ts'

const NONE = { write: false, execute: false, maintain: false }
const EVERYONE = { subjectType: 'everyone', subjectId: 0 } as const

let opened: Awaited<ReturnType<typeof openPorts>>
let ports: Ports
let userId = 0
beforeEach(async () => {
  opened = await openPorts()
  ports = opened.ports
  ports.secrets.scrypt = () => Promise.resolve(new Uint8Array(32))
  userId = await makeUser('somebody')
})
afterEach(() => opened.close())

async function makeUser(username: string): Promise<number> {
  return (
    await createUser(contextOf('administrator'), { username, password: 'a password', role: 'collector' })
  ).id
}

function contextOf(role: Role, own: Ports = ports): Context {
  const caller = { kind: 'user', userId, username: '', role, sessionHash: null } as const
  return { ports: own, caller, requestId: 'test' }
}

const root = { type: 'group', runBy: 0, path: '/1/' }
const user = () => ({ subjectType: 'user', subjectId: userId }) as const

/** Groups below the root with these ids. */
async function plant(from: number, count: number): Promise<void> {
  await ports.database.run(sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${count})
    insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template, instance_type,
      collector_id, version, created_at)
    select ${from} + i, 'group', 'group', 'x', 'x', 1, '/1/' || cast(${from} + i as integer) || '/', 0, 'none', 0, 1, 0 from n`)
}

async function plantUsers(from: number, count: number): Promise<void> {
  await ports.database.run(sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${count})
    insert into users (id, username, password_hash, role, type, fullname, email, phone, language, time_zone, version,
      created_at)
    select ${from} + i, 'user ' || cast(${from} + i as integer), '', 'editor', 'local', '', '', '', 'en', 'UTC', 1, 0 from n`)
}

describe('how long rights are remembered', () => {
  test('a change counts at once here, and after a second in another isolate', async () => {
    const elsewhere = { ...ports }
    const reads = async (own: Ports) =>
      permissionsOf(await rightsFor(own, { userId, role: 'editor' }), root).read
    expect([await reads(ports), await reads(elsewhere)]).toEqual([true, true])
    await revoke(contextOf('administrator'), 1, EVERYONE)
    expect([await reads(ports), await reads(elsewhere)]).toEqual([false, true])
    opened.clock.at += 999
    expect(await reads(elsewhere)).toBe(true)
    opened.clock.at += 1
    expect(await reads(elsewhere)).toBe(false)
    await grant(contextOf('administrator'), 1, { ...user(), ...NONE })
    expect([await reads(ports), await reads(elsewhere)]).toEqual([true, false])
  })

  test('a membership counts at once', async () => {
    await revoke(contextOf('administrator'), 1, EVERYONE)
    const { view: group } = await createGroup(contextOf('administrator'), { name: 'people' })
    await grant(contextOf('administrator'), 1, {
      subjectType: 'userGroup',
      subjectId: group.id,
      ...NONE,
      execute: true,
    })
    const executes = async () => (await undeliverable(contextOf('collector'), [1])).size === 0
    expect(await executes()).toBe(false)
    await updateMembers(contextOf('administrator'), group.id, { userIds: [userId], mode: 'merge' })
    expect(await executes()).toBe(true)
  })

  test('while the database is away, who had a right keeps it, and who is not known is told to come back', async () => {
    let isAway = false
    const { database } = ports
    const away = Object.assign(Object.create(database) as Ports['database'], {
      all: (statement: Parameters<typeof database.all>[0]) =>
        isAway ? Promise.reject(new Refusal('unavailable', 'away')) : database.all(statement),
    })
    const own = { ...ports, database: away }
    await plant(5, 2)
    await revoke(contextOf('administrator'), 1, EVERYONE)
    await grant(contextOf('administrator'), 5, { ...user(), ...NONE, execute: true })
    const refused = async (ids: readonly number[]) => [
      ...(await undeliverable(contextOf('collector', own), ids)).keys(),
    ]
    expect(await refused([5, 6])).toEqual([6])
    isAway = true
    opened.clock.at += 60_000
    expect(await refused([5, 6])).toEqual([6])
    expect(await rejection(refused([5, 7]))).toMatchObject({ code: 'unavailable' })
  })

  test('nobody has no rights at all', async () => {
    const nobody: Context = { ports, caller: { kind: 'anonymous' }, requestId: 'test' }
    expect(await rejection(Promise.try(() => rightsOf(nobody)))).toMatchObject({ code: 'unauthenticated' })
  })
})

describe('effective rights of all users on an object', () => {
  test('need as many statements for 500 users as for one', async () => {
    await plantUsers(1_000, 600)
    const statements = async (limit: number) => {
      const asked: SQL[] = []
      const own = { ...ports, database: recording(ports.database, asked) }
      const { items } = await listEffectiveRights(
        contextOf('administrator', own),
        { objectType: 'group', objectId: 1 },
        { limit },
      )
      expect(items.length).toBe(limit)
      const plans = await Promise.all(asked.map((statement) => planOf(ports.database, statement)))
      expect(plans.flat().filter(isScan)).toEqual([])
      return asked.length
    }
    expect(await statements(500)).toBe(await statements(1))
  })
})

describe('where objects are', () => {
  const at = (path: string) => (ids: readonly number[]) => Promise.resolve(ids.map((id) => ({ id, path })))

  test('is asked once for ten seconds, of what is not known alone', async () => {
    const paths = new Paths()
    const asked: number[][] = []
    const ask = (ids: readonly number[]) => {
      asked.push([...ids])
      return at('/1/')(ids)
    }
    await paths.find([3, 4], 0, ask)
    await paths.find([3, 4, 5], 9_999, ask)
    await paths.find([3, 5], 10_000, ask)
    expect(asked).toEqual([[3, 4], [5], [3]])
  })

  test('what was moved is found anew, what is gone is not', async () => {
    const paths = new Paths()
    expect([...(await paths.find([3, 4], 0, at('/1/3/')))].length).toBe(2)
    const onlyOne = () => Promise.resolve([{ id: 3, path: '/1/2/3/' }])
    expect([...(await paths.find([3, 4], 10_000, onlyOne))]).toEqual([[3, '/1/2/3/']])
    // The clock is set back.
    expect([...(await paths.find([3], 0, () => Promise.resolve([])))]).toEqual([])
  })

  test('more than there is room for is remembered for the call', async () => {
    const paths = new Paths()
    const many = Array.from({ length: 100_001 }, (_, index) => index + 1)
    expect((await paths.find(many, 0, at('/1/'))).size).toBe(100_001)
    expect((await paths.find([1], 0, at('/2/'))).get(1)).toBe('/1/')
    expect((await paths.find([200_000], 0, at('/3/'))).get(200_000)).toBe('/3/')
    expect((await paths.find([1], 0, at('/2/'))).get(1)).toBe('/2/')
  })
})

test('a new installation grants everyone the root group, each role as far as it can use the grant', async () => {
  const job = { type: 'job', runBy: 0, path: '/1/5/9/' }
  const roles = { editor: 'rwxm', collector: 'rx', Data_Editor: 'r', dashboard_viewer: 'r' } as const
  for (const [role, expected] of Object.entries(roles)) {
    const rights = permissionsOf(await rightsFor(ports, { userId, role: role as Role }), job)
    const letters = Object.entries(rights).flatMap(([right, has]) =>
      has ? [right.replace('ex', 'x')[0]] : [],
    )
    expect({ role, letters: letters.join('') }).toEqual({ role, letters: expected })
  }
})

describe('bounds', () => {
  test('200 have a grant on an object, and one of them may get another', async () => {
    await plantUsers(1000, 200)
    for (let id = 1000; id < 1199; id++)
      await grant(contextOf('administrator'), 1, { subjectType: 'user', subjectId: id, ...NONE })
    const last = { subjectType: 'user', subjectId: 1199, ...NONE } as const
    expect(await rejection(grant(contextOf('administrator'), 1, last))).toMatchObject({ code: 'conflict' })
    await grant(contextOf('administrator'), 1, { subjectType: 'user', subjectId: 1198, ...NONE, write: true })
    await revoke(contextOf('administrator'), 1, EVERYONE)
    await grant(contextOf('administrator'), 1, last)
    expect(await rejection(grant(contextOf('administrator'), 1, { ...EVERYONE, ...NONE }))).toMatchObject({
      code: 'conflict',
    })
  })

  test('somebody has grants on 1,000 objects', async () => {
    await plant(5000, 1001)
    await ports.database.run(sql`
      insert into grants (object_id, user_id, group_id, write, execute, maintain)
      select id, ${userId}, null, 0, 0, 0 from objects where id >= 5000 and id < 5999`)
    await grant(contextOf('administrator'), 5999, { ...user(), ...NONE })
    expect(await rejection(grant(contextOf('administrator'), 6000, { ...user(), ...NONE }))).toMatchObject({
      code: 'conflict',
    })
    await grant(contextOf('administrator'), 5999, { ...user(), ...NONE, write: true })
    expect((await rightsFor(ports, { userId, role: 'editor' })).granted.size).toBe(1001)
  })

  test('there are 1,000 user groups', async () => {
    const administrator = contextOf('administrator')
    await ports.database.run(sql`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 999)
      insert into user_groups (name, version, created_at) select 'group ' || i, 1, 0 from n`)
    await createGroup(administrator, { name: 'the last' })
    expect(await rejection(createGroup(administrator, { name: 'one more' }))).toMatchObject({
      code: 'conflict',
    })
  })

  test('a page has as many users as it may, and the cursor of the rest', async () => {
    const administrator = contextOf('administrator')
    const list = (cursor?: string) => listUsers(administrator, { limit: LIST_MAX, cursor })
    await plantUsers(20_000, 999)
    expect(await list()).toMatchObject({ items: { length: 1_000 }, next: null })
    await plantUsers(30_000, 1)
    const { items, next } = await list()
    expect(items.length).toBe(1_000)
    expect(await list(next ?? '')).toMatchObject({ items: [{ id: 30_000 }], next: null })
  })

  test('10,000 users are in a group', async () => {
    const administrator = contextOf('administrator')
    await plantUsers(20_000, 10_001)
    const { view: group } = await createGroup(administrator, { name: 'everybody' })
    const userIds = Array.from({ length: 10_000 }, (_, index) => 20_000 + index)
    expect((await updateMembers(administrator, group.id, { userIds, mode: 'merge' })).length).toBe(10_000)
    const more = updateMembers(administrator, group.id, { userIds: [30_000], mode: 'merge' })
    expect(await rejection(more)).toMatchObject({ code: 'conflict' })
    await updateMembers(administrator, group.id, { userIds: [20_000, 20_001], mode: 'merge' })
  })
})
