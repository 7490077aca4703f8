import { audited } from '../../access/audit/service.ts'
import { permissionsOf } from '../../access/rights/permissions.ts'
import { isForced, refuseWhileShown } from '../../access/dashboard-use/service.ts'
import type { Permissions, Right } from '../../access/rights/permissions.ts'
import { readableBy, rightsOf, visibleBy } from '../../access/rights/service.ts'
import { isCollector } from '../../access/users/service.ts'
import type { Context } from '../../context.ts'
import { demandsNew, heldToVersion } from '../../http/preconditions.ts'
import { Refusal, noSuch, stale } from '../../lib/errors.ts'
import { isForeignKeyViolation, isNotNullViolation, isOffVersion } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { Secrets } from '../../ports/secrets.ts'
import { closeBelow } from '../alarms/service.ts'
import { enqueueJobConfigs } from '../job-config/service.ts'
import {
  enqueueFreed,
  enqueueLinkedAbove,
  enqueueTallies,
  enqueueMemberships,
  enqueueArrival,
  objectsAbove,
  reasonsOf,
  refuseCircle,
} from '../states/service.ts'
import { auditFieldsOf } from './audit-fields.ts'
import { OBJECT_NOUNS } from './schema.ts'
import type { CommonBody, CommonView, ObjectType, Reasons } from './schema.ts'
import * as store from './store.ts'
import type { Insertion, InstanceType, NewObject, PropertyRow } from './store.ts'

export type { Insertion, NewObject, PropertyRow } from './store.ts'
export { bumpVersions, readProperties, touchObject } from './store.ts'

/** An object with the rights of the caller. */
export type ObjectRow = store.ObjectRow & { readonly permissions: Permissions }

/** The object, if it exists, has this type, and the caller has the right.
 * @throws {Refusal} not_found, also if the caller may not read it; forbidden */
export async function requireObject(
  context: Context,
  id: number,
  { type, right }: { type?: ObjectType; right: Right },
): Promise<ObjectRow> {
  const row = await store.findObject(context.ports.database, id)
  const permissions = row && permissionsOf(await rightsOf(context), row)
  if (!row || !permissions?.read || (type !== undefined && row.type !== type)) {
    throw noSuch(type ? OBJECT_NOUNS[type] : 'object')
  }
  if (!permissions[right])
    throw new Refusal('forbidden', `You have no right to ${right} this ${OBJECT_NOUNS[row.type]}.`)
  return { ...row, permissions }
}

/** The version of an object, without a check of rights. @throws {Refusal} not_found */
export async function readVersion({ database }: Ports, id: number): Promise<number> {
  const row = await store.findObject(database, id)
  if (!row) throw new Refusal('not_found', 'The object was deleted in the meantime.')
  return row.version
}

/** An object at which the caller may begin a list: a readable one, or one above readable objects.
 * @throws {Refusal} not_found */
export async function requireStart(context: Context, id: number, type: ObjectType): Promise<store.ObjectRow> {
  const rights = await rightsOf(context)
  const row = await store.findObject(context.ports.database, id, visibleBy(rights, 'objects'))
  if (row?.type !== type) throw noSuch(OBJECT_NOUNS[type])
  return row
}

