import { and, asc, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { elementsOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import { revaluations } from '../../../db/tables/revaluations.ts'
import type { Range } from '../../lib/range.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Level } from '../../domain/state.ts'
import { LEVELS } from '../states/state.ts'
import type { Entry } from './occurrences.ts'
import type { ADJUSTMENTS, REVALUATION_TYPES } from './schema.ts'

/** An entry with its name, which is only displayed. */
export type NamedEntry = Entry & { readonly name: string | null }

export type RevaluationRow = Omit<typeof revaluations.$inferSelect, 'type' | 'adjustTo' | 'active'> & {
  readonly type: (typeof REVALUATION_TYPES)[number]
  readonly adjustTo: (typeof ADJUSTMENTS)[number]
  readonly active: readonly NamedEntry[]
}

export type NewRevaluation = Omit<RevaluationRow, 'id' | 'linkedId' | 'cancelledAt' | 'version'>

/** The fields that an update may change. */
export type RevaluationChange = Omit<
  NewRevaluation,
  'objectId' | 'type' | 'inPast' | 'createdAt' | 'createdBy'
>

/** Inserts one row, or two linked rows; returns the last as it is stored. Fails, as `refuseFull` recognises, where the object
 * would have more than `max`. */
export async function insertRevaluations(
  database: Database,
  [first, second]: readonly [NewRevaluation, NewRevaluation?],
  { also, max, guards }: { readonly also: Write; readonly max: number; readonly guards: readonly Write[] },
): Promise<RevaluationRow> {
  const newest = sql<number>`(select max(id) from revaluations)`
  const insert = (row: NewRevaluation, linkedId: typeof newest | null) =>
    database
      .insert(revaluations)
      .values({ ...row, linkedId, version: 1, createdAt: createdUnlessFull(row, max) })
      .returning()
  const link = database.run(sql`update revaluations set linked_id = ${newest}
    where id = (select linked_id from revaluations order by id desc limit 1)`)
  const [rows] = second
    ? await database
        .batch([insert(first, null), insert(second, newest), also, link, ...guards])
        .then(([, added]) => [added])
    : await database.batch([insert(first, null), also, ...guards])
  const row = rows?.[0]
  if (!row) throw new Error('The database returned no row for a new revaluation.')
  return row as RevaluationRow
}

export async function findRevaluation(
  database: Database,
  objectId: number,
  id: number,
): Promise<RevaluationRow | null> {
  const [row] = await database
    .select()
    .from(revaluations)
    .where(and(eq(revaluations.id, id), eq(revaluations.objectId, objectId)))
  return row ? (row as RevaluationRow) : null
}

function createdUnlessFull({ objectId, createdAt }: NewRevaluation, max: number): SQL {
  return unlessFull(createdAt, { rows: sql`select 1 from revaluations where object_id = ${objectId}`, max })
}

/** Revaluations of some objects that overlap a range, by begin. */
export async function readRevaluations(
  database: Database,
  objectIds: readonly number[],
  { beginAt, endAt, limit }: Range & { readonly limit: number },
): Promise<readonly RevaluationRow[]> {
  const rows = await database
    .select()
    .from(revaluations)
    .where(
      and(
        sql`${revaluations.objectId} in ${elementsOf(objectIds)}`,
        sql`${revaluations.endAt} > ${beginAt} and ${revaluations.beginAt} < ${endAt}`,
      ),
    )
    .orderBy(asc(revaluations.beginAt), asc(revaluations.id))
    .limit(limit)
  return rows as RevaluationRow[]
}

/** Revaluations by id, in order of creation. */
export async function readByIds(
  database: Database,
  ids: readonly number[],
): Promise<readonly RevaluationRow[]> {
  const rows = await database
    .select()
    .from(revaluations)
    .where(sql`${revaluations.id} in ${elementsOf(ids)}`)
    .orderBy(asc(revaluations.id))
  return rows as RevaluationRow[]
}

/** Changes a row that still has the version that was read. @returns whether it had */
export function updateRevaluation(
  database: Database,
  { id, version }: RevaluationRow,
  change: RevaluationChange,
): Write {
  return database
    .update(revaluations)
    .set({
      ...change,
      version: sql`case when ${revaluations.version} = ${version} then ${version + 1} end`,
    })
    .where(eq(revaluations.id, id))
}

export function deleteRevaluation(database: Database, id: number): Write {
  return database.delete(revaluations).where(eq(revaluations.id, id))
}

/** Ends the current occurrence at an instant. */
export function cancelRevaluation(database: Database, { id }: RevaluationRow, at: number): Write {
  return database
    .update(revaluations)
    .set({
      endAt: at,
      cancelledAt: at,
      running: false,
      nextAt: null,
      version: sql`${revaluations.version} + 1`,
    })
    .where(eq(revaluations.id, id))
}

/** Revaluations with the earliest next start or end. */
export async function readNext(
  database: Database,
  limit: number,
): Promise<readonly (RevaluationRow & { readonly nextAt: number })[]> {
  const rows = await database
    .select()
    .from(revaluations)
    .where(sql`next_at is not null`)
    .orderBy(asc(revaluations.nextAt), asc(revaluations.id))
    .limit(limit)
  return rows as (RevaluationRow & { nextAt: number })[]
}

/** Stores that an occurrence has begun or ended, unless the row was changed in the meantime. */
export function saveProgress(
  database: Database,
  { id, version }: RevaluationRow,
  progress: Pick<RevaluationRow, 'running' | 'nextAt'>,
): Write {
  return database
    .update(revaluations)
    .set(progress)
    .where(and(eq(revaluations.id, id), eq(revaluations.version, version)))
}

/** Since when an object has been in bad states only; null if it is not in one. */
export async function findOpenOutage(database: Database, objectId: number): Promise<number | null> {
  const [row] = await database.all<{ at: number }>(openOutage(objectId))
  return row?.at ?? null
}

function openOutage(objectId: number) {
  const levels = sql.raw(LEVELS.map((level: Level) => `'${level}'`).join(', '))
  return sql`
    select coalesce((select max(at) from transitions t where t.object_id = s.object_id
                     and t.to_state in (${levels}) and t.from_state not in (${levels})), 0) as at
    from states s where s.object_id = ${objectId} and s.state in (${levels})`
}

/** Fails the commit, as `isOtherOutage` knows, unless the open outage of an object still began at this instant, or there is
 * still none. */
export function guardOpenOutage(database: Database, objectId: number, openSince: number | null): Write {
  return database.run(sql`
    update objects set created_at = case when (${openOutage(objectId)}) is ${openSince} then created_at end
    where id = ${objectId}`)
}

/** Whether a commit failed because an outage of the object has begun or ended since it was read. */
export function isOtherOutage(error: unknown): boolean {
  return isNotNullViolation(error, 'objects.created_at')
}
