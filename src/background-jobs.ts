import { syncWhenDue } from './access/directory/service.ts'
import { prepareFirstStart } from './access/session/service/first-start.ts'
import { orderDueForecasts } from './analytics/forecasts/service/due.ts'
import { continueDemo } from './automation/demo/service.ts'
import { backUpWhenDue } from './content/backups/service.ts'
import { sweepBlobs } from './content/blobs/service.ts'
import { refreshResultsWhenDue } from './data/queries/results/service/refresh.ts'
import { refreshWhenDue } from './data/refreshes/service/run.ts'
import { sweepGenerations } from './data/tables/service.ts'
import { sweepUploads } from './data/uploads/service.ts'
import { sweepOperations } from './operations/work/service.ts'
import { sweepTranslations } from './content/translations/automatic/service.ts'
import { sweepAll } from './state-pipeline.ts'
import { createFirstJob } from './monitoring/jobs/service/first-job.ts'
import { applyChanges } from './monitoring/job-config/service.ts'
import type { Ports } from './ports/index.ts'

/** The first objects of a new installation. */
export type FirstStart = {
  /** The token of the set-up link; null when there is a user. */
  readonly setupToken: string | null
  /** The job that this start has made; null when it has made none. */
  readonly firstJobId: number | null
}

/** Creates a first administrator if needed, and a first device with a job in an empty tree.
 * @throws {RangeError} when the configured password is weak */
export async function beginFirst(ports: Ports): Promise<FirstStart> {
  const { isFirstStart, setupToken } = await prepareFirstStart(ports)
  const makesJob = isFirstStart && ports.settings.makesFirstObjects
  return { setupToken, firstJobId: makesJob ? await createFirstJob(ports) : null }
}

/** Completes the work of a process that died: configurations that a job has not received, changes that were not propagated, and rows of
 * tables that no table has. */
export async function recover(ports: Ports): Promise<void> {
  await applyChanges(ports)
  await ports.flow.runDue()
  await ports.dispatch.runDue()
  await sweepGenerations(ports)
}

/** Refreshes that are due, to be asked for every minute. */
export async function runMinutely(ports: Ports): Promise<void> {
  await sideBySide(ports, {
    'refreshes of tables': refreshWhenDue,
    'refreshes of data queries': refreshResultsWhenDue,
  })
}

/** Periodic work of every few minutes beside deliveries and deadlines: unfinished work,
 * people of the directory, files without a reference, backups that are due. */
export async function runPeriodic(ports: Ports): Promise<void> {
  await sideBySide(ports, {
    recovery: recover,
    'directory sync': syncWhenDue,
    blobs: sweepBlobs,
    operations: sweepOperations,
    uploads: sweepUploads,
    backups: backUpWhenDue,
    minutely: runMinutely,
    forecasts: orderDueForecasts,
    demo: continueDemo,
  })
}

/** The sweep of every night: every parent's state, and old translations. */
export async function runNightly(ports: Ports): Promise<void> {
  await sideBySide(ports, { states: sweepAll, translations: sweepTranslations })
}

/** Runs all parts of the periodic work. A part that fails is logged, and keeps no other from its end. */
async function sideBySide(
  ports: Ports,
  parts: Readonly<Record<string, (ports: Ports) => Promise<unknown>>>,
): Promise<void> {
  await Promise.all(
    Object.entries(parts).map(([part, run]) =>
      run(ports).catch((error: unknown) =>
        ports.log.error('background jobs: a part of the periodic work failed; retrying', error, { part }),
      ),
    ),
  )
}
