import type { asDecimals } from './numbers-codec.ts'
import type { Samples } from './samples.ts'

/** `from` and `to` are the instants of the first and last sample, both inclusive. */
export type SegmentExtent = { readonly from: number; readonly to: number; readonly count: number }

/** The aggregate of numeric samples for reads without single samples. */
export type NumberSummary = SegmentExtent & {
  readonly min: number
  readonly max: number
  /** Null when it leaves the range of a double: databases and JSON take finite numbers only. */
  readonly sum: number | null
  readonly first: number
  readonly last: number
}

/** The sum of decimals is the sum of their mantissas: exact, and rounded once. */
export function summaryOf(part: Samples<number>, decimals: ReturnType<typeof asDecimals>): NumberSummary {
  let min = Infinity
  let max = -Infinity
  for (const value of part.values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  const { exponent, mantissas } = decimals ?? { exponent: 0, mantissas: part.values }
  let sum = 0
  for (const mantissa of mantissas) sum += mantissa
  return {
    ...extentOf(part),
    min,
    max,
    sum: Number.isFinite(sum) ? sum / 10 ** exponent : null,
    first: part.values[0] ?? 0,
    last: part.values.at(-1) ?? 0,
  }
}

export function extentOf<V>({ at }: Samples<V>): SegmentExtent {
  const from = at[0]
  const to = at.at(-1)
  if (from === undefined || to === undefined) throw new RangeError('a segment needs at least one sample')

  return { from, to, count: at.length }
}
