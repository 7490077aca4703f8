import type { JSX } from 'preact'

import { t } from '../../language/t.ts'
import { shapeOf, stateWord } from '../state.tsx'
import type { ApiState } from '../state.tsx'
import { timeText } from '../time.tsx'
import type { Span } from './points.ts'

export type StateSpan = Span & { readonly state: ApiState }

const HEIGHT = 22
/** The height of a state: taller is worse. */
const HEIGHTS: Readonly<Record<ReturnType<typeof shapeOf>, number>> = {
  major: 22,
  minor: 15,
  warning: 9,
  maint: 12,
  nodata: 6,
  stopped: 6,
  ok: 3,
}
const NAMED_MAX = 6

/** States over time as bars: taller is worse. */
export function StateStrip({
  begin,
  end,
  spans,
}: Span & { readonly spans: readonly StateSpan[] }): JSX.Element {
  const x = (at: number): number => (1000 * (Math.min(end, Math.max(begin, at)) - begin)) / (end - begin)
  return (
    <svg
      class="chart strip"
      viewBox={`0 0 1000 ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={stripName(spans)}
    >
      <line class="axis" x1="0" x2="1000" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {spans.map((span) => {
        const shape = shapeOf(span.state)
        const height = HEIGHTS[shape]
        const width = Math.max(1.5, x(span.end) - x(span.begin))
        return (
          <rect
            key={span.begin}
            class={`fill-${shape === 'stopped' ? 'nodata' : shape}`}
            x={x(span.begin)}
            y={HEIGHT - height}
            width={width}
            height={height}
          >
            <title>{spanText(span)}</title>
          </rect>
        )
      })}
    </svg>
  )
}

function spanText({ state, begin, end }: StateSpan): string {
  return t('chart.stripSpan', { state: stateWord(state), begin: timeText(begin), end: timeText(end) })
}

/** The strip in words: the latest spans that are not ok. */
function stripName(spans: readonly StateSpan[]): string {
  const trouble = spans.filter(({ state }) => state !== 'ok')
  if (trouble.length === 0) return t('chart.stripCalm')
  return t('chart.strip', {
    spans: trouble.slice(-NAMED_MAX).map(spanText).join(', '),
    count: trouble.length,
  })
}
