import { numberOfCell } from '../../../domain/table.ts'
import type { Cell } from '../../../domain/table.ts'
import { meanOf, totalOf } from '../../../lib/total.ts'
import type { WidgetOf } from '../widgets.ts'

type Source = Extract<WidgetOf<'value'>['source'], { type: 'dataQuery' }>
type Thresholds = WidgetOf<'value'>['thresholds']

type Reduce = (numbers: readonly number[]) => number | null

const REDUCE: Readonly<Record<'sum' | 'avg' | 'min' | 'max', Reduce>> = {
  sum: (numbers) => totalOf(numbers).sum,
  avg: (numbers) => meanOf(totalOf(numbers)),
  min: (numbers) => numbers.reduce((least, one) => Math.min(least, one)),
  max: (numbers) => numbers.reduce((most, one) => Math.max(most, one)),
}

/** The value that cells of a column become; null for no value, and for a sum beyond the range of a double. */
export function aggregateOf(
  cells: readonly Cell[],
  aggregate: Source['aggregate'],
): number | string | boolean | null {
  if (aggregate === 'first') return cells[0] ?? null
  if (aggregate === 'last') return cells.at(-1) ?? null
  const present = cells.filter((cell) => cell !== null)
  if (aggregate === 'count') return present.length
  const numbers = present.map(numberOfCell).filter((number) => number !== null)
  return numbers.length === 0 ? null : REDUCE[aggregate](numbers)
}

/** The state of the highest threshold that a value reaches; `ok` below all. Null without thresholds or a number. */
export function stateOf(value: unknown, thresholds: Thresholds): Thresholds[number]['state'] | 'ok' | null {
  if (typeof value !== 'number' || thresholds.length === 0) return null
  const reached = thresholds.filter(({ from }) => value >= from).toSorted((a, b) => b.from - a.from)
  return reached[0]?.state ?? 'ok'
}
