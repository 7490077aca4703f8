import type { Cell } from '../data/cells.ts'

/** Texts that a spreadsheet would take for formulas. */
const FORMULA = /^[=+\-@\t\r]/

/** Rows as CSV for spreadsheets: a text that begins like a formula gets an apostrophe. */
export function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [names, ...rows].map((row) => row.map(field).join(',')).join('\r\n') + '\r\n'
}

function field(value: Cell): string {
  if (value === null) return ''
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
