import { sql } from '../fragment.ts'
import { POSTGRESQL } from './postgresql.ts'
import type { Writer } from './writer.ts'

export const DUCKDB: Writer = {
  ...POSTGRESQL,
  types: { ...POSTGRESQL.types, string: 'VARCHAR', number: 'DOUBLE', json: 'JSON', binary: 'BLOB' },
  exact: (text) => text,
  folded: (text) => sql`lower(CAST(${text} AS VARCHAR))`,
  remainder: (left, right) => sql`(CAST(${left} AS DOUBLE) % CAST(${right} AS DOUBLE))`,
  round: (number, digits) => sql`round(${number}, CAST(${digits} AS INTEGER))`,
}
