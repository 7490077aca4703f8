import { audited } from '../../access/audit/service.ts'
import { readableBy, rightsOf } from '../../access/rights/service.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { commitAndRead } from '../../ports/database.ts'
import type { ObjectType } from '../tree/schema.ts'
import { readTypes, refuseCircular, requireObject } from '../tree/service.ts'
import { DEPENDENCIES_MAX, DEPENDENTS_SHOWN_MAX } from './schema.ts'
import type { DependenciesView } from './schema.ts'
import * as store from './store.ts'

export type DependencyParent = { readonly parentType: ObjectType; readonly parentId: number }

/** The dependencies and the dependents of an object, as far as the caller may read them. @throws {Refusal} not_found */
export async function readDependencies(
  context: Context,
  { parentType, parentId: id }: DependencyParent,
): Promise<DependenciesView> {
  await requireObject(context, id, { type: parentType, right: 'read' })
  const readable = readableBy(await rightsOf(context), 'o')
  return viewOf(context, id, await store.readDependencies(context.ports.database, id, readable))
}

async function viewOf(
  context: Context,
  id: number,
  dependsOn: readonly store.DependencyRow[],
): Promise<DependenciesView> {
  const { database } = context.ports
  const readable = readableBy(await rightsOf(context), 'o')
  const [dependents, dependentsTotal] = await Promise.all([
    store.readDependents(database, id, { limit: DEPENDENTS_SHOWN_MAX, readable }),
    store.countDependents(database, id, readable),
  ])
  return { dependsOn: [...dependsOn], dependents: [...dependents], dependentsTotal }
}

/** Replaces the dependencies of an object; dependencies that the caller may not read stay.
 * @throws {Refusal} not_found for the object or a dependency, forbidden, cycle, invalid when there would be too many */
export async function updateDependencies(
  context: Context,
  { parentType, parentId: id }: DependencyParent,
  dependsOn: readonly number[],
): Promise<DependenciesView> {
  const { database } = context.ports
  await requireObject(context, id, { type: parentType, right: 'write' })
  const known = await readTypes(context, dependsOn)
  const missing = dependsOn.flatMap((one, index) =>
    known.has(one)
      ? []
      : { pointer: `/dependsOn/${index}`, message: 'must be the id of an object that you can read' },
  )
  if (missing.length > 0)
    throw new Refusal('not_found', 'An object in dependsOn does not exist; see errors.', missing)
  const readable = readableBy(await rightsOf(context), 'o')
  const hidden = await store.readHidden(database, id, readable)
  const dependents = await store.readAllDependents(database, id)
  const circular = dependsOn.findIndex((one) => dependents.has(one))
  if (circular >= 0) {
    throw new Refusal('cycle', 'The object would depend on itself.', [
      { pointer: `/dependsOn/${circular}`, message: 'must not be the object itself or depend on it' },
    ])
  }
  const shown = { dependsOn, readable, max: DEPENDENCIES_MAX }
  const entry = audited(context, {
    action: 'update dependencies',
    objectType: parentType,
    objectId: id,
    after: { dependsOn: [...hidden, ...dependsOn] },
  })
  const [written] = await refuseTooMany(() =>
    refuseCircular(() =>
      commitAndRead(
        database,
        [...store.replaceDependencies(database, id, shown), entry],
        [store.readDependencies(database, id, readable)],
      ),
    ),
  )
  return viewOf(context, id, written)
}

async function refuseTooMany<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!store.hasTooMany(error)) throw error
    const detail = 'The object would have too many dependencies, including some that you cannot read.'
    const message = `must have at most ${DEPENDENCIES_MAX} dependencies, including those that you cannot read`
    throw new Refusal('invalid', detail, [{ pointer: '/dependsOn', message }])
  }
}
