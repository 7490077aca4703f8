import type { JSX } from 'preact'

import type { Answer } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { useWidth } from '../../kit/charts/use-width.ts'
import { now, timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { axisTop, highWater } from './tide.ts'
import type { TideStep } from './tide.ts'

const DAY_MS = 86_400_000
const STEP_MS = 900_000
const WIDTH_PX = 720
/** The widths of a character of a label, and of the space around the label at the right. */
const CHARACTER_PX = 8
const SPACE_PX = 16
/** The space between a label at the left and the axis. */
const GAP_PX = 6
/** The number of intervals of the trend. */
const STEPS = DAY_MS / STEP_MS
/** The width of a letter of the label of the high water, which is left out where it would cover the axis. */
const LETTER_PX = 7
const HEIGHT = 96
/** The least width of a label of the time axis. */
const LABEL_PX = 72

/** The objects in trouble over the last 24 hours, per quarter of an hour, and the present alarms. */
export function useTrend(): Resource<Answer<'/alarms/trend'>> {
  const end = Math.ceil(now.value / STEP_MS) * STEP_MS
  const query = { begin: new Date(end - DAY_MS).toISOString(), end: new Date(end).toISOString() }
  return useGet('/alarms/trend', { query }, ['alarm'])
}

/** The number of objects in trouble over the last 24 hours. */
export function TideChart(): JSX.Element {
  const { data } = useTrend()
  const [figure, width] = useWidth<HTMLElement>(WIDTH_PX)
  const steps = data?.items ?? []
  const high = highWater(steps)
  const top = axisTop(high?.objects ?? 0)
  const left = GAP_PX + CHARACTER_PX * String(top).length
  const present = steps.at(-1)?.objects ?? 0
  const presentText = t('overview.tideNow', { count: present })
  const right = width - SPACE_PX - CHARACTER_PX * presentText.length
  const x = (step: number): number => left + ((right - left) * step) / STEPS
  const labelEvery = Math.ceil((LABEL_PX * STEPS) / (right - left) / 8) * 8
  const name =
    high === null
      ? t('overview.tideCalm')
      : t('overview.tideName', { count: present, high: high.objects, time: timeText(high.timestamp) })
  const highText = high
    ? t('overview.highWater', { count: high.objects, time: timeText(high.timestamp) })
    : ''
  const highAt = high ? x(steps.indexOf(high)) : 0
  const isLate = highAt > (left + right) / 2
  return (
    <figure class="tide" ref={figure}>
      <figcaption class="label">
        {t(data?.isComplete === false ? 'overview.tideAtLeast' : 'overview.tide')}
      </figcaption>
      <svg
        viewBox={`0 -16 ${width} ${HEIGHT + 36}`}
        height={HEIGHT + 36}
        role="img"
        aria-label={name}
        class="chart"
      >
        {[0, top / 2, top].map((level) => (
          <g key={level}>
            <line class="grid" x1={left} x2={right} y1={y(level, top)} y2={y(level, top)} />
            <text x={left - GAP_PX} y={y(level, top) + 4} text-anchor="end">
              {level}
            </text>
          </g>
        ))}
        <path class="fill-w soft" d={area(steps, { top, x }, 'objects')} />
        <path class="fill-major" d={area(steps, { top, x }, 'major')} />
        <path class="line" d={outline(steps, { top, x })} />
        {steps.map(({ timestamp }, step) =>
          step % labelEvery === 0 && step > 0 ? (
            <text key={timestamp} x={x(step)} y={HEIGHT + 16} text-anchor="middle">
              {timeText(timestamp).replace(/^\D+/, '')}
            </text>
          ) : null,
        )}
        {high && !(isLate && highAt < left + LETTER_PX * highText.length) && (
          <text class="acc" x={highAt} text-anchor={isLate ? 'end' : 'start'} y={y(high.objects, top) - 4}>
            {highText}
          </text>
        )}
        <text class="b" x={right + 6} y={y(present, top) + 4}>
          {presentText}
        </text>
      </svg>
    </figure>
  )
}

type Scale = { readonly top: number; readonly x: (step: number) => number }

const y = (level: number, top: number): number => HEIGHT - (HEIGHT * level) / top

function outline(steps: readonly TideStep[], { top, x }: Scale): string {
  return steps
    .map(({ objects }, at) => `${at === 0 ? 'M' : 'L'}${x(at)} ${y(objects, top)}H${x(at + 1)}`)
    .join('')
}

function area(steps: readonly TideStep[], { top, x }: Scale, of: 'objects' | 'major'): string {
  const inside = steps.map((step, at) => `L${x(at)} ${y(step[of], top)}H${x(at + 1)}`)
  return `M${x(0)} ${HEIGHT}${inside.join('')}V${HEIGHT}Z`
}
