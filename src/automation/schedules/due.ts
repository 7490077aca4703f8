import { nextAfter } from '../scripts/cron.ts'

/** What is no later than this is in time: whoever had to do it was being started anew. */
export const LATE_MAX_MS = 5 * 60_000

/** When a schedule comes, and what becomes of what nobody was there for. */
export type Times = {
  readonly cron: string
  readonly timeZone: string
  readonly misfire: 'skip' | 'run_once'
  /** When it was to come next, epoch ms. */
  readonly nextAt: number
}

/** What a schedule that is due comes to: one run at most for all that was due since, and when it comes next. Without a run,
 * all of it was missed.
 * @returns `nextAt` null where it never comes again */
export function comingTo(
  { cron, timeZone, misfire, nextAt: dueAt }: Times,
  now: number,
): { readonly isRun: boolean; readonly nextAt: number | null } {
  const inTimeAt = nextAfter(cron, timeZone, Math.max(dueAt, now - LATE_MAX_MS) - 1)
  const isInTime = inTimeAt !== null && inTimeAt <= now
  return { isRun: isInTime || misfire === 'run_once', nextAt: nextAfter(cron, timeZone, now) }
}
