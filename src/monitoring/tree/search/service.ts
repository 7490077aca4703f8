import { permissionsOf, readableTops, ROOT_PATH } from '../../../access/rights/permissions.ts'
import { rightsOf } from '../../../access/rights/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { decodeCursor, pageOf, unknownCursor } from '../../../lib/paging.ts'
import type { Page } from '../../../lib/paging.ts'
import type { Database } from '../../../ports/database.ts'
import type { Parameters } from '../../job-config/schema.ts'
import type { ObjectType } from '../schema.ts'
import { requireStart } from '../service.ts'
import { branchesOf } from './branches.ts'
import { parseFilter } from './filter.ts'
import type { Condition, Filter, ValueTest } from './filter.ts'
import type { SearchView } from './schema.ts'
import type { Bound } from './store/bound.ts'
import { conditionSql } from './store/conditions.ts'
import * as store from './store/search.ts'
import type { Branch, FoundObject } from './store/search.ts'
import { valueHolds } from './values.ts'

export { Bound } from './store/bound.ts'
export { SIGNS } from './store/conditions.ts'

const CANDIDATES_MAX = 1000
const ACTORS_AT_ONCE = 50
const BRANCHES_AT_ONCE = 50
/** For all conditions of an `or` together; with more matches, pages get shorter. */
const FOUND_MAX = 50_000

type SearchPage = { readonly items: SearchView['items']; readonly next: string | null }

/** Readable objects below a group that match a filter definition, in tree order.
 * @returns `next` is the cursor of the next page, null for the last
 * @throws {Refusal} not_found, invalid */
export async function searchGroup(
  context: Context,
  id: number,
  { filterDefinition, ...page }: Page & { filterDefinition: string },
): Promise<SearchPage> {
  const filter = parseFilter(filterDefinition)
  const { path } = await requireStart(context, id, 'group')
  return searchBelow(context, { filter, path }, page)
}

/** All readable objects of a type, in tree order.
 * @returns as `searchGroup`
 * @throws {Refusal} invalid for a cursor of another list */
export function listObjects(context: Context, type: ObjectType, page: Page): Promise<SearchPage> {
  return searchBelow(context, { filter: { type, mode: 'and', conditions: [] }, path: ROOT_PATH }, page)
}

async function searchBelow(context: Context, { filter, path }: Search, page: Page): Promise<SearchPage> {
  const rights = await rightsOf(context)
  const after = page.cursor === undefined ? path : placeOf(page.cursor, path)
  const branches = branchesOf(filter, path, readableTops(rights))
  const limit = Math.max(1, Math.min(page.limit, Math.floor(FOUND_MAX / Math.max(1, branches.length))))
  const found = merge(await findAll(context, branches, { after, limit: limit + 1 }))
  const { shown, next } = pageOf(found, limit, (last) => last.path)
  const items = await readItems(
    context,
    shown.map((object) => object.id),
  )
  return { items, next }
}

/** The readable ones among these objects, in the order of the ids. */
export async function readItems(context: Context, ids: readonly number[]): Promise<SearchView['items']> {
  const rights = await rightsOf(context)
  const rows = await store.readItems(context.ports.database, ids)
  return rows.flatMap((row) => {
    const { runBy: _runBy, path: _path, parentName, ...rest } = row
    const permissions = permissionsOf(rights, row)
    if (!permissions.read) return []
    return [{ ...rest, permissions, ...(row.type === 'job' ? { deviceName: parentName ?? '' } : {}) }]
  })
}

/** A condition without current values as SQL on an object `o`, with the types that can meet it. The statement must be
 * built by `bound`. */
export function conditionOn(condition: Condition, bound: Bound): string {
  const [branch] = branchesOf({ type: null, mode: 'and', conditions: [condition] }, '/', null)
  if (!branch) return '0'
  const types = branch.types.map((type) => `'${type}'`).join(', ')
  return [`+o.type in (${types})`, ...branch.conditions.map((one) => conditionSql(one, bound))].join(' and ')
}

/** A filter without current values, and the path of the group that it searches. */
export type Search = { readonly filter: Filter; readonly path: string }

/** The objects that match a filter now, in tree order, at most `limit`.
 * @returns their ids */
