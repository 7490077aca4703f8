import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { useWidth } from '../../kit/charts/use-width.ts'
import { now, timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { highWater, tideOf } from './tide.ts'
import type { TideStep } from './tide.ts'

const DAY_MS = 86_400_000
const STEP_MS = 900_000
const WIDTH_PX = 720
const LEFT = 20
/** The widths of a character, and of the space around the label at the right. */
const CHARACTER_PX = 8
const SPACE_PX = 16
/** The width of a letter of the label of the high water, which is left out where it would cover the axis. */
const LETTER_PX = 7
const HEIGHT = 96
/** The least width of a label of the time axis. */
const LABEL_PX = 72

/** The number of objects in trouble over the last 24 hours, per quarter of an hour. */
export function TideChart(): JSX.Element {
  const end = Math.ceil(now.value / STEP_MS) * STEP_MS
  const begin = end - DAY_MS
  const { data } = useGet(
    '/alarms',
    {
      query: { state: 'open,assigned,closed', begin: new Date(begin - DAY_MS).toISOString(), limit: 1000 },
    },
    ['alarm'],
  )
  const [figure, width] = useWidth<HTMLElement>(WIDTH_PX)
  const steps = useMemo(() => tideOf(data?.items ?? [], { begin, end }, STEP_MS), [data, begin])
  const high = highWater(steps)
  const top = Math.max(4, high?.all ?? 0)
  const present = steps.at(-1)?.all ?? 0
  const presentText = t('overview.tideNow', { count: present })
  const right = width - SPACE_PX - CHARACTER_PX * presentText.length
  const x = (step: number): number => LEFT + ((right - LEFT) * step) / steps.length
  const labelEvery = Math.ceil((LABEL_PX * 96) / (right - LEFT) / 8) * 8
  const name =
    high === null
      ? t('overview.tideCalm')
      : t('overview.tideName', { count: present, high: high.all, time: timeText(high.at) })
  const highText = high ? t('overview.highWater', { count: high.all, time: timeText(high.at) }) : ''
  const highAt = high ? x(steps.indexOf(high)) : 0
  const isLate = highAt > (LEFT + right) / 2
  return (
    <figure class="tide" ref={figure}>
      <figcaption class="label">{t('overview.tide')}</figcaption>
      <svg
        viewBox={`0 -16 ${width} ${HEIGHT + 36}`}
        height={HEIGHT + 36}
        role="img"
        aria-label={name}
        class="chart"
      >
        {[0, top / 2, top].map((level) => (
          <g key={level}>
            <line class="grid" x1={LEFT} x2={right} y1={y(level, top)} y2={y(level, top)} />
            <text x={14} y={y(level, top) + 4} text-anchor="end">
              {Math.round(level)}
            </text>
          </g>
        ))}
        <path class="fill-w soft" d={area(steps, { top, x }, 'all')} />
        <path class="fill-major" d={area(steps, { top, x }, 'major')} />
        <path class="line" d={outline(steps, { top, x })} />
        {steps.map(({ at }, step) =>
          step % labelEvery === 0 && step > 0 ? (
            <text key={at} x={x(step)} y={HEIGHT + 16} text-anchor="middle">
              {timeText(at).replace(/^\D+/, '')}
            </text>
          ) : null,
        )}
        {high && !(isLate && highAt < LEFT + LETTER_PX * highText.length) && (
          <text class="acc" x={highAt} text-anchor={isLate ? 'end' : 'start'} y={y(high.all, top) - 4}>
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
  return steps.map(({ all }, at) => `${at === 0 ? 'M' : 'L'}${x(at)} ${y(all, top)}H${x(at + 1)}`).join('')
}

function area(steps: readonly TideStep[], { top, x }: Scale, of: 'all' | 'major'): string {
  const inside = steps.map((step, at) => `L${x(at)} ${y(step[of], top)}H${x(at + 1)}`)
  return `M${x(0)} ${HEIGHT}${inside.join('')}V${HEIGHT}Z`
}
