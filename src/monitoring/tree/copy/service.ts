import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { applyChanges, markSubtree } from '../../rules/service.ts'
import { markUncounted, markUnfiltered } from '../../states/service.ts'
import * as tree from '../service.ts'
import type { CopyQuery } from './schema.ts'
import * as store from './store.ts'

export { copyDependencies } from './store.ts'

const JOBS_MAX = 1000

/** Copies a device with its jobs, as an instance of a template or plainly.
 * @returns the id of the new device
 * @throws {Refusal} not_found for the original or the parent, forbidden, conflict, invalid */
export async function copyDevice(context: Context, id: number, query: CopyQuery): Promise<number> {
  const { ports } = context
  const { database } = ports
  const original = await tree.requireObject(context, id, { type: 'device', right: 'read' })
  const isInstance = query.destinationType === 'instance'
  if (isInstance && !original.isTemplate) {
    throw new Refusal('conflict', 'Instances are made of templates only, and this device is none.')
  }
  const parentId = query.parentId ?? original.parentId ?? 0
  const parent = await tree.requireObject(context, parentId, { type: 'group', right: 'write' })
  if (query.collectorId !== undefined) await tree.checkCollector(ports, query.collectorId, '?collectorId')
  if ((await store.countJobs(database, id, JOBS_MAX + 1)) > JOBS_MAX) {
    throw new Refusal('conflict', `A device is copied with ${JOBS_MAX} jobs at most.`)
  }
  const createdAt = ports.clock.now()
  const { key, writes, last } = tree.insertObject(ports, {
    type: 'device',
    subType: original.subType,
    name: query.destinationName,
    parentId: parent.id,
    isTemplate: !isInstance && original.isTemplate,
    instanceType: isInstance ? 'instance' : 'none',
    templateId: isInstance ? id : null,
    collectorId: query.collectorId ?? original.collectorId,
    createdAt,
    properties: [],
  })
  const copy = {
    key,
    originalId: id,
    isInstance,
    address: query.destinationAddress ?? null,
    inheritsCollector: query.collectorId !== undefined,
    stopped: query.jobsStopped,
    createdAt,
  }
  const newId = await tree.commitCreation(database, [
    ...writes,
    ...store.copyRows(database, copy),
    store.copyDependencies(database, copy),
    markSubtree(database, key),
    markUnfiltered(database, { path: key }),
    ...store.settleJobs(database, copy),
    markUncounted(database, { path: key }),
    audited(context, {
      action: 'copy',
      objectType: 'device',
      objectId: { path: key },
      after: { ...query, originalId: id, parentId: parent.id },
    }),
    last,
  ])
  await Promise.all([applyChanges(ports), ports.flow.settle()])
  return newId
}
