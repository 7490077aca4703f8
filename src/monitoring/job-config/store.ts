import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { elementsOf } from '../../../db/lists.ts'
import { isWithin } from '../../../db/paths.ts'
import { forecastBands } from '../../../db/tables/forecasts.ts'
import { jobs } from '../../../db/tables/jobs.ts'
import { objects } from '../../../db/tables/tree.ts'
import { staleJobConfigs } from '../../../db/tables/work-queues.ts'
import { done, enqueue } from '../../../db/work-queue.ts'
import type { QueueItem } from '../../../db/work-queue.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { ForecastBand } from '../../domain/forecast-band.ts'
import type { FlappingLimits } from '../../domain/job-rules.ts'
import type { State } from '../../domain/state.ts'
import type { JobConfiguration } from './rules.ts'
import type { Parameters, ThresholdsBody } from './schema.ts'

export type StaleJobConfig = QueueItem & {
  /** Null if the job is deleted. */
  readonly job: JobConfiguration | null
}

/** Enqueues jobs, named by their ids, or every job at or below a path, so that their actors get their configurations, or
 * forget the jobs if they are deleted. */
export function enqueueJobConfigs(
  database: Database,
  at: number | readonly number[] | { readonly path: string },
): Write {
  const isIt =
    typeof at === 'object' && 'path' in at ? isWithin('path', at.path) : sql`id in ${elementsOf([at].flat())}`
  return database.run(enqueue(staleJobConfigs, sql`select id from objects where ${isIt} and type = 'job'`))
}

/** Configurations that actors do not have yet, by ascending job id. */
export async function readStaleJobConfigs(
  database: Database,
  limit: number,
): Promise<readonly StaleJobConfig[]> {
  const parents = alias(objects, 'parents')
  const rows = await database
    .select({
      objectId: staleJobConfigs.objectId,
      mark: staleJobConfigs.mark,
      revision: objects.version,
      createdAt: objects.createdAt,
      ownCollectorId: objects.collectorId,
      deviceCollectorId: parents.collectorId,
      intervalMs: jobs.intervalMs,
      stopped: jobs.stopped,
      forcedState: jobs.forcedState,
      parameters: jobs.parameters,
      thresholds: jobs.thresholds,
      flapping: jobs.flapping,
    })
    .from(staleJobConfigs)
    .leftJoin(objects, eq(objects.id, staleJobConfigs.objectId))
    .leftJoin(parents, eq(parents.id, objects.parentId))
    .leftJoin(jobs, eq(jobs.id, staleJobConfigs.objectId))
    .orderBy(staleJobConfigs.objectId)
    .limit(limit)
  return rows.map((row) => ({
    objectId: row.objectId,
    mark: row.mark,
    job:
      row.revision === null
        ? null
        : {
            revision: row.revision,
            createdAt: row.createdAt ?? 0,
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

/** The bands that forecasts have published for a job. */
export async function readBands(database: Database, jobId: number): Promise<ForecastBand[]> {
  const rows = await database
    .select({ band: forecastBands.band })
    .from(forecastBands)
    .where(eq(forecastBands.jobId, jobId))
  return rows.map(({ band }) => band as ForecastBand)
}

export function finishJobConfigs(database: Database, items: readonly QueueItem[]): Write {
  return database.run(done(staleJobConfigs, items))
}
