import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { nameKey } from '../../../lib/text.ts'
import type { IdExpression, Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { SCOPES_MAX } from '../schema.ts'
import type { PortableScope } from '../schema.ts'
import { auditFieldsOf, changeOf } from '../service.ts'
import * as store from '../store.ts'

const recorded = recorder('dataSourceScope')

/** The scopes of a data source, with the names of users and user groups. */
export async function exportScopes({ database }: Ports, id: number): Promise<PortableScope[]> {
  const rows = await store.listScopes(database, id)
  const found = await store.namesOf(database, {
    users: rows.flatMap(({ subjects }) => subjects.users),
    userGroups: rows.flatMap(({ subjects }) => subjects.userGroups),
  })
  const names = new Map(found.map(({ key, id: subject, name }) => [`${key} ${subject}`, name]))
  const namesIn = (key: 'users' | 'userGroups', ids: readonly number[]) =>
    ids.flatMap((subject) => names.get(`${key} ${subject}`) ?? [])
  return rows.map((row) => {
    const { subjects, ...fields } = auditFieldsOf(row)
    const users = namesIn('users', subjects.users)
    const userGroups = namesIn('userGroups', subjects.userGroups)
    return { ...fields, subjects: { users, userGroups, roles: subjects.roles } }
  })
}

/** Users and user groups of a scope that do not exist here. */
export type MissingSubjects = {
  readonly scope: string
  readonly users: string[]
  readonly userGroups: string[]
}

/** The writes that replace all scopes of a data source. Users and user groups that do not exist are left out: the scope then
 * applies to fewer users, or to none.
 * @param id of the data source that is replaced; null for a new one */
export async function importScopes(
  context: Context,
  scopes: readonly PortableScope[],
  { id, source }: { readonly id: number | null; readonly source: IdExpression },
): Promise<{ readonly writes: readonly Write[]; readonly missing: readonly MissingSubjects[] }> {
  const { ports } = context
  const { database } = ports
  const found = await store.idsNamed(database, {
    users: scopes.flatMap(({ subjects }) => subjects.users.map(nameKey)),
    userGroups: scopes.flatMap(({ subjects }) => subjects.userGroups),
  })
  const idsOf = (key: 'users' | 'userGroups') =>
    new Map(found.filter((one) => one.key === key).map(({ id: subject, name }) => [name, subject]))
  const [users, groups] = [idsOf('users'), idsOf('userGroups')]
  const before = id === null ? [] : await store.listScopes(database, id)
  const entries = before.map((row) =>
    recorded(context, 'delete', { objectId: row.id, before: auditFieldsOf(row) }),
  )
  const deletions = id === null ? [] : [store.deleteScopesOf(database, id), ...entries]
  const insertions = scopes.flatMap((scope) => {
    const { subjects } = scope
    const ids = {
      users: subjects.users.flatMap((name) => users.get(nameKey(name)) ?? []),
      userGroups: subjects.userGroups.flatMap((name) => groups.get(name) ?? []),
      roles: subjects.roles,
    }
    const change = changeOf(ports, { ...scope, subjects: ids })
    const row = { ...change, dataSourceId: source, version: 1, createdAt: change.updatedAt }
    const [insert, ...rest] = store.insertScope(database, row, SCOPES_MAX)
    const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(change) })
    return [...(insert ? [insert] : []), entry, ...rest]
  })
  const missing = scopes
    .map(({ name, subjects }) => ({
      scope: name,
      users: subjects.users.filter((user) => !users.has(nameKey(user))),
      userGroups: subjects.userGroups.filter((group) => !groups.has(group)),
    }))
    .filter((one) => one.users.length + one.userGroups.length > 0)
  return { writes: [...deletions, ...insertions], missing }
}
