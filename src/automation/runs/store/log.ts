import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { eachOf, partsOf } from '../../../../db/lists.ts'
import { runLogLines, runs } from '../../../../db/tables/runs.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type LogRow = Omit<typeof runLogLines.$inferSelect, 'runId'>

/** The stored part of a log: its first and its last lines. */
export type LogLimits = { readonly headLines: number; readonly tailLines: number }

/** Adds the next chunk to the log of a run that is held by this token, and removes the lines between the first and the last
 * ones; without the token the whole batch fails for the empty number of lines.
 * @param lastLine the highest line of the log with the chunk */
export function appendLog(
  database: Database,
  chunk: {
    readonly runId: string
    readonly attemptHash: string
    readonly sequence: number
    readonly lines: readonly LogRow[]
    readonly lastLine: number
  },
  { headLines, tailLines }: LogLimits,
): Write[] {
  const { runId, attemptHash, sequence, lines, lastLine } = chunk
  const isNext = sql`${runs.logSequence} = ${sequence - 1} and ${runs.attemptHash} = ${attemptHash}
    and ${runs.leaseUntil} is not null`
  return [
    database
      .update(runs)
      .set({ logSequence: sequence, logLines: sql`case when ${isNext} then ${lastLine} end` })
      .where(eq(runs.id, runId)),
    ...partsOf(lines).map((part) =>
      database
        .insert(runLogLines)
        .select(
          sql`select ${runId}, cast(value->>'line' as integer), cast(value->>'at' as integer), value->>'stream', value->>'text'
            from ${eachOf(part)} where true`,
        )
        .onConflictDoNothing(),
    ),
    database.delete(runLogLines).where(
      sql`${runLogLines.runId} = ${runId} and ${runLogLines.line} > ${headLines}
          and ${runLogLines.line} <= ${lastLine - tailLines}`,
    ),
  ]
}

export function deleteLog(database: Database, runId: string): Write {
  return database.delete(runLogLines).where(eq(runLogLines.runId, runId))
}

/** The kept lines after one, in their order. */
export function readLog(
  database: Database,
  { runId, afterLine, limit }: { readonly runId: string; readonly afterLine: number; readonly limit: number },
): Promise<LogRow[]> {
  const { line, at, stream, text } = runLogLines
  return Promise.resolve(
    database
      .select({ line, at, stream, text })
      .from(runLogLines)
      .where(and(eq(runLogLines.runId, runId), gt(line, afterLine)))
      .orderBy(asc(line))
      .limit(limit),
  )
}
