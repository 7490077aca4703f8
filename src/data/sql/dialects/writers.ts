import type { Dialect } from '../spelling.ts'
import { DUCKDB } from './duckdb.ts'
import { MYSQL } from './mysql.ts'
import { POSTGRESQL } from './postgresql.ts'
import { SQLITE } from './sqlite.ts'
import type { Writer, ZonedWriter } from './writer.ts'

export const WRITERS: Readonly<Record<Dialect, Writer>> = {
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  duckdb: DUCKDB,
  sqlite: SQLITE,
}

/** The writer of a dialect. @param timeZone the zone of the service */
export function writerIn(dialect: Dialect, timeZone: string): ZonedWriter {
  return { ...WRITERS[dialect], timeZone }
}
