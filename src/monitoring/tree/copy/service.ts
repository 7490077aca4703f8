import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import { applyChanges, enqueueJobConfigs } from '../../job-config/service.ts'
import { enqueueTallies, enqueueMemberships } from '../../states/service.ts'
import * as tree from '../service.ts'
import type { ObjectRow } from '../service.ts'
import { OBJECT_NOUNS } from '../schema.ts'
import type { CopyQuery } from './schema.ts'
import * as store from './store.ts'

export { copyDependencies } from './store.ts'

const JOBS_MAX = 1000

type Destination = Pick<CopyQuery, 'destinationName' | 'destinationType'>

/** The original of a copy, if the caller may read it.
 * @throws {Refusal} not_found, conflict for an instance of an object that is not a template */
export async function requireOriginal(
  context: Context,
  id: number,
  {
    type,
    destinationType,
  }: Pick<Destination, 'destinationType'> & { readonly type: 'device' | 'slo' | 'slc' },
): Promise<ObjectRow> {
  const original = await tree.requireObject(context, id, { type, right: 'read' })
  if (destinationType === 'instance' && !original.isTemplate) {
    throw new Refusal(
      'conflict',
      `This ${OBJECT_NOUNS[type]} is not a template, so it cannot have instances. Use destinationType=none for a plain copy.`,
    )
  }
  return original
}

/** The rows of a copy that all objects have, as one part of a batch: see `tree.insertObject`. The properties have their
 * own rows. */
export function insertCopy(
  ports: Ports,
  original: ObjectRow,
  {
    query: { destinationName: name, destinationType },
    ...place
  }: { readonly query: Destination } & Pick<
    Parameters<typeof tree.insertObject>[1],
    'parentId' | 'collectorId' | 'createdAt'
  >,
) {
  const isInstance = destinationType === 'instance'
  return tree.insertObject(ports, {
    ...place,
    type: original.type,
    subType: original.subType,
    name,
    isTemplate: !isInstance && original.isTemplate,
    instanceType: isInstance ? 'instance' : 'none',
    templateId: isInstance ? original.id : null,
    properties: [],
  })
}

/** Copies a device with its jobs, as a template instance or as a plain copy.
 * @returns the id of the new device
 * @throws {Refusal} not_found for the original or the parent, forbidden, conflict, invalid */
export async function copyDevice(context: Context, id: number, query: CopyQuery): Promise<number> {
  const { ports } = context
  const { database } = ports
  const { destinationType } = query
  const original = await requireOriginal(context, id, { type: 'device', destinationType })
  const parentId = query.parentId ?? original.parentId ?? 0
  const parent = await tree.requireObject(context, parentId, { type: 'group', right: 'write' })
  if (query.collectorId !== undefined) await tree.checkCollector(ports, query.collectorId, '?collectorId')
  if ((await store.countJobs(database, id, JOBS_MAX + 1)) > JOBS_MAX) {
    throw new Refusal('conflict', `A device with more than ${JOBS_MAX} jobs cannot be copied.`)
  }
  const createdAt = ports.clock.now()
  const { key, writes, last } = insertCopy(ports, original, {
    query,
    parentId: parent.id,
    collectorId: query.collectorId ?? original.collectorId,
    createdAt,
  })
  const copy = {
    key,
    originalId: id,
    isInstance: destinationType === 'instance',
    address: query.destinationAddress ?? null,
    inheritsCollector: query.collectorId !== undefined,
    stopped: query.jobsStopped,
    createdAt,
  }
  const newId = await tree.commitCreation(database, [
    ...writes,
    ...store.copyRows(database, copy),
    store.copyDependencies(database, copy),
    enqueueJobConfigs(database, { path: key }),
    enqueueMemberships(database, { path: key }),
    ...store.settleJobs(database, copy),
    enqueueTallies(database, { path: key }),
    audited(context, {
      action: 'copy',
      objectType: 'device',
      objectId: { path: key },
      after: { ...query, originalId: id, parentId: parent.id },
    }),
    last,
  ])
  await Promise.all([applyChanges(ports), ports.flow.runDue()])
  return newId
}