/** The types of these objects; those that do not exist or are not readable are missing. */
export async function readTypes(
  context: Context,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ObjectType>> {
  return store.readTypes(context.ports.database, ids, readableBy(await rightsOf(context), 'o'))
}

/** The view fields of all objects. */
export function commonView(row: ObjectRow, properties: readonly PropertyRow[]): CommonView {
  const { id, type, subType, name, permissions, isTemplate, instanceType, parentId, templateId } = row
  return {
    id,
    type,
    subType,
    name,
    permissions,
    properties: [...properties],
    isTemplate,
    instanceType,
    parentId,
    templateId,
  }
}

/** The readable reasons of an object's state. */
export async function readReasons(
  context: Context,
  { type, id, name, state }: ObjectRow,
  isReason = false,
): Promise<Reasons> {
  const reasons = await reasonsOf(context.ports.database, { type, id, name, state, isReason })
  if (reasons.length === 0) return []
  const readable = await readTypes(
    context,
    reasons.map((reason) => reason.id),
  )
  return reasons.filter((reason) => readable.has(reason.id)) as Reasons
}

/** The stored fields of all bodies; `was` gives the values of absent fields. */
export function commonFields(body: CommonBody, was: { subType: string; instanceType: InstanceType }) {
  return {
    subType: body.subType ?? was.subType,
    name: body.name,
    isTemplate: body.isTemplate,
    instanceType: body.instanceType ?? was.instanceType,
    properties: body.properties,
  }
}

/** The rows of a new object of any type, as one part of a batch: `[...writes, rows of its own, last]`. See
 * `Insertion`. */
export function insertObject({ database, secrets }: Ports, input: NewObject): Insertion {
  const { key, writes, last } = store.insertRows(database, newKey(secrets), input)
  const object = { path: key }
  const notes = [enqueueArrival(database, object, input.createdAt), enqueueMemberships(database, object)]
  return { key, writes: [...writes, ...notes], last }
}

/** Creates an object with its own rows in one batch, with an audit entry. `rowsOf` refers to the object by `idOfPath(key)`.
 * @param own the fields that only this type has, for the audit entry
 * @returns its id
 * @throws {Refusal} conflict when the parent was deleted in the meantime, precondition_failed when the request demands the
 * first object of this type and name below the parent, and there is one */
export async function createObject(
  context: Context,
  { input, own }: { readonly input: NewObject; readonly own: object },
  rowsOf: (key: string) => readonly Write[],
): Promise<number> {
  const { ports } = context
  const { key, writes, last } = insertObject(ports, input)
  const after = { ...auditFieldsOf(input), ...own }
  const audit = { action: 'create', objectType: input.type, objectId: { path: key }, after }
  const guards = demandsNew(context) ? [store.guardName(ports.database, key)] : []
  return commitCreation(ports.database, [...writes, ...guards, ...rowsOf(key), audited(context, audit), last])
}

/** Commits a batch that ends with an insertion's `last`. @throws {Refusal} conflict when the parent was deleted,
 * precondition_failed where a guard of the name fails */
export async function commitCreation(database: Database, writes: readonly Write[]): Promise<number> {
  try {
    return await store.commitNew(database, writes)
  } catch (error) {
    if (store.isSecondOfName(error))
      throw new Refusal('precondition_failed', 'The parent has an object of this type and name.')
    if (!isForeignKeyViolation(error)) throw error
    throw new Refusal('conflict', 'The parent was deleted in the meantime.')
  }
}

/** A unique temporary path for an object whose id is not known yet. */
function newKey(secrets: Secrets): string {
  return `new ${secrets.random(16).toHex()}`
}

export type ObjectUpdate = {
  readonly fields: store.ObjectChange
  /** The new parent; null or absent for no move. */
  readonly parentId: number | null | undefined
  /** The pointer of the parent's field; default `/parentId`. */
  readonly parentPointer?: string
  readonly ifMatch: number | null
  /** The fields that only this type has, before and after, for the audit entry. */
  readonly own: { readonly before: object; readonly after: object }
}

/** The writes of an update and its audit record, with a move if the body names another parent. The commit fails, as
 * `refuseStale` recognises, when the object has changed since it was read.
 * @throws {Refusal} precondition_failed, conflict, cycle, invalid */
async function updateObjectWrites(context: Context, row: ObjectRow, update: ObjectUpdate): Promise<Write[]> {
  if (update.ifMatch !== null && update.ifMatch !== row.version) throw stale('object')
  const { database, clock } = context.ports
  const { before, after } = update.own
  const parentId = update.parentId ?? row.parentId
  const entry = audited(context, {
    action: 'update',
    objectType: row.type,
    objectId: row.id,
    before: {
      ...auditFieldsOf({ ...row, properties: await store.readProperties(database, row.id) }),
      ...before,
    },
    after: { ...auditFieldsOf({ ...update.fields, parentId }), ...after },
  })
  const isMove = update.parentId != null && update.parentId !== row.parentId
  // Filters test jobs by the fields of their device, and all objects by their place.
  const isSeenBelow = isMove || row.type === 'device'
  const writes = [
    enqueueMemberships(database, isSeenBelow ? row : row.id),
    ...store.updateObject(database, row, update.fields),
    entry,
  ]
  if (update.parentId == null || !isMove) return writes
  const parent = await newParent(context, row, {
    parentId: update.parentId,
    pointer: update.parentPointer ?? '/parentId',
  })
  const tallies = [row.parentId ?? parent.id, parent.id].map((id) => enqueueTallies(database, id))
  return [
    ...writes,
    ...store.moveSubtree(database, row, parent),
    refuseCircle(database, row.id),
    enqueueArrival(database, row.id, clock.now()),
    ...tallies,
  ]
}

/** An object as a commit stored it. */
export type StoredObject = { readonly row: ObjectRow; readonly properties: readonly PropertyRow[] }

/** Commits an update of an object with other writes before and after it.
 * @throws {Refusal} as `updateObjectWrites`; precondition_failed when the object has changed since `row` was read,
 * not_found */
export async function updateObject(
  context: Context,
  row: ObjectRow,
  change: ObjectUpdate & { readonly before?: readonly Write[]; readonly after?: readonly Write[] },
): Promise<StoredObject> {
  const { before = [], after = [], fields } = change
  const writes = [...before, ...(await updateObjectWrites(context, row, change)), ...after]
  const { database } = context.ports
  const properties = await refuseStale(() => store.commitUpdate(database, row.id, writes))
  const { properties: _, ...own } = fields
  const parentId = change.parentId ?? row.parentId
  return { row: { ...row, ...own, parentId, version: row.version + 1 }, properties }
}

/** The stored object with its current state and rights, which others may have changed since.
 * @throws {Refusal} not_found */
export async function showWritten(
  context: Context,
  { row, properties }: StoredObject,
): Promise<StoredObject> {
  const { id, type, version, subType, name, parentId, isTemplate, instanceType, collectorId } = row
  const now = await requireObject(context, id, { type, right: 'read' })
  const own = { version, subType, name, parentId, isTemplate, instanceType, collectorId }
  return { row: { ...now, ...own }, properties }
}

/** Runs a commit and turns its failure into a refusal.
 * @throws {Refusal} precondition_failed when an object has changed, not_found when it was deleted */
export async function refuseStale<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isNotNullViolation(error, 'objects.version')) throw stale('object')
    if (isForeignKeyViolation(error))
      throw new Refusal('not_found', 'The object was deleted in the meantime.')
    throw error
  }
}

