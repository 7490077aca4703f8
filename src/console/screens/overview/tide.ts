/** The number of objects in trouble in an interval that begins at `timestamp`. */
export type TideStep = { readonly timestamp: string; readonly objects: number; readonly major: number }

/** The first interval with the most objects in trouble; null when there was none. */
export function highWater(steps: readonly TideStep[]): TideStep | null {
  let highest: TideStep | null = null
  for (const step of steps) if (step.objects > (highest?.objects ?? 0)) highest = step
  return highest
}

/** The top of the axis, at least 4. It is even, because the axis also has a label at its half. */
export function axisTop(highest: number): number {
  return Math.max(4, 2 * Math.ceil(highest / 2))
}
