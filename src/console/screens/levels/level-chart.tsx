import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Chart } from '../../kit/charts/chart.tsx'
import type { ChartProps } from '../../kit/charts/chart.tsx'
import type { Span } from '../../kit/charts/points.ts'
import { Button } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { t } from '../../language/t.ts'

const HEIGHT_PX = 240
const LEAST_MS = 60_000

type Drawn = Omit<ChartProps, 'begin' | 'end' | 'gapMs' | 'isTable' | 'onTable' | 'onSpan' | 'height'>

/** A card with a figure over the whole of a span, a part of which a drag or the keys show. */
export function LevelChart({
  heading,
  note,
  actions,
  footer,
  whole,
  drawn,
  instead,
}: {
  readonly heading: string
  readonly note: ComponentChildren
  readonly actions?: ComponentChildren
  readonly footer: ComponentChildren
  readonly whole: Span
  readonly drawn: Drawn | null
  /** Replaces the chart when it has no data. */
  readonly instead: ComponentChildren
}): JSX.Element {
  const [part, setPart] = useState<Span | null>(null)
  const [isTable, setTable] = useState(false)
  const zoom = ({ begin, end }: Span): void => {
    const from = Math.max(whole.begin, Math.min(begin, whole.end - LEAST_MS))
    const to = Math.min(whole.end, Math.max(end, from + LEAST_MS))
    setPart(from === whole.begin && to === whole.end ? null : { begin: from, end: to })
  }
  const tools = drawn && (
    <>
      {part && (
        <Button small kind="ghost" onClick={() => setPart(null)}>
          {t('levels.wholeSpan')}
        </Button>
      )}
      <Button small icon="table" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
        {t('levels.asTable')}
      </Button>
    </>
  )
  return (
    <Card
      title={heading}
      note={note}
      actions={
        <>
          {actions}
          {tools}
        </>
      }
      footer={drawn && footer}
    >
      {drawn ? (
        <div class="pad chartbox">
          <Chart
            {...drawn}
            {...(part ?? whole)}
            gapMs={Infinity}
            height={HEIGHT_PX}
            isTable={isTable}
            onTable={() => setTable(!isTable)}
            onSpan={zoom}
          />
        </div>
      ) : (
        instead
      )}
    </Card>
  )
}
