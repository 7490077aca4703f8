import type { Dialect } from '../spelling.ts'
import { DUCKDB } from './duckdb.ts'
import { MYSQL } from './mysql.ts'
import { POSTGRESQL } from './postgresql.ts'
import { SQLITE } from './sqlite.ts'

/** Functions that compute from their arguments alone; queries may call no others. */
export const FUNCTIONS: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  postgresql: namesOf(POSTGRESQL),
  mysql: namesOf(MYSQL),
  duckdb: namesOf(DUCKDB),
  sqlite: namesOf(SQLITE),
}

function namesOf(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/))
}
