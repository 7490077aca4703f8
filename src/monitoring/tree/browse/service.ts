import {
  idsOf,
  permissionsOf,
  readable,
  ROOT_ID,
  ROOT_PATH,
  visible,
} from '../../../access/rights/permissions.ts'
import type { IdListSql, Permissions, Rights } from '../../../access/rights/permissions.ts'
import { readableBy, rightsOf, visibleBy } from '../../../access/rights/service.ts'
import type { Database } from '../../../ports/database.ts'
import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { decodeCursor, decodeNumber, pageOf, unknownCursor } from '../../../lib/paging.ts'
import type { Page } from '../../../lib/paging.ts'
import { OBJECT_NOUNS, OBJECT_TYPES } from '../schema.ts'
import type { ObjectType } from '../schema.ts'
import { readItems } from '../search/store/search.ts'
import { requireObject, requireStart } from '../service.ts'
import { joinPath, parsePath } from './path.ts'
import type { Segment } from './path.ts'
import type { ChildrenView, ParentPath, SearchPathView, TreeNode, TreeQuery } from './schema.ts'
import * as store from './store.ts'
import type { ChildPlace, Hit } from './store.ts'
import { growTree } from './tree.ts'

const NODES_MAX = 5000
const SEGMENTS_MAX = 64
const WILDCARDS_MAX = 16
/** The maximum number of objects that match one segment of a path. */
const FRONTIER_MAX = 10_000
/** A caller without rights finds nothing below the root group. */
const ROOT: Hit = { id: ROOT_ID, path: ROOT_PATH }
const FIRST: ChildPlace = { type: '', name: '', id: 0 }

/** The children of an object, by type and name: those that the caller may read, and those above readable objects.
 * @returns `next` is the cursor of the next page, null for the last
 * @throws {Refusal} not_found, invalid */
export async function listChildren(
  context: Context,
  { parentType, parentId }: ParentPath,
  page: Page,
): Promise<{ items: ChildrenView['items']; next: string | null }> {
  if (parentType === 'slo' || parentType === 'slc') {
    const parent = await requireObject(context, parentId, { type: parentType, right: 'read' })
    return listLinked(context, parent.id, page)
  }
  const parent = await requireStart(context, parentId, parentType)
  const rights = await rightsOf(context)
  const { after, position } = page.cursor === undefined ? { after: FIRST, position: 0 } : placeOf(page.cursor)
  const rows = await store.readChildren(context.ports.database, parent.id, {
    after,
    limit: page.limit + 1,
    visible: visibleBy(rights, 'o'),
    linked: readableBy(rights, 'k'),
  })
  const { shown, next } = pageOf(rows, page.limit, ({ type, nameFolded, id }) => [
    type,
    nameFolded,
    id,
    position + page.limit,
  ])
  return { items: itemsOf(rights, shown, position), next }
}

/** The readable children of a service level object or container, in the order of its `sortMode`.
 * @returns as `listChildren`
 * @throws {Refusal} invalid */
export async function listLinked(
  context: Context,
  parentId: number,
  page: Page,
): Promise<{ items: ChildrenView['items']; next: string | null }> {
  const rights = await rightsOf(context)
  const offset = page.cursor === undefined ? 0 : offsetOf(page.cursor)
  const rows = await store.readLinked(context.ports.database, parentId, {
    offset,
    limit: page.limit + 1,
    readable: readableBy(rights, 'o'),
    linked: readableBy(rights, 'k'),
  })
  const { shown, next } = pageOf(rows, page.limit, () => offset + page.limit)
  return { items: itemsOf(rights, shown, offset), next }
}

/** A page of a list, after `position`. */
function itemsOf(
  rights: Rights,
  rows: readonly (store.ChildRow & Partial<store.LinkedRow>)[],
  position: number,
): ChildrenView['items'] {
  return rows.map((row, index) => {
    const { id, type, subType, name, state, hasChildren } = veiled(rights, row)
    return {
      id,
      type,
      subType,
      name,
      state,
      hasChildren,
      position: position + index + 1,
      by: row.by ?? 'tree',
      ...(row.by && { weight: row.weight, stateOverrides: row.stateOverrides }),
    }
  })
}

/** An object above readable objects shows its name, but not its state, which would reveal the states of other
 * objects. */
function veiled<Row extends store.ChildRow | store.NodeRow>(rights: Rights, row: Row): Row {
  return permissionsOf(rights, row).read ? row : { ...row, state: 'undefined' }
}

/** An object with the objects below it: those that the caller may read, and those above readable objects. @throws
 * {Refusal} not_found, invalid when the tree is too large */
