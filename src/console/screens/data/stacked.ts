import type { Charted } from './charted.ts'

/** A value within its row, from `from` to `to` as shares of the width of all rows. */
type Segment = {
  readonly series: number
  readonly value: number
  readonly from: number
  readonly to: number
}
type StackedRow = {
  readonly segments: readonly Segment[]
  /** Null for a row without a value. */
  readonly sum: number | null
}

/** The values of each text one after the other: those above zero to its right, the others to its left. */
export function stackedOf({ labels, series }: Pick<Charted, 'labels' | 'series'>): readonly StackedRow[] {
  const rows = labels.map((_, row) =>
    series.flatMap(({ values }, at) => {
      const value = values[row] ?? null
      return value === null ? [] : [{ series: at, value }]
    }),
  )
  const sumOf = (row: (typeof rows)[number], isWanted: (value: number) => boolean): number =>
    row.reduce((sum, { value }) => (isWanted(value) ? sum + value : sum), 0)
  const low = Math.min(0, ...rows.map((row) => sumOf(row, (value) => value < 0)))
  const high = Math.max(0, ...rows.map((row) => sumOf(row, (value) => value > 0)))
  const share = (value: number): number => (value - low) / (high - low || 1)
  return rows.map((row) => {
    let [left, right] = [0, 0]
    const segments = row.map(({ series: at, value }): Segment => {
      const before = value < 0 ? left : right
      const after = before + value
      if (value < 0) left = after
      else right = after
      return { series: at, value, from: share(Math.min(before, after)), to: share(Math.max(before, after)) }
    })
    return { segments, sum: row.length === 0 ? null : left + right }
  })
}

/** The least and the greatest value of all series; null without a value. */
export function rangeOf({
  series,
}: Pick<Charted, 'series'>): { readonly min: number; readonly max: number } | null {
  const values = series.flatMap((one) => one.values.filter((value) => value !== null))
  if (values.length === 0) return null
  return values.reduce(
    (range, value) => ({ min: Math.min(range.min, value), max: Math.max(range.max, value) }),
    {
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
    },
  )
}

/** Where a value is between the least and the greatest one, from 0 to 1. */
export function heatOf(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return max === min ? 1 : (value - min) / (max - min)
}
