import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { send } from '../../../api/client.ts'
import { useGet } from '../../../api/resource.ts'
import type { Resource } from '../../../api/resource.ts'
import { Chart } from '../../../kit/charts/chart.tsx'
import type { Limit, Marked } from '../../../kit/charts/paint.ts'
import { extent, gapLimit } from '../../../kit/charts/points.ts'
import { StateStrip } from '../../../kit/charts/state-strip.tsx'
import type { StateSpan } from '../../../kit/charts/state-strip.tsx'
import { useWidth } from '../../../kit/charts/use-width.ts'
import { Button, IconButton, Segments } from '../../../kit/controls.tsx'
import { Card } from '../../../kit/data.tsx'
import { Empty, FailureNote, Show, Skeleton, Stale } from '../../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../../kit/location.ts'
import { Dialog } from '../../../kit/overlays.tsx'
import { saveFile } from '../../../kit/save-file.ts'
import { stateWord } from '../../../kit/state.tsx'
import { durationText, now } from '../../../kit/time.tsx'
import { numberText } from '../../../kit/numbers.ts'
import { t } from '../../../language/t.ts'
import { useFullPage } from './full-page.ts'
import { useHistory } from './history.ts'
import type { useLiveSamples } from './history.ts'
import { ahead } from './job-forecast.ts'
import { useForecast } from './use-forecast.ts'
import { conditionsOf, digitsText, isAdaptive, silenceOf, valuesOf } from './job.ts'
import type { Job, JobValue } from './job.ts'
import { maintenanceIn, stateSpans, within } from './series.ts'
import { rangeOf, RANGES, scaleOf, spanOf } from './range.ts'
import { Figures } from './figures.tsx'
import { Tiles } from './tiles.tsx'

const SECOND_STEP_MS = 5_000
type Live = ReturnType<typeof useLiveSamples>

/** The values of a job: tiles, the chart of the chosen one, states and figures. */
export function ValuesTab({ job, live }: { readonly job: Job; readonly live: Live }): JSX.Element {
  const values = valuesOf(job)
  const [key, setKey] = useQuery('key', values.find(({ isText }) => !isText)?.key ?? '')
  const value = values.find((one) => one.key === key && !one.isText)
  if (values.length === 0)
    return (
      <Empty
        title={t('job.noValues')}
        text={t('job.noValuesText')}
        action={
          <a class="btn primary" href={linkTo(`job/${job.id}`, { tab: 'configuration' })}>
            {t('job.define')}
          </a>
        }
      />
    )
  return (
    <div class="col job-values">
      <Tiles job={job} values={values} live={live} current={key} onChoose={setKey} />
      {value && <ValueChart key={value.key} job={job} value={value} live={live} />}
    </div>
  )
}

/** The numeric limits of a value as lines. */
function limitLines(thresholds: Job['thresholds'], value: JobValue): readonly Limit[] {
  return conditionsOf(thresholds, value.key).flatMap(({ severity, condition }) =>
    typeof condition.value === 'number' && !isAdaptive(condition)
      ? [
          {
            severity,
            value: condition.value,
            text: `${t(`state.${severity}`)} ${digitsText(condition.value, value.precision)}`,
          },
        ]
      : [],
  )
}

