import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'

import { Icon } from '../../kit/icons.tsx'
import { now, timeText, timeZone } from '../../kit/time.tsx'
import { language, t } from '../../language/t.ts'
import { dayOf } from './month.ts'
import type { Day } from './month.ts'
import type { Entry, Occurrence } from './occurrences.ts'

const SHOWN_MAX = 4

type Props = {
  readonly days: readonly Day[]
  readonly month: string
  readonly today: Day
  readonly occurrences: readonly Occurrence[]
  readonly onPlan: (day: Day) => void
  readonly onShow: (entry: Entry) => void
  readonly onMonth: (by: number) => void
}

/** The weeks of a month. Arrows move by days and weeks, N plans on the day that has the focus. */
export function MonthGrid({ days, month, today, occurrences, onPlan, onShow, onMonth }: Props): JSX.Element {
  const grid = useRef<HTMLTableElement>(null)
  const [focused, setFocused] = useState<Day>(days.includes(today) ? today : `${month}-01`)
  const zone = timeZone.value
  const weekday = new Intl.DateTimeFormat(language.value, { weekday: 'short', timeZone: 'UTC' })
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7))
  const press = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLButtonElement) return
    if (event.key === 'n' || event.key === 'Enter') {
      event.preventDefault()
      onPlan(focused)
      return
    }
    if (event.key === 'PageUp' || event.key === 'PageDown') return onMonth(event.key === 'PageUp' ? -1 : 1)
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 7, ArrowUp: -7 }[event.key]
    const next = step === undefined ? undefined : days[days.indexOf(focused) + step]
    if (next === undefined) return
    event.preventDefault()
    setFocused(next)
    grid.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus()
  }
  return (
    <table class="card cal" role="grid" aria-label={t('nav.maintenance')} ref={grid} onKeyDown={press}>
      <thead>
        <tr>
          {days.slice(0, 7).map((day) => (
            <th key={day} scope="col">
              {weekday.format(new Date(`${day}T00:00:00Z`))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const inside = occurrences.filter(
                ({ begin, end }) => dayOf(begin, zone) <= day && dayOf(end - 1, zone) >= day,
              )
              return (
                <td
                  key={day}
                  role="gridcell"
                  data-day={day}
                  tabIndex={day === focused ? 0 : -1}
                  class={[day.startsWith(month) ? '' : 'out', day === today ? 'today' : ''].join(' ')}
                  {...(day === today ? { 'aria-current': 'date' as const } : {})}
                  onFocus={() => setFocused(day)}
                  onDblClick={() => onPlan(day)}
                >
                  <span class="day">{Number(day.slice(8))}</span>
                  {inside.slice(0, SHOWN_MAX).map((one) => (
                    <EntryButton key={`${one.entry.id} ${one.begin}`} occurrence={one} onShow={onShow} />
                  ))}
                  {inside.length > SHOWN_MAX && (
                    <span class="label">{t('maintenance.more', { count: inside.length - SHOWN_MAX })}</span>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type EntryProps = { readonly occurrence: Occurrence; readonly onShow: (entry: Entry) => void }

function EntryButton({ occurrence: { entry, begin, end }, onShow }: EntryProps): JSX.Element {
  const isRunning = begin <= now.value && end > now.value
  const past = end <= now.value ? 'past' : ''
  const kind = isRunning ? 'run' : past
  return (
    <button
      type="button"
      class={`ev ${kind}`}
      tabIndex={-1}
      title={`${entry.object.name}\n${timeText(begin)} – ${timeText(end)}`}
      onClick={() => onShow(entry)}
    >
      <Icon name={entry.type === 'comment' ? 'comment' : 'maintenance'} />
      <span class="cut">{entry.name || entry.object.name}</span>
    </button>
  )
}
