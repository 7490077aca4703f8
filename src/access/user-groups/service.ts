import type { Context } from '../../context.ts'
import { commitIfMatch } from '../../http/preconditions.ts'
import type { BodyWithVersion } from '../../http/updates.ts'
import { Refusal, nameTaken, noSuch, stale } from '../../lib/errors.ts'
import {
  commit,
  fullDetail,
  isNotNullViolation,
  isUniqueViolation,
  refuseFull,
} from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { refuseWhileNeeded, unlessNeeded } from '../alarm-duty/service.ts'
import { audited, recorder } from '../audit/service.ts'
import { forgetRights } from '../rights/service.ts'
import type { UserView } from '../users/schema.ts'
import { readUser, readUsers } from '../users/service.ts'
import { MEMBERS_MAX } from './schema.ts'
import type { BatchMode, UserGroupBody, UserGroupView } from './schema.ts'
import * as store from './store.ts'
import type { Side, UserGroupRow } from './store.ts'

const recorded = recorder('userGroup')

const GROUPS_MAX = 1_000

type Versioned = { readonly view: UserGroupView; readonly version: number }

export async function listGroups({ ports }: Context): Promise<UserGroupView[]> {
  return (await store.listGroups(ports.database)).map(viewOf)
}

/** @throws {Refusal} not_found */
export async function readGroup({ ports }: Context, id: number): Promise<Versioned> {
  return versioned(await findGroup(ports, id))
}

/** @throws {Refusal} name_taken, conflict when there are 1,000 */
export async function createGroup(context: Context, { name }: UserGroupBody): Promise<Versioned> {
  const { ports } = context
  const group = { name, version: 1, createdAt: ports.clock.now() }
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: { name } })
  const row = await refuseFull('user_groups', fullDetail(GROUPS_MAX, 'user groups'), () =>
    refuseTakenName(() => store.insertGroup(ports.database, group, { max: GROUPS_MAX, also: entry })),
  )
  ports.log.info('user group created', { userGroupId: row.id })
  return versioned(row)
}

/** @throws {Refusal} not_found, name_taken, precondition_failed */
export async function updateGroup(
  context: Context,
  id: number,
  { body: { name }, ifMatch }: BodyWithVersion<UserGroupBody>,
): Promise<Versioned> {
  const { database } = context.ports
  const row = await findGroup(context.ports, id)
  if (ifMatch !== null && ifMatch !== row.version) throw stale('user group')
  const entry = recorded(context, 'update', { objectId: id, before: viewOf(row), after: { id, name } })
  try {
    await refuseTakenName(() => commit(database, [store.updateGroup(database, row, name), entry]))
  } catch (error) {
    throw isNotNullViolation(error, 'user_groups.version') ? stale('user group') : error
  }
  return versioned({ ...row, name, version: row.version + 1 })
}

/** Removes a group with what was granted to it. @throws {Refusal} not_found, has_dependents while a recipient of alarms is
 * this group */
export async function deleteGroup(context: Context, id: number): Promise<void> {
  const { ports } = context
  const row = await findGroup(ports, id)
  const group = { kind: 'userGroup', id } as const
  await refuseWhileNeeded(ports.database, group, () =>
    commitIfMatch(context, { ...row, table: 'user_groups' }, [
      unlessNeeded(ports.database, group),
      store.deleteGroup(ports.database, id),
      recorded(context, 'delete', { objectId: id, before: viewOf(row) }),
    ]),
  )
  forgetRights(ports)
  ports.log.info('user group deleted', { userGroupId: id })
}

/** The users of a group, by id. @throws {Refusal} not_found */
export async function listMembers(context: Context, id: number): Promise<UserView[]> {
  await findGroup(context.ports, id)
  return readUsers(context, await store.listMembers(context.ports.database, id))
}

/** The groups that a user is in, by id. @throws {Refusal} not_found */
export async function listGroupsOf(context: Context, userId: number): Promise<UserGroupView[]> {
  await readUser(context, userId)
  return groupsOfUser(context.ports, userId)
}

/** The groups that a user is in, by id; none for an unknown user. */
export async function groupsOfUser(
  { database }: Pick<Ports, 'database'>,
  userId: number,
): Promise<UserGroupView[]> {
  return (await store.listGroupsOf(database, userId)).map(viewOf)
}

/** Sets, adds or removes the users of a group.
 * @throws {Refusal} not_found, invalid with pointers to unknown ids, conflict when there would be too many */
export async function updateMembers(
  context: Context,
  id: number,
  { userIds, mode }: { readonly userIds: readonly number[]; readonly mode: BatchMode },
): Promise<UserView[]> {
  const { ports } = context
  await findGroup(ports, id)
  await update(context, { of: 'group', id, userIds }, mode)
  return listMembers(context, id)
}

/** Sets, adds or removes the groups of a user.
 * @throws {Refusal} not_found, invalid with pointers to unknown ids, conflict when a group would have too many users */
export async function updateGroupsOf(
  context: Context,
  id: number,
  { groupIds, mode }: { readonly groupIds: readonly number[]; readonly mode: BatchMode },
): Promise<UserGroupView[]> {
  await readUser(context, id)
  await update(context, { of: 'user', id, groupIds }, mode)
  return listGroupsOf(context, id)
}

async function update(context: Context, side: Side, mode: BatchMode): Promise<void> {
  const { database } = context.ports
  const [table, field] =
    side.of === 'group' ? (['users', 'userIds'] as const) : (['user_groups', 'userGroupIds'] as const)
  const unknown = mode === 'remove' ? [] : await store.unknownPlaces(database, table, store.idsOf(side))
  if (unknown.length > 0) {
    const faults = unknown.map((place) => ({
      pointer: `/${field}/${place}`,
      message: 'must be an existing id',
    }))
    throw new Refusal('invalid', 'Some of these ids do not exist; see errors.', faults)
  }
  const isEnd = mode !== 'merge'
  const writes = [
    ...(isEnd ? [store.removeMemberships(database, side, mode === 'remove' ? 'these' : 'others')] : []),
    ...(mode === 'remove'
      ? []
      : [store.addMemberships(database, side), store.guardMembers(database, side, MEMBERS_MAX)]),
    audited(context, {
      action: `${mode} memberships`,
      objectType: side.of === 'group' ? 'userGroup' : 'user',
      objectId: side.id,
      after: { [field]: store.idsOf(side) },
    }),
  ]
  const full = `A user group must have at most ${MEMBERS_MAX} users.`
  await refuseFull('user_groups', full, () => commit(database, writes))
  forgetRights(context.ports)
}

async function findGroup(ports: Ports, id: number): Promise<UserGroupRow> {
  const row = await store.findGroup(ports.database, id)
  if (!row) throw noSuch('user group')
  return row
}

async function refuseTakenName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    throw isUniqueViolation(error, 'user_groups.name') ? nameTaken('user group') : error
  }
}

function viewOf({ id, name }: UserGroupRow): UserGroupView {
  return { id, name }
}

function versioned(row: UserGroupRow): Versioned {
  return { view: viewOf(row), version: row.version }
}
