import type { Dialect } from '../spelling.ts'
import { DUCKDB } from './duckdb.ts'
import { MYSQL } from './mysql.ts'
import { POSTGRESQL } from './postgresql.ts'
import { SQLITE } from './sqlite.ts'
import type { Writer } from './writer.ts'

export const WRITERS: Readonly<Record<Dialect, Writer>> = {
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  duckdb: DUCKDB,
  sqlite: SQLITE,
}
