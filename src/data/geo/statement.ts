import type { Bound } from '../../ports/databases.ts'
import type { Condition } from '../filters/condition.ts'
import { conditionSql } from '../filters/emit.ts'
import type { Writer, ZonedWriter } from '../sql/dialects/writer.ts'
import { balanced, bind, boundOf, doubleSql, joined, name, raw, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'
import { LATITUDE_MAX } from './grid.ts'
import type { Box } from './grid.ts'

/** A column of places or of numbers. */
export type NumberColumn = { readonly name: string; readonly isText: boolean }

/** The points that statements read. */
export type Points = {
  readonly from: Fragment
  readonly filter: Condition | null
  readonly lat: NumberColumn
  readonly lon: NumberColumn
  readonly key: string | null
  readonly state: StateColumn | null
  readonly values: readonly NumberColumn[]
  readonly box: Box
  /** The cells around the world. */
  readonly around: number
}

/** A column of states, and the states in their order, the worst first. */
export type StateColumn = { readonly name: string; readonly states: readonly string[] }

export type Links = {
  readonly from: Fragment
  readonly filter: Condition | null
  readonly ends: { readonly from: string; readonly to: string }
  readonly state: StateColumn | null
}

type Item = readonly [alias: string, value: Fragment]

/** The statement for the cells with points. A row has the cell, the number of the state, and the numbers that `cellsIn` reads. */
export function cellsStatement(points: Points, writer: ZonedWriter, limit: number): Bound {
  const values = points.values.flatMap((_, at) => {
    const value = name(`v${at}`)
    return [sql`sum(${value})`, sql`count(${value})`, sql`min(${value})`, sql`max(${value})`]
  })
  const outputs = [
    ...['x', 'y', 's'].map(name),
    ...['count(*)', 'avg(lo)', 'avg(la)', 'min(lo)', 'min(la)', 'max(lo)', 'max(la)', 'min(k)'].map(raw),
    ...values,
  ]
  const listed = numbered(outputs)
  const located = locatedSql(points, ownItems(points, writer), writer)
  return boundOf(
    sql`SELECT ${listed} FROM ${located} GROUP BY x, y, s ORDER BY c3 DESC, x, y, s LIMIT ${raw(String(limit))}`,
    writer,
  )
}

/** The statement for single points, of all cells or of those with fewer points than `below`. */
export function pointsStatement(
  points: Points,
  writer: ZonedWriter,
  { limit, below }: { readonly limit: number; readonly below: number | null },
): Bound {
  const located = locatedSql(points, ownItems(points, writer), writer)
  const names = ['x', 'y', 's', 'lo', 'la', 'k', ...points.values.map((_, at) => `v${at}`)].map(name)
  const outputs = numbered(names)
  const counted = sql`(SELECT ${joined(names, ', ')}, count(*) OVER (PARTITION BY x, y) AS n FROM ${located}) AS ${name('d')}`
  const rows = below === null ? located : sql`${counted} WHERE n < ${raw(String(below))}`
  return boundOf(
    sql`SELECT ${outputs} FROM ${rows} ORDER BY x, y, lo, la, k LIMIT ${raw(String(limit))}`,
    writer,
  )
}

/** The statement for the rows of points in these cells: the longitude, the latitude, and the columns. */
export function leavesStatement(
  points: Points,
  writer: ZonedWriter,
  {
    cells,
    columns,
    limit,
    offset,
  }: {
    readonly cells: readonly { readonly x: number; readonly y: number }[]
    readonly columns: readonly string[]
    readonly limit: number
    readonly offset: number
  },
): Bound {
  const keys = ownItems(points, writer).filter(([alias]) => alias === 'k')
  const items = [...keys, ...columns.map((column, at): Item => [`r${at}`, name(column)])]
  const outputs = numbered([name('lo'), name('la'), ...columns.map((_, at) => name(`r${at}`))])
  const within = cells.map(({ x, y }) => sql`(x = ${raw(String(x))} AND y = ${raw(String(y))})`)
  const bounds = raw(`${limit} OFFSET ${offset}`)
  return boundOf(
    sql`SELECT ${outputs} FROM ${locatedSql(points, items, writer)} WHERE ${balanced(within, 'OR')} ORDER BY lo, la, k LIMIT ${bounds}`,
    writer,
  )
}

/** The statement for the cells of the points with these keys. */
export function keysStatement(points: Points, writer: ZonedWriter, keys: readonly string[]): Bound {
  const items = ownItems({ ...points, state: null, values: [] }, writer)
  const values = keys.map((value) => ({ type: 'string', value }) as const)
  const among = writer.among(writer.exact(name('k')), values)
  return boundOf(
    sql`SELECT k AS c0, x AS c1, y AS c2 FROM ${locatedSql(points, items, writer)} WHERE ${among}`,
    writer,
  )
}

/** The statement for the numbers of links between two points, with the number of their state. */
export function linksStatement(
  { from, filter, ends, state }: Links,
  writer: ZonedWriter,
  limit: number,
): Bound {
  const items = [
    sql`${textSql(name(ends.from), writer)} AS f`,
    sql`${textSql(name(ends.to), writer)} AS t`,
    sql`${stateSql(state, writer)} AS s`,
  ]
  const where = filter ? sql` WHERE ${conditionSql(filter, writer)}` : raw('')
  const rows = sql`(SELECT ${joined(items, ', ')} FROM ${from}${where}) AS ${name('l')}`
  return boundOf(
    sql`SELECT f AS c0, t AS c1, s AS c2, count(*) AS c3 FROM ${rows} WHERE f IS NOT NULL AND t IS NOT NULL GROUP BY f, t, s ORDER BY c3 DESC, f, t, s LIMIT ${raw(String(limit))}`,
    writer,
  )
}

/** The number of the state, the key and the values of a point. */
function ownItems({ state, key, values }: Points, writer: Writer): readonly Item[] {
  return [
    ['s', stateSql(state, writer)],
    ['k', key === null ? sql`CAST(NULL AS ${raw(writer.types.string)})` : textSql(name(key), writer)],
    ...values.map((column, at): Item => [`v${at}`, numberSql(column, writer)]),
  ]
}

/** Points with their cell, in the box. */
function locatedSql(points: Points, items: readonly Item[], writer: ZonedWriter): Fragment {
  const { from, filter, lat, lon, box, around } = points
  const kept = items.map(([alias]) => name(alias))
  const stage = (more: readonly Fragment[], rows: Fragment, alias: string) =>
    sql`(SELECT ${joined([...more, ...kept], ', ')} FROM ${rows}) AS ${name(alias)}`
  const where = filter ? sql` WHERE ${conditionSql(filter, writer)}` : raw('')
  const places = [sql`${numberSql(lat, writer)} AS la`, sql`${numberSql(lon, writer)} AS lo`]
  const own = items.map(([alias, value]) => sql`${value} AS ${name(alias)}`)
  const placed = sql`(SELECT ${joined([...places, ...own], ', ')} FROM ${from}${where}) AS ${name('a')}`
  const clamped = sql`CASE WHEN la > ${doubleSql(LATITUDE_MAX)} THEN ${doubleSql(LATITUDE_MAX)} WHEN la < ${doubleSql(-LATITUDE_MAX)} THEN ${doubleSql(-LATITUDE_MAX)} ELSE la END`
  const meridian = raw('CASE WHEN lo >= 180 THEN lo - 360 ELSE lo END AS lo')
  const sine = sql`sin(${clamped} * ${doubleSql(Math.PI / 180)}) AS w`
  const inside = stage([raw('la'), meridian, sine], sql`${placed} WHERE ${inBox(box)}`, 'b')
  const x = sql`(lo / ${doubleSql(360)} + ${doubleSql(0.5)})`
  const y = sql`(${doubleSql(0.5)} - ln((1 + w) / (1 - w)) / ${doubleSql(4 * Math.PI)})`
  const cell = (part: Fragment) =>
    sql`CAST(floor(${part} * ${doubleSql(around)}) AS ${raw(writer.types.integer)})`
  return stage([raw('la'), raw('lo'), sql`${cell(x)} AS x`, sql`${cell(y)} AS y`], inside, 'c')
}

/** Of a box that ends at the date line, points on both sides of the line. */
function inBox({ west, south, east, north }: Box): Fragment {
  const degrees = (value: number) => bind({ type: 'number', value })
  const [from, to] = [sql`lo >= ${degrees(west)}`, sql`lo <= ${degrees(east)}`]
  const within = west <= east ? sql`(${from} AND ${to})` : sql`(${from} OR ${to})`
  const line = raw(west === -180 || east === 180 ? ' OR lo = 180 OR lo = -180' : '')
  return sql`la >= ${degrees(south)} AND la <= ${degrees(north)} AND lo >= -180 AND lo <= 180 AND (${within}${line})`
}

function numberSql({ name: column, isText }: NumberColumn, writer: Writer): Fragment {
  return isText ? writer.numberIn(name(column)) : writer.double(name(column))
}

function textSql(value: Fragment, writer: Writer): Fragment {
  return sql`CAST(${value} AS ${raw(writer.types.string)})`
}

/** The number of a state from 1, the worst; 0 for others. */
function stateSql(state: StateColumn | null, writer: Writer): Fragment {
  if (!state || state.states.length === 0) return raw('0')
  const text = writer.folded(name(state.name))
  const cases = state.states.map((value, at) => {
    const other = writer.folded(bind({ type: 'string', value }))
    return sql` WHEN ${text} = ${other} THEN ${raw(String(at + 1))}`
  })
  return sql`CASE${joined(cases, '')} ELSE 0 END`
}

function numbered(outputs: readonly Fragment[]): Fragment {
  return joined(
    outputs.map((output, at) => sql`${output} AS ${name(`c${at}`)}`),
    ', ',
  )
}
