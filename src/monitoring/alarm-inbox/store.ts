import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../db/lists.ts'
import { isWithin } from '../../../db/paths.ts'
import { readable, readableTops } from '../../access/rights/permissions.ts'
import type { Rights } from '../../access/rights/permissions.ts'
import type { Database } from '../../ports/database.ts'
import type { Status } from '../alarms/alarm.ts'

/** The last alarm of a page; the next page continues below it. */
export type AlarmCursor = { readonly beginAt: number; readonly id: number }

/** The parameters of one statement: `add` returns the SQL that stands for a value, `statement` puts the parameters in
 * front. */
export type Values = { add(value: string | number): string; statement(select: string): SQL }

export type ListQuery = {
  /** Begins a statement with the conditions of the filter, on `alarms a` and `objects o`. */
  readonly begin: () => { readonly values: Values; readonly conditions: readonly string[] }
  readonly statuses: readonly Status[]
  readonly fromAt: number | null
  readonly untilAt: number | null
  readonly assigneeId: number | null
}

/** The access path: alarms by begin, alarms of one user, or alarms of few objects. */
export type Driver = 'status' | 'assignee' | 'objects'

/** A caller who may read at most this many objects gets the alarms of these objects instead of a scan of all alarms. */
const FEW = 5_000

/** The access path that reads the fewest rows. */
export async function driverOf(database: Database, rights: Rights, query: ListQuery): Promise<Driver> {
  if (query.assigneeId !== null) return 'assignee'
  const tops = readableTops(rights)
  if (tops === null) return 'status'
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total from (${belowSql(tops)} limit ${FEW + 1})`,
  )
  return (row?.total ?? 0) > FEW ? 'status' : 'objects'
}

function belowSql(tops: readonly number[]): SQL {
  return sql`select d.id from ${eachOf(tops)} top join objects a on a.id = top.value
    cross join objects d on ${isWithin('d.path', sql`a.path`)}`
}

/** A page of alarms of readable objects, latest first, below a cursor. */
export function findAlarms(
  database: Database,
  [rights, query, driver]: readonly [Rights, ListQuery, Driver],
  { after, limit }: { readonly after: AlarmCursor | null; readonly limit: number },
): Promise<readonly AlarmCursor[]> {
  return database.all<AlarmCursor>(listSql([rights, query, driver], { after, limit }))
}

/** The number of matching alarms, counted up to `max`. */
export async function countAlarms(
  database: Database,
  asked: readonly [Rights, ListQuery, Driver],
  max: number,
): Promise<number> {
  const [row] = await database.all<{ total: number }>(countSql(asked, max))
  return row?.total ?? 0
}

/** The statement of a page. Each status is read in its own order and up to one page. */
export function listSql(
  [rights, query, driver]: readonly [Rights, ListQuery, Driver],
  { after, limit }: { readonly after: AlarmCursor | null; readonly limit: number },
): SQL {
  const { values: bound, conditions } = query.begin()
  const place = after ? [`(a.begin_at, a.id) < (${bound.add(after.beginAt)}, ${bound.add(after.id)})`] : []
  const where = [...place, ...whereOf(rights, query, bound), ...conditions]
  const each = sourcesOf(query, driver, rights, bound).map(
    (source) => `select * from (select a.id as id, a.begin_at as "beginAt" from ${source}
      ${where.map((one) => `and ${one}`).join('\n')} order by a.begin_at desc, a.id desc limit ${limit})`,
  )
  return bound.statement(`${each.join('\nunion all\n')} order by "beginAt" desc, id desc limit ${limit}`)
}

/** The statement that counts matching alarms. */
export function countSql([rights, query, driver]: readonly [Rights, ListQuery, Driver], max: number): SQL {
  const { values: bound, conditions } = query.begin()
  const where = [...whereOf(rights, query, bound), ...conditions]
  const each = sourcesOf(query, driver, rights, bound).map(
    (source) => `select 1 from ${source} ${where.map((one) => `and ${one}`).join('\n')}`,
  )
  return bound.statement(`select count(*) as total from (${each.join('\nunion all\n')} limit ${max})`)
}

/** The tables `alarms a` and `objects o` with the first condition. */
function sourcesOf(query: ListQuery, driver: Driver, rights: Rights, bound: Values): string[] {
  const join = 'cross join objects o on o.id = a.object_id'
  const statuses = `'${query.statuses.join("', '")}'`
  if (driver === 'assignee')
    return [
      `alarms a ${join} where a.assignee_id = ${bound.add(query.assigneeId ?? 0)} and +a.status in (${statuses})`,
    ]
  if (driver === 'objects') {
    const tops = bound.add(JSON.stringify(readableTops(rights) ?? []))
    const below = `select d.id from json_each(${tops}) top join objects p on p.id = top.value
      cross join objects d on d.path >= p.path and d.path < p.path || '~'`
    return [`alarms a ${join} where a.object_id in (${below}) and +a.status in (${statuses})`]
  }
  return query.statuses.map((status) => `alarms a ${join} where a.status = '${status}'`)
}

function whereOf(rights: Rights, { fromAt, untilAt, assigneeId }: ListQuery, bound: Values): string[] {
  const may = readable(rights, 'o', (ids) => bound.add(JSON.stringify(ids)))
  return [
    ...(may === '1' ? [] : [may]),
    ...(fromAt === null ? [] : [`a.begin_at >= ${bound.add(fromAt)}`]),
    ...(untilAt === null ? [] : [`a.begin_at < ${bound.add(untilAt)}`]),
    ...(assigneeId === null ? [] : [`+a.assignee_id = ${bound.add(assigneeId)}`]),
  ]
}
