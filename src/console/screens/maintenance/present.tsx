import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'

import { Skeleton } from '../../kit/feedback.tsx'
import { now, timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { occurrencesOf } from './listed.ts'
import { phaseOf } from './occurrences.ts'
import type { Occurrence } from './occurrences.ts'
import { useCalendar } from './use-calendar.ts'

const STEP_MS = 300_000
/** The sentence looks this far ahead. */
const AHEAD_MS = 31 * 24 * 3_600_000

/** The maintenance that runs now, or the next one. It does not depend on the days that the calendar shows.
 * @param withNext whether the next one is named beside the one that runs */
export function Present({ withNext = false }: { readonly withNext?: boolean }): JSX.Element {
  const begin = Math.floor(now.value / STEP_MS) * STEP_MS
  const end = begin + AHEAD_MS
  const { data, failure } = useCalendar(begin, end)
  // The sentence of the step before stays until the next one is read.
  const latest = useRef(data)
  if (data) latest.current = data
  if (!latest.current && !failure) return <Skeleton lines={1} />
  return (
    <p class="say">
      {latest.current && sentenceOf(occurrencesOf(latest.current.items, { begin, end }), withNext)}
    </p>
  )
}

function sentenceOf(all: readonly Occurrence[], withNext: boolean): string {
  const maintenance = all.filter(({ entry }) => entry.type === 'maintenance')
  const running = maintenance.filter((one) => phaseOf(one, now.value) === 'running')
  const [first] = running
  const next = maintenance.find(({ begin }) => begin > now.value)
  const following = next && { name: next.entry.object.name, time: timeText(next.begin) }
  if (!first) return following ? t('maintenance.next', following) : t('maintenance.none')
  const runs = t('maintenance.running', {
    count: running.length,
    name: first.entry.object.name,
    time: timeText(first.end),
  })
  return withNext && following ? `${runs} ${t('maintenance.following', following)}` : runs
}
