import type { FileCell } from '../cells.ts'
import { unreadable } from '../failure.ts'
import { numberCell, ROW_MAX_CHARS, textCell } from '../xlsx/sheet.ts'
import type { SheetContext, SheetRow } from '../xlsx/sheet.ts'
import { continuedFrom, damagedRecord, double, RECORD, recordAt, shortNumber, u16, u8 } from './records.ts'
import type { XlsRecord } from './records.ts'
import { TextReader } from './texts.ts'

const BATCH_ROWS = 1_000
const ERRORS: Readonly<Record<number, string>> = {
  0x00: '#NULL!',
  0x07: '#DIV/0!',
  0x0f: '#VALUE!',
  0x17: '#REF!',
  0x1d: '#NAME?',
  0x24: '#NUM!',
  0x2a: '#N/A',
}
const [FORMULA_TEXT, FORMULA_BOOLEAN, FORMULA_ERROR] = [0, 1, 2]

/** The rows of a sheet that have values, in batches. Of formulas the results that were saved.
 * @param from where the sheet begins in the stream
 * @throws {Refusal} import_failed */
export function* readSheet(
  stream: Uint8Array,
  from: number,
  context: SheetContext,
): Generator<readonly SheetRow[]> {
  const cells = new SheetCells(context)
  let record = recordAt(stream, from)
  if (record.type !== RECORD.begin) throw damagedRecord()
  // Charts that lie on a sheet are in it, with a beginning and an end of their own.
  for (let depth = 1; depth > 0;) {
    record = recordAt(stream, record.nextAt)
    if (record.type === RECORD.begin) depth += 1
    else if (record.type === RECORD.end) depth -= 1
    else if (depth === 1) cells.take(record, stream)
    if (cells.rows >= BATCH_ROWS) yield cells.flush()
  }
  yield cells.flush()
  yield cells.end()
}

/** Collects cells to rows. */
class SheetCells {
  readonly #context: SheetContext
  #rows: SheetRow[] = []
  #row = 0
  #cells: FileCell[] = []
  #column = 0
  #chars = 0
  /** Whether the text of a formula follows. */
  #isOpen = false

  constructor(context: SheetContext) {
    this.#context = context
  }

  get rows(): number {
    return this.#rows.length
  }

  flush(): readonly SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  end(): readonly SheetRow[] {
    this.#endRow()
    return this.flush()
  }

  take(record: XlsRecord, stream: Uint8Array): void {
    const { type, data } = record
    switch (type) {
      case RECORD.labelOfStrings:
        return this.#add(
          data,
          textCell(
            this.#context.strings.get(u16(data, 6) + u16(data, 8) * 2 ** 16) ?? damagedCell(u16(data, 0)),
          ),
        )
      case RECORD.label:
      case RECORD.richLabel:
        return this.#add(data, textCell(new TextReader([data], 6).text()))
      case RECORD.number:
        return this.#add(data, this.#number(data, double(data, 6), u16(data, 4)))
      case RECORD.shortNumber:
        return this.#add(data, this.#number(data, shortNumber(data, 6), u16(data, 4)))
      case RECORD.numbers:
        return this.#addNumbers(data)
      case RECORD.booleanOrError:
        return this.#add(data, u8(data, 7) === 1 ? errorCell(u8(data, 6)) : booleanCell(u8(data, 6)))
      case RECORD.formula:
        return this.#addResult(data)
      case RECORD.formulaText:
        return this.#addText(continuedFrom(stream, record))
      default:
    }
  }

  /** Numbers of cells beside each other. */
  #addNumbers(data: Uint8Array): void {
    const [row, first] = [u16(data, 0), u16(data, 2)]
    for (let at = 4; at + 6 < data.length; at += 6)
      this.#put(row, first + (at - 4) / 6, this.#number(data, shortNumber(data, at + 2), u16(data, at)))
  }

  #addResult(data: Uint8Array): void {
    if (u16(data, 12) !== 0xffff) return this.#add(data, this.#number(data, double(data, 6), u16(data, 4)))
    const kind = u8(data, 6)
    this.#add(data, resultCell(kind, u8(data, 8)))
    this.#isOpen = kind === FORMULA_TEXT
  }

  /** The text of the formula before. */
  #addText(blocks: readonly Uint8Array[]): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#set(this.#column, textCell(new TextReader(blocks).text()))
  }

  #add(data: Uint8Array, cell: FileCell): void {
    this.#put(u16(data, 0), u16(data, 2), cell)
  }

  #put(row: number, column: number, cell: FileCell): void {
    if (row + 1 !== this.#row) this.#beginRow(row + 1)
    if (column < this.#column)
      throw unreadable(`The cells of row ${this.#row} of the sheet are not in their order.`)
    this.#isOpen = false
    this.#column = column + 1
    this.#set(column + 1, cell)
  }

  /** @param column from 1 */
  #set(column: number, cell: FileCell): void {
    if (cell === null) return
    this.#chars += typeof cell === 'string' ? cell.length : cell.text.length
    if (this.#chars > ROW_MAX_CHARS)
      throw unreadable(`Row ${this.#row} of the sheet has more than ${ROW_MAX_CHARS} characters.`)
    while (this.#cells.length < column - 1) this.#cells.push(null)
    this.#cells.push(cell)
  }

  #beginRow(row: number): void {
    if (row <= this.#row)
      throw unreadable(`The rows of the sheet are not in their order, behind row ${this.#row}.`)
    this.#endRow()
    this.#row = row
    this.#column = 0
    this.#chars = 0
  }

  #endRow(): void {
    if (this.#cells.length > 0) this.#rows.push({ row: this.#row, cells: this.#cells })
    this.#cells = []
  }

  #number(data: Uint8Array, value: number, style: number): FileCell {
    if (!Number.isFinite(value)) damagedCell(u16(data, 0))
    return numberCell(String(value), style, this.#context)
  }
}

/** @param row from 0 */
function damagedCell(row: number): never {
  throw unreadable(`The value of a cell in row ${row + 1} of the sheet is damaged.`)
}

/** The result of a formula that is not a number; its text follows. */
function resultCell(kind: number, value: number): FileCell {
  if (kind === FORMULA_BOOLEAN) return booleanCell(value)
  return kind === FORMULA_ERROR ? errorCell(value) : null
}

function booleanCell(value: number): FileCell {
  return String(value !== 0)
}

function errorCell(code: number): FileCell {
  return { text: ERRORS[code] ?? '#N/A', type: 'error' }
}
