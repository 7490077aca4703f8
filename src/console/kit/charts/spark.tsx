import type { JSX } from 'preact'

import { extent } from './points.ts'
import type { Point } from './points.ts'

/** A small line of values without axes. The text beside it names the value, so that it is hidden from screen readers. */
export function Spark({
  points,
  gapMs = Infinity,
  limit,
  width = 96,
  height = 24,
}: {
  readonly points: readonly Point[]
  readonly gapMs?: number
  readonly limit?: number
  readonly width?: number
  readonly height?: number
}): JSX.Element | null {
  const all = extent(points)
  const [first, last] = [points[0], points.at(-1)]
  if (!all || !first || !last) return null
  const size = all.max - all.min || 1
  const x = (at: number): number => 2 + ((width - 6) * (at - first.at)) / (last.at - first.at || 1)
  const y = (value: number): number => height - 3 - ((height - 6) * (value - all.min)) / size
  const path = points
    .map(({ at, avg }, index) => {
      const before = points[index - 1]
      const isConnected = before !== undefined && at - before.at <= gapMs
      return `${isConnected ? 'L' : 'M'}${x(at).toFixed(1)} ${y(avg).toFixed(1)}`
    })
    .join('')
  const isInside = limit !== undefined && limit >= all.min && limit <= all.max
  return (
    <svg
      class="chart spark"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      aria-hidden="true"
    >
      {isInside && <line class="th minor" x1="0" x2={width} y1={y(limit)} y2={y(limit)} />}
      <path class="line" d={path} />
      <circle class="fill-w" cx={x(last.at)} cy={y(last.avg)} r="2.2" />
    </svg>
  )
}
