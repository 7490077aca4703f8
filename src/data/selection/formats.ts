import type { Cell, Column, Row } from '../../domain/table.ts'

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The media types in which a result is streamed. */
export const EXPORT_TYPES = ['text/csv', 'application/x-ndjson', XLSX_TYPE] as const
export type ExportType = (typeof EXPORT_TYPES)[number]

/** A text that a spreadsheet would read as a formula (OWASP: CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n]/
const SPECIAL = /[",\r\n]/

/** How a result is written. */
export type Writing = {
  readonly head: string
  readonly rows: (rows: readonly Row[]) => string
  readonly tail: string
  /** The end of a result that lacks rows: a record that is not complete, so that every reader of the format fails. */
  readonly brokenOff: (reason: string) => string
}

/** CSV by RFC 4180 with a header. Null is empty; a text without characters is `""`.
 * @param isForExcel whether texts that a spreadsheet would read as formulas begin with an apostrophe */
export function csvWriting(columns: readonly Column[], isForExcel: boolean): Writing {
  const textOf = (text: string) => quoted(isForExcel && FORMULA.test(text) ? `'${text}` : text)
  const cells = columns.map(({ type }) => {
    // Numbers that a double would change are text.
    const isNumber = type === 'integer' || type === 'number'
    return (cell: Cell) => {
      if (cell === null) return ''
      return typeof cell === 'string' && !isNumber ? textOf(cell) : String(cell)
    }
  })
  const lineOf = (row: Row) => `${cells.map((write, at) => write(row[at] ?? null)).join(',')}\r\n`
  return {
    head: `${columns.map(({ name }) => textOf(name)).join(',')}\r\n`,
    rows: (rows) => rows.map(lineOf).join(''),
    tail: '',
    brokenOff: (reason) => `"${reason.replaceAll('"', '""')}`,
  }
}

/** A JSON object for each row, one in a line. */
export function ndjsonWriting(columns: readonly Column[]): Writing {
  const keys = columns.map(({ name }) => JSON.stringify(name))
  const lineOf = (row: Row) =>
    `{${keys.map((key, at) => `${key}:${JSON.stringify(row[at] ?? null)}`).join(',')}}\n`
  return {
    head: '',
    rows: (rows) => rows.map(lineOf).join(''),
    tail: '',
    brokenOff: (reason) => `{"error":${JSON.stringify(reason)}`,
  }
}

function quoted(text: string): string {
  return text === '' || SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
