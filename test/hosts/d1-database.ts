import { openD1 } from '../../workers/edge/d1.ts'
import { migrationStatements } from './migrations.ts'
import { startStorage } from './storage.ts'

/** The system database of the edge, migrated. */
export async function startD1() {
  const { database, close } = await startStorage()
  await database.batch((await migrationStatements()).map((statement) => database.prepare(statement)))
  return { database: openD1(database), close }
}
