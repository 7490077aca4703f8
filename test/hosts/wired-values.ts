import type { Cell, Row, Statement } from '../../src/ports/values-database.ts'

/** Cells as JSON: bytes are lists of numbers. */
type WiredCell = Exclude<Cell, Uint8Array> | readonly number[]
type WiredStatement = { readonly sql: string; readonly cells: readonly WiredCell[] }

export type WiredRow = Readonly<Record<string, WiredCell>>
export type WiredValues = { readonly read?: WiredStatement; readonly commit?: readonly WiredStatement[] }

export function wiredStatement({ sql, cells }: Statement): WiredStatement {
  return { sql, cells: cells.map(wired) }
}

export function unwiredStatement({ sql, cells }: WiredStatement): Statement {
  return { sql, cells: cells.map(unwired) }
}

export function wiredRow(row: Row): WiredRow {
  return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, wired(cell)]))
}

export function unwiredRow(row: WiredRow): Row {
  return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, unwired(cell)]))
}

function wired(cell: Cell): WiredCell {
  return cell instanceof Uint8Array ? [...cell] : cell
}

function unwired(cell: WiredCell): Cell {
  return typeof cell === 'object' && cell !== null ? Uint8Array.from(cell) : cell
}
