import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { openD1 } from '../../workers/edge/d1.ts'
import { startStorage } from '../hosts/storage.ts'

const MIGRATIONS = join(import.meta.dir, '../../db/migrations')

/** The system database of the edge, migrated. */
export async function startD1() {
  const { database, close } = await startStorage()
  for (const file of (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()) {
    const text = await Bun.file(join(MIGRATIONS, file)).text()
    for (const statement of text.split('--> statement-breakpoint')) await database.prepare(statement).run()
  }
  return { database: openD1(database), close }
}
