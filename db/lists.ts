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

/** D1 accepts a parameter of under 1 MB: this many UTF-16 units of JSON, of at most three bytes. */
const PARAMETER_UNITS = 300_000

/** A list in as few consecutive parts as fit into one parameter each. A part of one longer element does not fit. */
export function partsOf<Item>(list: readonly Item[], unitsMax = PARAMETER_UNITS): Item[][] {
  const parts: Item[][] = []
  let units = Infinity
  for (const item of list) {
    // With the comma or the bracket behind the element.
    const more = JSON.stringify(item).length + 1
    units += more
    if (units > unitsMax) {
      parts.push([])
      units = '['.length + more
    }
    parts.at(-1)?.push(item)
  }
  return parts
}
