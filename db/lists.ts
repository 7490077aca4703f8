import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/** The elements of a list as a table: `key` is the place from 0, `value` the element. The list is one parameter. */
export function eachOf(list: readonly unknown[]): SQL {
  return sql`json_each(${JSON.stringify(list)})`
}

/** The elements of a list as the right side of `in`. The list is one parameter. */
export function elementsOf(list: readonly (number | string)[]): SQL {
  return sql`(select value from ${eachOf(list)})`
}