/** Runs a commit that links objects. @throws {Refusal} cycle when it would close a cycle by now, not_found when an
 * object was deleted */
export async function refuseCircular<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await refuseStale(write)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'precondition_failed') throw error
    throw new Refusal(
      'cycle',
      'Together with a change that was made in the meantime, the objects would depend on each other in a cycle.',
    )
  }
}

/** The writes that delete an object, with all objects below it if `recursive`.
 * @throws {Refusal} conflict for the root, precondition_failed, has_dependents while dashboards show it, has_children with the number of objects below */
export async function deleteObjectWrites(
  context: Context,
  row: ObjectRow,
  recursive: boolean,
): Promise<Write[]> {
  const { database, clock } = context.ports
  if (row.parentId === null) throw new Refusal('conflict', 'The root group cannot be deleted.')
  if (!isForced(context)) await refuseWhileShown(context, { kind: 'object', path: row.path })
  const properties = await store.readProperties(database, row.id)
  const notes = [
    ...heldToVersion(context, { ...row, table: 'objects' }),
    ...closeBelow(database, row.path, clock.now()),
    enqueueJobConfigs(database, row),
    enqueueTallies(database, row.parentId),
    enqueueLinkedAbove(database, row.path),
    enqueueFreed(database, { path: row.path, parentId: row.parentId }),
    audited(context, {
      action: 'delete',
      objectType: row.type,
      objectId: row.id,
      before: { ...auditFieldsOf({ ...row, properties }), recursive },
    }),
  ]
  if (recursive) return [...notes, ...store.deleteSubtree(database, row)]
  const below = await store.countBelow(database, row.path, BELOW_MAX)
  if (below > 0) throw hasChildren(below)
  return [...notes, store.deleteLeaf(database, row.id)]
}

/** Runs a deletion. @throws {Refusal} has_children when children were added in the meantime, precondition_failed */
export async function refuseOrphans(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (isNotNullViolation(error, 'objects.version') || isOffVersion(error, 'objects')) throw stale('object')
    if (isForeignKeyViolation(error)) throw hasChildren(1)
    throw error
  }
}

/** @throws {Refusal} invalid when the user is not a collector */
export async function checkCollector(ports: Ports, collectorId: number, pointer: string): Promise<void> {
  if (collectorId === 0 || (await isCollector(ports, collectorId))) return
  throw new Refusal('invalid', 'The collectorId does not belong to a collector; see errors.', [
    { pointer, message: 'must be 0 or the id of a user with the role collector' },
  ])
}

const BELOW_MAX = 100_000

const PARENT_OF: Readonly<Record<ObjectType, ObjectType>> = {
  group: 'group',
  device: 'group',
  job: 'device',
  slo: 'group',
  slc: 'group',
}

type Destination = { readonly parentId: number; readonly pointer: string }

async function newParent(
  context: Context,
  row: ObjectRow,
  { parentId, pointer }: Destination,
): Promise<store.ObjectRow> {
  if (row.parentId === null) throw new Refusal('conflict', 'The root group cannot be moved.')
  const type = PARENT_OF[row.type]
  const parent = await store.findObject(context.ports.database, parentId)
  if (parent?.type !== type || !permissionsOf(await rightsOf(context), parent).write) {
    throw new Refusal('invalid', 'The parent does not exist or cannot be changed by you; see errors.', [
      { pointer, message: `must be the id of a ${type} that you have the right to write` },
    ])
  }
  if (parent.path.startsWith(row.path)) throw new Refusal('cycle', 'An object cannot be moved below itself.')
  if ((await objectsAbove(context.ports.database, [parent.id])).has(row.id)) {
    throw new Refusal(
      'cycle',
      'The object cannot be moved there: its state depends on the state of that parent.',
    )
  }
  return parent
}

function hasChildren(below: number): Refusal {
  const count = below === BELOW_MAX ? `${below} or more` : String(below)
  return new Refusal(
    'has_children',
    `The object still contains ${count} object${below === 1 ? '' : 's'}. Pass recursive=true to delete them too.`,
  )
}
