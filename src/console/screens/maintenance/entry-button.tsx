import type { JSX } from 'preact'

import { Icon, StateIcon } from '../../kit/icons.tsx'
import { now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { phaseOf } from './occurrences.ts'
import type { Occurrence } from './occurrences.ts'
import { clockOf, spanText, titleOf } from './texts.ts'

/** An occurrence in the calendar. It can be reached by Tab while its day has the focus. */
export function EntryButton({
  occurrence,
  zone,
  isReached,
  onShow,
  withTime = false,
  edges = [],
  children,
  ...rest
}: {
  readonly occurrence: Occurrence
  readonly zone: string
  readonly isReached: boolean
  readonly onShow: (occurrence: Occurrence) => void
  /** Whether the time of its begin comes before its title. */
  readonly withTime?: boolean
  /** The ends of the occurrence that can be dragged here. */
  readonly edges?: readonly ('begin' | 'end')[]
} & Omit<JSX.IntrinsicElements['button'], 'class'>): JSX.Element {
  const { entry, begin } = occurrence
  const phase = phaseOf(occurrence, now.value)
  const title = titleOf(entry)
  const phaseText = t(`maintenance.phase.${phase}`)
  return (
    <button
      type="button"
      class={`ev ${phase} ${entry.type}`}
      data-key={occurrence.key}
      tabIndex={isReached ? 0 : -1}
      title={[title, entry.object.name, spanText(occurrence, zone), phaseText].join('\n')}
      onClick={() => onShow(occurrence)}
      {...rest}
    >
      <span class="cut">
        {entry.type === 'maintenance' ? <StateIcon shape="maint" /> : <Icon name="comment" />}
        {withTime && <span class="at">{clockOf(begin, zone)} </span>}
        {title}
      </span>
      {children}
      <span class="vh">
        {`, ${entry.object.name}, ${children ? '' : `${spanText(occurrence, zone)}, `}${phaseText}`}
      </span>
      {edges.map((edge) => (
        <i key={edge} class="edge" data-edge={edge} />
      ))}
    </button>
  )
}
