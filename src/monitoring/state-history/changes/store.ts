import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { isWithin } from '../../../../db/paths.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import type { ObjectType } from '../../tree/schema.ts'
import type { TransitionRow } from '../store.ts'

/** The latest changes of at most this many objects are read object by object, from the index of each. */
const FEW = 500
/** For more objects, one page examines at most this many changes of the whole installation. */
const EXAMINED_MAX = 10_000

/** The place of a change in the order of the list. */
export type ChangePlace = { readonly at: number; readonly objectId: number; readonly seq: number }

export type ChangesWanted = Range & {
  /** The path of the parent. */
  readonly path: string
  /** The ids of the readable objects at or below the parent, as a subquery. */
  readonly below: SQL
  /** Conditions on objects, `o`, and on causes, `c`. */
  readonly readable: { readonly objects: SQL; readonly causes: SQL }
  readonly types: readonly ObjectType[]
  /** The last change of the previous page. */
  readonly after: ChangePlace | null
  readonly limit: number
}

export type StateChangeRow = ChangePlace &
  TransitionRow & {
    readonly type: ObjectType
    readonly name: string
    readonly path: string
    readonly errorCode: number
    readonly message: string | null
    readonly silentSinceAt: number | null
  }

/** A page of changes, latest first, in at most three statements. `next` is the place to continue after, also if the page
 * has fewer rows than `limit`; null at the end. */
export async function readStateChanges(
  database: Database,
  want: ChangesWanted,
): Promise<{ readonly rows: readonly StateChangeRow[]; readonly next: ChangePlace | null }> {
  const [counted] = await database.all<{ total: number }>(
    sql`select count(*) as total from (${want.below} limit ${FEW + 1})`,
  )
  const isFew = (counted?.total ?? 0) <= FEW
  const limit = want.limit + 1
  const span = spanOf(want)
  const examined = isFew ? null : await findLastExamined(database, span)
  const source = isFew ? fewSql(want, span, limit) : manySql(want, { ...span, from: examined ?? span.from })
  const types = sql.raw(want.types.map((type) => `'${type}'`).join(', '))
  const rows = await database.all<StateChangeRow>(sql`
    select t.object_id as "objectId", t.seq as seq, o.type as type, o.name as name, o.path as path, t.at as at,
      t.detected_at as "detectedAt", t.from_state as "from", t.to_state as "to", t.reason as reason,
      t.error_code as "errorCode", t.message as message, t.silent_since_at as "silentSinceAt",
      c.id as "causeId", c.type as "causeType", c.name as "causeName"
    from ${source.tables} left join objects c on c.id = t.cause_id and ${want.readable.causes}
    where ${source.where} and +o.type in (${types})
    order by t.at desc, t.object_id desc, t.seq desc limit ${limit}`)
  const shown = rows.slice(0, want.limit)
  return { rows: shown, next: rows.length > shown.length ? (shown.at(-1) ?? null) : examined }
}

/** The places from `from` on and before `until`. */
type Span = { readonly from: ChangePlace; readonly until: ChangePlace }

function spanOf({ beginAt, endAt, after }: ChangesWanted): Span {
  const place = (at: number): ChangePlace => ({ at, objectId: 0, seq: 0 })
  return { from: place(beginAt), until: after && after.at < endAt ? after : place(endAt) }
}

/** The place of the last change that a page of many objects examines; null if the span has fewer changes. */
async function findLastExamined(database: Database, { from, until }: Span): Promise<ChangePlace | null> {
  const [last] = await database.all<ChangePlace>(sql`
    select t.at as at, t.object_id as "objectId", t.seq as seq from transitions t where ${isBetween('t', from, until)}
    order by t.at desc, t.object_id desc, t.seq desc limit 1 offset ${EXAMINED_MAX - 1}`)
  return last ?? null
}

type Source = { readonly tables: SQL; readonly where: SQL }

/** The latest changes of each of few objects. */
function fewSql({ below }: ChangesWanted, { from, until }: Span, limit: number): Source {
  const latest = sql`select n.rowid from transitions n
    where n.object_id = o.id and n.at <= ${until.at} and ${isBetween('n', from, until)} and ${isChange('n')}
    order by n.at desc, n.seq desc limit ${limit}`
  return {
    tables: sql`objects o cross join transitions t on t.rowid in (${latest})`,
    where: sql`o.id in (${below})`,
  }
}

/** The changes of the whole installation in order, filtered by object. */
function manySql({ path, readable }: ChangesWanted, { from, until }: Span): Source {
  return {
    tables: sql`transitions t cross join objects o on o.id = t.object_id`,
    where: sql`${isBetween('t', from, until)} and ${isChange('t')} and ${isWithin('o.path', path)}
      and ${readable.objects}`,
  }
}

function isBetween(alias: string, from: ChangePlace, until: ChangePlace): SQL {
  const place = sql.raw(`(${alias}.at, ${alias}.object_id, ${alias}.seq)`)
  const tuple = ({ at, objectId, seq }: ChangePlace) => sql`(${at}, ${objectId}, ${seq})`
  return sql`${place} >= ${tuple(from)} and ${place} < ${tuple(until)}`
}

/** The condition that a transition changes the state: flapping and new messages of a bad job leave it as it is. */
function isChange(alias: string): SQL {
  return sql.raw(`${alias}.from_state <> ${alias}.to_state`)
}