export async function findFitting(
  database: Database,
  { filter, path }: Search,
  limit: number,
): Promise<readonly number[]> {
  const page = { after: path, limit }
  const found = merge(await store.findBranches(database, branchesOf(filter, path, null), page))
  return found.slice(0, limit).map(({ id }) => id)
}

/** The matches of each filter among a few objects; no other objects are read. */
export async function findFittingAmong(
  database: Database,
  searches: readonly Search[],
  among: readonly { readonly id: number; readonly type: ObjectType; readonly path: string }[],
): Promise<readonly (readonly number[])[]> {
  const asked = searches.flatMap(({ filter, path }, index) => {
    const candidates = among.filter((object) => object.path.startsWith(path))
    const types = new Set(candidates.map(({ type }) => type))
    return branchesOf(filter, path, null)
      .filter((branch) => branch.types.some((type) => types.has(type)))
      .map((branch) => ({ index, branch }))
  })
  const found = searches.map(() => new Set<number>())
  for (let from = 0; from < asked.length; from += BRANCHES_AT_ONCE) {
    const some = asked.slice(from, from + BRANCHES_AT_ONCE)
    const lists = await store.findAmong(
      database,
      some.map(({ branch }) => branch),
      among.map(({ id }) => id),
    )
    for (const [place, { index }] of some.entries())
      for (const { id } of lists[place] ?? []) found[index]?.add(id)
  }
  return found.map((ids) => [...ids])
}

async function findAll(
  context: Context,
  branches: readonly Branch[],
  page: { after: string; limit: number },
): Promise<(readonly FoundObject[])[]> {
  const { database } = context.ports
  const plain = branches.filter((branch) => !branch.conditions.some(asksForValue))
  const found = [...(await store.findBranches(database, plain, page))]
  for (const branch of branches) {
    const asking = branch.conditions.filter(asksForValue)
    if (asking.length > 0) found.push(await findByValue(context, { branch, asking }, page))
  }
  return found
}

type Asking = Condition & { readonly test: ValueTest }

function asksForValue(condition: Condition): condition is Asking {
  return condition.test.kind === 'value'
}

/** Reads the current values of the jobs that meet all other conditions. @throws {Refusal} invalid when there are too
 * many jobs */
async function findByValue(
  { ports }: Context,
  { branch, asking }: { branch: Branch; asking: readonly Asking[] },
  page: { after: string; limit: number },
): Promise<FoundObject[]> {
  const { database, jobActors } = ports
  const [candidates = []] = await store.findBranches(database, [branch], {
    ...page,
    limit: CANDIDATES_MAX + 1,
  })
  if (candidates.length > CANDIDATES_MAX) {
    throw new Refusal(
      'invalid',
      'The filter definition matches too many jobs to compare their values. Add conditions.',
      [
        {
          pointer: asking[0]?.test.pointer ?? '?filterDefinition',
          message: `can be compared for at most ${CANDIDATES_MAX} jobs`,
        },
      ],
    )
  }
  const parameters = await store.readParameters(
    database,
    candidates.map(({ id }) => id),
  )
  const found: FoundObject[] = []
  for (let from = 0; from < candidates.length && found.length < page.limit; from += ACTORS_AT_ONCE) {
    const slice = candidates.slice(from, from + ACTORS_AT_ONCE)
    const snapshots = await Promise.all(slice.map(({ id }) => jobActors.snapshot(id)))
    found.push(
      ...slice.filter(({ id }, index) => {
        const job = { parameters: parameters.get(id) as Parameters, current: snapshots[index]?.current ?? {} }
        return asking.every((condition) => valueHolds(condition, job))
      }),
    )
  }
  return found.slice(0, page.limit)
}

/** Merges lists without duplicates, in tree order. */
function merge(lists: readonly (readonly FoundObject[])[]): readonly FoundObject[] {
  const [only] = lists
  if (only && lists.length === 1) return only
  const byPath = new Map(lists.flat().map((object) => [object.path, object]))
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function placeOf(cursor: string, path: string): string {
  const place = decodeCursor(cursor)
  if (typeof place === 'string' && /^\/(?:\d+\/)+$/.test(place) && place.startsWith(path)) return place
  throw unknownCursor()
}
