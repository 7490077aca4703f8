import { grantedBy } from '../../../access/rights/permissions.ts'
import type { Located, Right, Subject } from '../../../access/rights/permissions.ts'
import { grant, listGrants, listGrantsOfUsers, revoke } from '../../../access/rights/service.ts'
import type { GrantRow } from '../../../access/rights/service.ts'
import { listUsers, readUser } from '../../../access/users/service.ts'
import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import type { Page } from '../../../lib/paging.ts'
import type { ObjectType } from '../schema.ts'
import { requireObject } from '../service.ts'
import { decidingGrants, explain } from './reasons.ts'
import type { EffectiveView, ExplanationView, GrantBody, GrantView, ObjectPath } from './schema.ts'

/** The grants on an object and on the objects above it, nearest first. @throws {Refusal} not_found */
export async function readGrants(context: Context, path: ObjectPath): Promise<GrantView[]> {
  const object = await objectAt(context, path)
  return (await listGrants(context.ports, object.path)).map((row) => viewOf(row, object.id))
}

/** Grants rights on an object and the objects below it, in place of the subject's former grant on that object.
 * @throws {Refusal} not_found, conflict */
export async function setGrant(
  context: Context,
  path: ObjectPath & Subject,
  body: GrantBody,
): Promise<GrantView> {
  const { ports } = context
  const object = await objectAt(context, path)
  const { write, execute, maintain } = body
  const subject = subjectOf(path)
  await grant(context, object.id, { ...subject, write, execute, maintain })
  ports.log.info('grants: rights granted', { objectId: object.id, ...subject, write, execute, maintain })
  const rows = await listGrants(ports, object.path)
  const row = rows.find(
    ({ objectId, subjectType, subjectId }) =>
      objectId === object.id && subjectType === subject.subjectType && subjectId === subject.subjectId,
  )
  if (!row) throw new Refusal('conflict', 'The grant was revoked in the meantime.')
  return viewOf(row, object.id)
}

/** Revokes a grant on an object; grants on objects above it stay. @throws {Refusal} not_found */
export async function removeGrant(context: Context, path: ObjectPath & Subject): Promise<void> {
  const object = await objectAt(context, path)
  const subject = subjectOf(path)
  await revoke(context, object.id, subject)
  context.ports.log.info('grants: rights revoked', { objectId: object.id, ...subject })
}

/** The rights of a user on an object, with reasons. Users may ask about themselves, administrators about all users.
 * @throws {Refusal} not_found, forbidden */
export async function explainRights(
  context: Context,
  path: ObjectPath,
  userId: number | undefined,
): Promise<ExplanationView> {
  const { ports } = context
  const object = await objectAt(context, path)
  const caller = requireUser(context)
  if (userId !== undefined && userId !== caller.userId && caller.role !== 'administrator')
    throw new Refusal('forbidden', 'Only administrators can read the rights of other users.')
  const { view: user } = await readUser(context, userId ?? caller.userId)
  const rows = await listGrants(ports, object.path, user.id)
  return {
    ...effectiveRights(user, object, rows),
    grants: rows.map((row) => viewOf(row, object.id)),
  }
}

/** All users with their rights on an object, by id, a page of them. Needs the same number of queries for any page.
 * @throws {Refusal} not_found, invalid for a cursor of another list */
export async function listEffectiveRights(
  context: Context,
  path: ObjectPath,
  page: Page,
): Promise<{ items: EffectiveView[]; next: string | null }> {
  const object = await objectAt(context, path)
  const { items: users, next } = await listUsers(context, page)
  const userIds = users.map(({ id }) => id)
  const grantsOf = await listGrantsOfUsers(context.ports, object.path, userIds)
  const items = users.map((user): EffectiveView => {
    const rows = grantsOf.get(user.id) ?? []
    const effective = effectiveRights(user, object, rows)
    const { read, write, execute, maintain } = decidingGrants(user, effective.permissions, rows)
    const view = (row: GrantRow | null) => row && originOf(row, object.id)
    const decidedBy = {
      read: view(read),
      write: view(write),
      execute: view(execute),
      maintain: view(maintain),
    }
    return { ...effective, decidedBy }
  })
  return { items, next }
}

/** @param grants the grants of the user on the object and the objects above it */
function effectiveRights(
  { id, username, role }: EffectiveView['user'],
  object: Located,
  grants: readonly GrantRow[],
): Omit<EffectiveView, 'decidedBy'> {
  const rights = { userId: id, role, granted: grantedBy(grants), ways: [] }
  return { user: { id, username, role }, ...explain(rights, object, grants) }
}

function objectAt(context: Context, { objectType, objectId }: ObjectPath) {
  return requireObject(context, objectId, { type: objectType, right: 'read' })
}

/** @throws {Refusal} not_found for `everyone` with another id than 0, or a user or group with the id 0 */
function subjectOf({ subjectType, subjectId }: Subject): Subject {
  if ((subjectType === 'everyone') !== (subjectId === 0)) throw noSuch('user or user group')
  return { subjectType, subjectId }
}

function viewOf(row: GrantRow, objectId: number): GrantView {
  const { write, execute, maintain } = row
  return { ...originOf(row, objectId), read: true, write, execute, maintain }
}

/** The subject and the object of a grant. */
function originOf(row: GrantRow, objectId: number): Omit<GrantView, Right> {
  const { subjectType, subjectId, subjectName } = row
  return {
    subjectType,
    subjectId,
    subjectName,
    inherited: row.objectId !== objectId,
    object: { id: row.objectId, type: row.objectType as ObjectType, name: row.objectName },
  }
}
