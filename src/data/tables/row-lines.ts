import type { Cell, Column, ColumnType, Row } from '../../domain/table.ts'

const CHUNK_CHARS = 256 * 1024
/** An escape of JSON that CSV has not. */
const ODD_ESCAPE = /(?<!\\)(?:\\\\)*\\[^"\\]/

const DAY = String.raw`[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?`
const matches = (pattern: string) => {
  const whole = new RegExp(`^${pattern}$`)
  return (cell: NonNullable<Cell>) => typeof cell === 'string' && whole.test(cell)
}
const isIntegerText = matches(String.raw`-?\d{1,18}`)
const isNumberText = matches(String.raw`-?\d{1,300}(?:\.\d+)?`)
const never = () => false

/** Whether every engine of tables reads a value in this form as the same value of the type. */
const PLAIN: Readonly<Record<ColumnType, (cell: NonNullable<Cell>) => boolean>> = {
  string: (cell) => typeof cell === 'string',
  integer: (cell) => Number.isSafeInteger(cell) || isIntegerText(cell),
  number: (cell) => Number.isFinite(cell) || isNumberText(cell),
  boolean: (cell) => typeof cell === 'boolean',
  date: matches(DAY),
  datetime: matches(`${DAY}T${TIME}Z`),
  time: matches(TIME),
  json: never,
  binary: never,
}

/** Writes rows as lines, each with the cells of a row in JSON and commas between them. */
export class RowLines {
  readonly #plain: readonly ((cell: NonNullable<Cell>) => boolean)[]
  #isPlain = true
  #rows = 0

  constructor(columns: readonly Column[]) {
    this.#plain = columns.map(({ type }) => PLAIN[type])
  }

  /** How many lines there are, where each is CSV as well, whose escapes are `\"` and `\\`, with values in the form that every
   * engine reads; else null. */
  get plainRows(): number | null {
    return this.#isPlain ? this.#rows : null
  }

  async *write(batches: AsyncIterable<readonly Row[], void>): AsyncGenerator<Uint8Array, void> {
    const encoder = new TextEncoder()
    let text = ''
    for await (const rows of batches) {
      for (const row of rows) {
        text += this.#lineOf(row)
        if (text.length < CHUNK_CHARS) continue
        yield encoder.encode(text)
        text = ''
      }
    }
    if (text !== '') yield encoder.encode(text)
  }

  #lineOf(row: Row): string {
    const line = `${JSON.stringify(row).slice(1, -1)}\n`
    this.#rows += 1
    this.#isPlain &&= row.length === this.#plain.length && this.#arePlain(row) && !hasOddEscape(line)
    return line
  }

  #arePlain(row: Row): boolean {
    for (const [at, isPlain] of this.#plain.entries()) {
      const cell = row[at] ?? null
      if (cell !== null && !isPlain(cell)) return false
    }
    return true
  }
}

function hasOddEscape(line: string): boolean {
  return line.includes('\\') && ODD_ESCAPE.test(line)
}
