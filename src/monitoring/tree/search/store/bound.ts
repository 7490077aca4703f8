import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/** The values of one statement, all in a single bound parameter: D1 takes 100 parameters, a filter needs more.
 * SQL text is built around the expressions that stand for them and never holds a value from outside. */
export class Bound {
  readonly #values: (string | number)[] = []

  /** The SQL expression of a value, constant within the statement. Numbers are whole or real as they were given. */
  add(value: string | number): string {
    this.#values.push(value)
    return `(select list ->> ${this.#values.length - 1} from input)`
  }

  /** The statement that selects, with its values in front. */
  statement(select: string): SQL {
    return sql`with input(list) as (select ${JSON.stringify(this.#values)}) ${sql.raw(select)}`
  }
}
