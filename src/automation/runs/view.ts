import type { Isolation } from '../../domain/isolation.ts'
import { timeFormat } from '../../lib/time.ts'
import type { JobView, Trigger } from './schema.ts'
import type { ListedRun } from './store/lists.ts'

/** A run as callers see it. @param waitingFor what keeps every run from beginning */
export function viewOf(
  { timeZone, basePath }: { readonly timeZone: string; readonly basePath: string },
  run: ListedRun,
  waitingFor: string | null = null,
): JobView {
  const format = timeFormat(timeZone)
  const shown = (at: number | null) => (at === null ? null : format(at))
  const { id, scriptId, runConfigurationId, startedAt, finishedAt, logLines, keptLines } = run
  return {
    id,
    scriptId,
    runConfigurationId: runConfigurationId === 0 ? null : runConfigurationId,
    runConfiguration: run.order.configurationName,
    arguments: run.order.shownArguments ? [...run.order.shownArguments] : null,
    trigger: run.trigger as Trigger,
    userId: run.username === null ? null : run.userId,
    user: run.username,
    rightsOf: run.order.rightsOf ? [...run.order.rightsOf] : null,
    state: run.state,
    waitingFor: run.state === 'queued' ? waitingFor : null,
    attempt: run.attempt,
    exitCode: run.exitCode,
    progress: { value: run.progress, message: run.progressMessage },
    isolation: run.isolation as Isolation | null,
    cancelRequested: run.isCancelled,
    queuedAt: format(run.queuedAt),
    startedAt: shown(startedAt),
    finishedAt: shown(finishedAt),
    durationMs: startedAt === null || finishedAt === null ? null : Math.max(0, finishedAt - startedAt),
    runner: run.runnerName,
    log: { lines: logLines, dropped: Math.max(0, logLines - keptLines) },
    outputs: run.outputs.map(({ name, sizeBytes, mimeType }) => ({
      name,
      size: sizeBytes,
      mimeType,
      url: `${basePath}/scripts/${scriptId}/jobs/${id}/outputs/${encodeURIComponent(name)}`,
    })),
    report: run.reportTo === null ? null : { jobId: run.reportTo, state: run.reportState },
    error: run.error,
  }
}
