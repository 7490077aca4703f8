import { and, eq, lte, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { userGroups, users } from '../../../db/tables/access.ts'
import { directorySyncs } from '../../../db/tables/directory.ts'
import type { Role } from '../../context.ts'
import type { Database, Write } from '../../ports/database.ts'
import { NEW_USER } from '../users/changes.ts'
import { nameKey } from '../../lib/text.ts'
import type { StoredUser, DirectoryUser } from './plan.ts'

const ONLY = 1

/** Takes the lease of the sync until `heldUntilAt`; false while another process has it or, with `isDueOnly`, before it is due. */
export async function takeTurn(
  database: Database,
  {
    now,
    heldUntilAt,
    isDueOnly,
  }: { readonly now: number; readonly heldUntilAt: number; readonly isDueOnly: boolean },
): Promise<boolean> {
  const first = { id: ONLY, dueAt: 0, heldUntilAt: 0, report: '' }
  const isMine = and(
    lte(directorySyncs.heldUntilAt, now),
    isDueOnly ? lte(directorySyncs.dueAt, now) : undefined,
  )
  const [, taken] = await database.batch([
    database.insert(directorySyncs).values(first).onConflictDoNothing(),
    database.update(directorySyncs).set({ heldUntilAt }).where(isMine).returning(),
  ])
  return taken.length > 0
}

/** Whether a periodic sync is due, which costs a read alone. */
export async function isDue(database: Database, now: number): Promise<boolean> {
  const [row] = await database.select().from(directorySyncs)
  return row === undefined || (row.dueAt <= now && row.heldUntilAt <= now)
}

/** Returns the lease, and stores the result of the sync. */
export function endTurn(database: Database, { dueAt, report }: { dueAt: number; report: string }): Write {
  return database
    .update(directorySyncs)
    .set({ dueAt, report, heldUntilAt: 0 })
    .where(eq(directorySyncs.id, ONLY))
}

/** The result of the latest sync; empty before the first one. */
export async function readReport(database: Database): Promise<string> {
  const [row] = await database.select().from(directorySyncs)
  return row?.report ?? ''
}

/** The user groups of these names, by name. */
export async function findUserGroups(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await database
    .select({ id: userGroups.id, name: userGroups.name })
    .from(userGroups)
    .where(sql`${userGroups.name} in ${elementsOf(names)}`)
  return new Map(rows.map(({ id, name }) => [name, id]))
}

/** Every user, with the memberships in these groups. */
export async function listKnown(
  database: Database,
  groupIds: readonly number[],
): Promise<readonly StoredUser[]> {
  const rows = await database
    .select({
      id: users.id,
      type: users.type,
      directoryId: users.directoryId,
      disabledAt: users.disabledAt,
      version: users.version,
      username: users.username,
      fullname: users.fullname,
      email: users.email,
      phone: users.phone,
      role: users.role,
      groups: sql<string>`(select json_group_array(group_id) from (select group_id from memberships
        where user_id = ${users.id} and group_id in ${elementsOf(groupIds)}
        order by group_id))`.as('groups'),
    })
    .from(users)
  return rows.map(({ disabledAt, groups, role, ...row }) => ({
    ...row,
    role: role as Role,
    isDisabled: disabledAt !== null,
    userGroupIds: JSON.parse(groups) as number[],
  }))
}

export function insertUsers(
  database: Database,
  wanted: readonly DirectoryUser[],
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): Write {
  return database.run(sql`
    insert into users (username, username_key, password_hash, role, type, fullname, email, phone, language, time_zone, version,
                       created_at, directory_id)
    select value ->> 'username', value ->> 'key', '', value ->> 'role', 'LDAP_MANAGED', value ->> 'fullname', value ->> 'email',
           value ->> 'phone', ${NEW_USER.language}, ${timeZone}, 1, cast(${now} as integer), value ->> 'directoryId'
    from ${eachOf(wanted.map(withKey))}`)
}

type Update = { readonly known: Pick<StoredUser, 'id' | 'version'>; readonly wanted: DirectoryUser }

function withKey(wanted: DirectoryUser) {
  return { ...wanted, key: nameKey(wanted.username) }
}

/** Changes users as wanted. If one of them was changed since this version, the whole batch fails. */
export function updateUsers(database: Database, updates: readonly Update[]): Write {
  const rows = updates.map(({ known, wanted }) => ({ id: known.id, was: known.version, ...withKey(wanted) }))
  return database.run(sql`
    update users set username_key = case when users.username = w.username then users.username_key else w.key end,
      username = w.username, role = w.role, fullname = w.fullname, email = w.email, phone = w.phone,
      directory_id = w.directory_id, disabled_at = null,
      version = case when users.version = w.was then users.version + 1 end
    from (select value ->> 'id' as id, value ->> 'was' as was, value ->> 'username' as username,
                 value ->> 'key' as key, value ->> 'role' as role,
                 value ->> 'fullname' as fullname, value ->> 'email' as email, value ->> 'phone' as phone,
                 value ->> 'directoryId' as directory_id
          from ${eachOf(rows)}) as w
    where users.id = w.id`)
}

/** Disables users and removes their sessions and personal tokens; passwords and second factors stay. */
export function disableUsers(database: Database, ids: readonly number[], now: number): readonly Write[] {
  const gone = elementsOf(ids)
  return [
    database.run(sql`
      update users set disabled_at = cast(${now} as integer), version = version + 1
      where id in ${gone} and disabled_at is null`),
    database.run(sql`delete from personal_tokens where user_id in ${gone}`),
    endSessions(database, ids),
  ]
}

export function endSessions(database: Database, ids: readonly number[]): Write {
  return database.run(sql`delete from sessions where user_id in ${elementsOf(ids)}`)
}

/** Makes users of a directory members of these groups, and of no other groups of the directory. */
export function setMemberships(
  database: Database,
  wanted: readonly Pick<DirectoryUser, 'directoryId' | 'userGroupIds'>[],
  groupIds: readonly number[],
): readonly Write[] {
  const people = eachOf(wanted)
  return [
    database.run(sql`
      delete from memberships where group_id in ${elementsOf(groupIds)}
        and exists (select 1 from users u join ${people} p on u.directory_id = p.value ->> 'directoryId'
                    where u.id = memberships.user_id and not exists (
                      select 1 from json_each(p.value, '$.userGroupIds') g where g.value = memberships.group_id))`),
    database.run(sql`
      insert or ignore into memberships (user_id, group_id)
      select u.id, g.value from ${people} p join users u on u.directory_id = p.value ->> 'directoryId',
        json_each(p.value, '$.userGroupIds') g join user_groups on user_groups.id = g.value`),
  ]
}

/** Makes the whole batch fail unless there is an administrator who can sign in once it is done. */
export function requireAdministrator(database: Database): Write {
  return database.run(sql`
    update users set version = null where id = (select min(id) from users) and not exists (
      select 1 from users a where a.role = 'administrator' and a.disabled_at is null)`)
}
