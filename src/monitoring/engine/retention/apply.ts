import type { Job } from '../head/job.ts'
import { readSegmentsBefore, readSeriesBefore } from '../store/segments.ts'
import type { SeriesKey } from '../store/segments.ts'
import { offloadSegments } from './offload.ts'
import type { OffloadContext } from './offload.ts'
import { expireCells, expireSegments } from './expire.ts'
import { SegmentRewrites } from './rewrites.ts'
import type { RetentionLimits, RetentionContext } from './context.ts'

/** Late values are taken for 30 days; what is a day older than that will never change. */
const COLD_MS = 31 * 86_400_000

/** Heads that are read while deliveries wait. */
const SEGMENTS_AT_ONCE = 1_024

/** Removes what has expired of some jobs, and moves what is cold out of the way, a little in each commit. */
export async function applyRetention(
  context: RetentionContext,
  jobs: readonly Job[],
  now: number,
): Promise<void> {
  const borders = new Map(jobs.map((job) => [job.id, limitsOf(job, now)]))
  const due = await context.lock.run(() =>
    readSeriesBefore(
      context.values,
      [...borders].map(([jobId, { coldAt, rawAt }]) => ({ jobId, before: Math.max(coldAt, rawAt) })),
    ),
  )
  const rewrites = new SegmentRewrites(context)
  try {
    for (const job of jobs) {
      const border = borders.get(job.id)
      for (const key of border ? due.filter(({ jobId }) => jobId === job.id) : []) {
        if (border) await applyToSeries({ context, rewrites, job }, key, border)
        await context.turn()
      }
    }
  } finally {
    await rewrites.commit()
  }
  await expireCells(context, jobs, borders)
}

/** What a job takes late depends on its own clock, which never goes back: so does what is cold. */
function limitsOf({ state }: Job, now: number): RetentionLimits {
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
  cooling: OffloadContext,
  key: SeriesKey,
  borders: RetentionLimits,
): Promise<void> {
  const { context, job } = cooling
  const { coldAt, rawAt } = borders
  let after = { from: -1, place: 0 }
  for (;;) {
    const rows = await context.lock.run(() =>
      readSegmentsBefore(context.values, key, { after, before: Math.max(coldAt, rawAt) }, SEGMENTS_AT_ONCE),
    )
    await expireSegments(
      context,
      job,
      rows.filter(({ head }) => head.to < rawAt),
    )
    await offloadSegments(
      cooling,
      rows.filter(({ head }) => head.to >= rawAt && head.to < coldAt),
    )
    const last = rows.at(-1)
    if (rows.length < SEGMENTS_AT_ONCE || !last) return
    after = last
  }
}
