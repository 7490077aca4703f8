import { language, t } from '../../language/t.ts'
import { unitText } from '../numbers.ts'
import { durationText, timeZone } from '../time.tsx'
import type { Limit, Marked } from './paint.ts'
import type { ForecastPoint } from './plot.ts'
import { extent } from './points.ts'
import type { Point, Span } from './points.ts'

const DAY_MS = 86_400_000

function format(at: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(language.value, {
    timeZone: timeZone.value,
    hourCycle: 'h23',
    ...options,
  }).format(at)
}

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }

/** The label of a tick of the time axis.
 * @param stepMs the distance of the ticks; 0 for a single one */
export function axisText(at: number, stepMs: number): string {
  if (stepMs >= 28 * DAY_MS) return format(at, { month: 'short', year: 'numeric' })
  if (stepMs >= DAY_MS) return format(at, DAY)
  const text = format(at, stepMs > 0 && stepMs < 60_000 ? { ...CLOCK, second: '2-digit' } : CLOCK)
  return text === '00:00' ? format(at, DAY) : text
}

/** The day and the time of a point. */
export function fullText(at: number): string {
  return format(at, { weekday: 'short', ...DAY, ...CLOCK, second: '2-digit' })
}

/** The chart as a sentence, for users who do not see it. */
export function sentenceOf({
  title,
  unit,
  points,
  gaps,
  limits,
  maintenance,
  forecast,
  begin,
  end,
  valueText,
}: Span & {
  readonly title: string
  readonly unit: string
  readonly points: readonly Point[]
  readonly gaps: readonly Span[]
  readonly limits: readonly Limit[]
  readonly maintenance: readonly Marked[]
  readonly forecast: readonly ForecastPoint[]
  readonly valueText: (value: number) => string
}): string {
  const range = durationText(end - begin)
  const inside = points.filter(({ at }) => at >= begin && at <= end)
  const all = extent(inside)
  if (all === null) return t('chart.nameEmpty', { title, range })
  const text = (value: number): string => unitText(valueText(value), unit)
  const parts = [
    t('chart.name', {
      title,
      range,
      min: text(all.min),
      max: text(all.max),
      last: text(inside.at(-1)?.avg ?? 0),
    }),
    limits.length > 0 && t('chart.nameLimits', { limits: limits.map((limit) => limit.text).join(', ') }),
    gaps.length > 0 && t('chart.nameGaps', { count: gaps.length }),
    maintenance.length > 0 && t('chart.nameMaintenance', { count: maintenance.length }),
    forecast.length > 0 &&
      t('chart.nameForecast', {
        low: text(Math.min(...forecast.map(({ low }) => low))),
        high: text(Math.max(...forecast.map(({ high }) => high))),
        until: fullText(forecast.at(-1)?.at ?? end),
      }),
  ]
  return parts.filter((part) => part !== false).join('; ')
}
