import { recorder } from '../../../access/audit/service.ts'
import { refuseWhileShown } from '../../../access/dashboard-use/service.ts'
import type { Context } from '../../../context.ts'
import { idsBelow, writeGroup } from '../../../http/group-tree.ts'
import { commitIfMatch, refuseStale } from '../../../http/preconditions.ts'
import { noSuch, stale } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import {
  commit,
  commitAndRead,
  fullDetail,
  isForeignKeyViolation,
  onlyOf,
  refuseFull,
} from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { keyOf } from '../references.ts'
import { deletionWrites, hasDependents, isReferredTo } from '../service/dependents.ts'
import { GROUPS_MAX } from './schema.ts'
import type { GroupBody, GroupView } from './schema.ts'
import * as store from './store.ts'
import type { GroupChange, GroupRow } from './store.ts'

const recorded = recorder('dataQueryGroup')

type Versioned = { readonly view: GroupView; readonly version: number }

/** The groups of data queries, by name; there are 200 at most. */
export async function listGroups({ ports }: Context): Promise<GroupView[]> {
  return (await store.listGroups(ports.database)).map((row) => viewOf(ports, row))
}

/** @throws {Refusal} not_found */
export async function readGroup({ ports }: Context, id: number): Promise<Versioned> {
  return versioned(ports, await requireGroup(ports, id))
}

/** Whether there is a group of this id. */
export async function hasGroup({ database }: Ports, id: number): Promise<boolean> {
  return (await store.findGroup(database, id)) !== null
}

/** @throws {Refusal} name_taken, invalid for a parent that does not exist, conflict when there are 200 */
export async function createGroup(context: Context, body: GroupBody): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  const change = changeOf(ports, body)
  const row = { ...change, version: 1, createdAt: change.updatedAt }
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(change) })
  const full = fullDetail(GROUPS_MAX, 'groups of data queries')
  const writes = [store.insertGroup(database, row, GROUPS_MAX), entry]
  const [made] = await refuseFull('data_query_groups', full, () =>
    writeGroup('data_query_groups', () =>
      commitAndRead(database, writes, [store.selectGroupNamed(database, row)]),
    ),
  )
  return versioned(ports, onlyOf(made))
}

/** Changes a group, and moves it to another parent.
 * @throws {Refusal} not_found, precondition_failed, cycle for a parent that is the group itself or below it, and as `createGroup` */
export async function updateGroup(
  context: Context,
  id: number,
  { body, ifMatch }: { readonly body: GroupBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const before = await requireGroup(ports, id)
  refuseStale(ifMatch, before.version, 'group')
  const after = changeOf(ports, body)
  const told = { objectId: id, before: auditFieldsOf(before), after: auditFieldsOf(after) }
  const writes = [...store.updateGroup(ports.database, before, after), recorded(context, 'update', told)]
  await writeGroup('data_query_groups', () => commit(ports.database, writes))
  return versioned(ports, { ...before, ...after, version: before.version + 1 })
}

/** Deletes a group with the groups below it and with all data queries in them.
 * @throws {Refusal} not_found, precondition_failed, has_dependents while other data queries refer to these, unless it is forced */
export async function deleteGroup(
  context: Context,
  id: number,
  options: { readonly isForced: boolean },
): Promise<void> {
  const { ports } = context
  const { database } = ports
  const row = await requireGroup(ports, id)
  const ids = idsBelow(await store.listGroups(database), id)
  const members = await store.listMembers(database, ids)
  const deleted = { ids: members.map((member) => member.id), keys: members.map(({ name }) => keyOf(name)) }
  if (!options.isForced) await refuseWhileShown(context, { kind: 'dataQuery', ids: deleted.ids })
  const before = { ...auditFieldsOf(row), groups: ids, dataQueries: deleted.ids }
  try {
    await commitIfMatch(context, { ...row, table: 'data_query_groups' }, [
      ...deletionWrites(ports, deleted, options),
      store.deleteGroups(database, ids),
      recorded(context, 'delete', { objectId: id, before }),
    ])
  } catch (error) {
    // A data query or a group was added meanwhile.
    if (isForeignKeyViolation(error)) throw stale('group')
    if (!isReferredTo(error)) throw error
    throw await hasDependents(ports, members)
  }
}

async function requireGroup({ database }: Ports, id: number): Promise<GroupRow> {
  const row = await store.findGroup(database, id)
  if (!row) throw noSuch('group')
  return row
}

function changeOf({ clock }: Ports, { name, description, parentId }: GroupBody): GroupChange {
  return { name, description, parentId, updatedAt: clock.now() }
}

function auditFieldsOf({ name, description, parentId }: Omit<GroupChange, 'updatedAt'>) {
  return { name, description, parentId }
}

function versioned(ports: Ports, row: GroupRow): Versioned {
  return { view: viewOf(ports, row), version: row.version }
}

function viewOf({ settings }: Ports, row: GroupRow): GroupView {
  const { id, name, description, parentId, createdAt, updatedAt } = row
  const format = timeFormat(settings.timeZone)
  return { id, name, description, parentId, createdAt: format(createdAt), updatedAt: format(updatedAt) }
}
