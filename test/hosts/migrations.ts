import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the migrations lie. */
export const MIGRATIONS = join(import.meta.dirname, '../../db/migrations')

/** Every statement of the migrations, in order, as D1 gets them. */
export async function migrationStatements(): Promise<readonly string[]> {
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()
  const texts = await Promise.all(files.map((file) => Bun.file(join(MIGRATIONS, file)).text()))
  return texts.flatMap((text) => text.split('--> statement-breakpoint'))
}
