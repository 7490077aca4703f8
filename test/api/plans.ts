import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import type { Database } from '../../src/ports/database.ts'

/** A database that notes what it is asked. */
export function recording(database: Database, statements: SQL[]): Database {
  return Object.assign(Object.create(database) as Database, {
    all: (statement: SQL) => {
      statements.push(statement)
      return database.all(statement)
    },
  })
}

const CONSTANT = /^(?:SCALAR SUBQUERY|CO-ROUTINE input|MATERIALIZE input|SCAN (?:CONSTANT ROW|input))/

/** How SQLite goes about a statement, without how it finds the values that were given. */
export async function planOf(database: Database, statement: SQL): Promise<string[]> {
  const rows = await database.all<{ detail: string }>(sql`explain query plan ${statement}`)
  return rows
    .map(({ detail }) => detail.replace(/ SUBQUERY \d+$/, ' SUBQUERY'))
    .filter((line) => !CONSTANT.test(line))
}

/** Every row of a table or of an index is looked at; what is recursive looks at its own few rows. */
export function isScan(line: string): boolean {
  return (
    line.startsWith('SCAN ') &&
    !/ VIRTUAL TABLE INDEX |^SCAN (?:keys|step|part|n$|needed|\(subquery)/.test(line)
  )
}
