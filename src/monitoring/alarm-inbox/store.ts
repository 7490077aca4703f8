import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { readable, readableTops } from '../../access/rights/permissions.ts'
import type { Rights } from '../../access/rights/permissions.ts'
import type { Database } from '../../ports/database.ts'
import type { Status } from '../alarms/alarm.ts'

/** Where a page goes on: after the alarm with this begin and id, downwards. */
export type AlarmCursor = { readonly beginAt: number; readonly id: number }

/** The values of one statement: gives SQL that stands for each, and the statement with them in front. */
export type Values = { add(value: string | number): string; statement(select: string): SQL }

export type ListQuery = {
  /** Begins a statement: with what is asked besides, as conditions on `alarms a` and `objects o`. */
  readonly begin: () => { readonly values: Values; readonly conditions: readonly string[] }
  readonly statuses: readonly Status[]
  readonly fromAt: number | null
  readonly untilAt: number | null
  readonly assigneeId: number | null
}

/** What the query is driven by: alarms in order of their begin, one user's, or those of few objects. */
export type Driver = 'status' | 'assignee' | 'objects'

/** Somebody who may read so few objects is shown the alarms of these, instead of looking through all alarms. */
const FEW = 5_000

/** How to find the alarms of a query with the fewest steps. */
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
  return sql`select d.id from json_each(${JSON.stringify(tops)}) top join objects a on a.id = top.value
    cross join objects d on d.path >= a.path and d.path < a.path || '~'`
}

/** Alarms of objects that may be read, the latest first, after a place. */
export function findAlarms(
  database: Database,
  [rights, query, driver]: readonly [Rights, ListQuery, Driver],
  { after, limit }: { readonly after: AlarmCursor | null; readonly limit: number },
): Promise<readonly AlarmCursor[]> {
  return database.all<AlarmCursor>(listSql([rights, query, driver], { after, limit }))
}

/** How many alarms a query finds, counted up to `max`. */
export async function countAlarms(
  database: Database,
  asked: readonly [Rights, ListQuery, Driver],
  max: number,
): Promise<number> {
  const [row] = await database.all<{ total: number }>(countSql(asked, max))
  return row?.total ?? 0
}

/** The statement of a page. Each status is read in its own order and no further than a page. */
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

/** The statement that counts. */
export function countSql([rights, query, driver]: readonly [Rights, ListQuery, Driver], max: number): SQL {
  const { values: bound, conditions } = query.begin()
  const where = [...whereOf(rights, query, bound), ...conditions]
  const each = sourcesOf(query, driver, rights, bound).map(
    (source) => `select 1 from ${source} ${where.map((one) => `and ${one}`).join('\n')}`,
  )
  return bound.statement(`select count(*) as total from (${each.join('\nunion all\n')} limit ${max})`)
}

/** What is read, with the beginning of a condition: `alarms a` and `objects o`. */
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
