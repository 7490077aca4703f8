import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/** The values of one statement in a single bound parameter: D1 allows 100 parameters, and filters need more. The SQL
 * text refers to the values and never contains them. */
export class Bound {
  readonly #values: (string | number)[] = []

  /** The SQL expression of a value, constant within the statement. Numbers keep their type, integer or real. */
  add(value: string | number): string {
    this.#values.push(value)
    return `(select list ->> ${this.#values.length - 1} from input)`
  }

  /** The statement, with its values in front. */
  statement(select: string): SQL {
    return sql`with input(list) as (select ${JSON.stringify(this.#values)}) ${sql.raw(select)}`
  }
}
