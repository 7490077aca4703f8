import type { Mode } from '../../src/domain/series.ts'

export const MODES: readonly Mode[] = ['avg', 'min', 'max', 'last', 'sum', 'count', 'p50', 'p95', 'p99']

/** The value of a mode for the values of one bucket, in order of time, computed in the simplest way. */
export function naively(mode: Mode, values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sum = values.reduce((one, other) => one + other, 0)
  const sorted = values.toSorted((one, other) => one - other)
  const rank = (percent: number) => sorted[Math.ceil((percent / 100) * values.length) - 1] ?? null
  const modes: Record<Mode, number | null> = {
    avg: sum / values.length,
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    last: values.at(-1) ?? null,
    sum,
    count: values.length,
    p50: rank(50),
    p95: rank(95),
    p99: rank(99),
  }
  return modes[mode]
}
