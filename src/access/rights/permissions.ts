import type { Caller, Role } from '../../context.ts'

export type Permissions = {
  readonly read: boolean
  readonly write: boolean
  readonly execute: boolean
  readonly maintain: boolean
}
export type Right = keyof Permissions

/** The rights of a grant besides reading, which each grant includes. */
export type Granted = Omit<Permissions, 'read'>

export const SUBJECT_TYPES = ['user', 'userGroup', 'everyone'] as const

/** The subject of a grant; the id of `everyone` is 0. */
export type Subject = { readonly subjectType: (typeof SUBJECT_TYPES)[number]; readonly subjectId: number }

/** The rights of a user on the tree. */
export type Rights = {
  readonly userId: number
  readonly role: Role
  /** The grants by the id of their object. A grant also applies to all objects below. Administrators need no grant. */
  readonly granted: ReadonlyMap<number, Granted>
  /** The objects above those with a grant. The user may see them, because they lead to readable objects. */
  readonly ways: readonly number[]
}

/** The fields of an object that rights depend on. `runBy` is the collector that sends its values, 0 for any; a job without a
 * collector has the collector of its device. */
export type Located = { readonly type: string; readonly runBy: number; readonly path: string }

/** The root group exists in every database. */
export const ROOT_ID = 1
export const ROOT_PATH = `/${ROOT_ID}/`

const NOTHING: Permissions = { read: false, write: false, execute: false, maintain: false }
const EVERYTHING: Permissions = { read: true, write: true, execute: true, maintain: true }

export function isAdministrator(caller: Caller): boolean {
  return caller.kind === 'user' && caller.role === 'administrator'
}

/** The permissions of a user on an object: the grants on it and above it, limited by the role. Writing includes
 * maintaining. */
export function permissionsOf(rights: Rights, object: Located): Permissions {
  if (rights.role === 'administrator') return EVERYTHING
  const grants = idsOf(object.path).flatMap((id) => rights.granted.get(id) ?? [])
  if (grants.length === 0) return NOTHING
  const may = reachOf(rights, object)
  const write = may.write && grants.some((grant) => grant.write)
  const execute = may.execute && grants.some((grant) => grant.execute)
  return { read: true, write, execute, maintain: write || grants.some((grant) => grant.maintain) }
}

/** The ids of all objects above these objects. */
export function waysTo(objects: readonly { readonly path: string }[]): number[] {
  return [...new Set(objects.flatMap(({ path }) => idsOf(path).slice(0, -1)))]
}

/** The common rights of several users, as rights of the first one.
 * @param all without collectors: their reach depends on the object
 * @param objects all objects on which one of the users has a grant; rights change at no other object */
export function sharedRights(
  all: readonly [Rights, ...Rights[]],
  objects: readonly { readonly id: number; readonly path: string }[],
): Rights {
  const shared = objects.flatMap(({ id, path }) => {
    const each = all.map((rights) => permissionsOf(rights, { type: 'job', runBy: 0, path }))
    const haveAll = (right: Right) => each.every((permissions) => permissions[right])
    if (!haveAll('read')) return []
    return { id, path, write: haveAll('write'), execute: haveAll('execute'), maintain: haveAll('maintain') }
  })
  const [{ userId, role }] = all
  const granted = new Map(
    shared.map(({ id, write, execute, maintain }) => [id, { write, execute, maintain }]),
  )
  return { userId, role, granted, ways: waysTo(shared) }
}

/** The rights that a role can have on an object. Every role can have the right to maintain. */
export function reachOf({ role, userId }: Pick<Rights, 'role' | 'userId'>, object: Located) {
  switch (role) {
    case 'administrator':
    case 'editor':
      return { write: true, execute: true }
    case 'collector': {
      const runs = object.runBy === 0 || object.runBy === userId
      return { write: false, execute: runs && (object.type === 'device' || object.type === 'job') }
    }
    case 'Data_Editor':
    case 'dashboard_viewer':
      return { write: false, execute: false }
  }
}

/** Grants by their object; several grants on one object are combined. */
export function grantedBy(
  grants: readonly (Granted & { readonly objectId: number })[],
): Map<number, Granted> {
  const granted = new Map<number, Granted>()
  for (const { objectId, write, execute, maintain } of grants) {
    const other = granted.get(objectId)
    granted.set(objectId, {
      write: write || other?.write === true,
      execute: execute || other?.execute === true,
      maintain: maintain || other?.maintain === true,
    })
  }
  return granted
}

/** The objects that the user may read with all objects below them; null for the whole tree. */
export function readableTops(rights: Rights): readonly number[] | null {
  return readsEverything(rights) ? null : [...rights.granted.keys()]
}

/** Whether the user may read the whole tree. */
function readsEverything({ role, granted }: Rights): boolean {
  return role === 'administrator' || granted.has(ROOT_ID)
}

/** Returns an SQL expression for a JSON array of ids. */
export type IdListSql = (ids: readonly number[]) => string

/** The SQL condition that the user may read the object of a row; `alias` is the alias of the table `objects`. */
export function readable(rights: Rights, alias: string, listed: IdListSql): string {
  const tops = readableTops(rights)
  return tops === null ? '1' : isAtOrBelow(`${alias}.path`, listed(tops))
}

/** The SQL condition that the user may write the object of a row. */
export function writable(rights: Rights, alias: string, listed: IdListSql): string {
  if (rights.role === 'administrator') return '1'
  if (!reachOf(rights, { type: '', runBy: 0, path: '' }).write) return '0'
  const tops = [...rights.granted].flatMap(([id, { write }]) => (write ? [id] : []))
  return isAtOrBelow(`${alias}.path`, listed(tops))
}

/** The SQL condition that the user may read the object of a row or an object below it. */
export function visible(rights: Rights, alias: string, listed: IdListSql): string {
  if (readsEverything(rights)) return '1'
  const leads = `${alias}.id in (select value from json_each(${listed(rights.ways)}))`
  return `(${readable(rights, alias, listed)} or ${leads})`
}

/** The SQL condition that the object with this path, or an object above it, is in a list. */
export function isAtOrBelow(path: string, list: string): string {
  return `exists (select 1 from json_each('[' || replace(trim(${path}, '/'), '/', ',') || ']') above
    where above.value in (select value from json_each(${list})))`
}

/** The ids of a path, from the root down. */
export function idsOf(path: string): number[] {
  return path.split('/').slice(1, -1).map(Number)
}

/** The roles that may read and run scripts. Scripts are not in the tree and have no grants. */
export const SCRIPT_READERS = ['administrator', 'editor', 'Data_Editor'] as const satisfies readonly Role[]

/** Whether users of this role may read scripts, and get their events. */
export function readsScripts(role: Role): boolean {
  return SCRIPT_READERS.some((one) => one === role)
}
