import { sql } from 'drizzle-orm'
import type { Column, SQL } from 'drizzle-orm'

/** A limit on the number of rows. */
export type RowLimit = {
  /** Selects the rows that count. */
  readonly rows: SQL
  /** Whether the write replaces a row, and adds none; absent for a write that always adds a row. */
  readonly isThere?: SQL
  readonly max: number
}

/** `value`, or null where there are `max` rows and the write adds another one. A column that must not be null then fails the
 * commit, as `refuseFull` recognises. */
export function unlessFull(
  value: Column | number | string | boolean,
  { rows, isThere = sql`false`, max }: RowLimit,
): SQL {
  return sql`case when ${isThere} or (select count(*) from (${rows})) < ${max} then ${value} end`
}
