import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { isNotNullViolation } from '../../../ports/database.ts'
import { copyMaterial } from '../../slos/copy/service.ts'
import { insertFirstState } from '../../states/service.ts'
import { copyDependencies, insertCopy, requireOriginal } from '../../tree/copy/service.ts'
import * as tree from '../../tree/service.ts'
import type { SlcCopyQuery } from './schema.ts'
import * as store from './store.ts'

/** Copies a service level container, as a template instance or as a plain copy. The copy has the same terms and
 * children; it has no history, and its periods begin with it.
 * @returns the id of the copy
 * @throws {Refusal} not_found for the original or the group, forbidden, conflict */
export async function copySlc(context: Context, id: number, query: SlcCopyQuery): Promise<number> {
  const { ports } = context
  const { database } = ports
  const { destinationType } = query
  const original = await requireOriginal(context, id, { type: 'slc', destinationType })
  const groupId = query.parentId ?? original.parentId ?? 0
  const group = await tree.requireObject(context, groupId, { type: 'group', right: 'write' })
  const createdAt = ports.clock.now()
  const place = { parentId: group.id, collectorId: 0, createdAt }
  const { key, writes, last } = insertCopy(ports, original, { query, ...place })
  const audit = {
    action: 'copy',
    objectType: 'slc',
    objectId: { path: key },
    after: { ...query, originalId: id },
  }
  const newId = await refuseGone(() =>
    tree.commitCreation(database, [
      ...writes,
      store.copyTerms(database, key, { originalId: id, createdAt }),
      insertFirstState(database, { path: key, state: 'ok', sinceAt: createdAt }),
      ...copyMaterial(database, key, id),
      copyDependencies(database, { key, originalId: id }),
      audited(context, audit),
      last,
    ]),
  )
  await ports.flow.runDue()
  return newId
}

/** Runs a copy's commit. @throws {Refusal} not_found when the original was deleted */
async function refuseGone(write: () => Promise<number>): Promise<number> {
  try {
    return await write()
  } catch (error) {
    if (!isNotNullViolation(error, 'slcs.duration')) throw error
    throw new Refusal('not_found', 'The original was deleted in the meantime.')
  }
}
