import { sql } from 'drizzle-orm'
import type { Column, SQL } from 'drizzle-orm'

/** The rows that count towards a bound, by their names. */
export type Room = {
  /** Selects the names of the rows. */
  readonly names: SQL
  /** The name of the row that is written; absent where none of the rows is written again. */
  readonly name?: string
  readonly max: number
}

/** `value` where one of the rows has the name or there are fewer than `max` rows, else null. A column that must not be empty
 * refuses by it a new row beyond the bound, as `refuseFull` recognises. */
export function unlessFull(value: number | Column, { names, name, max }: Room): SQL {
  const isThere = name === undefined ? sql`false` : sql`${name} in (${names})`
  return sql`case when ${isThere} or (select count(*) from (${names})) < ${max} then ${value} end`
}
