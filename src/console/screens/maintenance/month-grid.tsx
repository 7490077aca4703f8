import type { JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'

import { t } from '../../language/t.ts'
import { dayOf } from './days.ts'
import type { Day } from './days.ts'
import { EntryButton } from './entry-button.tsx'
import type { Entry, Occurrence } from './occurrences.ts'
import { dayName } from './texts.ts'
import { daysTouched } from './week.ts'

const SHOWN_MAX = 4
const DAYS_A_WEEK = 7

type Props = {
  readonly days: readonly Day[]
  readonly month: string
  readonly today: Day
  readonly zone: string
  readonly occurrences: readonly Occurrence[]
  readonly onPlan: (day: Day) => void
  readonly onShow: (entry: Entry) => void
  readonly onMonth: (by: number) => void
  /** Opens the week of a day that has more than the month can draw. */
  readonly onWeek: (day: Day) => void
}

/** The weeks of a month. Arrows move by days and weeks, Tab goes on to the entries of the day that has the focus. */
export function MonthGrid(props: Props): JSX.Element {
  const { days, month, today, zone, occurrences } = props
  const grid = useRef<HTMLTableElement>(null)
  const [chosen, setFocused] = useState<Day>(today)
  const focused = days.includes(chosen) ? chosen : `${month}-01`
  const weeks = Array.from({ length: days.length / DAYS_A_WEEK }, (_, week) =>
    days.slice(week * DAYS_A_WEEK, (week + 1) * DAYS_A_WEEK),
  )
  const byDay = useMemo(() => {
    const all = new Map<Day, Occurrence[]>(days.map((day) => [day, []]))
    for (const one of occurrences) for (const day of daysTouched(one, days, zone)) all.get(day)?.push(one)
    return all
  }, [occurrences, month, zone])
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'n' || (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement))) {
      event.preventDefault()
      return props.onPlan(focused)
    }
    if (event.key === 'PageUp' || event.key === 'PageDown')
      return props.onMonth(event.key === 'PageUp' ? -1 : 1)
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 7, ArrowUp: -7 }[event.key]
    const next = step === undefined ? undefined : days[days.indexOf(focused) + step]
    if (next === undefined) return
    event.preventDefault()
    setFocused(next)
    grid.current?.querySelector<HTMLElement>(`td[data-day="${next}"]`)?.focus()
  }
  return (
    <table class="card cal" role="grid" aria-label={t('nav.maintenance')} ref={grid} onKeyDown={press}>
      <thead>
        <tr>
          <th scope="col" class="weekno">
            <span class="vh">{t('maintenance.view.week')}</span>
          </th>
          {days.slice(0, DAYS_A_WEEK).map((day) => (
            <th key={day} scope="col">
              {dayName(day, { weekday: 'short' })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            <th scope="row" class="weekno">
              {weekNumber(week[0] ?? '')}
            </th>
            {week.map((day) => (
              <MonthDay
                key={day}
                {...props}
                day={day}
                inside={byDay.get(day) ?? []}
                isFocused={day === focused}
                onFocus={() => setFocused(day)}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function MonthDay({
  day,
  month,
  today,
  zone,
  inside,
  isFocused,
  onFocus,
  onPlan,
  onShow,
  onWeek,
}: Props & {
  readonly day: Day
  readonly inside: readonly Occurrence[]
  readonly isFocused: boolean
  readonly onFocus: () => void
}): JSX.Element {
  const shown = inside.length > SHOWN_MAX ? SHOWN_MAX - 1 : SHOWN_MAX
  return (
    <td
      role="gridcell"
      data-day={day}
      tabIndex={isFocused ? 0 : -1}
      class={`${day.startsWith(month) ? '' : 'out'} ${day === today ? 'today' : ''}`}
      {...(day === today ? { 'aria-current': 'date' as const } : {})}
      onFocus={onFocus}
      onDblClick={() => onPlan(day)}
    >
      <span class="day">
        {day.endsWith('-01') ? dayName(day, { day: 'numeric', month: 'short' }) : Number(day.slice(8))}
      </span>
      {inside.slice(0, shown).map((one) => (
        <EntryButton
          key={one.key}
          occurrence={one}
          zone={zone}
          isReached={isFocused}
          withTime={dayOf(one.begin, zone) === day}
          onShow={onShow}
        />
      ))}
      {inside.length > shown && (
        <button
          type="button"
          class="btn ghost small"
          tabIndex={isFocused ? 0 : -1}
          onClick={() => onWeek(day)}
        >
          {t('maintenance.more', { count: inside.length - shown })}
        </button>
      )}
    </td>
  )
}

/** The number of a week after ISO 8601. @param monday its first day */
function weekNumber(monday: Day): number {
  const thursday = Date.parse(`${monday}T00:00:00Z`) + 3 * 86_400_000
  const begin = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)
  return Math.floor((thursday - begin) / (7 * 86_400_000)) + 1
}
