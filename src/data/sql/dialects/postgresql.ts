import { bind, joined, raw, sql } from '../fragment.ts'
import type { Writer } from './writer.ts'

/** A number in JSON. */
export const NUMBER_PATTERN = raw(String.raw`'^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$'`)

export const MONTH_UNITS = { 1: "'month'", 3: "'quarter'", 12: "'year'" } as const

export const POSTGRESQL: Writer = {
  quote: '"',
  placeholder: (number) => `$${number}`,
  types: {
    string: 'TEXT',
    integer: 'BIGINT',
    number: 'DOUBLE PRECISION',
    decimal: 'NUMERIC',
    boolean: 'BOOLEAN',
    date: 'DATE',
    datetime: 'TIMESTAMPTZ',
    time: 'TIME',
    json: 'JSONB',
    binary: 'BYTEA',
  },
  bindsMax: null,
  exact: (text) => sql`CAST(${text} AS TEXT) COLLATE "C"`,
  spelled: (exact) => exact,
  folded: (text) => sql`lower(CAST(${text} AS TEXT)) COLLATE "C"`,
  place: (text, part) => sql`strpos(${text}, ${part})`,
  size: (text) => sql`length(${text})`,
  part: (text, from, size) =>
    sql`substr(${text}, CAST(${from} AS INTEGER), CAST(greatest(${size}, 0) AS INTEGER))`,
  length: (text) => sql`length(CAST(${text} AS TEXT))`,
  concat: (left, right) => sql`(CAST(${left} AS TEXT) || CAST(${right} AS TEXT))`,
  double: (number) => sql`CAST(${number} AS DOUBLE PRECISION)`,
  numberIn: (value) =>
    sql`CASE WHEN CAST(${value} AS TEXT) ~ ${NUMBER_PATTERN} THEN CAST(CAST(${value} AS TEXT) AS DOUBLE PRECISION) END`,
  remainder: (left, right) => sql`mod(CAST(${left} AS NUMERIC), CAST(${right} AS NUMERIC))`,
  round: (number, digits) => sql`round(CAST(${number} AS NUMERIC), CAST(${digits} AS INTEGER))`,
  seconds: (instant) => sql`CAST(floor(extract(epoch FROM CAST(${instant} AS TIMESTAMPTZ))) AS BIGINT)`,
  months: (seconds) => {
    const at = sql`(to_timestamp(${seconds}) AT TIME ZONE 'UTC')`
    return sql`CAST(extract(year FROM ${at}) * 12 + extract(month FROM ${at}) - 1 AS BIGINT)`
  },
  either: (condition, then, otherwise) => sql`CASE WHEN ${condition} THEN ${then} ELSE ${otherwise} END`,
  monthStart: (seconds, months) => {
    const at = sql`(to_timestamp(${seconds}) AT TIME ZONE 'UTC')`
    return sql`CAST(extract(epoch FROM date_trunc(${raw(MONTH_UNITS[months])}, ${at})) AS BIGINT)`
  },
  instant: (seconds) => sql`to_timestamp(${seconds})`,
  day: (seconds) => sql`CAST(to_timestamp(${seconds}) AT TIME ZONE 'UTC' AS DATE)`,
  hasCorrelatedTables: true,
  // A sum of REAL would be a REAL; the sum of NUMERIC stays exact.
  sum: (numbers) => sql`sum(${numbers} + CAST(0 AS NUMERIC))`,
  hasPercentiles: true,
  among: (left, values) => sql`${left} IN (${joined(values.map(bind), ', ')})`,
}
