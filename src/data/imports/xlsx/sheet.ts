import type { FileCell } from '../cells.ts'
import { unreadable } from '../failure.ts'
import { momentOf } from './serial.ts'
import { joinedText, RunText, unescaped } from './strings.ts'
import type { PackedStrings } from './strings.ts'
import type { NumberKind } from './styles.ts'
import { attributeOf, scanXml } from './xml.ts'
import type { XmlEvents } from './xml.ts'

/** A row of a sheet by its number, from 1, with its cells from the first column to the last one that has a value. */
export type SheetRow = { readonly row: number; readonly cells: readonly FileCell[] }

/** The parts of a workbook to which the cells of a sheet refer. */
export type SheetContext = {
  readonly strings: PackedStrings
  readonly styles: readonly NumberKind[]
  readonly is1904: boolean
}

const SHEET_ROWS_MAX = 1_048_576
const SHEET_COLUMNS_MAX = 16_384
export const ROW_MAX_CHARS = 4 * 1024 * 1024
const COLUMN = /^([A-Z]{1,3})\d+$/i
const WHOLE = /^-?\d+$/
const LETTERS = 26

/** The rows of a sheet that have values, in batches. Of formulas the results that were saved.
 * @throws {Refusal} import_failed */
export async function* readSheet(
  chunks: AsyncIterable<Uint8Array>,
  context: SheetContext,
): AsyncGenerator<readonly SheetRow[]> {
  const sheet = new SheetEvents(context)
  for await (const _ of scanXml(chunks, sheet)) {
    const rows = sheet.take()
    if (rows.length > 0) yield rows
  }
}

class SheetEvents implements XmlEvents {
  readonly #context: SheetContext
  readonly #inline = new RunText()
  #rows: SheetRow[] = []
  #row = 0
  #cells: FileCell[] | null = null
  #chars = 0
  #column = 0
  #type = ''
  #style = 0
  #value = ''
  #isValue = false
  #isInline = false

  constructor(context: SheetContext) {
    this.#context = context
  }

  take(): readonly SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, tag: string): void {
    if (name === 'row') this.#beginRow(tag)
    if (this.#cells === null) return
    if (name === 'c') this.#beginCell(tag)
    else if (name === 'v') this.#isValue = true
    else if (name === 'is') {
      this.#isInline = true
      this.#inline.begin()
    } else if (this.#isInline) this.#inline.open(name)
  }

  text(text: string): void {
    if (this.#isValue) this.#value = joinedText(this.#value, text)
    else if (this.#isInline) this.#inline.add(text)
  }

  close(name: string): void {
    if (this.#cells === null) return
    if (name === 'v') this.#isValue = false
    else if (name === 'c') this.#endCell(this.#cells)
    else if (name === 'row') this.#endRow(this.#cells)
    else if (name === 'is') this.#isInline = false
    else if (this.#isInline) this.#inline.close(name)
  }

  #beginRow(tag: string): void {
    const row = Number(attributeOf(tag, 'r') ?? this.#row + 1)
    if (!Number.isInteger(row) || row <= this.#row || row > SHEET_ROWS_MAX)
      throw unreadable(`The rows of the sheet are not in their order, behind row ${this.#row}.`)
    this.#row = row
    this.#cells = []
    this.#chars = 0
    this.#column = 0
  }

  #beginCell(tag: string): void {
    const place = attributeOf(tag, 'r')
    const column = place === null ? this.#column + 1 : columnOf(place)
    if (column === null || column <= this.#column || column > SHEET_COLUMNS_MAX)
      throw unreadable(`The cells of row ${this.#row} of the sheet are not in their order.`)
    this.#column = column
    this.#type = attributeOf(tag, 't') ?? 'n'
    this.#style = Number(attributeOf(tag, 's') ?? 0)
    this.#value = ''
    this.#inline.begin()
  }

  #endCell(cells: FileCell[]): void {
    const cell = this.#cellOf()
    if (cell === null || cell === '') return
    this.#chars += typeof cell === 'string' ? cell.length : cell.text.length
    if (this.#chars > ROW_MAX_CHARS)
      throw unreadable(`Row ${this.#row} of the sheet has more than ${ROW_MAX_CHARS} characters.`)
    while (cells.length < this.#column - 1) cells.push(null)
    cells.push(cell)
  }

  #endRow(cells: FileCell[]): void {
    if (cells.length > 0) this.#rows.push({ row: this.#row, cells })
    this.#cells = null
  }

  #cellOf(): FileCell {
    const value = this.#value
    switch (this.#type) {
      case 's':
        return textCell(value === '' ? '' : (this.#context.strings.get(Number(value)) ?? this.#damaged()))
      case 'inlineStr':
        return textCell(this.#inline.end())
      case 'str':
        return textCell(unescaped(value))
      case 'b':
        return value === '' ? null : String(value === '1' || value.toLowerCase() === 'true')
      case 'e':
        return { text: value, type: 'error' }
      case 'd':
        return value
      default:
        return value === '' ? null : this.#numberCell(value)
    }
  }

  #numberCell(text: string): FileCell {
    if (!Number.isFinite(Number(text))) this.#damaged()
    return numberCell(text, this.#style, this.#context)
  }

  #damaged(): never {
    throw unreadable(`The value of a cell in row ${this.#row} of the sheet is damaged.`)
  }
}

export function textCell(text: string): FileCell {
  return text === '' ? null : { text, type: 'string' }
}

/** A number with a style of the workbook. */
export function numberCell(text: string, style: number, { styles, is1904 }: SheetContext): FileCell {
  const value = Number(text)
  const kind = styles[style] ?? null
  const moment = kind && momentOf(value, kind, is1904)
  // Digits that a double has not are kept.
  return moment ?? (WHOLE.test(text) ? text : String(value))
}

/** The number of a column, from 1: 28 of `AB7`. */
function columnOf(place: string): number | null {
  const [, letters] = COLUMN.exec(place) ?? []
  if (letters === undefined) return null
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * LETTERS + letter.charCodeAt(0) - 64
  return column
}
