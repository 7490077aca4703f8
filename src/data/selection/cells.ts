import type { Cell, Column } from '../../domain/table.ts'
import { bucketStart } from './buckets.ts'
import type { Plan } from './plan.ts'

/** How the cells of a result are answered. */
export type ResultReader = {
  readonly columns: readonly Column[]
  readonly row: (cells: readonly Cell[]) => Cell[]
}

/** The columns of a plan, and the function that turns a row of its statement into a row of the answer. */
export function resultReader(plan: Plan): ResultReader {
  const outputs =
    plan.kind === 'rows'
      ? plan.columns.map(({ type }) => cellReader(type, null))
      : [
          ...plan.keys.map(({ type, bucket }) => cellReader(type, bucket && bucketStart(bucket))),
          ...plan.aggregates.map(({ type }) => cellReader(type, null)),
        ]
  const columns = plan.kind === 'rows' ? plan.columns : [...plan.keys, ...plan.aggregates]
  return {
    columns: columns.map(({ name, type }) => ({ name, type })),
    row: (cells) => outputs.map((read, at) => read(cells[at] ?? null)),
  }
}

function cellReader(type: Column['type'], start: ((key: number) => string) | null): (cell: Cell) => Cell {
  if (start) return (cell) => (cell === null ? null : start(Number(cell)))
  // Some dialects have no type for it.
  if (type === 'boolean') return (cell) => (cell === null ? null : Boolean(Number(cell)))
  if (type === 'datetime') return (cell) => (typeof cell === 'string' ? withoutZeros(cell) : cell)
  return (cell) => cell
}

/** A time without zeros at the end of its second: some engines keep six digits of each. */
function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0*(Z?)$/, '$1') : text
}
