import type { Job } from '../head/job.ts'
import { readSegmentsBefore, readSeriesBefore } from '../store/segments.ts'
import type { SeriesKey } from '../store/segments.ts'
import { offloadSegments } from './offload.ts'
import type { OffloadContext } from './offload.ts'
import { expireCells, expireSegments } from './expire.ts'
import { SegmentRewrites } from './rewrites.ts'
import type { RetentionLimits, RetentionContext } from './context.ts'

/** Late values are accepted for 30 days; older segments do not change any more. */
const COLD_MS = 31 * 86_400_000

/** Segment headers that are read in one turn. */
const SEGMENTS_AT_ONCE = 1_024

/** Deletes expired samples and cells of some jobs, and offloads cold segments, a few in each commit. */
export async function applyToJobs(
  context: RetentionContext,
  jobs: readonly Job[],
  now: number,
): Promise<void> {
  const { values, lock, host } = context.blocks
  const limits = new Map(jobs.map((job) => [job.id, limitsOf(job, now)]))
  const due = await lock.run(() =>
    readSeriesBefore(
      values,
      [...limits].map(([jobId, { coldAt, rawAt }]) => ({ jobId, before: Math.max(coldAt, rawAt) })),
    ),
  )
  const rewrites = new SegmentRewrites(context)
  try {
    for (const job of jobs) {
      const limit = limits.get(job.id)
      for (const key of limit ? due.filter(({ jobId }) => jobId === job.id) : []) {
        if (limit) await applyToSeries({ context, rewrites, job }, key, limit)
        await host.turn()
      }
    }
  } finally {
    await rewrites.commit()
  }
  await expireCells(context, jobs, limits)
}

/** Cold depends on the job's own clock, which never goes back, because the acceptance of late values does. */
function limitsOf(job: Job, now: number): RetentionLimits {
  const state = job.currentState()
  const { rawMs, minutesMs, hoursMs } = state.rules.retention
  const at = Math.max(state.nowAt, now)
  return {
    coldAt: state.nowAt - COLD_MS,
    rawAt: at - rawMs,
    minutesAt: at - minutesMs,
    hoursAt: at - hoursMs,
  }
}

async function applyToSeries(
  offload: OffloadContext,
  key: SeriesKey,
  { coldAt, rawAt }: RetentionLimits,
): Promise<void> {
  const { context, job } = offload
  const { values, lock } = context.blocks
  let after = { from: -1, place: 0 }
  for (;;) {
    const rows = await lock.run(() =>
      readSegmentsBefore(values, key, { after, before: Math.max(coldAt, rawAt) }, SEGMENTS_AT_ONCE),
    )
    await expireSegments(
      context,
      job,
      rows.filter(({ head }) => head.to < rawAt),
    )
    await offloadSegments(
      offload,
      rows.filter(({ head }) => head.to >= rawAt && head.to < coldAt),
    )
    const last = rows.at(-1)
    if (rows.length < SEGMENTS_AT_ONCE || !last) return
    after = last
  }
}
