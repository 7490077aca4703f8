import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { actorChanges, jobs, objects } from '../../../db/tables/monitoring.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { FlappingLimits } from '../../domain/job-rules.ts'
import type { State } from '../../domain/state.ts'
import type { JobConfiguration } from './rules.ts'
import type { Parameters, ThresholdsBody } from './schema.ts'

export type JobConfigChange = {
  readonly jobId: number
  readonly revision: number
  /** Null if the job was deleted. */
  readonly job: JobConfiguration | null
}

/** Queues a configuration change for every job at or below a path. */
export function markSubtree(database: Database, path: string): Write {
  return database
    .insert(actorChanges)
    .select(
      database
        .select({ jobId: objects.id, revision: sql<number>`${objects.version}`.as('revision') })
        .from(objects)
        .where(
          and(sql`${objects.path} >= ${path} and ${objects.path} < ${`${path}~`}`, eq(objects.type, 'job')),
        ),
    )
    .onConflictDoUpdate({
      target: actorChanges.jobId,
      set: { revision: sql`max(${actorChanges.revision}, excluded.revision) + 1` },
    })
}

/** Queued changes, oldest job first. */
export async function readChanges(database: Database, limit: number): Promise<readonly JobConfigChange[]> {
  const parents = alias(objects, 'parents')
  const rows = await database
    .select({
      jobId: actorChanges.jobId,
      change: actorChanges.revision,
      revision: objects.version,
      ownCollectorId: objects.collectorId,
      deviceCollectorId: parents.collectorId,
      intervalMs: jobs.intervalMs,
      stopped: jobs.stopped,
      forcedState: jobs.forcedState,
      parameters: jobs.parameters,
      thresholds: jobs.thresholds,
      flapping: jobs.flapping,
    })
    .from(actorChanges)
    .leftJoin(objects, eq(objects.id, actorChanges.jobId))
    .leftJoin(parents, eq(parents.id, objects.parentId))
    .leftJoin(jobs, eq(jobs.id, actorChanges.jobId))
    .orderBy(actorChanges.jobId)
    .limit(limit)
  return rows.map((row) => ({
    jobId: row.jobId,
    revision: row.change,
    job:
      row.revision === null
        ? null
        : {
            revision: row.revision,
            collectorId: row.ownCollectorId || row.deviceCollectorId || 0,
            intervalMs: row.intervalMs ?? 0,
            stopped: row.stopped ?? true,
            forcedState: row.forcedState as State | null,
            parameters: row.parameters as Parameters,
            thresholds: row.thresholds as ThresholdsBody,
            flapping: row.flapping as FlappingLimits | null,
          },
  }))
}

/** Removes a change from the queue, unless the job was changed again in the meantime. */
export function deleteChange(database: Database, change: JobConfigChange): Write {
  return database
    .delete(actorChanges)
    .where(and(eq(actorChanges.jobId, change.jobId), eq(actorChanges.revision, change.revision)))
}
