import type { Context } from '../../../context.ts'
import { commit } from '../../../ports/database.ts'
import { applyChanges } from '../../job-config/service.ts'
import type { GroupBody, GroupView } from '../schema.ts'
import * as tree from '../service.ts'
import type { ObjectRow, PropertyRow } from '../service.ts'

const NEW_GROUP = { subType: 'group', instanceType: 'none' } as const

/** @throws {Refusal} not_found */
export async function readGroup(
  context: Context,
  id: number,
): Promise<{ group: GroupView; version: number }> {
  const row = await tree.requireObject(context, id, { type: 'group', right: 'read' })
  const properties = await tree.readProperties(context.ports.database, id)
  return { group: await viewOf(context, row, properties), version: row.version }
}

/** @throws {Refusal} not_found for the parent, forbidden */
export async function createGroup(context: Context, parentId: number, body: GroupBody) {
  const { ports } = context
  const parent = await tree.requireObject(context, parentId, { type: 'group', right: 'write' })
  const id = await tree.createObject(
    context,
    {
      input: {
        ...tree.commonFields(body, NEW_GROUP),
        type: 'group',
        parentId: parent.id,
        templateId: null,
        collectorId: 0,
        createdAt: ports.clock.now(),
      },
      own: {},
    },
    () => [],
  )
  await ports.flow.runDue()
  return readGroup(context, id)
}

/** Replaces a group, and moves it if the body names another parent.
 * @throws {Refusal} not_found, forbidden, precondition_failed, conflict, cycle, invalid */
export async function updateGroup(
  context: Context,
  id: number,
  change: { body: GroupBody; ifMatch: number | null },
) {
  const { body, ifMatch } = change
  const row = await tree.requireObject(context, id, { type: 'group', right: 'write' })
  const fields = { ...tree.commonFields(body, row), collectorId: row.collectorId }
  const own = { before: {}, after: {} }
  const written = await tree.updateObject(context, row, { fields, parentId: body.parentId, ifMatch, own })
  await context.ports.flow.runDue()
  const { row: group, properties } = await tree.showWritten(context, written)
  return { group: await viewOf(context, group, properties), version: group.version }
}

/** @throws {Refusal} not_found, forbidden, has_children, conflict for the root */
export async function deleteGroup(context: Context, id: number, recursive: boolean): Promise<void> {
  const row = await tree.requireObject(context, id, { type: 'group', right: 'write' })
  const writes = await tree.deleteObjectWrites(context, row, recursive)
  await tree.refuseOrphans(() => commit(context.ports.database, writes))
  context.ports.log.info('tree: group deleted', { groupId: id, recursive })
  await Promise.all([applyChanges(context.ports), context.ports.flow.runDue()])
}

async function viewOf(
  context: Context,
  row: ObjectRow,
  properties: readonly PropertyRow[],
): Promise<GroupView> {
  const reasons = await tree.readReasons(context, row)
  return { ...tree.commonView(row, properties), hasChildren: row.hasChildren, reasons }
}
