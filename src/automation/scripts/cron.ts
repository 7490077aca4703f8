import { Cron } from 'croner'

/**
 * Cron expressions of five fields, read on the clock of a time zone, and by this rule where that clock is changed:
 * - a time of day that is named (no `*` and no `/` in minutes and hours) comes exactly once a day: one that is left out
 *   comes when the clock goes on, and one that is there twice comes the first time
 * - all others follow the clock: what is left out does not come, and what is there twice comes twice
 * The first is `localInstant` of `lib/time.ts`, by which maintenance and the times of recipients are read as well.
 */
const RULE = { mode: '5-part', fixedTimeRule: 'no-wildcard' } as const

/** Whether a text is a cron expression with an occurrence from `at` on: `0 0 30 2 *` has none. */
export function comes(cron: string, timeZone: string, at: number): boolean {
  // A question mark stands for the moment at which it is read.
  if (cron.includes('?')) return false
  try {
    return nextAfter(cron, timeZone, at) !== null
  } catch {
    return false
  }
}

/** The first instant after another at which a cron expression comes, epoch milliseconds; null where it never does again.
 * @throws {Error} for a text that is not a cron expression */
export function nextAfter(cron: string, timeZone: string, at: number): number | null {
  return read(cron, timeZone).nextRun(new Date(at))?.getTime() ?? null
}

/** The next instants at which a cron expression comes, some of them. @throws {Error} for a text that is not a cron expression */
export function nextRuns(cron: string, timeZone: string, at: number, count: number): number[] {
  return read(cron, timeZone)
    .nextRuns(count, new Date(at))
    .map((one) => one.getTime())
}

/** As in Debian's cron, days of the month and of the week have to agree where either begins with `*`; otherwise one of
 * them is enough. */
function read(cron: string, timeZone: string): Cron {
  const [, , dayOfMonth = '', , dayOfWeek = ''] = cron.trim().split(/\s+/)
  const domAndDow = dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*')
  return new Cron(cron, { ...RULE, domAndDow, timezone: timeZone })
}
