import type { JSX } from 'preact'

import { now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { dayOf } from './days.ts'
import type { Day } from './days.ts'
import type { Draft } from './drag.ts'
import { EntryButton } from './entry-button.tsx'
import type { Occurrence } from './occurrences.ts'
import type { Span } from './schedule.ts'
import { clockOf, dayName } from './texts.ts'
import { instantAt, isSkipped, placeOf } from './week.ts'
import type { Axis, Laid, Slot } from './week.ts'
import type { Place } from './week-moves.ts'

const HOUR_MS = 3_600_000

type CellProps = {
  readonly today: Day
  readonly zone: string
  readonly onPlan: (begin: number, end: number) => void
  readonly onShow: (occurrence: Occurrence) => void
  readonly axis: Axis
  readonly slot: Slot
  readonly day: Day
  readonly laid: readonly Laid<Occurrence>[]
  /** The time that is being planned. */
  readonly ghost: Laid<Draft> | undefined
  readonly focused: Place
  /** Whether an entry has the focus, and not an hour. */
  readonly isInside: boolean
  readonly onFocus: () => void
}

/** An hour of a day with the entries that begin in it. */
export function WeekCell({
  axis,
  slot,
  day,
  laid,
  ghost,
  focused,
  isInside,
  ...props
}: CellProps): JSX.Element {
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
      {ghost && ghost.from >= slot.from && ghost.from < slot.from + slot.minutes && (
        <i class="drafted" style={placedAt(ghost, slot)} />
      )}
      {inside.map(({ span, from, to, lane, lanes }) => (
        <EntryButton
          key={span.key}
          occurrence={span}
          edges={edgesOf(span, day, zone)}
          zone={zone}
          isReached={day === focused.day}
          onShow={props.onShow}
          style={{
            ...placedAt({ from, to }, slot),
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

const placedAt = ({ from, to }: Pick<Laid<Span>, 'from' | 'to'>, slot: Slot) => ({
  top: `calc(var(--hour) * ${(from - slot.from) / 60})`,
  height: `calc(var(--hour) * ${(to - from) / 60} - 2px)`,
})

/** The ends of an occurrence that lie on a day. */
function edgesOf({ begin, end }: Span, day: Day, zone: string): readonly ('begin' | 'end')[] {
  return [
    ...(dayOf(begin, zone) === day ? (['begin'] as const) : []),
    ...(dayOf(end - 1, zone) === day ? (['end'] as const) : []),
  ]
}
