import type { Row } from '../../domain/table.ts'
import type { FileCell } from './cells.ts'
import { readLines } from './lines.ts'

/** A row of a file, whose cells are at most 4 MiB, with the escapes of JSON. */
const LINE_MAX_CHARS = 16 * 1024 * 1024

/** The cells of each line. @throws {ImportFailure} at a line that is too long */
export function readRowLines(bytes: AsyncIterable<Uint8Array>) {
  return readLines(bytes, LINE_MAX_CHARS, cellsOf)
}

function cellsOf(text: string): readonly FileCell[] {
  return (JSON.parse(text) as Row).map((cell) => (cell === null ? null : String(cell)))
}
