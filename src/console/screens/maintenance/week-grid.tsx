import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { Note } from '../../kit/feedback.tsx'
import { t } from '../../language/t.ts'
import type { Day } from './days.ts'
import { pressAlt, useDrag } from './drag.ts'
import type { Moves } from './drag.ts'
import { EntryButton } from './entry-button.tsx'
import type { Occurrence } from './occurrences.ts'
import { dayName } from './texts.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { axisOf, instantAt, planOf, slotsOf } from './week.ts'
import type { Axis, DayPlan, Slot } from './week.ts'
import { WeekCell } from './week-cell.tsx'
import { draftOf, firstHour, instantBelow, keyed, MORNING, neighbour, shiftText } from './week-moves.ts'
import type { Place } from './week-moves.ts'

/** The most that a day draws: as many beside each other as remain legible, and few enough for a quick page. */
const ROOM = { lanes: 4, spans: 40, leastMinutes: 30 }
const WHOLE_MAX = 3
const HOUR_MS = 3_600_000

type Props = {
  readonly days: readonly Day[]
  readonly today: Day
  readonly zone: string
  readonly occurrences: readonly Occurrence[]
  readonly onPlan: (begin: number, end: number) => void
  readonly onShow: (occurrence: Occurrence) => void
  readonly onWeek: (by: number) => void
  /** Opens the list at a day that has more than the week can draw. */
  readonly onList: (day: Day) => void
  readonly moves: Moves
}

/** A week: hours down, days across. Arrows move by hours and days, Tab goes on to the entries of the day that has the focus. */
export function WeekGrid(props: Props): JSX.Element {
  const { days, today, zone, occurrences, moves } = props
  const table = useRef<HTMLTableElement>(null)
  const axis = useMemo(() => axisOf(days, zone), [days[0], zone])
  const slots = useMemo(() => slotsOf(axis), [axis])
  const plans = useMemo(
    () => new Map(days.map((day) => [day, planOf(axis, day, occurrences, ROOM)])),
    [occurrences, axis],
  )
  const planned = moves.draft?.occurrence === null ? [moves.draft] : []
  const ghosts = new Map(planned.flatMap((span) => days.map((day) => [day, planOf(axis, day, [span], ROOM)])))
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
  useKeptFocus(table, moves.draft)
  const find = (key: string | undefined): Occurrence | undefined => occurrences.find((one) => one.key === key)
  const drag = useDrag<number>({
    find,
    placeAt: (event) => instantBelow(axis, event),
    draftOf,
    mayGrab: moves.mayGrab,
    onDraft: moves.setDraft,
    onDrop: moves.settle,
  })
  const press = useKeys({ ...props, axis, slots, table, focused, focus, find })
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
          onKeyUp={(event) => event.key === 'Alt' && moves.draft && moves.settle(moves.draft)}
          {...drag}
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
                    ghost={ghosts.get(day)?.laid[0]}
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

type KeysProps = Props & {
  readonly axis: Axis
  readonly slots: readonly Slot[]
  readonly table: RefObject<HTMLTableElement | null>
  readonly focused: Place
  readonly focus: (place: Place) => void
  readonly find: (key: string | undefined) => Occurrence | undefined
}

/** The keys of a week. */
function useKeys({ axis, slots, table, focused, focus, find, ...props }: KeysProps) {
  const { moves, zone } = props
  /** Goes from an hour to the entries of its day, and back. */
  const changeLevel = (event: KeyboardEvent, isInEntry: boolean): void => {
    if (isInEntry !== (event.key === 'Escape') || event.shiftKey) return
    const first = table.current?.querySelector<HTMLElement>('tbody .ev[tabindex="0"]')
    if (!first) return
    event.preventDefault()
    if (isInEntry) focus(focused)
    else first.focus()
  }
  return (event: KeyboardEvent): void => {
    const isButton = event.target instanceof HTMLButtonElement
    if (
      pressAlt(event, { ...moves, find, keyed: (draft, arrow, grip) => keyed(draft, arrow, { grip, zone }) })
    )
      return
    if (event.key === 'Tab' || event.key === 'Escape') return changeLevel(event, isButton)
    if (event.key === 'n' || (event.key === 'Enter' && !isButton)) {
      event.preventDefault()
      const begin = instantAt(axis, focused.day, focused.from)
      return props.onPlan(begin, begin + HOUR_MS)
    }
    if (event.key === 'PageUp' || event.key === 'PageDown') {
      event.preventDefault()
      return props.onWeek(event.key === 'PageUp' ? -1 : 1)
    }
    const next = neighbour(axis, slots, focused, event.key)
    if (next === null) return
    event.preventDefault()
    focus(next)
  }
}

type Plans = ReadonlyMap<Day, DayPlan<Occurrence>>

/** The days, and above the hours the entries that cover a day. */
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

function scrollTo(table: HTMLTableElement | null, minutes: number): void {
  const box = table?.parentElement
  const [row] = table?.tBodies[0]?.rows ?? []
  if (!box || !row) return
  const hourPx = row.getBoundingClientRect().height
  box.scrollTop = Math.max(0, minutes / 60 - 1) * hourPx
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
