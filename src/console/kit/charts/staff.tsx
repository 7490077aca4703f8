import type { JSX } from 'preact'

const TICKS = 10

/** The error budget that is left, as water on a graduated staff.
 * @param left the share that is left, 0 to 1
 * @param ideal the share that would be left at a steady pace */
export function Staff({
  left,
  ideal,
  name,
}: {
  readonly left: number
  readonly ideal?: number
  readonly name: string
}): JSX.Element {
  const behind = ideal !== undefined && left < ideal / 2 ? 'minor' : 'w'
  const state = left <= 0 ? 'major' : behind
  return (
    <svg class="chart staff" viewBox="0 0 300 18" preserveAspectRatio="none" role="img" aria-label={name}>
      <rect class="bed" x="0.5" y="0.5" width="299" height="9" rx="1.5" />
      <rect class={`fill-${state}`} x="0.5" y="0.5" width={299 * Math.min(1, left)} height="9" rx="1.5" />
      {Array.from({ length: TICKS + 1 }, (_, tick) => (
        <line key={tick} class="tick" x1={tick * 30} x2={tick * 30} y1="11" y2={tick % 5 === 0 ? 17 : 14} />
      ))}
      {ideal !== undefined && <line class="cursor" x1={300 * ideal} x2={300 * ideal} y1="0" y2="12" />}
    </svg>
  )
}
