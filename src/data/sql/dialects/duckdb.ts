import { raw, sql } from '../fragment.ts'
import { MONTH_UNITS, NUMBER_PATTERN, POSTGRESQL } from './postgresql.ts'
import type { Writer } from './writer.ts'

export const DUCKDB: Writer = {
  ...POSTGRESQL,
  types: {
    ...POSTGRESQL.types,
    string: 'VARCHAR',
    number: 'DOUBLE',
    decimal: 'DOUBLE',
    json: 'JSON',
    binary: 'BLOB',
  },
  exact: (text) => text,
  folded: (text) => sql`lower(CAST(${text} AS VARCHAR))`,
  seconds: (instant) => sql`CAST(floor(epoch_us(${instant}) / 1000000.0) AS BIGINT)`,
  months: (seconds) => {
    const at = sql`make_timestamp(${seconds} * 1000000)`
    return sql`(year(${at}) * 12 + month(${at}) - 1)`
  },
  monthStart: (seconds, months) => {
    const at = sql`make_timestamp(CAST(${seconds} * 1000000 AS BIGINT))`
    return sql`CAST(epoch(date_trunc(${raw(MONTH_UNITS[months])}, ${at})) AS BIGINT)`
  },
  instant: (seconds) => sql`make_timestamptz(CAST(${seconds} * 1000000 AS BIGINT))`,
  day: (seconds) => sql`CAST(make_timestamp(CAST(${seconds} * 1000000 AS BIGINT)) AS DATE)`,
  sum: (numbers) => sql`sum(${numbers})`,
  numberIn: (value) =>
    sql`CASE WHEN typeof(${value}) <> 'VARCHAR' OR regexp_matches(CAST(${value} AS VARCHAR), ${NUMBER_PATTERN}) THEN TRY_CAST(CAST(${value} AS VARCHAR) AS DOUBLE) END`,
  remainder: (left, right) => sql`(CAST(${left} AS DOUBLE) % CAST(${right} AS DOUBLE))`,
  round: (number, digits) => sql`round(${number}, CAST(${digits} AS INTEGER))`,
}
