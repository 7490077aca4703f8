import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import type { Limit } from '../../kit/charts/paint.ts'
import { Button } from '../../kit/controls.tsx'
import { Empty, FailureNote, Skeleton, Stale } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { numberText, percentText } from '../../kit/numbers.ts'
import { dayText, durationText, now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { burnDownOf, valueAt } from './burn.ts'
import type { Burn, BurnDown } from './burn.ts'
import { LevelChart } from './level-chart.tsx'
import { SECOND_MS } from './sentence.ts'
import type { Slc } from './slc-draft.ts'

const MINUTE_MS = 60_000
const STEPS = 240
const DIGITS = 1

/** The budget that was left over the present period, or over the period that the address names. */
export function BurnCard({
  container,
  readAt,
}: {
  readonly container: Slc
  /** When the container was read, in ms since 1970. */
  readonly readAt: number | null
}): JSX.Element {
  const { id, timezone, values } = container
  const [at, show] = useQuery('period', '')
  const burn = useGet('/slcs/{id}/burn', { path: { id }, query: at === '' ? {} : { at } })
  useSteps(values.period, at === '' ? burn.reload : null)
  const { data, failure } = burn
  const isPast = data !== undefined && data.period.begin !== values.period.begin
  const down = useMemo(
    () => data && burnDownOf(data, isPast ? null : { ...values, at: readAt ?? Date.now() }),
    [data, isPast, values, readAt],
  )
  const whole = spanOf(data?.period ?? values.period)
  return (
    <>
      {failure && data && burn.readAt !== null && (
        <Stale failure={failure} readAt={burn.readAt} retry={burn.reload} />
      )}
      <LevelChart
        key={at}
        heading={t('levels.burnDown')}
        note={`${dayText(whole.begin, timezone)} – ${dayText(whole.end - 1, timezone)}`}
        actions={
          at !== '' && (
            <Button small onClick={() => show('')}>
              {t('levels.presentPeriod')}
            </Button>
          )
        }
        footer={<Legend isPast={isPast} hasBreach={(down?.ahead.length ?? 0) > 0} />}
        whole={whole}
        drawn={data && down && data.creditTotal > 0 ? drawnOf(data, down) : null}
        instead={<Instead burn={burn} />}
      />
    </>
  )
}

function Instead({ burn }: { readonly burn: ReturnType<typeof useGet<'/slcs/{id}/burn'>> }): JSX.Element {
  const { data, failure, reload } = burn
  if (data) return <Empty title={t('levels.noBudget')} text={t('levels.noBudgetText')} />
  if (failure) return <FailureNote failure={failure} what={t('levels.burnFailed')} retry={reload} />
  return <Skeleton lines={6} />
}

/** Reads again whenever a step of the chart has passed. */
function useSteps(period: Burn['period'], read: (() => void) | null): void {
  const { begin, end } = spanOf(period)
  const step = Math.floor(now.value / Math.max(MINUTE_MS, (end - begin) / STEPS))
  useEffect(() => read?.(), [step])
}

function drawnOf(burn: Burn, { points, steady, ahead }: BurnDown) {
  const limits: readonly Limit[] = [
    { severity: 'minor', value: 100 - burn.warnAt, text: t('state.minor') },
    { severity: 'major', value: 0, text: t('state.major') },
  ]
  return {
    title: t('levels.budgetLeft'),
    unit: '%',
    points,
    limits,
    axisValues: [0, 100],
    reference: steady,
    ...(ahead.length > 0 && {
      forecast: ahead.map((mark) => ({ ...mark, low: mark.value, high: mark.value })),
    }),
    valueText: (value: number) => numberText(value, DIGITS),
    stateAt: (at: number) => besideText(burn, points, valueAt(steady, at), at),
  }
}

/** The rest of the budget as a length of time, and its share at a steady pace. */
function besideText(
  { creditTotal }: Burn,
  points: BurnDown['points'],
  steady: number | null,
  at: number,
): string {
  const share = points.find((point) => point.at >= at)?.avg ?? points.at(-1)?.avg ?? 0
  const left = t('levels.leftAt', { left: durationText(Math.max(0, share / 100) * creditTotal * SECOND_MS) })
  if (steady === null) return left
  return `${left}, ${t('levels.steadyAt', { share: percentText(steady / 100, DIGITS) })}`
}

function Legend({
  isPast,
  hasBreach,
}: {
  readonly isPast: boolean
  readonly hasBreach: boolean
}): JSX.Element {
  return (
    <span class="legend">
      <span>
        <svg viewBox="0 0 22 10" class="chart" aria-hidden="true">
          <path class="line" d="M0 5h22" />
        </svg>
        {t('levels.budgetLeft')}
      </span>
      <span>
        <svg viewBox="0 0 22 10" class="chart" aria-hidden="true">
          <path class="line dash steady" d="M0 5h22" />
        </svg>
        {t('levels.steady')}
      </span>
      {hasBreach && (
        <span>
          <svg viewBox="0 0 22 10" class="chart" aria-hidden="true">
            <path class="line dot" d="M0 5h22" />
          </svg>
          {t('levels.ahead')}
        </span>
      )}
      {isPast && <span>{t('levels.asCounted')}</span>}
    </span>
  )
}

function spanOf({ begin, end }: Burn['period']): { readonly begin: number; readonly end: number } {
  return { begin: Date.parse(begin), end: Date.parse(end) }
}
