import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { Note } from '../../kit/feedback.tsx'
import { now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { shiftDay, startOf } from './days.ts'
import type { Day } from './days.ts'
import { EntryButton } from './entry-button.tsx'
import type { Entry, Occurrence } from './occurrences.ts'
import { clockOf, dayName } from './texts.ts'
import { axisOf, instantAt, isSkipped, placeOf, planOf, slotsOf } from './week.ts'
import type { Axis, DayPlan, Laid, Slot } from './week.ts'

/** The most that a day draws: as many beside each other as remain legible, and few enough for a quick page. */
const ROOM = { lanes: 4, spans: 40, leastMinutes: 30 }
const WHOLE_MAX = 3
const HOUR_MS = 3_600_000
/** The week opens at this time of day. */
const MORNING = 6 * 60

type Props = {
  readonly days: readonly Day[]
  readonly today: Day
  readonly zone: string
  readonly occurrences: readonly Occurrence[]
  readonly onPlan: (begin: number, end: number) => void
  readonly onShow: (entry: Entry) => void
  readonly onWeek: (by: number) => void
  /** Opens the list at a day that has more than the week can draw. */
  readonly onList: (day: Day) => void
}

type Place = { readonly day: Day; readonly from: number }

/** A week: hours down, days across. Arrows move by hours and days, Tab goes on to the entries of the day that has the focus. */
export function WeekGrid(props: Props): JSX.Element {
  const { days, today, zone, occurrences } = props
  const table = useRef<HTMLTableElement>(null)
  const axis = useMemo(() => axisOf(days, zone), [days[0], zone])
  const slots = useMemo(() => slotsOf(axis), [axis])
  const plans = useMemo(
    () => new Map(days.map((day) => [day, planOf(axis, day, occurrences, ROOM)])),
    [occurrences, axis],
  )
  const [chosen, setFocused] = useState<Place>({ day: today, from: MORNING })
  const focused = {
    day: days.includes(chosen.day) ? chosen.day : (days[0] ?? today),
    from: slots.some(({ from }) => from === chosen.from) ? chosen.from : 0,
  }
  useLayoutEffect(() => scrollTo(table.current, firstHour(axis, occurrences, today)), [axis])
  const focus = (place: Place): void => {
    setFocused(place)
    table.current
      ?.querySelector<HTMLElement>(`td[data-day="${place.day}"][data-from="${place.from}"]`)
      ?.focus()
  }
  const [isInside, setInside] = useState(false)
  const press = (event: KeyboardEvent): void => {
    const isButton = event.target instanceof HTMLButtonElement
    if ((event.key === 'Tab' && !event.shiftKey && !isButton) || (event.key === 'Escape' && isButton)) {
      const first = table.current?.querySelector<HTMLElement>('tbody .ev[tabindex="0"]')
      if (!first) return
      event.preventDefault()
      return isButton ? focus(focused) : first.focus()
    }
    if (event.key === 'n' || (event.key === 'Enter' && !isButton)) {
      event.preventDefault()
      const begin = instantAt(axis, focused.day, focused.from)
      return props.onPlan(begin, begin + HOUR_MS)
    }
    if (event.key === 'PageUp' || event.key === 'PageDown')
      return props.onWeek(event.key === 'PageUp' ? -1 : 1)
    const next = neighbour(axis, slots, focused, event.key)
    if (next === null) return
    event.preventDefault()
    focus(next)
  }
  return (
    <div class="col spread">
      {axis.jump && (
        <Note kind="warning" icon="clock">
          {shiftText(axis)}
        </Note>
      )}
      <div class="card week-box">
        <table
          class="week"
          role="grid"
          aria-label={t('nav.maintenance')}
          ref={table}
          onKeyDown={press}
          onFocusIn={(event) => setInside(event.target instanceof HTMLButtonElement)}
          onFocusOut={(event) =>
            table.current?.contains(event.relatedTarget as Node | null) || setInside(false)
          }
        >
          <WeekHead {...props} plans={plans} focusedDay={focused.day} />
          <tbody>
            {slots.map((slot) => (
              <tr key={slot.from}>
                <th scope="row" class="hour">
                  {slot.clock}
                  {slot.isAgain && <span class="faint"> {t('maintenance.again')}</span>}
                </th>
                {days.map((day) => (
                  <WeekCell
                    key={day}
                    {...props}
                    axis={axis}
                    slot={slot}
                    day={day}
                    laid={plans.get(day)?.laid ?? []}
                    focused={focused}
                    isInside={isInside}
                    onFocus={() => setFocused({ day, from: slot.from })}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

type Plans = ReadonlyMap<Day, DayPlan<Occurrence>>

/** The days, and above the hours what covers a day. */
function WeekHead({
  days,
  today,
  zone,
  plans,
  focusedDay,
  ...props
}: Props & { readonly plans: Plans; readonly focusedDay: Day }): JSX.Element {
  const hasWhole = days.some((day) => (plans.get(day)?.whole.length ?? 0) > 0)
  return (
    <thead>
      <tr>
        <th scope="col" class="hour">
          <span class="vh">{t('maintenance.hour')}</span>
        </th>
        {days.map((day) => (
          <th key={day} scope="col" class={day === today ? 'today' : ''}>
            {dayName(day, { weekday: 'short' })} <span class="day">{Number(day.slice(8))}</span>
            <Left day={day} plan={plans.get(day)} onList={props.onList} />
          </th>
        ))}
      </tr>
      {hasWhole && (
        <tr>
          <th scope="row" class="hour">
            {t('maintenance.wholeDay')}
          </th>
          {days.map((day) => (
            <td key={day} role="gridcell">
              {plans
                .get(day)
                ?.whole.slice(0, WHOLE_MAX)
                .map((one) => (
                  <EntryButton
                    key={one.key}
                    occurrence={one}
                    zone={zone}
                    isReached={day === focusedDay}
                    onShow={props.onShow}
                  />
                ))}
            </td>
          ))}
        </tr>
      )}
    </thead>
  )
}

/** The time of day at which a week opens: the change of clocks, the present, the first entry, or the morning. */
function firstHour({ days, jump, zone }: Axis, occurrences: readonly Occurrence[], today: Day): number {
  if (jump) return jump.from
  if (days.includes(today)) return Number(clockOf(now.peek(), zone).slice(0, 2)) * 60
  const clocks = occurrences.map((one) => clockOf(one.begin, zone))
  const first = clocks.toSorted()[0]
  return Math.min(MORNING, first === undefined ? MORNING : Number(first.slice(0, 2)) * 60)
}

function scrollTo(table: HTMLTableElement | null, minutes: number): void {
  const box = table?.parentElement
  const [row] = table?.tBodies[0]?.rows ?? []
  if (!box || !row) return
  const hourPx = row.getBoundingClientRect().height
  box.scrollTop = Math.max(0, minutes / 60 - 1) * hourPx
}

/** The place that an arrow key leads to; null at the ends of the week. */
function neighbour(axis: Axis, slots: readonly Slot[], { day, from }: Place, key: string): Place | null {
  const at = slots.findIndex((slot) => slot.from === from)
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const next = axis.days[axis.days.indexOf(day) + (key === 'ArrowLeft' ? -1 : 1)]
    return next === undefined ? null : { day: next, from }
  }
  const step = { ArrowUp: -1, ArrowDown: 1 }[key]
  if (step === undefined) return null
  const next = slots[at + step]
  if (next === undefined) return null
  const place = { day, from: next.from }
  return isSkipped(axis, day, next.from) ? neighbour(axis, slots, place, key) : place
}

type CellProps = Props & {
  readonly axis: Axis
  readonly slot: Slot
  readonly day: Day
  readonly laid: readonly Laid<Occurrence>[]
  readonly focused: Place
  /** Whether an entry has the focus, and not an hour. */
  readonly isInside: boolean
  readonly onFocus: () => void
}

/** An hour of a day with the entries that begin in it. */
function WeekCell({ axis, slot, day, laid, focused, isInside, ...props }: CellProps): JSX.Element {
  const { zone, today } = props
  const isFocused = focused.day === day && focused.from === slot.from
  const skipped = isSkipped(axis, day, slot.from)
  const inside = laid.filter(({ from }) => from >= slot.from && from < slot.from + slot.minutes)
  const present = day === today ? placeOf(axis, day, now.value) - slot.from : -1
  const begin = instantAt(axis, day, slot.from)
  return (
    <td
      role="gridcell"
      data-day={day}
      data-from={slot.from}
      data-minutes={slot.minutes}
      class={skipped ? 'skipped' : ''}
      style={{ height: `calc(var(--hour) * ${slot.minutes / 60})` }}
      tabIndex={isFocused && !isInside ? 0 : -1}
      onFocus={props.onFocus}
      onDblClick={() => props.onPlan(begin, begin + HOUR_MS)}
    >
      <span class="vh">{`${dayName(day)}, ${skipped ? t('maintenance.skipped') : slot.clock}`}</span>
      {present >= 0 && present < slot.minutes && (
        <i class="present" style={{ top: `${(present / slot.minutes) * 100}%` }} />
      )}
      {inside.map(({ span, from, to, lane, lanes }) => (
        <EntryButton
          key={span.key}
          occurrence={span}
          zone={zone}
          isReached={day === focused.day}
          onShow={props.onShow}
          style={{
            top: `calc(var(--hour) * ${(from - slot.from) / 60})`,
            height: `calc(var(--hour) * ${(to - from) / 60} - 2px)`,
            insetInlineStart: `calc(${(lane / lanes) * 100}% + 1px)`,
            width: `calc(${100 / lanes}% - 3px)`,
          }}
        >
          <span class="when">{`${clockOf(span.begin, zone)}–${clockOf(span.end, zone)}`}</span>
        </EntryButton>
      ))}
    </td>
  )
}

/** The way to the entries of a day for which the week has no room. */
function Left({
  day,
  plan,
  onList,
}: {
  readonly day: Day
  readonly plan: DayPlan<Occurrence> | undefined
  readonly onList: (day: Day) => void
}): JSX.Element | null {
  const left = (plan?.left ?? 0) + Math.max(0, (plan?.whole.length ?? 0) - WHOLE_MAX)
  if (left === 0) return null
  return (
    <button type="button" class="btn ghost small" onClick={() => onList(day)}>
      {t('maintenance.more', { count: left })}
    </button>
  )
}

/** The change of clocks in a week as a sentence. */
function shiftText({ jump, zone }: Axis): string {
  if (jump === null) return ''
  const hours = (startOf(shiftDay(jump.day, 1), zone) - startOf(jump.day, zone)) / HOUR_MS
  const [from, to] = jump.isForward ? [jump.from, jump.to] : [jump.from, jump.from - (jump.to - jump.from)]
  const clock = (minutes: number): string =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return t(jump.isForward ? 'maintenance.weekForward' : 'maintenance.weekBack', {
    day: dayName(jump.day, { weekday: 'long', day: 'numeric', month: 'long' }),
    from: clock(from),
    to: clock(to),
    hours,
  })
}
