import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { elementsOf } from '../../../db/lists.ts'
import type { Database } from '../../ports/database.ts'
import type { Level } from '../../domain/state.ts'
import type { ObjectType } from '../tree/schema.ts'

type StateBoundQuery = { readonly objectId: number; readonly at: number; readonly states: readonly Level[] }

/** The start of the last run of bad states that begins at or before `at`; null without such a run. */
export async function findBeginBefore(database: Database, asked: StateBoundQuery): Promise<number | null> {
  const [row] = await database.all<{ at: number | null }>(sql`
    select max(at) as at from transitions
    where object_id = ${asked.objectId} and at <= ${asked.at}
      and ${among('to_state', asked)} and not ${among('from_state', asked)}`)
  return row?.at ?? null
}

/** The end of the first run of bad states that ends at or after `at`; null without such a run. */
export async function findEndAfter(database: Database, asked: StateBoundQuery): Promise<number | null> {
  const [row] = await database.all<{ at: number | null }>(sql`
    select min(at) as at from transitions
    where object_id = ${asked.objectId} and at >= ${asked.at}
      and ${among('from_state', asked)} and not ${among('to_state', asked)}`)
  return row?.at ?? null
}

export type OutageReason = {
  readonly type: ObjectType
  readonly id: number
  readonly name: string
  readonly errorCode: number
}

/** The jobs whose changes to one of the states brought an object, or an object below it, into one of them in a range.
 * @param range.readable a condition on the job, `o` */
export async function readReasons(
  database: Database,
  objectId: number,
  range: {
    readonly beginAt: number
    readonly endAt: number
    readonly states: readonly Level[]
    readonly readable: SQL
  },
): Promise<readonly OutageReason[]> {
  return database.all<OutageReason>(sql`
    with recursive causes (object_id, cause_id, detected_at, error_code) as (
      select object_id, cause_id, detected_at, error_code from transitions
      where object_id = ${objectId} and at >= ${range.beginAt} and at < ${range.endAt} and ${among('to_state', range)}
      union
      select t.object_id, t.cause_id, t.detected_at, t.error_code
      from causes c join transitions t on t.object_id = c.cause_id and t.detected_at = c.detected_at
      where ${among('t.to_state', range)})
    select o.type as type, o.id as id, o.name as name, max(c.error_code) as "errorCode"
    from causes c join objects o on o.id = c.object_id
    where c.cause_id is null and o.type = 'job' and ${range.readable} group by o.id order by min(c.detected_at), o.id limit 100`)
}

function among(column: 'to_state' | 'from_state' | 't.to_state', { states }: { states: readonly Level[] }) {
  return sql`${sql.raw(column)} in ${elementsOf(states)}`
}
