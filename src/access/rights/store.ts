import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { isWithin } from '../../../db/paths.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import type { Database, Write } from '../../ports/database.ts'
import { idsOf, permissionsOf, readable, readableTops, visible, writable } from './permissions.ts'
import type { Granted, IdListSql, Rights, Subject } from './permissions.ts'

export type GrantRow = Subject &
  Granted & {
    readonly subjectName: string
    readonly objectId: number
    readonly objectType: string
    readonly objectName: string
  }

/** `readable`, with its lists as bound parameters. */
export function readableBy(rights: Rights, alias: string): SQL {
  return binding((listed) => readable(rights, alias, listed))
}

/** `writable`, with its lists as bound parameters. */
export function writableBy(rights: Rights, alias: string): SQL {
  return binding((listed) => writable(rights, alias, listed))
}

/** `visible`, with its lists as bound parameters. */
export function visibleBy(rights: Rights, alias: string): SQL {
  return binding((listed) => visible(rights, alias, listed))
}

/** The ids of the objects at or below a path that a user may read, as a subquery. An id can occur twice. */
export function readableBelow(rights: Rights, path: string): SQL {
  if (permissionsOf(rights, { type: 'group', runBy: 0, path }).read)
    return sql`select d.id from objects d where ${isWithin('d.path', path)}`
  return sql`select d.id from ${eachOf(readableTops(rights) ?? [])} top
    cross join objects a on a.id = top.value and ${isWithin('a.path', path)}
    cross join objects d on ${isWithin('d.path', sql`a.path`)}`
}

function binding(condition: (listed: IdListSql) => string): SQL {
  const lists: SQL[] = []
  const text = condition((ids) => `{${lists.push(sql`${JSON.stringify(ids)}`) - 1}}`)
  return sql.join(
    text.split(/\{(\d+)\}/).map((part, place) => (place % 2 === 1 ? lists[Number(part)] : sql.raw(part))),
  )
}

/** The grants of a user: personal, of user groups, and of everyone. */
export async function readGranted(
  database: Database,
  userId: number,
): Promise<readonly (Granted & { readonly id: number; readonly path: string })[]> {
  const rows = await database.all<GrantFlags & { id: number; path: string }>(sql`
    select g.object_id as id, o.path as path, max(g.write) as write, max(g.execute) as execute,
           max(g.maintain) as maintain
    from ${grantsOf(userId)} g join objects o on o.id = g.object_id group by g.object_id`)
  return rows.map(({ id, path, ...flags }) => ({ id, path, ...grantedOf(flags) }))
}

/** The grants on the object with a path and on everything above it, the nearest first.
 * @param userId leaves out those that do not concern this user */
export async function listGrants(
  database: Database,
  path: string,
  userId: number | null,
): Promise<readonly GrantRow[]> {
  const from = userId === null ? sql`grants` : grantsOf(userId)
  const rows = await database.all<Omit<GrantRow, keyof Granted> & GrantFlags>(sql`
    select case when g.user_id is not null then 'user' when g.group_id is not null then 'userGroup' else 'everyone' end
             as "subjectType",
           coalesce(g.user_id, g.group_id, 0) as "subjectId", coalesce(u.username, s.name, '') as "subjectName",
           o.id as "objectId", o.type as "objectType", o.name as "objectName", g.write, g.execute, g.maintain
    from ${eachOf(idsOf(path))} above
      join ${from} g on g.object_id = above.value join objects o on o.id = above.value
      left join users u on u.id = g.user_id left join user_groups s on s.id = g.group_id
    order by above.key desc, 1 desc, 2`)
  return rows.map(({ write, execute, maintain, ...row }) => ({
    ...row,
    ...grantedOf({ write, execute, maintain }),
  }))
}

/** The memberships of some users in some user groups. */
export async function listMemberships(
  database: Database,
  { userIds, groupIds }: { readonly userIds: readonly number[]; readonly groupIds: readonly number[] },
): Promise<readonly { readonly userId: number; readonly groupId: number }[]> {
  return database.all(sql`
    select m.user_id as "userId", m.group_id as "groupId"
    from ${eachOf(userIds)} wanted cross join memberships m on m.user_id = wanted.value
    where m.group_id in ${elementsOf(groupIds)}`)
}

/** Replaces the grants of a user, a user group or everyone on an object. Fails, as `refuseFull` recognises by `write`, when the
 * object has so many other grantees, and by `execute`, when the grantee has so many other objects. */
export function saveGrant(
  database: Database,
  objectId: number,
  {
    given: { subjectType, subjectId, ...granted },
    subjectsMax,
    objectsMax,
  }: { readonly given: Subject & Granted; readonly subjectsMax: number; readonly objectsMax: number },
): Write {
  const isTheirs = isOf({ subjectType, subjectId })
  const subjects = sql`select 1 from grants where object_id = ${objectId} and not coalesce(${isTheirs}, 0)`
  const objects = sql`select 1 from grants where ${isTheirs} and object_id <> ${objectId}`
  const write = unlessFull(granted.write, { rows: subjects, max: subjectsMax })
  const execute = unlessFull(granted.execute, { rows: objects, max: objectsMax })
  const id = (type: Subject['subjectType']) => (subjectType === type ? subjectId : null)
  return database.run(sql`
    insert or replace into grants (object_id, user_id, group_id, write, execute, maintain)
    values (${objectId}, ${id('user')}, ${id('userGroup')}, ${write}, ${execute}, ${granted.maintain})`)
}

export async function hasGrant(database: Database, objectId: number, subject: Subject): Promise<boolean> {
  const found = await database.all(
    sql`select 1 from grants where object_id = ${objectId} and ${isOf(subject)}`,
  )
  return found.length > 0
}

export function deleteGrant(database: Database, objectId: number, subject: Subject): Write {
  return database.run(sql`delete from grants where object_id = ${objectId} and ${isOf(subject)}`)
}

/** The paths of these objects, as far as they exist. */
export async function readPaths(
  database: Database,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly path: string }[]> {
  return database.all(sql`select id, path from objects where id in ${elementsOf(ids)}`)
}

type GrantFlags = { readonly write: number; readonly execute: number; readonly maintain: number }

function grantedOf({ write, execute, maintain }: GrantFlags): Granted {
  return { write: write === 1, execute: execute === 1, maintain: maintain === 1 }
}

/** Each part is found by its own index. */
function grantsOf(userId: number): SQL {
  return sql`(
    select * from grants where user_id = ${userId}
    union all
    select * from grants where group_id in (select group_id from memberships where user_id = ${userId})
    union all
    select * from grants where user_id is null and group_id is null)`
}

function isOf({ subjectType, subjectId }: Subject): SQL {
  if (subjectType === 'user') return sql`user_id = ${subjectId}`
  if (subjectType === 'userGroup') return sql`group_id = ${subjectId}`
  return sql`user_id is null and group_id is null`
}
