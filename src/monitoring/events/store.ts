import { sql } from 'drizzle-orm'
import { eachOf } from '../../../db/lists.ts'
import { eventEpochs } from '../../../db/tables/events.ts'
import type { Database } from '../../ports/database.ts'
import type { Level } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import type { ObjectType } from '../tree/schema.ts'

/** A new epoch: a number larger than all before, independent of the clock. */
export async function openEpoch(database: Database, openedAt: number): Promise<number> {
  const [[row]] = await database.batch([
    database.insert(eventEpochs).values({ openedAt }).returning({ id: eventEpochs.id }),
    database.run(sql`delete from event_epochs where id < (select max(id) from event_epochs)`),
  ])
  if (row === undefined) throw new Error('The database returned no id for a new epoch.')
  return row.id
}

/** The place of a transition in the order of commits. */
export type TransitionPosition = { readonly place: number; readonly objectId: number; readonly seq: number }

export type TransitionRow = TransitionPosition &
  Pick<Transition, 'at' | 'detectedAt' | 'from' | 'to' | 'reason' | 'errorCode' | 'message'> & {
    readonly path: string
    readonly type: ObjectType
    readonly name: string
  }

/** The latest transition; null before the first one. */
export async function readLastPlace(database: Database): Promise<TransitionPosition | null> {
  const [row] = await database.all<TransitionPosition>(sql`
    select rowid as place, object_id as "objectId", seq as seq from transitions order by rowid desc limit 1`)
  return row ?? null
}

/** Transitions from this one on, in the order of their commits. Row numbers are reused after the last rows were deleted
 * with their objects: a reader that finds another row at its place has missed something. */
export function readTransitions(
  database: Database,
  fromPlace: number,
  limit: number,
): Promise<readonly TransitionRow[]> {
  return database.all<TransitionRow>(sql`
    select t.rowid as place, t.object_id as "objectId", t.seq as seq, o.path as path, o.type as type, o.name as name,
           t.at as at, t.detected_at as "detectedAt", t.from_state as "from", t.to_state as "to", t.reason as reason,
           t.error_code as "errorCode", t.message as message
    from transitions t cross join objects o on o.id = t.object_id
    where t.rowid >= ${fromPlace} order by t.rowid limit ${limit}`)
}

/** The number of the latest alarm change; 0 before the first. */
export async function readLastAlarmChange(database: Database): Promise<number> {
  const [row] = await database.all<{ id: number }>(sql`select coalesce(max(id), 0) as id from alarm_changes`)
  return row?.id ?? 0
}

export type AlarmChangeRow = {
  readonly id: number
  readonly alarmId: number
  readonly version: number
  readonly kind: string
  readonly state: Level
  readonly at: number
  readonly objectId: number
  readonly path: string
  readonly type: ObjectType
  readonly name: string
}

/** Alarm changes after this one, in the order of their commits. Their numbers are never reused. */
export function readAlarmChanges(
  database: Database,
  afterId: number,
  limit: number,
): Promise<readonly AlarmChangeRow[]> {
  return database.all<AlarmChangeRow>(sql`
    select c.id as id, c.alarm_id as "alarmId", c.version as version, c.kind as kind, c.state as state, c.at as at,
           o.id as "objectId", o.path as path, o.type as type, o.name as name
    from alarm_changes c cross join objects o on o.id = c.object_id
    where c.id > ${afterId} order by c.id limit ${limit}`)
}

/** The paths of these jobs, without deleted jobs. */
export function readJobPaths(
  database: Database,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly path: string }[]> {
  return database.all(sql`
    select o.id as id, o.path as path from ${eachOf(ids)} w cross join objects o on o.id = w.value
    where o.type = 'job'`)
}
