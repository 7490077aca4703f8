import type { JSX } from 'preact'

import { Icon } from '../../kit/icons.tsx'
import { State } from '../../kit/state.tsx'
import type { ApiState } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import type { RunState } from './script.ts'

const SHAPES: Partial<Readonly<Record<RunState, ApiState>>> = {
  succeeded: 'ok',
  failed: 'major',
  timed_out: 'minor',
  lost: 'minor',
}

/** The state of a run: icon and word. */
export function RunStateBadge({ state }: { readonly state: RunState }): JSX.Element {
  const word = t(`scripts.state.${state}`)
  if (state === 'cancelled') return <State state={undefined} stopped text={word} />
  const shape = SHAPES[state]
  if (shape) return <State state={shape} text={word} />
  return (
    <span class="row run-active nowrap">
      {state === 'queued' ? <Icon name="clock" /> : <span class="spin" aria-hidden="true" />}
      {word}
    </span>
  )
}
