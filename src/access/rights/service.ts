import { requireUser, ROLES } from '../../context.ts'
import type { Bound, Context, Role } from '../../context.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import { TtlCache } from '../../lib/ttl-cache.ts'
import { thenSync } from '../../lib/maybe-promise.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { commit, isForeignKeyViolation, refuseFull } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { audited } from '../audit/service.ts'
import { Paths } from './paths.ts'
import { permissionsOf, ROOT_PATH, sharedRights, waysTo } from './permissions.ts'
import type { Granted, Rights, Subject } from './permissions.ts'
import * as store from './store.ts'

export { readableBelow, readableBy, visibleBy, writableBy } from './store.ts'
export type { GrantRow } from './store.ts'

/** A right that was taken away holds for this long at most in another isolate. */
const KNOWN_MS = 1_000
const SUBJECTS_MAX = 200
const OBJECTS_MAX = 1_000
const FULL_OBJECT = `An object must have grants for at most ${SUBJECTS_MAX} users and groups. Grant to a user group instead.`
const FULL_SUBJECT = `A user or group must have grants on at most ${OBJECTS_MAX} objects. Grant on an object above instead.`

type RightsCache = { readonly rights: TtlCache<Rights, number>; readonly paths: Paths }

const known = new WeakMap<object, RightsCache>()

/** The rights of the caller on objects. @throws {Refusal} unauthenticated for a request without a user */
export function rightsOf(context: Context): MaybePromise<Rights> {
  const { ports } = context
  const caller = requireUser(context)
  return caller.bounds ? rightsOfAll(ports, [caller, ...caller.bounds]) : rightsFor(ports, caller)
}

/** The common rights of several users. */
async function rightsOfAll(ports: Ports, [user, ...others]: readonly [Bound, ...Bound[]]): Promise<Rights> {
  const first = await rightsFor(ports, user)
  const each = [first, ...(await Promise.all(others.map(async (other) => rightsFor(ports, other))))] as const
  const ids = [...new Set(each.flatMap(({ granted }) => [...granted.keys()]))]
  return sharedRights(each, await store.readPaths(ports.database, ids))
}

/** The rights of a user with this role, mostly from the cache. */
export function rightsFor(
  ports: Pick<Ports, 'database' | 'clock'>,
  { userId, role }: { readonly userId: number; readonly role: Role },
): MaybePromise<Rights> {
  if (role === 'administrator') return { userId, role, granted: new Map(), ways: [] }
  const key = userId * ROLES.length + ROLES.indexOf(role)
  const found = knownOf(ports).rights.find(key, ports.clock.now(), async () => {
    const rows = await store.readGranted(ports.database, userId)
    return { userId, role, granted: new Map(rows.map(({ id, ...row }) => [id, row])), ways: waysTo(rows) }
  })
  return thenSync(found, requireRights)
}

function requireRights(rights: Rights | null): Rights {
  if (!rights) throw new TypeError("The lookup of a user's rights returned no row.")
  return rights
}

/** Everybody's rights are looked up again: grants or memberships have changed. */
export function forgetRights(ports: Ports): void {
  knownOf(ports).rights.clear()
}

/** Why the caller may not deliver to these jobs, by job; what is not named may be. Where a collector runs other jobs only,
 * their actors refuse. Synchronous for a user who is known to run everything. */
export function undeliverable(context: Context, jobIds: readonly number[]): MaybePromise<Refusals> {
  return thenSync(rightsOf(context), (rights) =>
    runsEverything(rights) ? NONE : findUndeliverable(context.ports, rights, jobIds),
  )
}

/** The refusal of a delivery to one job; null if the caller may deliver to the job. */
export function undeliverableTo(context: Context, jobId: number): MaybePromise<Refusal | null> {
  const rights = rightsOf(context)
  // Without a list and a map of one, which take longer than to know.
  if (!(rights instanceof Promise) && runsEverything(rights)) return null
  return thenSync(undeliverable(context, [jobId]), (refusals) => refusals.get(jobId) ?? null)
}

