import { readableBelow, readableBy, rightsOf } from '../../../access/rights/service.ts'
import type { Context } from '../../../context.ts'
import { decodeNumbers, encodeCursor } from '../../../lib/paging.ts'
import { rangeOf } from '../../../lib/range.ts'
import { timeFormat } from '../../../lib/time.ts'
import { messageOf } from '../../states/state.ts'
import { writtenPaths } from '../../tree/browse/service.ts'
import type { ParentPath } from '../../tree/browse/schema.ts'
import { OBJECT_TYPES } from '../../tree/schema.ts'
import { requireStart } from '../../tree/service.ts'
import { transitionView } from '../service.ts'
import type { StateChangesQuery, StateChangesView } from './schema.ts'
import { readStateChanges } from './store.ts'
import type { ChangePlace } from './store.ts'

/** The state changes of a parent and of the objects below it in the tree, as far as the caller may read them, latest
 * first. The number of statements does not depend on the number of objects.
 * @throws {Refusal} not_found, invalid */
export async function listStateChanges(
  context: Context,
  { parentType, parentId }: ParentPath,
  query: StateChangesQuery,
): Promise<StateChangesView> {
  const { database, clock, settings } = context.ports
  const after = query.cursor === undefined ? null : placeOf(query.cursor)
  const { path } = await requireStart(context, parentId, parentType)
  const rights = await rightsOf(context)
  const { rows, next } = await readStateChanges(database, {
    ...rangeOf(query, clock.now(), '?end'),
    path,
    below: readableBelow(rights, path),
    readable: { objects: readableBy(rights, 'o'), causes: readableBy(rights, 'c') },
    types: query.types ?? OBJECT_TYPES,
    after,
    limit: query.limit,
  })
  const paths = await writtenPaths(
    database,
    rows.map((row) => row.path),
  )
  const format = timeFormat(settings.timeZone)
  const items = rows.map((row) => ({
    ...transitionView(row, format),
    object: { id: row.objectId, type: row.type, name: row.name, path: paths.get(row.path) ?? '' },
    errorCode: row.errorCode,
    message: messageOf(row, format),
  }))
  return { items, nextCursor: next ? encodeCursor([next.at, next.objectId, next.seq]) : null }
}

function placeOf(cursor: string): ChangePlace {
  const [at, objectId, seq] = decodeNumbers(cursor, 3)
  return { at, objectId, seq }
}
