import { sql } from 'drizzle-orm'
import { eachOf } from '../../../../db/lists.ts'
import { idsOfPath, isWithin } from '../../../../db/paths.ts'
import type { Database } from '../../../ports/database.ts'
import type { Level } from '../../../domain/state.ts'

/** An object that the object `sourceId` depends on. */
export type Needed = { readonly sourceId: number; readonly path: string }

/** The dependencies of objects and of the objects above them, direct and indirect, as far as they are bad now. */
export function readNeeded(database: Database, objectIds: readonly number[]): Promise<readonly Needed[]> {
  return database.all<Needed>(sql`
    with recursive needed (source, object) as (
      select value, value from ${eachOf(objectIds)}
      union
      select n.source, d.depends_on_id from needed n cross join objects o on o.id = n.object
        cross join ${idsOfPath('o.path')} above
        cross join dependencies d on d.object_id = above.value)
    select n.source as "sourceId", o.path as path from needed n
      cross join objects o on o.id = n.object cross join states s on s.object_id = o.id
    where n.object <> n.source and s.state in ('major', 'minor', 'warning')`)
}

/** An open alarm that may be the cause of others. */
export type Suspect = {
  readonly id: number
  readonly objectId: number
  readonly path: string
  readonly state: Level
  readonly recipientId: number | null
}

const SUSPECT = sql.raw(
  `a.id as id, a.object_id as "objectId", o.path as path, a.state as state, l.recipient_id as "recipientId"`,
)

/** The open alarms without a cause of these objects, and the first `limit` at or below each of these paths. */
export function readSuspects(
  database: Database,
  { objectIds, paths }: { readonly objectIds: readonly number[]; readonly paths: readonly string[] },
  limit: number,
): Promise<readonly Suspect[]> {
  return database.all<Suspect>(sql`
    select ${SUSPECT} from ${eachOf(objectIds)} above
      cross join alarms a on a.object_id = above.value and a.end_at is null
      join objects o on o.id = a.object_id left join alarm_links l on l.id = a.link_id
    where a.suppressed_by is null
    union
    select ${SUSPECT} from ${eachOf(paths)} top
      cross join json_each((select json_group_array(found.id) from (
        select b.id as id from objects below cross join alarms b on b.object_id = below.id and b.end_at is null
        where ${isWithin('below.path', sql`top.value`)} and b.suppressed_by is null limit ${limit}) found)) some
      cross join alarms a on a.id = some.value
      join objects o on o.id = a.object_id left join alarm_links l on l.id = a.link_id`)
}
