import { nextAfter } from '../scripts/cron.ts'

/** A delay up to this counts as in time: the service may have restarted. */
export const LATE_MAX_MS = 5 * 60_000

/** The times of a schedule, and its policy for missed ones. */
export type Times = {
  readonly cron: string
  readonly timeZone: string
  readonly misfire: 'skip' | 'run_once'
  /** The due time, epoch ms. */
  readonly nextAt: number
}

/** The outcome of a due schedule: one run at most for all times since, and its next time. Without a run,
 * all of it was missed.
 * @returns `nextAt` null for a schedule that never comes again */
export function comingTo(
  { cron, timeZone, misfire, nextAt: dueAt }: Times,
  now: number,
): { readonly isRun: boolean; readonly nextAt: number | null } {
  const inTimeAt = nextAfter(cron, timeZone, Math.max(dueAt, now - LATE_MAX_MS) - 1)
  const isInTime = inTimeAt !== null && inTimeAt <= now
  return { isRun: isInTime || misfire === 'run_once', nextAt: nextAfter(cron, timeZone, now) }
}
