import type { Cell, Row } from '../../domain/table.ts'
import type { ReshapedColumn } from '../../ports/tables.ts'
import { cellReaders } from '../imports/cells.ts'

const VALUE_MAX_CHARS = 100

/** A value that has none of the type of its new column. */
export class ConversionFault extends Error {
  override readonly name = 'ConversionFault'

  constructor(
    readonly column: string,
    readonly value: string,
  ) {
    super(`${column} has no ${value}`)
  }
}

/** The function that turns a row of the columns that are taken over, in order, into one of all columns. Values become those
 * that a file with their text would have. It throws `ConversionFault`. */
export function rowConverter(columns: readonly ReshapedColumn[], timeZone: string): (row: Row) => Row {
  const readers = cellReaders({ nulls: [], decimal: '.', dateFormats: [], timeZone })
  let taken = 0
  const cells = columns.map(({ name, type, from }) => {
    if (from === null) return () => null
    const at = taken++
    if (from.type === type) return (row: Row): Cell => row[at] ?? null
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

/** The names of the columns that are taken over, in order. */
export function takenColumns(columns: readonly ReshapedColumn[]): readonly string[] {
  return columns.flatMap(({ from }) => (from ? [from.name] : []))
}
