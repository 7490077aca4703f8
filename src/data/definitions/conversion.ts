import type { Cell, Column, Row } from '../../domain/table.ts'
import type { ReshapeOrder, ReshapePart } from '../../ports/tables.ts'
import { plainReaders } from '../imports/cells.ts'

const VALUE_MAX_CHARS = 100

/** A value that is not of the type of its new column. */
export class ConversionFault extends Error {
  override readonly name = 'ConversionFault'

  constructor(
    readonly column: string,
    readonly value: string,
  ) {
    super(`${column} has no ${value}`)
  }
}

/** The function that turns a row of `takenColumns` into one of the columns of the order. Values become those that a file
 * with their text would have. It throws `ConversionFault`. */
export function rowConverter(
  { from }: ReshapePart,
  { columns, timeZone }: Pick<ReshapeOrder, 'columns' | 'timeZone'>,
): (row: Row) => Row {
  const readers = plainReaders(timeZone)
  let taken = 0
  const cells = columns.map(({ name, type }, place) => {
    const source = from[place] ?? null
    if (source === null) return () => null
    const at = taken++
    if (source.type === type) return (row: Row): Cell => row[at] ?? null
    return (row: Row): Cell => {
      const cell = row[at] ?? null
      if (cell === null) return null
      const value = readers[type](String(cell))
      if (value === undefined) throw new ConversionFault(name, String(cell).slice(0, VALUE_MAX_CHARS))
      return value
    }
  })
  return (row) => cells.map((read) => read(row))
}

/** The columns that are taken over, in order. */
export function takenColumns({ from }: ReshapePart): readonly Column[] {
  return from.filter((column) => column !== null)
}
