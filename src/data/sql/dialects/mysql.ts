import { sql } from '../fragment.ts'
import { POSTGRESQL } from './postgresql.ts'
import type { Writer } from './writer.ts'

/** MySQL and MariaDB. */
export const MYSQL: Writer = {
  quote: '`',
  placeholder: () => '?',
  types: {
    string: 'CHAR CHARACTER SET utf8mb4',
    integer: 'SIGNED',
    number: 'DOUBLE',
    boolean: 'SIGNED',
    date: 'DATE',
    datetime: 'DATETIME(6)',
    time: 'TIME(6)',
    json: 'CHAR CHARACTER SET utf8mb4',
    binary: 'BINARY',
  },
  bindsMax: null,
  exact: (text) => sql`CAST(CONVERT(${text} USING utf8mb4) AS BINARY)`,
  // Collations take letters with accents for equal, and ignore spaces at the end.
  folded: (text) => sql`CAST(lower(CONVERT(${text} USING utf8mb4)) AS BINARY)`,
  place: (text, part) => sql`locate(${part}, ${text})`,
  size: (text) => sql`octet_length(${text})`,
  part: (text, from, size) => sql`substr(${text}, ${from}, ${size})`,
  length: (text) => sql`char_length(${text})`,
  concat: (left, right) => sql`concat(${left}, ${right})`,
  double: (number) => sql`CAST(${number} AS DOUBLE)`,
  remainder: (left, right) => sql`mod(${left}, ${right})`,
  round: (number, digits) => sql`round(${number}, ${digits})`,
  among: POSTGRESQL.among,
}