async function findUndeliverable(ports: Ports, rights: Rights, jobIds: readonly number[]): Promise<Refusals> {
  const refusalAt = (path: string | undefined) => {
    const { read, execute } = permissionsOf(rights, { type: 'job', runBy: 0, path: path ?? '' })
    if (!read) return noSuch('webhook job')
    return execute ? null : new Refusal('forbidden', 'You have no execute right on this job.')
  }
  const paths = await knownOf(ports).paths.find([...new Set(jobIds)], ports.clock.now(), (ids) =>
    store.readPaths(ports.database, ids),
  )
  const refusals = new Map<number, Refusal>()
  for (const id of jobIds) {
    const refusal = refusalAt(paths.get(id))
    if (refusal) refusals.set(id, refusal)
  }
  return refusals
}

type Refusals = ReadonlyMap<number, Refusal>

const NONE: Refusals = new Map()

/** Keyed by the grants of a user, a new object after each refresh: each delivery reads it. */
const runningEverything = new WeakMap<Rights, boolean>()

function runsEverything(rights: Rights): boolean {
  let runs = runningEverything.get(rights)
  if (runs === undefined) {
    runs = permissionsOf(rights, { type: 'job', runBy: 0, path: ROOT_PATH }).execute
    runningEverything.set(rights, runs)
  }
  return runs
}

/** The grants on the object with a path and on everything above it, the nearest first; those that concern one user, or
 * all. */
export function listGrants(
  { database }: Ports,
  path: string,
  userId: number | null = null,
): Promise<readonly store.GrantRow[]> {
  return store.listGrants(database, path, userId)
}

/** The grants of each of some users on the object with a path and on the objects above it, nearest first. Needs two
 * queries for any number of users. */
export async function listGrantsOfUsers(
  { database }: Ports,
  path: string,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly store.GrantRow[]>> {
  const rows = await store.listGrants(database, path, null)
  const groupIds = rows.flatMap((row) => (row.subjectType === 'userGroup' ? row.subjectId : []))
  const memberships = await store.listMemberships(database, { userIds, groupIds: [...new Set(groupIds)] })
  const groupsOf = Map.groupBy(memberships, ({ userId }) => userId)
  return new Map(
    userIds.map((userId) => {
      const groups = new Set(groupsOf.get(userId)?.map(({ groupId }) => groupId))
      const isTheirs = ({ subjectType, subjectId }: Subject) =>
        subjectType === 'everyone' || (subjectType === 'user' ? subjectId === userId : groups.has(subjectId))
      return [userId, rows.filter(isTheirs)] as const
    }),
  )
}

/** Replaces the grants of a user, a user group or everyone on an object.
 * @throws {Refusal} not_found when the object or the subject is not there, conflict when there are too many grants */
export async function grant(context: Context, objectId: number, given: Subject & Granted): Promise<void> {
  const { ports } = context
  const writes = [
    store.saveGrant(ports.database, objectId, { given, subjectsMax: SUBJECTS_MAX, objectsMax: OBJECTS_MAX }),
    audited(context, { action: 'grant', objectType: 'object', objectId, after: given }),
  ]
  const save = () => refuseFull('grants', FULL_OBJECT, () => commit(ports.database, writes), 'write')
  try {
    await refuseFull('grants', FULL_SUBJECT, save, 'execute')
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw noSuch('user or user group', [
      { pointer: '{subjectId}', message: 'must be the id of a user or user group' },
    ])
  }
  forgetRights(ports)
}

/** Removes the grants of a user, a user group or everyone on an object. @throws {Refusal} not_found without grants */
export async function revoke(context: Context, objectId: number, subject: Subject): Promise<void> {
  const { ports } = context
  if (!(await store.hasGrant(ports.database, objectId, subject)))
    throw new Refusal('not_found', 'The object has no such grant.')
  await commit(ports.database, [
    store.deleteGrant(ports.database, objectId, subject),
    audited(context, { action: 'revoke', objectType: 'object', objectId, before: subject }),
  ])
  forgetRights(ports)
}

function knownOf(ports: object): RightsCache {
  let found = known.get(ports)
  if (!found) known.set(ports, (found = { rights: new TtlCache(KNOWN_MS), paths: new Paths() }))
  return found
}
