import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, partsOf } from '../../../../db/lists.ts'
import { unlessFull } from '../../../../db/row-limit.ts'
import { orphanedBlobs } from '../../../../db/tables/content.ts'
import { runFiles, runs } from '../../../../db/tables/runs.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type RunFile = typeof runFiles.$inferSelect
export type FileKind = 'upload' | 'output' | 'tree'

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

/** Lets a batch fail, as `refuseFull` recognises by `queued_at`, when the run has `max` outputs and none of this name. */
export function requireRoom(
  database: Database,
  { runId, name, max }: { readonly runId: string; readonly name: string; readonly max: number },
): Write {
  const rows = sql`select 1 from run_files where run_id = ${runId} and kind = 'output'`
  const isThere = sql`exists (${rows} and name = ${name})`
  return database
    .update(runs)
    .set({ queuedAt: unlessFull(runs.queuedAt, { rows, isThere, max }) })
    .where(eq(runs.id, runId))
}

/** Notes files, in place of those that have their names, whose bytes are orphaned. */
export function insertFiles(
  database: Database,
  { runId, kind, at }: { readonly runId: string; readonly kind: FileKind; readonly at: number },
  files: readonly Omit<RunFile, 'runId' | 'kind'>[],
): Write[] {
  return partsOf(files).flatMap((part) => {
    const row = eachOf(part)
    return [
      markBytesOrphaned(
        database,
        sql`run_id = ${runId} and kind = ${kind} and kind <> 'tree' and name in (select value->>'name' from ${row})`,
        at,
      ),
      database
        .insert(runFiles)
        .select(
          sql`select ${runId}, ${kind}, value->>'name', value->>'blob', cast(value->>'sizeBytes' as integer),
            value->>'sha256', value->>'mimeType' from ${row} where true`,
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
    ]
  })
}

/** Removes files of a run, and marks its own bytes as orphaned. */
export function deleteFiles(
  database: Database,
  { runId, kind, at }: { readonly runId: string; readonly kind: FileKind; readonly at: number },
): Write[] {
  const these = sql`run_id = ${runId} and kind = ${kind}`
  const removed = database.delete(runFiles).where(these)
  return kind === 'tree' ? [removed] : [markBytesOrphaned(database, these, at), removed]
}

/** Notes that nothing refers any more to the bytes of these files. */
export function markBytesOrphaned(database: Database, where: SQL, at: number): Write {
  const orphaned = database
    .select({ key: runFiles.blob, at: sql<number>`cast(${at} as integer)`.as('at') })
    .from(runFiles)
    .where(where)
  return database.insert(orphanedBlobs).select(orphaned)
}