function ValueChart({
  job,
  value,
  live,
}: {
  readonly job: Job
  readonly value: JobValue
  readonly live: Live
}): JSX.Element {
  const [range, setRange] = useQuery<string>('range', 'PT24H')
  const [isTable, setTable] = useState(false)
  const [box, width] = useWidth<HTMLDivElement>(900)
  const { isFull, setFull, height } = useFullPage(box)
  // The chart moves on every five seconds, not at each tick of the clock.
  const present = Math.ceil(now.value / SECOND_STEP_MS) * SECOND_STEP_MS
  const span = useMemo(() => spanOf(range, present), [range, range.includes('/') ? 0 : present])
  const scaleMs = scaleOf(span.end - span.begin, width - 140)
  const { points, resource, csv } = useHistory({ id: job.id, valueKey: value.key, span, scaleMs, live })
  const { past, states, maintenance } = usePast(job.id, span)
  const shown = useMemo(() => points && within(points, span, scaleMs), [points, span])
  const silence = silenceOf(job)
  const all = shown ? extent(shown) : null
  const predicted = ahead(useForecast(job, value.key), shown ?? [], span)
  const chart = {
    ...predicted.span,
    forecast: predicted.forecast,
    title: value.name,
    unit: value.unit,
    points: shown ?? [],
    gapMs: gapLimit(shown ?? [], scaleMs, silence),
    valueText: (number: number) => digitsText(number, value.precision),
    limits: limitLines(job.thresholds, value),
    maintenance,
    stateAt: (at: number) => wordAt(states, at),
    isTable,
    onTable: () => setTable(!isTable),
    onFull: () => setFull(!isFull),
    hasFocus: isFull,
    height,
    onSpan: (to: { readonly begin: number; readonly end: number }) => setRange(rangeOf(to, Date.now())),
  }
  const content = (
    <div class="pad chartbox" ref={box}>
      {resource.failure && !points && <FailureNote failure={resource.failure} retry={resource.reload} />}
      {resource.failure && points && resource.readAt !== null && (
        <Stale failure={resource.failure} readAt={resource.readAt} retry={resource.reload} />
      )}
      {points ? <Chart {...chart} /> : !resource.failure && <Skeleton lines={8} height="300px" />}
      <div class={chart.limits.length > 0 ? 'strip-row' : 'strip-row free'}>
        <Show resource={past} what={t('job.statesFailed')} skeleton={null}>
          {() => states && <StateStrip {...predicted.span} spans={states} />}
        </Show>
      </div>
    </div>
  )
  const tools = (
    <>
      <Ranges range={range} onChange={setRange} />
      <Button small icon="table" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
        {t('job.table')}
      </Button>
    </>
  )
  if (isFull)
    return (
      <Dialog full title={`${job.name}: ${value.name}`} onClose={() => setFull(false)}>
        <div class="row wrap">{tools}</div>
        {content}
      </Dialog>
    )
  return (
    <>
      <Card
        title={value.name}
        note={<Legend />}
        actions={
          <>
            {tools}
            <IconButton small icon="expand" label={t('job.full')} onClick={() => setFull(true)} />
          </>
        }
        footer={
          <Footer
            span={span}
            scaleMs={scaleMs}
            count={all?.count ?? null}
            save={() =>
              saveFile(
                () => send('GET', csv, { headers: { accept: 'text/csv' } }),
                `${job.name} ${value.name}.csv`,
              )
            }
          />
        }
      >
        {content}
      </Card>
      <Figures job={job} value={value} extent={all} />
    </>
  )
}

function Footer({
  span,
  scaleMs,
  count,
  save,
}: {
  readonly span: ReturnType<typeof spanOf>
  readonly scaleMs: number
  /** Null until the values are read. */
  readonly count: number | null
  readonly save: () => Promise<void>
}): JSX.Element {
  const range = durationText(span.end - span.begin)
  return (
    <>
      <span class="grow">{t('job.taller')}</span>
      {count !== null && (
        <span>{t('job.buckets', { range, scale: durationText(scaleMs), count: numberText(count) })}</span>
      )}
      <Button small kind="ghost" action={save}>
        CSV
      </Button>
    </>
  )
}

function wordAt(states: readonly StateSpan[] | undefined, at: number): string {
  const span = states?.find(({ begin, end }) => at >= begin && at < end) ?? states?.at(-1)
  return span ? stateWord(span.state) : ''
}

/** The query's form of a span, which changes only when the span has moved by a fiftieth. */
function roughly({ begin, end }: { readonly begin: number; readonly end: number }): {
  begin: string
  end: string
} {
  const step = Math.max(60_000, (end - begin) / 50)
  const text = (at: number): string => new Date(at).toISOString()
  return { begin: text(Math.floor(begin / step) * step), end: text(Math.ceil(end / step) * step) }
}

/** The states in a span, and the maintenance of the job and of the objects above it, time by time. */
function usePast(
  id: number,
  span: ReturnType<typeof spanOf>,
): {
  readonly past: Resource<unknown>
  readonly states: readonly StateSpan[] | undefined
  readonly maintenance: readonly Marked[]
} {
  const { begin, end } = roughly(span)
  const query = span.isFixed ? { begin, end } : { begin }
  const past = useGet('/jobs/{id}/state-history', { path: { id }, query }, ['state'])
  const { data } = past
  const minute = Math.floor(span.end / 60_000)
  const states = useMemo(() => data && stateSpans(data, Math.min(span.end, now.peek())), [data, minute])
  const maintenance = useMemo(() => (data ? maintenanceIn(data) : []), [data])
  return { past, states, maintenance }
}

function Ranges({
  range,
  onChange,
}: {
  readonly range: string
  readonly onChange: (range: string) => void
}): JSX.Element {
  return (
    <>
      {range.includes('/') && (
        <Button small kind="ghost" onClick={() => onChange('PT24H')}>
          {t('job.zoomOut')}
        </Button>
      )}
      <Segments
        small
        label={t('job.range')}
        value={range}
        onChange={onChange}
        options={RANGES.map((one) => ({ value: one as string, text: t(`job.range.${one}`) }))}
      />
    </>
  )
}

function Legend(): JSX.Element {
  return (
    <span class="legend hide-s">
      <span>
        <svg viewBox="0 0 22 10" class="chart" aria-hidden="true">
          <rect class="band" width="22" height="10" />
          <path class="line" d="M0 5h22" />
        </svg>
        {t('job.legend')}
      </span>
    </span>
  )
}
