import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import { memberships, userGroups } from '../../../db/tables/access.ts'
import type { Database, Write } from '../../ports/database.ts'

export type UserGroupRow = typeof userGroups.$inferSelect

export function listGroups(database: Database): Promise<UserGroupRow[]> {
  return Promise.resolve(database.select().from(userGroups).orderBy(userGroups.id))
}

export async function findGroup(database: Database, id: number): Promise<UserGroupRow | null> {
  const [row] = await database.select().from(userGroups).where(eq(userGroups.id, id))
  return row ?? null
}

export async function insertGroup(
  database: Database,
  group: Omit<UserGroupRow, 'id'>,
  { max, also }: { readonly max: number; readonly also: Write },
): Promise<UserGroupRow> {
  const createdAt = unlessFull(group.createdAt, { rows: sql`select 1 from user_groups`, max })
  const [[row]] = await database.batch([
    database
      .insert(userGroups)
      .values({ ...group, createdAt })
      .returning(),
    also,
  ])
  if (!row) throw new Error('The database returned no row for a new user group.')
  return row
}

/** Changes a group that is still at this version; otherwise the whole batch fails for the empty version. */
export function updateGroup(database: Database, { id, version }: UserGroupRow, name: string): Write {
  return database
    .update(userGroups)
    .set({ name, version: sql`case when ${userGroups.version} = ${version} then ${version + 1} end` })
    .where(eq(userGroups.id, id))
}

export function deleteGroup(database: Database, id: number): Write {
  return database.delete(userGroups).where(eq(userGroups.id, id))
}

/** The groups that a user is in, by id. */
export function listGroupsOf(database: Database, userId: number): Promise<UserGroupRow[]> {
  return Promise.resolve(
    database
      .select()
      .from(userGroups)
      .where(sql`${userGroups.id} in (select group_id from memberships where user_id = ${userId})`)
      .orderBy(userGroups.id),
  )
}

/** Whether these ids are of users or of groups, and what they are the members of or the groups for. */
export type Side =
  | { readonly of: 'group'; readonly id: number; readonly userIds: readonly number[] }
  | { readonly of: 'user'; readonly id: number; readonly groupIds: readonly number[] }

export async function listMembers(database: Database, groupId: number): Promise<number[]> {
  const rows = await database
    .select({ id: memberships.userId })
    .from(memberships)
    .where(eq(memberships.groupId, groupId))
  return rows.map(({ id }) => id)
}

/** The places in a list of ids at which there is no user, or no user group. */
export async function unknownPlaces(
  database: Database,
  table: 'users' | 'user_groups',
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await database.all<{ place: number }>(sql`
    select wanted.key as place from ${eachOf(ids)} wanted
    where not exists (select 1 from ${sql.raw(table)} t where t.id = wanted.value) order by wanted.key`)
  return rows.map(({ place }) => place)
}

/** Adds memberships; existing ones and memberships of deleted users are left out. */
export function addMemberships(database: Database, side: Side): Write {
  const [user, group] = columnsOf(side)
  return database.run(sql`
    insert or ignore into memberships (user_id, group_id)
    select u.id, g.id from ${eachOf(idsOf(side))} wanted
      join users u on u.id = ${user} join user_groups g on g.id = ${group}`)
}

/** Fails the commit, as `refuseFull` recognises, when a group has more than `max` users. */
export function guardMembers(database: Database, side: Side, max: number): Write {
  const groupIds = elementsOf(side.of === 'group' ? [side.id] : side.groupIds)
  return database.run(sql`
    update user_groups set created_at = case when
      (select count(*) from memberships m where m.group_id = user_groups.id) <= ${max} then created_at end
    where id in ${groupIds}`)
}

/** Removes memberships: these, or all but these. */
export function removeMemberships(database: Database, side: Side, which: 'these' | 'others'): Write {
  const [own, other] = side.of === 'group' ? ['group_id', 'user_id'] : ['user_id', 'group_id']
  return database.run(sql`
    delete from memberships where ${sql.raw(own)} = ${side.id}
      and ${sql.raw(other)} ${sql.raw(which === 'these' ? 'in' : 'not in')}
          ${elementsOf(idsOf(side))}`)
}

export function idsOf(side: Side): readonly number[] {
  return side.of === 'group' ? side.userIds : side.groupIds
}

function columnsOf({ of, id }: Side): readonly [user: SQL, group: SQL] {
  const wanted = sql.raw('wanted.value')
  return of === 'group' ? [wanted, sql`${id}`] : [sql`${id}`, wanted]
}
