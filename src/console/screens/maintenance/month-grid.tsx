import type { JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'

import { t } from '../../language/t.ts'
import { dayOf, shiftByDays, shiftDay, startOf } from './days.ts'
import type { Day } from './days.ts'
import { pressAlt, useDrag } from './drag.ts'
import type { Draft, Grab, Grip, Moves } from './drag.ts'
import { EntryButton } from './entry-button.tsx'
import type { Occurrence } from './occurrences.ts'
import { dayName } from './texts.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { daysTouched } from './week.ts'

const SHOWN_MAX = 4
const DAYS_A_WEEK = 7

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  ArrowDown: DAYS_A_WEEK,
  ArrowUp: -DAYS_A_WEEK,
}
const DAY_MS = 86_400_000

type Props = {
  readonly days: readonly Day[]
  readonly month: string
  readonly today: Day
  readonly zone: string
  readonly occurrences: readonly Occurrence[]
  readonly onPlan: (day: Day) => void
  readonly onShow: (occurrence: Occurrence) => void
  readonly onMonth: (by: number) => void
  /** Opens the week of a day that has more than the month can draw. */
  readonly onWeek: (day: Day) => void
  readonly moves: Moves
}

/** The weeks of a month. Arrows move by days and weeks, Tab goes on to the entries of the day that has the focus. */
export function MonthGrid(props: Props): JSX.Element {
  const { days, month, today, zone, occurrences, moves } = props
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
  useKeptFocus(grid, moves.draft)
  const find = (key: string | undefined): Occurrence | undefined => occurrences.find((one) => one.key === key)
  const drag = useDrag<Day>({
    find,
    placeAt: dayBelow,
    draftOf: (grab, day) => draftOf(grab, day, zone),
    mayGrab: moves.mayGrab,
    onDraft: moves.setDraft,
    onDrop: moves.settle,
  })
  const press = (event: KeyboardEvent): void => {
    const keyed = (draft: Draft, arrow: string, grip: Grip): Draft =>
      shiftedBy(draft, STEPS[arrow] ?? 0, { grip, zone })
    if (pressAlt(event, { ...moves, find, keyed })) return
    if (event.key === 'n' || (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement))) {
      event.preventDefault()
      return props.onPlan(focused)
    }
    if (event.key === 'PageUp' || event.key === 'PageDown') {
      event.preventDefault()
      return props.onMonth(event.key === 'PageUp' ? -1 : 1)
    }
    const step = STEPS[event.key]
    const next = step === undefined ? undefined : days[days.indexOf(focused) + step]
    if (next === undefined) return
    event.preventDefault()
    setFocused(next)
    grid.current?.querySelector<HTMLElement>(`td[data-day="${next}"]`)?.focus()
  }
  return (
    <table
      class="card cal"
      role="grid"
      aria-label={t('nav.maintenance')}
      ref={grid}
      onKeyDown={press}
      onKeyUp={(event) => event.key === 'Alt' && moves.draft && moves.settle(moves.draft)}
      {...drag}
    >
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
  moves,
}: Props & {
  readonly day: Day
  readonly inside: readonly Occurrence[]
  readonly isFocused: boolean
  readonly onFocus: () => void
}): JSX.Element {
  const { draft } = moves
  const isPlanned = draft?.occurrence === null && daysTouched(draft, [day], zone).length > 0
  const shown = inside.length > SHOWN_MAX ? SHOWN_MAX - 1 : SHOWN_MAX
  return (
    <td
      role="gridcell"
      data-day={day}
      tabIndex={isFocused ? 0 : -1}
      class={`${day.startsWith(month) ? '' : 'out'} ${day === today ? 'today' : ''} ${isPlanned ? 'drafted' : ''}`}
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
          edges={one.end - one.begin > DAY_MS && dayOf(one.end - 1, zone) === day ? ['end'] : []}
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

function dayBelow({ clientX, clientY }: PointerEvent): Day | null {
  for (const element of document.elementsFromPoint(clientX, clientY))
    if (element instanceof HTMLTableCellElement && element.dataset['day']) return element.dataset['day']
  return null
}

/** The time that a drag has led to: whole days for a plan, the same time of day for an occurrence. */
function draftOf({ grip, occurrence, place }: Grab<Day>, day: Day, zone: string): Draft {
  if (occurrence) {
    const days = (Date.parse(day) - Date.parse(place)) / DAY_MS
    return shiftedBy({ ...occurrence, occurrence }, days, { grip, zone })
  }
  const [first, last] = place <= day ? [place, day] : [day, place]
  return { occurrence, begin: startOf(first, zone), end: startOf(shiftDay(last, 1), zone) }
}

/** A time some days later. A span of a day or longer ends at the same time of day, a shorter one keeps its length. */
function shiftedBy(
  { occurrence, begin, end }: Draft,
  days: number,
  { grip, zone }: { readonly grip: Grip; readonly zone: string },
): Draft {
  const later = shiftByDays(end, days, zone)
  if (grip === 'end') return { occurrence, begin, end: later > begin ? later : end }
  const to = shiftByDays(begin, days, zone)
  return { occurrence, begin: to, end: end - begin < DAY_MS ? to + end - begin : later }
}

/** The number of a week after ISO 8601. @param monday its first day */
function weekNumber(monday: Day): number {
  const thursday = Date.parse(`${monday}T00:00:00Z`) + 3 * 86_400_000
  const begin = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)
  return Math.floor((thursday - begin) / (7 * 86_400_000)) + 1
}
