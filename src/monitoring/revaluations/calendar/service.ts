import { readableBy, rightsOf } from '../../../access/rights/service.ts'
import type { Context } from '../../../context.ts'
import { decodeNumbers, encodeCursor } from '../../../lib/paging.ts'
import { cut } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import { timeFormat } from '../../../lib/time.ts'
import { writtenPaths } from '../../tree/browse/service.ts'
import type { ParentPath } from '../../tree/browse/schema.ts'
import { requireStart } from '../../tree/service.ts'
import { countOccurrences, occurrencesIn } from '../occurrences.ts'
import { listedRange, viewOf } from '../service.ts'
import { readByIds } from '../store.ts'
import type { RevaluationRow } from '../store.ts'
import type { CalendarQuery, CalendarView } from './schema.ts'
import { findBelow } from './store.ts'
import type { CalendarPlace, CalendarRow } from './store.ts'

/** The maximum number of occurrences of a page: one revaluation has at most as many. */
const OCCURRENCES_MAX = 10_000
const FIRST: CalendarPlace = { beginAt: -1, id: 0 }

/** The revaluations of a parent and of the objects below it in the tree that overlap a range, as far as the caller may
 * read them, by begin. The number of statements does not depend on the number of objects.
 * @throws {Refusal} not_found, invalid */
export async function readCalendar(
  context: Context,
  { parentType, parentId }: ParentPath,
  query: CalendarQuery,
): Promise<CalendarView> {
  const { database, clock, settings } = context.ports
  const after = query.cursor === undefined ? FIRST : placeOf(query.cursor)
  const parent = await requireStart(context, parentId, parentType)
  const range = listedRange(query, clock.now())
  const found = await findBelow(database, parent.path, {
    ...range,
    edit: query.edit,
    after,
    limit: query.limit + 1,
    readable: readableBy(await rightsOf(context), 'o'),
  })
  const { items: shown, last } = await firstOf(context, found.slice(0, query.limit), range)
  const paths = await writtenPaths(
    database,
    shown.map(({ object }) => object.path),
  )
  const format = timeFormat(settings.timeZone)
  const items = shown.map(({ object: { objectId, type, name, path }, row }) => ({
    ...viewOf(context, type, row),
    object: { id: objectId, type, name, path: paths.get(path) ?? '' },
    occurrences: occurrencesIn(row, range).map(({ beginAt, endAt }) => ({
      begin: format(beginAt),
      end: format(endAt),
    })),
  }))
  const isMore = last !== undefined && last !== found.at(-1)
  return { items, nextCursor: isMore ? encodeCursor([last.beginAt, last.id]) : null }
}

type CalendarItem = { readonly object: CalendarRow; readonly row: RevaluationRow }

/** The first of these revaluations, as many as have few occurrences together; `last` is the last one that was examined. */
async function firstOf(
  { ports }: Context,
  found: readonly CalendarRow[],
  range: Range,
): Promise<{ readonly items: readonly CalendarItem[]; readonly last: CalendarRow | undefined }> {
  const ids = found.map(({ id }) => id)
  const rows = new Map((await readByIds(ports.database, ids)).map((row) => [row.id, row]))
  const items: CalendarItem[] = []
  let last: CalendarRow | undefined
  let occurrences = 0
  for (const object of found) {
    const row = rows.get(object.id)
    for (const part of row ? cut(row, range) : []) occurrences += countOccurrences(row?.active ?? [], part)
    if (occurrences > OCCURRENCES_MAX && last) break
    if (row) items.push({ object, row })
    last = object
  }
  return { items, last }
}

function placeOf(cursor: string): CalendarPlace {
  const [beginAt, id] = decodeNumbers(cursor, 2)
  return { beginAt, id }
}
