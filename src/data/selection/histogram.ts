import type { Bound } from '../../ports/databases.ts'
import type { Condition } from '../filters/condition.ts'
import { conditionSql } from '../filters/emit.ts'
import type { ZonedWriter } from '../sql/dialects/writer.ts'
import { boundOf, doubleSql, name, raw, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'

/** The numbers of a column whose distribution is counted. */
export type Numbers = { readonly column: string; readonly filter: Condition | null; readonly from: Fragment }

/** The statement for the least and the greatest number. */
export function rangeStatement(numbers: Numbers, writer: ZonedWriter): Bound {
  return boundOf(sql`SELECT min(v) AS c0, max(v) AS c1 FROM ${valuesSql(numbers, writer)}`, writer)
}

/** The statement for the bins, each with its number of rows. The bin of rows without a number is null. Databases compare and do not
 * divide, so that all of them take a value on a border for the same bin.
 * @param borders the beginnings of the bins behind the first one, in order */
export function binsStatement(numbers: Numbers, borders: readonly number[], writer: ZonedWriter): Bound {
  const bins = sql`(SELECT CASE WHEN v IS NULL THEN NULL ELSE ${binSql(borders, 0)} END AS b FROM ${valuesSql(numbers, writer)}) AS ${name('u')}`
  return boundOf(sql`SELECT b AS c0, count(*) AS c1 FROM ${bins} GROUP BY b`, writer)
}

/** The borders of bins of equal width, the outer ones included; of one bin without width, where there is one number alone. */
export function bordersOf(min: number, max: number, bins: number): readonly number[] {
  if (min === max) return [min, max]
  // The difference of two doubles may be none.
  const inner = Array.from(
    { length: bins - 1 },
    (_, at) => min * (1 - (at + 1) / bins) + max * ((at + 1) / bins),
  )
  return [
    min,
    ...inner.map((border) => Math.min(max, Math.max(min, border))).sort((one, other) => one - other),
    max,
  ]
}

/** Values as doubles; null for those that are not finite. */
function valuesSql({ column, filter, from }: Numbers, writer: ZonedWriter): Fragment {
  const value = writer.double(name(column))
  const where = filter ? sql` WHERE ${conditionSql(filter, writer)}` : raw('')
  const [least, greatest] = [doubleSql(-Number.MAX_VALUE), doubleSql(Number.MAX_VALUE)]
  const values = sql`(SELECT ${value} AS v FROM ${from}${where}) AS ${name('w')}`
  return sql`(SELECT CASE WHEN v >= ${least} AND v <= ${greatest} THEN v END AS v FROM ${values}) AS ${name('x')}`
}

/** The place of the bin of a value, as a balanced tree. */
function binSql(borders: readonly number[], before: number): Fragment {
  const middle = borders.length >> 1
  const border = borders[middle]
  if (border === undefined) return raw(String(before))
  const [below, above] = [borders.slice(0, middle), borders.slice(middle + 1)]
  return sql`CASE WHEN v < ${doubleSql(border)} THEN ${binSql(below, before)} ELSE ${binSql(above, before + middle + 1)} END`
}
