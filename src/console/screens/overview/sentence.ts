import { t } from '../../language/t.ts'

/** The alarms of an overview, as the sentence needs them. */
export type Trouble = { readonly assignee: object | null; readonly suppressedBy: number | null }

/** The headline: how many things are wrong, and how many of them no user has acknowledged. */
export function headline(alarms: readonly Trouble[]): string {
  const wrong = alarms.filter(({ suppressedBy }) => suppressedBy === null)
  if (wrong.length === 0) return t('overview.well')
  const free = wrong.filter(({ assignee }) => assignee === null).length
  if (free === 0) return t('overview.wrongAllAcknowledged', { count: wrong.length })
  if (free === wrong.length) return t('overview.wrongNoneAcknowledged', { count: free })
  return t('overview.wrong', { count: wrong.length, free })
}

/** The jobs of the whole tree by their state. */
export type Counts = Readonly<Record<string, number>>

/** The jobs of all states. */
export const jobCount = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** The second sentence: the jobs that are well. */
export function restSentence(counts: Counts): string {
  const total = jobCount(counts)
  if (total === 0) return t('overview.noJobs')
  return t('overview.rest', { well: counts['ok'] ?? 0, total })
}
