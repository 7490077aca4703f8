import type { Role } from '../../context.ts'

export type Permissions = {
  readonly read: boolean
  readonly write: boolean
  readonly execute: boolean
  readonly maintain: boolean
}
export type Right = keyof Permissions

/** What a grant gives beyond reading, which every grant does. */
export type Granted = Omit<Permissions, 'read'>

export const SUBJECT_TYPES = ['user', 'userGroup', 'everyone'] as const

/** Who has a grant; the id of everyone is 0. */
export type Subject = { readonly subjectType: (typeof SUBJECT_TYPES)[number]; readonly subjectId: number }

/** What a user may do where. */
export type Rights = {
  readonly userId: number
  readonly role: Role
  /** By the object that it was granted on; it holds for everything below as well. Of no account for administrators. */
  readonly granted: ReadonlyMap<number, Granted>
  /** What lies above objects with a grant. That it is there is no secret: it leads to them. */
  readonly ways: readonly number[]
}

/** An object as far as rights are concerned. `runBy` is the collector that runs it, 0 for any: a job without one of its
 * own has its device's. */
export type Located = { readonly type: string; readonly runBy: number; readonly path: string }

/** The root group is made with the database. */
export const ROOT_ID = 1
export const ROOT_PATH = `/${ROOT_ID}/`

const NOTHING: Permissions = { read: false, write: false, execute: false, maintain: false }
const EVERYTHING: Permissions = { read: true, write: true, execute: true, maintain: true }

/** What somebody may do with an object: what was granted on it or above it, as far as the role goes. Who may write may
 * maintain as well. */
export function permissionsOf(rights: Rights, object: Located): Permissions {
  if (rights.role === 'administrator') return EVERYTHING
  const grants = idsOf(object.path).flatMap((id) => rights.granted.get(id) ?? [])
  if (grants.length === 0) return NOTHING
  const may = reachOf(rights, object)
  const write = may.write && grants.some((grant) => grant.write)
  const execute = may.execute && grants.some((grant) => grant.execute)
  return { read: true, write, execute, maintain: write || grants.some((grant) => grant.maintain) }
}

/** What lies above objects. */
export function waysTo(objects: readonly { readonly path: string }[]): number[] {
  return [...new Set(objects.flatMap(({ path }) => idsOf(path).slice(0, -1)))]
}

/** The rights that all of these users have, as rights of the first of them; `objects` are those with a grant of any.
 * Below the last grant of a path nothing changes, so the rights at these objects are all there is to know.
 * @param all of no collectors, whose reach depends on the object */
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

/** How far a role goes where everything is granted. Maintaining may be granted to every role. */
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

/** Grants by the object that has them; several on one object add up. */
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

/** The objects that somebody may read with everything below them; null for the whole tree. */
export function readableTops(rights: Rights): readonly number[] | null {
  return readsEverything(rights) ? null : [...rights.granted.keys()]
}

/** Whether somebody may read the whole tree. */
function readsEverything({ role, granted }: Rights): boolean {
  return role === 'administrator' || granted.has(ROOT_ID)
}

/** Gives SQL an expression that stands for a JSON array of ids. */
export type IdListSql = (ids: readonly number[]) => string

/** The condition, as SQL, that somebody may read the object of a row; `alias` is that of the table `objects`. */
export function readable(rights: Rights, alias: string, listed: IdListSql): string {
  const tops = readableTops(rights)
  return tops === null ? '1' : isAtOrBelow(`${alias}.path`, listed(tops))
}

/** The condition that somebody may read the object of a row, or something below it. */
export function visible(rights: Rights, alias: string, listed: IdListSql): string {
  if (readsEverything(rights)) return '1'
  const leads = `${alias}.id in (select value from json_each(${listed(rights.ways)}))`
  return `(${readable(rights, alias, listed)} or ${leads})`
}

/** The condition that the object with this path, or one above it, is in a list. */
export function isAtOrBelow(path: string, list: string): string {
  return `exists (select 1 from json_each('[' || replace(trim(${path}, '/'), '/', ',') || ']') above
    where above.value in (select value from json_each(${list})))`
}

/** The ids of a path, from the root down. */
export function idsOf(path: string): number[] {
  return path.split('/').slice(1, -1).map(Number)
}

/** Who may read scripts, which are in no tree, and run them. */
export const SCRIPT_READERS = ['administrator', 'editor', 'Data_Editor'] as const satisfies readonly Role[]

/** Whether somebody of this role hears of scripts. */
export function readsScripts(role: Role): boolean {
  return SCRIPT_READERS.some((one) => one === role)
}
