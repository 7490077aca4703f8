import type { Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { commit } from '../../ports/database.ts'
import type { ObjectType } from '../tree/schema.ts'
import { refuseCircular, requireObject, rightsOn } from '../tree/service.ts'
import { DEPENDENTS_SHOWN_MAX } from './schema.ts'
import type { DependenciesView } from './schema.ts'
import * as store from './store.ts'
import type { DependencyRow } from './store.ts'

export type Asked = { readonly parentType: ObjectType; readonly parentId: number }

/** What an object depends on, and what depends on it; of both what the caller may read. @throws {Refusal} not_found */
export async function readDependencies(
  context: Context,
  { parentType, parentId: id }: Asked,
): Promise<DependenciesView> {
  const { database } = context.ports
  await requireObject(context, id, { type: parentType, right: 'read' })
  const [dependsOn, dependents, dependentsTotal] = await Promise.all([
    store.readDependencies(database, id),
    store.readDependents(database, id, DEPENDENTS_SHOWN_MAX),
    store.countDependents(database, id),
  ])
  return { dependsOn: shown(context, dependsOn), dependents: shown(context, dependents), dependentsTotal }
}

/** Says what an object depends on, instead of what was said before.
 * @throws {Refusal} not_found for it or for what it is to depend on, forbidden, cycle */
export async function updateDependencies(
  context: Context,
  asked: Asked,
  dependsOn: readonly number[],
): Promise<DependenciesView> {
  const { database } = context.ports
  const { parentType, parentId: id } = asked
  await requireObject(context, id, { type: parentType, right: 'write' })
  const readable = new Set(shown(context, await store.readGiven(database, dependsOn)).map((row) => row.id))
  const missing = dependsOn.findIndex((one) => !readable.has(one))
  if (missing >= 0) {
    throw new Refusal('not_found', 'There is no such object to depend on.', [
      { pointer: `/dependsOn/${missing}`, message: 'is no object' },
    ])
  }
  const dependents = await store.readAllDependents(database, id)
  const circular = dependsOn.findIndex((one) => dependents.has(one))
  if (circular >= 0) {
    throw new Refusal('cycle', 'The object would depend on itself.', [
      { pointer: `/dependsOn/${circular}`, message: 'is or depends on the object itself' },
    ])
  }
  await refuseCircular(() => commit(database, store.replaceDependencies(database, id, dependsOn)))
  return readDependencies(context, asked)
}

function shown(context: Context, rows: readonly DependencyRow[]): DependenciesView['dependsOn'] {
  return rows
    .filter((row) => rightsOn(context, row).read)
    .map(({ id, type, name, state }) => ({ id, type, name, state }))
}
