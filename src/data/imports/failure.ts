import type { ImportFault } from '../../domain/import-plan.ts'
import type { Column } from '../../domain/table.ts'
import { Refusal } from '../../lib/errors.ts'
import { pointerOf } from '../../lib/pointer.ts'

/** Thrown when a file cannot be imported, with the first faults that were found. */
export class ImportFailure extends Error {
  override readonly name = 'ImportFailure'

  constructor(readonly faults: readonly [ImportFault, ...ImportFault[]]) {
    super(faults[0].message)
  }
}

export function nulFault(line: number): ImportFault {
  return { code: 'nul', line, column: null, message: 'A cell has the character NUL.' }
}

/** The fault of a value that is not of the type of its column. */
export function typeFault({ name, type }: Column, line: number): ImportFault {
  return { code: 'not_of_the_type', line, column: name, message: `The value is not of the type ${type}.` }
}

/** The refusal of an import, with the line and the column of each fault. */
export function importRefusal(faults: readonly ImportFault[]): Refusal {
  const errors = faults.map(({ line, column, sheet, message }) => ({
    pointer: pointerOf(['file', line, ...(column === null ? [] : [column])]),
    message: sheet === undefined ? message : `Sheet ${sheet}: ${message}`,
  }))
  return new Refusal('import_failed', faults[0]?.message ?? 'The file cannot be imported.', errors)
}

/** The refusal of a file that is not of its kind, is damaged, or does not fit. @param pointer to the part of the order that does not suit */
export function unreadable(detail: string, pointer = '/file'): Refusal {
  return new Refusal('import_failed', detail, [{ pointer, message: detail }])
}

/** The refusal of rows that a unique index forbids. */
export function notUnique(columns: readonly string[]): Refusal {
  return new Refusal('import_failed', `Two rows have the same ${columns.join(', ')}, which must be unique.`)
}
