import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'

import { Note } from '../../kit/feedback.tsx'
import { now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { dayOf } from './days.ts'
import type { Day } from './days.ts'
import { nextSpans } from './schedule.ts'
import type { Schedule, Span } from './schedule.ts'
import { clockOf, dayName, shiftText } from './texts.ts'

const SHOWN = 5
const MINUTE_MS = 60_000

/** The next five times of a schedule in the zone of the calendar and in UTC, and the change of clocks among them. */
export function NextTimes({
  schedule,
  zone,
}: {
  readonly schedule: Schedule
  readonly zone: string
}): JSX.Element | null {
  const minute = Math.floor(now.value / MINUTE_MS) * MINUTE_MS
  const isSingle = schedule.active.length === 0
  const from = isSingle ? schedule.begin : Math.max(schedule.begin, minute)
  const text = JSON.stringify(schedule)
  const spans = useMemo(() => nextSpans(schedule, from, SHOWN), [text, from])
  const shift = useMemo(() => shiftText(schedule, zone, minute), [text, zone, minute])
  if (spans.length === 0) return <p class="quiet">{t('maintenance.never')}</p>
  return (
    <>
      <section class="col tight">
        {!isSingle && <h3>{t('maintenance.nextTimes')}</h3>}
        <div class="zones">
          {spans.map((span) => (
            <NextTime key={span.begin} span={span} zone={zone} />
          ))}
        </div>
      </section>
      {shift && (
        <Note icon="clock" kind="warning">
          {shift}
        </Note>
      )}
    </>
  )
}

/** A span in UTC, with the day of its begin when that differs. */
function utcText({ begin, end }: Span, day: Day): string {
  const utcDay = dayOf(begin, 'UTC')
  return `${utcDay === day ? '' : `${dayName(utcDay)} `}${clockOf(begin, 'UTC')}–${clockOf(end, 'UTC')} UTC`
}

function NextTime({ span, zone }: { readonly span: Span; readonly zone: string }): JSX.Element {
  const day = dayOf(span.begin, zone)
  const last = dayOf(span.end - 1, zone)
  return (
    <>
      <span>{dayName(day)}</span>
      <span>
        {clockOf(span.begin, zone)}–{last === day ? '' : `${dayName(last)} `}
        {clockOf(span.end, zone)}
      </span>
      {zone === 'UTC' ? <span /> : <span class="faint">{utcText(span, day)}</span>}
    </>
  )
}
