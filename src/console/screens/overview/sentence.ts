import { t } from '../../language/t.ts'

/** A page of open alarms, latest first. */
type Alarms = {
  readonly items: readonly { readonly assignee: object | null; readonly suppressedBy: number | null }[]
  readonly nextCursor: string | null
}

/** The numbers of open alarms that no other alarm explains. */
export type Trouble = { readonly unacknowledged: number; readonly acknowledged: number }

/** The numbers of alarms of a page, or `all` when there are more alarms than on the page. */
export function troubleOf({ items, nextCursor }: Alarms, all: Trouble | undefined): Trouble {
  if (nextCursor !== null && all) return all
  const wrong = items.filter(({ suppressedBy }) => suppressedBy === null)
  const unacknowledged = wrong.filter(({ assignee }) => assignee === null).length
  return { unacknowledged, acknowledged: wrong.length - unacknowledged }
}

/** The headline: the number of open alarms, and the number of those that no user has acknowledged. */
export function headline({ unacknowledged: free, acknowledged }: Trouble): string {
  const count = free + acknowledged
  if (count === 0) return t('overview.well')
  if (free === 0) return t('overview.wrongAllAcknowledged', { count })
  return acknowledged === 0
    ? t('overview.wrongNoneAcknowledged', { count })
    : t('overview.wrong', { count, free })
}

/** The jobs of the whole tree by their state. */
export type Counts = Readonly<Record<string, number>>

/** The jobs of all states. */
export const jobCount = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** The second sentence: the number of jobs that are ok. */
export function restSentence(counts: Counts): string {
  const total = jobCount(counts)
  if (total === 0) return t('overview.noJobs')
  return t('overview.rest', { well: counts['ok'] ?? 0, total })
}
