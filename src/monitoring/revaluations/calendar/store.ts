import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { isWithin } from '../../../../db/paths.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import type { ObjectType } from '../../tree/schema.ts'

/** The place of a revaluation in the order of the calendar. */
export type CalendarPlace = { readonly beginAt: number; readonly id: number }

export type CalendarRow = CalendarPlace & {
  readonly objectId: number
  readonly type: ObjectType
  readonly name: string
  readonly path: string
}

/** Revaluations that overlap a range, of objects at or below a path, by begin.
 * @param want.readable a condition on the object, `o` */
export async function findBelow(
  database: Database,
  path: string,
  want: Range & {
    readonly edit: boolean
    readonly after: CalendarPlace
    readonly limit: number
    readonly readable: SQL
  },
): Promise<readonly CalendarRow[]> {
  const { beginAt, endAt, after } = want
  return database.all<CalendarRow>(sql`
    select r.id as id, r.begin_at as "beginAt", o.id as "objectId", o.type as type, o.name as name, o.path as path
    from revaluations r cross join objects o on o.id = r.object_id
    where (r.begin_at, r.id) > (${after.beginAt}, ${after.id}) and r.begin_at < ${endAt} and r.end_at > ${beginAt}
      and (${want.edit} or not r.edit_only) and ${isWithin('o.path', path)} and ${want.readable}
    order by r.begin_at, r.id limit ${want.limit}`)
}
