import { sql } from '../fragment.ts'
import { floored } from '../zone-steps.ts'
import { NUMBER_PATTERN, POSTGRESQL } from './postgresql.ts'
import type { Writer } from './writer.ts'

/** MySQL and MariaDB. */
export const MYSQL: Writer = {
  quote: '`',
  placeholder: () => '?',
  types: {
    string: 'CHAR CHARACTER SET utf8mb4',
    integer: 'SIGNED',
    number: 'DOUBLE',
    decimal: 'DECIMAL(65, 30)',
    boolean: 'SIGNED',
    date: 'DATE',
    datetime: 'DATETIME(6)',
    time: 'TIME(6)',
    json: 'CHAR CHARACTER SET utf8mb4',
    binary: 'BINARY',
  },
  bindsMax: null,
  exact: (text) => sql`CAST(CONVERT(${text} USING utf8mb4) AS BINARY)`,
  spelled: (exact) => sql`CONVERT(${exact} USING utf8mb4)`,
  // Collations take letters with accents for equal, and ignore spaces at the end.
  folded: (text) => sql`CAST(lower(CONVERT(${text} USING utf8mb4)) AS BINARY)`,
  place: (text, part) => sql`locate(${part}, ${text})`,
  size: (text) => sql`octet_length(${text})`,
  part: (text, from, size) => sql`substr(${text}, ${from}, ${size})`,
  length: (text) => sql`char_length(${text})`,
  concat: (left, right) => sql`concat(${left}, ${right})`,
  double: (number) => sql`CAST(${number} AS DOUBLE)`,
  numberIn: (value) =>
    sql`CASE WHEN CAST(${value} AS CHAR) REGEXP ${NUMBER_PATTERN} THEN CAST(${value} AS DOUBLE) END`,
  remainder: (left, right) => sql`mod(${left}, ${right})`,
  round: (number, digits) => sql`round(${number}, ${digits})`,
  seconds: (instant) =>
    sql`CAST(floor(timestampdiff(MICROSECOND, '1970-01-01 00:00:00', ${instant}) / 1000000) AS SIGNED)`,
  months: (seconds) => {
    const at = sql`date_add('1970-01-01 00:00:00', INTERVAL ${seconds} SECOND)`
    return sql`(year(${at}) * 12 + month(${at}) - 1)`
  },
  either: POSTGRESQL.either,
  monthStart: (seconds, months) => {
    const at = sql`date_add('1970-01-01 00:00:00', INTERVAL ${seconds} SECOND)`
    const month = sql`${floored(sql`(month(${at}) - 1)`, months)}`
    const start = sql`date_add(makedate(year(${at}), 1), INTERVAL ${month} MONTH)`
    return sql`timestampdiff(SECOND, '1970-01-01 00:00:00', ${start})`
  },
  instant: (seconds) => sql`CAST(date_add('1970-01-01 00:00:00', INTERVAL ${seconds} SECOND) AS DATETIME(6))`,
  day: (seconds) => sql`CAST(date_add('1970-01-01 00:00:00', INTERVAL ${seconds} SECOND) AS DATE)`,
  // MariaDB has none.
  hasCorrelatedTables: false,
  sum: (numbers) => sql`sum(${numbers})`,
  hasPercentiles: false,
  among: POSTGRESQL.among,
}
