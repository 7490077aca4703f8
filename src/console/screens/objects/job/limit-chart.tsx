import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { Chart } from '../../../kit/charts/chart.tsx'
import { gapLimit } from '../../../kit/charts/points.ts'
import { SelectField } from '../../../kit/controls.tsx'
import { Card } from '../../../kit/data.tsx'
import { Skeleton } from '../../../kit/feedback.tsx'
import { t } from '../../../language/t.ts'
import { draggedText } from './draft.ts'
import type { Draft } from './draft.ts'
import { useHistory } from './history.ts'
import type { useLiveSamples } from './history.ts'
import { digitsText, isAdaptive, silenceOf, valuesOf } from './job.ts'
import type { Job, JobValue } from './job.ts'
import { scaleOf, spanOf } from './range.ts'

type Props = {
  readonly job: Job
  readonly draft: Draft
  readonly live: ReturnType<typeof useLiveSamples>
  readonly onChange: (part: Partial<Draft>) => void
}

/** The values of a week with the limits of the draft, which a drag moves. The rows above do the same by keys. */
export function LimitChart(props: Props): JSX.Element | null {
  const values = valuesOf(props.job).filter(({ isText }) => !isText)
  const [key, setKey] = useState(props.draft.limits.find(({ key: of }) => of.startsWith('return'))?.key)
  const value = values.find((one) => one.key === key) ?? values[0]
  if (value === undefined) return null
  const hasLimits = props.draft.limits.length > 0
  return (
    <Card
      title={t(hasLimits ? 'job.config.drag' : 'job.config.week')}
      note={hasLimits && t('job.config.dragNote')}
    >
      <div class="pad col">
        {values.length > 1 && (
          <SelectField
            label={t('job.config.value')}
            value={value.key}
            onValue={setKey}
            options={values.map((one) => ({ value: one.key, text: one.name }))}
          />
        )}
        <Draggable key={value.key} {...props} value={value} />
      </div>
    </Card>
  )
}

function Draggable({ job, draft, live, onChange, value }: Props & { readonly value: JobValue }): JSX.Element {
  const [initial] = useState(() => spanOf('P7D', Date.now()))
  const [span, setSpan] = useState<typeof initial>(initial)
  const scaleMs = scaleOf(span.end - span.begin, 700)
  const { points } = useHistory({ id: job.id, valueKey: value.key, span, scaleMs, live })
  const lines = useMemo(
    () =>
      draft.limits.flatMap((row, index) => {
        const number = Number(row.value.replace(',', '.'))
        if (row.key !== value.key || row.value.trim() === '' || !Number.isFinite(number)) return []
        if (isAdaptive(row.rest)) return []
        const text = `${t(`state.${row.severity}`)} ${digitsText(number, value.precision)}`
        return [{ severity: row.severity, value: number, text, index }]
      }),
    [draft.limits, value.key],
  )
  if (!points) return <Skeleton lines={5} height="220px" />
  return (
    <Chart
      {...span}
      title={value.name}
      unit={value.unit}
      points={points}
      gapMs={gapLimit(points, scaleMs, silenceOf(job))}
      valueText={(number) => digitsText(number, value.precision)}
      limits={lines}
      height={220}
      onSpan={(to) => setSpan({ ...to, end: Math.min(to.end, Date.now()), isFixed: true })}
      onLimit={(line, number) => {
        const moved = lines[line]?.index
        onChange({
          limits: draft.limits.map((row, index) =>
            index === moved ? { ...row, value: draggedText(number, value.precision) } : row,
          ),
        })
      }}
    />
  )
}