export async function readTree(
  context: Context,
  { parentType, parentId }: ParentPath,
  query: TreeQuery,
): Promise<TreeNode> {
  const { database } = context.ports
  const top = await requireStart(context, parentId, parentType)
  const rights = await rightsOf(context)
  const rows = await store.readNodes(database, top.id, {
    depth: query.depth,
    types: query.types ?? OBJECT_TYPES,
    limit: NODES_MAX + 1,
    visible: visibleBy(rights, 'c'),
    linked: readableBy(rights, 'k'),
  })
  if (rows.length > NODES_MAX) {
    throw new Refusal(
      'invalid',
      `The tree is too large: it has more than ${NODES_MAX} objects. Use a smaller depth.`,
      [{ pointer: '?depth', message: 'is too large' }],
    )
  }
  const parents = rows.filter(({ type, hasChildren }) => type !== 'job' && hasChildren).map(({ id }) => id)
  const counts = await store.countStates(database, parents, readableBy(rights, 'j'))
  const seen = rows.map((row) => veiled(rights, row))
  const node = growTree(seen, counts, { ...query, permissionsOf: (row) => permissionsOf(rights, row) })
  if (!node) throw noSuch(OBJECT_NOUNS[parentType])
  return node
}

/** The types of these objects and the rights of the caller on them; objects that do not exist or are not readable are
 * missing. */
export async function readPermissions(
  context: Context,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { readonly type: ObjectType; readonly permissions: Permissions }>> {
  const [rights, rows] = await Promise.all([rightsOf(context), readItems(context.ports.database, ids)])
  return new Map(
    rows.flatMap((row) => {
      const permissions = permissionsOf(rights, row)
      return permissions.read ? [[row.id, { type: row.type, permissions }]] : []
    }),
  )
}

/** The types whose children are links. */
const LINKING: readonly ObjectType[] = ['slo', 'slc']

type PathSearch = {
  readonly path: string
  readonly type?: ObjectType | null | undefined
  readonly limit: number
}

/** The objects that match a path of names, from the root group or from a parent. The first segment below a service
 * level object or container matches its linked children.
 * @param pointer the place of the path in the request
 * @throws {Refusal} not_found, invalid */
export async function searchPath(
  context: Context,
  start: ParentPath | null,
  { pointer, ...search }: PathSearch & { pointer: string },
): Promise<SearchPathView> {
  const { database } = context.ports
  const segments = parsePath(search.path)
  if (segments.length === 0 || segments.length > SEGMENTS_MAX) {
    throw refusedPath(pointer, `must have 1 to ${SEGMENTS_MAX} segments`)
  }
  if (segments.some(({ pattern, isExact }) => !isExact && pattern.split('*').length > WILDCARDS_MAX + 1)) {
    throw refusedPath(pointer, `must have at most ${WILDCARDS_MAX} wildcards per segment`)
  }
  const found = await follow(context, start, { ...search, limit: search.limit + 1, pointer, segments })
  const hits = found.slice(0, search.limit)
  const rows = await readItems(
    database,
    hits.map(({ id }) => id),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const written = await writtenPaths(
    database,
    hits.map(({ path }) => path),
  )
  const items = hits.flatMap(({ id, path }) => {
    const row = byId.get(id)
    return row ? [{ id, type: row.type, name: row.name, path: written.get(path) ?? '' }] : []
  })
  return { items, truncated: found.length > hits.length }
}

/** The objects that match a whole path. */
async function follow(
  context: Context,
  start: ParentPath | null,
  {
    segments,
    type,
    limit,
    pointer,
  }: Omit<PathSearch, 'path'> & { pointer: string; segments: readonly Segment[] },
): Promise<readonly Hit[]> {
  const rights = await rightsOf(context)
  const areLinked = start !== null && LINKING.includes(start.parentType)
  let hits: readonly Hit[] = [start ? await requireStart(context, start.parentId, start.parentType) : ROOT]
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    const isLinked = index === 0 && areLinked
    hits = await store.readStep(context.ports.database, hits, {
      segment,
      type: isLast ? (type ?? null) : null,
      isLinked,
      limit: isLast ? limit : FRONTIER_MAX + 1,
      where: (listed: IdListSql) => (isLast || isLinked ? readable : visible)(rights, 'o', listed),
    })
    if (!isLast && hits.length > FRONTIER_MAX)
      throw refusedPath(pointer, `matches too many objects at segment ${index + 1}`)
    if (hits.length === 0) break
  }
  return hits
}

/** Paths of names for paths of ids, from the root group without its name. */
export async function writtenPaths(
  database: Database,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = await store.readNames(database, [...new Set(paths.flatMap(idsBelowRoot))])
  return new Map(paths.map((path) => [path, joinPath(idsBelowRoot(path).map((id) => names.get(id) ?? ''))]))
}

/** The ids of a path without the root's. */
function idsBelowRoot(path: string): number[] {
  return idsOf(path).slice(1)
}

function placeOf(cursor: string): { after: ChildPlace; position: number } {
  const place: unknown = decodeCursor(cursor)
  if (Array.isArray(place)) {
    const [type, name, id, position] = place as unknown[]
    const isPlace = typeof type === 'string' && typeof name === 'string'
    if (isPlace && Number.isSafeInteger(id) && Number.isSafeInteger(position)) {
      return { after: { type, name, id: Number(id) }, position: Number(position) }
    }
  }
  throw unknownCursor()
}

function offsetOf(cursor: string): number {
  const offset = decodeNumber(cursor)
  if (offset > 0) return offset
  throw unknownCursor()
}

function refusedPath(pointer: string, message: string): Refusal {
  return new Refusal('invalid', 'The path cannot be searched; see errors.', [{ pointer, message }])
}
