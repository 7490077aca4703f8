import { and, eq, inArray, sql } from 'drizzle-orm'
import { eachOf, elementsOf, partsOf } from '../../../../db/lists.ts'
import { scriptFiles } from '../../../../db/tables/scripts.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { TreeChange, TreeEntry } from '../tree.ts'

/** The entries of a script's tree, by path. */
export async function listEntries(database: Database, scriptId: number): Promise<TreeEntry[]> {
  const rows = await database
    .select()
    .from(scriptFiles)
    .where(eq(scriptFiles.scriptId, scriptId))
    .orderBy(scriptFiles.path)
  return rows.map((row) => {
    const { scriptId: _, ...entry } = row
    return entry
  })
}

/** The entry at a path of a script's tree. */
export async function findEntry(
  database: Database,
  scriptId: number,
  path: string,
): Promise<TreeEntry | null> {
  const [row] = await database
    .select()
    .from(scriptFiles)
    .where(and(eq(scriptFiles.scriptId, scriptId), eq(scriptFiles.path, path)))
  return row ?? null
}

/** Takes paths away and then puts entries, in place of those that have their paths. */
export function saveChange(database: Database, scriptId: number, { removes, puts }: TreeChange): Write[] {
  const gone = elementsOf([...removes, ...puts.map(({ path }) => path)])
  return [
    database
      .delete(scriptFiles)
      .where(and(eq(scriptFiles.scriptId, scriptId), inArray(scriptFiles.path, gone))),
    ...partsOf(puts).map((entries) => insertEntries(database, scriptId, entries)),
  ]
}

function insertEntries(database: Database, scriptId: number, entries: readonly TreeEntry[]): Write {
  return database.run(sql`
    insert into script_files (script_id, path, is_directory, blob, size_bytes, sha256, mime_type, is_text, updated_at)
    select cast(${scriptId} as integer), value ->> 'path', value ->> 'isDirectory', value ->> 'blob',
           value ->> 'sizeBytes', value ->> 'sha256', value ->> 'mimeType', value ->> 'isText', value ->> 'updatedAt'
    from ${eachOf(entries)}`)
}
