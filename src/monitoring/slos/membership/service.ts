import { commit } from '../../../ports/database.ts'
import type { Database } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { finishMemberships, enqueueTallies, readStaleMemberships } from '../../states/service.ts'
import type { StaleMembership } from '../../states/service.ts'
import type { ObjectType } from '../../tree/schema.ts'
import { filterOf } from '../../tree/search/filter.ts'
import { findFitting, findFittingAmong } from '../../tree/search/service.ts'
import { FOUND_MAX } from '../schema.ts'
import { changesOf } from './membership.ts'
import * as store from './store.ts'
import type { FilterRow, Member } from './store.ts'

const OBJECTS_AT_ONCE = 1_000
/** Members of one batch, objects times filters, so that the result fits one parameter. */
const MEMBERS_AT_ONCE = 20_000

/** Applies the filters of service level objects to changed objects, and marks the service level objects whose children
 * must be counted again. A filter leaves out objects that contain its own object: two service level objects whose
 * filters match each other leave each other out. Must not run concurrently with itself: see `ports/flow.ts`. */
export async function updateMemberships({ database }: Pick<Ports, 'database'>): Promise<void> {
  for (;;) {
    const all = await readStaleMemberships(database, OBJECTS_AT_ONCE)
    if (all.length === 0) return
    const filters = await store.readFilters(database)
    const stale = all.slice(0, Math.floor(MEMBERS_AT_ONCE / Math.max(filters.length, 1)))
    const foundAnew = await look(database, filters, stale)
    // Devices and jobs never contain a service level object, so they cannot close a cycle.
    const mayLeadInCircle = stale.some(({ type }) => type === 'group' || type === 'slo')
    if (mayLeadInCircle || foundAnew) await leaveOutCircles(database)
    await commit(database, [finishMemberships(database, stale)])
  }
}

async function leaveOutCircles(database: Database): Promise<void> {
  for (;;) {
    const misjudged = await store.readMisjudged(database, MEMBERS_AT_ONCE)
    if (misjudged.length === 0) return
    await commit(database, [
      store.enqueueAssessment(database, misjudged),
      enqueueTallies(database, parentsOf(misjudged)),
    ])
  }
}

/** @returns whether some filter has checked all objects */
async function look(
  database: Database,
  filters: readonly FilterRow[],
  stale: readonly StaleMembership[],
): Promise<boolean> {
  const whole = new Set(stale.filter(({ isWhole }) => isWhole === 1).map(({ objectId }) => objectId))
  const some = filters.filter(({ sloId }) => !whole.has(sloId))
  const { come, gone, overfull } = await updateAmong(database, some, stale)
  if (come.length + gone.length > 0) {
    await commit(database, [
      store.removeMembers(database, gone),
      store.addMembers(database, come),
      enqueueTallies(database, parentsOf([...come, ...gone])),
    ])
  }
  const byId = new Map(filters.map((filter) => [filter.sloId, filter]))
  const anew = new Set([...whole, ...overfull])
  for (const id of anew) await updateOne(database, id, byId.get(id))
  return anew.size > 0
}

type Changes = {
  readonly come: readonly Member[]
  readonly gone: readonly Member[]
  /** Filters that may have more matches than they count, or have room again. */
  readonly overfull: readonly number[]
}

async function updateAmong(
  database: Database,
  filters: readonly FilterRow[],
  stale: readonly StaleMembership[],
): Promise<Changes> {
  const asked = filters.flatMap((row) => searchesOf(row).map((search) => ({ sloId: row.sloId, search })))
  const lists = await findFittingAmong(
    database,
    asked.map(({ search }) => search),
    stale.map(({ objectId, type, path }) => ({ id: objectId, type: type as ObjectType, path })),
  )
  const found = new Map(asked.map(({ sloId }, index) => [sloId, lists[index] ?? []]))
  const known = await knownMembers(
    database,
    stale.map(({ objectId }) => objectId),
  )
  const changes = filters.map(({ sloId, isFull }) => ({
    sloId,
    isFull,
    ...changesOf(found.get(sloId) ?? [], known.get(sloId) ?? new Map()),
  }))
  const coming = changes.filter(({ come }) => come.length > 0).map(({ sloId }) => sloId)
  const counts = await store.countMembers(database, coming)
  const isOverfull = ({ sloId, isFull, come, gone }: (typeof changes)[number]) =>
    come.length + gone.length > 0 && (isFull || (counts.get(sloId) ?? 0) + come.length > FOUND_MAX)
  const within = changes.filter((change) => !isOverfull(change))
  const membersOf = (sloId: number, ids: readonly number[]) =>
    ids.map((childId) => ({ parentId: sloId, childId }))
  return {
    come: within.flatMap(({ sloId, come }) => membersOf(sloId, come)),
    gone: within.flatMap(({ sloId, gone }) => membersOf(sloId, gone)),
    overfull: changes.filter(isOverfull).map(({ sloId }) => sloId),
  }
}

async function knownMembers(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, boolean>>> {
  const known = new Map<number, Map<number, boolean>>()
  for (const { parentId, childId, byFilter } of await store.readMembers(database, ids)) {
    const children = known.get(parentId) ?? new Map<number, boolean>()
    known.set(parentId, children.set(childId, byFilter === 1))
  }
  return known
}

/** @param row undefined for a service level object without a filter */
async function updateOne(database: Database, sloId: number, row: FilterRow | undefined): Promise<void> {
  const [search] = row ? searchesOf(row) : []
  const found = search ? await findFitting(database, search, FOUND_MAX + 1) : []
  const children = found.slice(0, FOUND_MAX)
  await commit(database, [
    ...store.replaceMembers(database, sloId, { children, isFull: found.length > FOUND_MAX }),
    enqueueTallies(database, sloId),
  ])
}

/** The searches of a filter; none if its group was deleted. */
function searchesOf({ filter, path }: FilterRow) {
  return path === null ? [] : [{ filter: filterOf(filter.filterDefinition, ''), path }]
}

function parentsOf(members: readonly Member[]): readonly number[] {
  return [...new Set(members.map(({ parentId }) => parentId))]
}
