import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { t } from '../language/t.ts'
import { StateIcon } from './icons.tsx'
import type { StateShape } from './icons.tsx'

/** A state as the API names it. */
export type ApiState =
  | 'major'
  | 'minor'
  | 'warning'
  | 'maintenance_major'
  | 'maintenance_minor'
  | 'maintenance_warning'
  | 'maintenance_ok'
  | 'ok'
  | 'no_data'
  | 'undefined'

/** The shape and colour of a state. A stopped job has a shape of its own. */
export function shapeOf(state: ApiState | undefined, stopped = false): StateShape {
  if (stopped) return 'stopped'
  if (state === undefined || state === 'no_data' || state === 'undefined') return 'nodata'
  return state.startsWith('maintenance_') ? 'maint' : (state as StateShape)
}

/** The word of a state in the language of the page. */
export function stateWord(state: ApiState | undefined, stopped = false): string {
  return stopped ? t('state.stopped') : t(`state.${state ?? 'undefined'}`)
}

/** Worse states have higher ranks. */
export function rankOf(state: ApiState | undefined): number {
  return RANKS[shapeOf(state)]
}
const RANKS: Readonly<Record<StateShape, number>> = {
  major: 5,
  minor: 4,
  warning: 3,
  maint: 2,
  nodata: 1,
  stopped: 1,
  ok: 0,
}

type Look = 'plain' | 'badge' | 'solid' | 'lone'

const TINT_MS = 1_200

/** Tints the row of a state that changed, for a moment. An animation would paint each frame. */
function tintRow(mark: HTMLElement | null, shape: StateShape): void {
  const row = mark?.closest<HTMLElement>('tr, [role="treeitem"], li')
  if (!row || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  row.style.backgroundColor = `var(--${shape === 'stopped' ? 'nodata' : shape}-soft)`
  setTimeout(() => (row.style.backgroundColor = ''), TINT_MS)
}

/** Icon, word and colour of a state, always together. `lone` shows the icon and names it for screen readers. */
export function State({
  state,
  stopped = false,
  look = 'badge',
  text,
}: {
  readonly state: ApiState | undefined
  readonly stopped?: boolean
  readonly look?: Look
  /** Other words than the state's own, such as a count. */
  readonly text?: string | number
}): JSX.Element {
  const shape = shapeOf(state, stopped)
  const word = text ?? stateWord(state, stopped)
  const mark = useRef<HTMLSpanElement>(null)
  const before = useRef(shape)
  useEffect(() => {
    if (before.current !== shape) tintRow(mark.current, shape)
    before.current = shape
  }, [shape])
  return (
    <span class={`st ${look}`} data-st={shape} ref={mark}>
      <StateIcon shape={shape} />
      {look === 'lone' ? <span class="vh">{word}</span> : word}
    </span>
  )
}
