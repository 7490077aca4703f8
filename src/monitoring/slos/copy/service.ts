import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { isNotNullViolation } from '../../../ports/database.ts'
import { enqueueFilter, enqueueTallies, objectsAbove, refuseCircle } from '../../states/service.ts'
import { copyDependencies, insertCopy, requireOriginal } from '../../tree/copy/service.ts'
import * as tree from '../../tree/service.ts'
import type { ObjectRow } from '../../tree/service.ts'
import { checkRoomForFilter, checkRoomForLinks } from '../service.ts'
import type { SloCopyQuery } from './schema.ts'
import * as store from './store.ts'

export { copyMaterial } from './store.ts'

/** Copies a service level object, as a template instance or as a plain copy. The copy has the same children, and its
 * filter finds its own.
 * @returns the id of the copy
 * @throws {Refusal} not_found for the original or the parent, forbidden, conflict, cycle, invalid */
export async function copySlo(context: Context, id: number, query: SloCopyQuery): Promise<number> {
  const { ports } = context
  const { database } = ports
  const { destinationType } = query
  const original = await requireOriginal(context, id, { type: 'slo', destinationType })
  const { group, slo } = await destinationOf(context, original, query)
  if (slo) await checkNewChild(context, original, slo)
  if (await store.hasFilter(database, id)) await checkRoomForFilter(context, 0, '?destinationName')
  const place = { parentId: group.id, collectorId: 0, createdAt: ports.clock.now() }
  const { key, writes, last } = insertCopy(ports, original, { query, ...place })
  const linking = slo && [
    store.linkLast(database, key, slo.id),
    enqueueTallies(database, slo.id),
    enqueueFilter(database, slo.id),
    refuseCircle(database, slo.id),
  ]
  const newId = await refuseGone(() =>
    tree.commitCreation(database, [
      ...writes,
      ...store.copyRows(database, key, id),
      copyDependencies(database, { key, originalId: id }),
      enqueueTallies(database, { path: key }),
      enqueueFilter(database, { path: key }),
      ...(linking ?? []),
      audited(context, {
        action: 'copy',
        objectType: 'slo',
        objectId: { path: key },
        after: { ...query, originalId: id },
      }),
      last,
    ]),
  )
  await ports.flow.runDue()
  return newId
}

/** Runs a copy's commit. @throws {Refusal} not_found when the original was deleted, cycle */
async function refuseGone(write: () => Promise<number>): Promise<number> {
  try {
    return await tree.refuseCircular(write)
  } catch (error) {
    if (!isNotNullViolation(error, 'slos.device_id')) throw error
    throw new Refusal('not_found', 'The original was deleted in the meantime.')
  }
}

/** The group of the copy, and the service level object that gets it as a child. */
async function destinationOf(
  context: Context,
  original: ObjectRow,
  { parentType, parentId }: SloCopyQuery,
): Promise<{ readonly group: ObjectRow; readonly slo: ObjectRow | null }> {
  const groupAt = (id: number | null) =>
    tree.requireObject(context, id ?? 0, { type: 'group', right: 'write' })
  if (parentId === undefined) return { group: await groupAt(original.parentId), slo: null }
  if (parentType === 'group') return { group: await groupAt(parentId), slo: null }
  const slo = await tree.requireObject(context, parentId, { type: 'slo', right: 'write' })
  return { group: await groupAt(slo.parentId), slo }
}

async function checkNewChild(context: Context, original: ObjectRow, parent: ObjectRow): Promise<void> {
  const { database } = context.ports
  await checkRoomForLinks(context, parent.id, { ids: [0], pointer: '?parentId' })
  const above = await objectsAbove(database, [parent.id])
  const children = await store.readLinkedIds(database, original.id)
  if (children.some((child) => above.has(child))) {
    throw new Refusal(
      'cycle',
      'The copy would depend on itself: a child of the original contains the new parent.',
      [{ pointer: '?parentId', message: 'must not be below a child of the original' }],
    )
  }
}
