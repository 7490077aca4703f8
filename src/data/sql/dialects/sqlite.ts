import { bind, raw, sql } from '../fragment.ts'
import type { Writer } from './writer.ts'

/** SQLite in a Durable Object: 100 binds, expressions of depth 100, patterns of 50 bytes. */
export const SQLITE: Writer = {
  quote: '"',
  placeholder: (number) => `$${number}`,
  types: {
    string: 'TEXT',
    integer: 'INTEGER',
    number: 'REAL',
    decimal: 'REAL',
    boolean: 'INTEGER',
    date: 'TEXT',
    datetime: 'TEXT',
    time: 'TEXT',
    json: 'TEXT',
    binary: 'BLOB',
  },
  bindsMax: 90,
  exact: (text) => text,
  spelled: (exact) => exact,
  folded: (text) => sql`lower(CAST(${text} AS TEXT))`,
  place: (text, part) => sql`instr(${text}, ${part})`,
  size: (text) => sql`length(${text})`,
  part: (text, from, size) => sql`substr(${text}, ${from}, max(${size}, 0))`,
  length: (text) => sql`length(${text})`,
  concat: (left, right) => sql`(${left} || ${right})`,
  double: (number) => sql`CAST(${number} AS REAL)`,
  numberIn: (value) =>
    sql`CASE WHEN typeof(${value}) IN ('integer', 'real') OR (json_valid(${value}) AND json_type(${value}) IN ('integer', 'real')) THEN CAST(${value} AS REAL) END`,
  remainder: (left, right) => sql`mod(${left}, ${right})`,
  round: (number, digits) => sql`round(${number}, ${digits})`,
  seconds: (instant) => sql`unixepoch(${instant})`,
  months: (seconds) =>
    sql`(strftime('%Y', ${seconds}, 'unixepoch') * 12 + strftime('%m', ${seconds}, 'unixepoch') - 1)`,
  // A statement has 100 kB.
  either: (condition, then, otherwise) => sql`iif(${condition},${then},${otherwise})`,
  monthStart: (seconds, months) => {
    const unit = raw(months === 12 ? "'start of year'" : "'start of month'")
    if (months !== 3) return sql`unixepoch(${seconds}, 'unixepoch', ${unit})`
    const more = sql`(strftime('%m', ${seconds}, 'unixepoch') - 1) % 3`
    return sql`unixepoch(${seconds}, 'unixepoch', ${unit}, '-' || (${more}) || ' months')`
  },
  // As instants are stored.
  instant: (seconds) => sql`strftime('%Y-%m-%dT%H:%M:%S.000000Z', ${seconds}, 'unixepoch')`,
  day: (seconds) => sql`strftime('%Y-%m-%d', ${seconds}, 'unixepoch')`,
  hasCorrelatedTables: true,
  sum: (numbers) => sql`sum(${numbers})`,
  hasPercentiles: false,
  among: (left, values) => {
    const list = bind({
      type: 'json',
      value: JSON.stringify(values.map(({ type, value }) => (type === 'number' ? Number(value) : value))),
    })
    return sql`${left} IN (SELECT value FROM json_each(${list}))`
  },
}
