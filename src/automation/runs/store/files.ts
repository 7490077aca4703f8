import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { doomedBlobs } from '../../../../db/tables/content.ts'
import { runFiles } from '../../../../db/tables/runs.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type RunFile = typeof runFiles.$inferSelect
export type FileKind = 'upload' | 'output' | 'tree'

/** Rows go in parameters of about this many characters. */
const PARAMETER_CHARACTERS = 200_000

export async function findFile(
  database: Database,
  { runId, kind, name }: { readonly runId: string; readonly kind: FileKind; readonly name: string },
): Promise<RunFile | null> {
  const [row] = await database
    .select()
    .from(runFiles)
    .where(and(eq(runFiles.runId, runId), eq(runFiles.kind, kind), eq(runFiles.name, name)))
  return row ?? null
}

export async function listFiles(
  database: Database,
  { runId, kind }: { readonly runId: string; readonly kind: FileKind },
): Promise<RunFile[]> {
  return database
    .select()
    .from(runFiles)
    .where(and(eq(runFiles.runId, runId), eq(runFiles.kind, kind)))
    .orderBy(runFiles.name)
}

/** Notes files, in place of those that have their names; of files that the run brings along nothing is doomed any more. */
export function insertFiles(database: Database, files: readonly RunFile[]): Write[] {
  return batches(files).flatMap((some) => {
    const rows = sql`(select value from json_each(${JSON.stringify(some)}))`
    return [
      database
        .insert(runFiles)
        .select(
          sql`select value->>'runId', value->>'kind', value->>'name', value->>'blob', cast(value->>'sizeBytes' as integer),
            value->>'sha256', value->>'mimeType' from ${rows} where true`,
        )
        .onConflictDoUpdate({
          target: [runFiles.runId, runFiles.kind, runFiles.name],
          set: {
            blob: sql`excluded.blob`,
            sizeBytes: sql`excluded.size_bytes`,
            sha256: sql`excluded.sha256`,
            mimeType: sql`excluded.mime_type`,
          },
        }),
      database
        .delete(doomedBlobs)
        .where(
          sql`${doomedBlobs.key} in (select value->>'blob' from ${rows} where value->>'kind' <> 'tree')`,
        ),
    ]
  })
}

/** Removes files of a run, and dooms the bytes that are its own. */
export function deleteFiles(
  database: Database,
  { runId, kind, at }: { readonly runId: string; readonly kind: FileKind; readonly at: number },
): Write[] {
  const these = sql`run_id = ${runId} and kind = ${kind}`
  const removed = database.delete(runFiles).where(these)
  return kind === 'tree' ? [removed] : [doomBlobs(database, these, at), removed]
}

/** Notes a blob before it is put, so that it is swept unless a run comes to refer to it. */
export function doomBlob(database: Database, key: string, at: number): Write {
  return database.insert(doomedBlobs).values({ key, at })
}

/** Notes that nothing refers any more to the bytes of these files. */
export function doomBlobs(database: Database, where: SQL, at: number): Write {
  const doomed = database
    .select({ key: runFiles.blob, at: sql<number>`cast(${at} as integer)`.as('at') })
    .from(runFiles)
    .where(where)
  return database.insert(doomedBlobs).select(doomed)
}

function batches(files: readonly RunFile[]): RunFile[][] {
  const found: RunFile[][] = []
  let characters = PARAMETER_CHARACTERS
  for (const file of files) {
    if (characters >= PARAMETER_CHARACTERS) {
      found.push([])
      characters = 0
    }
    found.at(-1)?.push(file)
    characters += JSON.stringify(file).length
  }
  return found
}
