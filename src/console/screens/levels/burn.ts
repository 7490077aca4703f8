import type { Answer } from '../../api/client.ts'
import type { Mark } from '../../kit/charts/paint.ts'
import type { Point } from '../../kit/charts/points.ts'

export type Burn = Answer<'/slcs/{id}/burn'>
type Values = Answer<'/slcs/{id}'>['values']
/** The budget as it is now. */
export type Present = Pick<Values, 'creditUsed' | 'projectedBreachAt'> & { readonly at: number }

/** A burn-down as percentages of the budget that are left. */
export type BurnDown = {
  readonly points: readonly Point[]
  /** The share at a steady pace. */
  readonly steady: readonly Mark[]
  /** The end of the budget at the present pace; empty when it lasts. */
  readonly ahead: readonly Mark[]
}

/** @param present null for a period that is over */
export function burnDownOf({ creditTotal, points, period }: Burn, present: Present | null): BurnDown {
  const left = (used: number): number => 100 * (1 - used / creditTotal)
  const pointOf = (at: number, used: number): Point => {
    const value = left(used)
    return { at, avg: value, min: value, max: value, count: 1 }
  }
  const known = points.map(({ timestamp, creditUsed }) => pointOf(Date.parse(timestamp), creditUsed))
  const last = known.at(-1)
  const isLater = present !== null && last !== undefined && present.at > last.at
  const now = isLater ? pointOf(present.at, present.creditUsed) : last
  const breachAt = present?.projectedBreachAt ?? null
  return {
    points: isLater && now ? [...known, now] : known,
    steady: [
      ...points.map(({ timestamp, creditEven }) => ({ at: Date.parse(timestamp), value: left(creditEven) })),
      { at: Date.parse(period.end), value: 0 },
    ],
    ahead:
      breachAt === null || now === undefined || now.avg <= 0
        ? []
        : [
            { at: now.at, value: now.avg },
            { at: Date.parse(breachAt), value: 0 },
          ],
  }
}

/** The value of a line at a time, between its marks. */
export function valueAt(marks: readonly Mark[], at: number): number | null {
  const next = marks.findIndex((mark) => mark.at >= at)
  const [before, after] = [marks[next - 1], marks[next]]
  if (after === undefined) return null
  if (before === undefined) return after.at === at ? after.value : null
  const share = (at - before.at) / (after.at - before.at || 1)
  return before.value + share * (after.value - before.value)
}
