import type { ColumnWarning, FileColumn } from '../../domain/import-plan.ts'
import { textFor, textOf } from './cells.ts'
import type { CellReader, FileCell } from './cells.ts'

export type InferredColumn = Pick<FileColumn, 'type' | 'hasNulls' | 'warnings'>

/** Types that values are tried for; the first that all values have counts. */
const CANDIDATES = ['boolean', 'integer', 'number', 'date', 'datetime', 'time', 'json'] as const
type Candidate = (typeof CANDIDATES)[number]

/** Types of values that a file calls texts, which are neither numbers nor booleans. */
const TYPES_OF_TEXTS: readonly Candidate[] = ['date', 'datetime', 'time']

const LEADING_ZERO = /^[+-]?0\d/
const WHOLE = /^[+-]?\d+$/
/** A double keeps 15 digits of every number. */
const DIGITS_MAX = 15
const SLASHED_DATE = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/
/** So many values of one type make an exception worth a warning. */
const USUAL_MIN = 10

/** Instants and times that every program reads alike. */
const PLAIN_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/
const PLAIN_TIME = /^\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?$/

/** Finds the type of a column from all of its values. A column without any value is text. */
export class ColumnInference {
  readonly #readers: Readonly<Record<Candidate, CellReader>>
  readonly #isNull: (text: string) => boolean
  readonly #warnings = new Map<ColumnWarning['code'], ColumnWarning>()
  #possible: readonly Candidate[] = CANDIDATES
  #values = 0
  #hasNulls = false
  #isPlain = true

  /** @param isNull whether a text stands for null */
  constructor(
    readers: Readonly<Record<Candidate, CellReader>>,
    isNull: (text: string) => boolean = () => false,
  ) {
    this.#readers = readers
    this.#isNull = isNull
  }

  /** Takes the next value; null for none. */
  add(cell: FileCell, line: number): void {
    if (cell === null || this.#isNull(textOf(cell))) {
      this.#hasNulls = true
      return
    }
    if (this.#possible.length > 0) this.#narrow(cell, line)
    this.#values += 1
  }

  get result(): InferredColumn {
    const [type = 'string'] = this.#values === 0 ? [] : this.#possible
    return { type, hasNulls: this.#hasNulls, warnings: [...this.#warnings.values()] }
  }

  /** The type of which all values have the usual form; text for others. */
  get plainType(): FileColumn['type'] {
    return this.#isPlain ? this.result.type : 'string'
  }

  #narrow(cell: Exclude<FileCell, null>, line: number): void {
    const [text, as] = typeof cell === 'string' ? [cell, null] : [cell.text, cell.type]
    let left = this.#possible
    for (const type of left)
      if (!isPossible(type, as) || this.#readers[type](textFor(cell, type)) === undefined)
        left = left.filter((one) => one !== type)
    const [first] = left
    if (first === undefined) this.#endTypes(text, line)
    else if (first === 'integer' || first === 'number') this.#narrowNumbers(text, line, left)
    else {
      this.#possible = left
      if (first === 'datetime') this.#isPlain &&= PLAIN_INSTANT.test(text)
      else if (first === 'time') this.#isPlain &&= PLAIN_TIME.test(text)
    }
  }

  #narrowNumbers(text: string, line: number, left: readonly Candidate[]): void {
    if (LEADING_ZERO.test(text)) this.#becomeText({ code: 'leading_zeros', line })
    else if (text.length > DIGITS_MAX && WHOLE.test(text) && digitsOf(text) > DIGITS_MAX)
      this.#becomeText({ code: 'long_digits', line })
    else this.#possible = left
  }

  /** After a value that is of none of the types. */
  #endTypes(text: string, line: number): void {
    if (this.#values >= USUAL_MIN) this.#becomeText({ code: 'mixed_types', line })
    else this.#becomeText(SLASHED_DATE.test(text) ? { code: 'ambiguous_date', line } : null)
  }

  #becomeText(warning: ColumnWarning | null): void {
    this.#possible = []
    if (warning) this.#warnings.set(warning.code, warning)
  }
}

function digitsOf(text: string): number {
  return text.startsWith('-') || text.startsWith('+') ? text.length - 1 : text.length
}

function isPossible(type: Candidate, as: Exclude<FileCell, string | null>['type'] | null): boolean {
  if (as === 'string') return TYPES_OF_TEXTS.includes(type)
  if (as === 'date') return type === 'date' || type === 'datetime'
  return (type === 'json') === (as === 'json')
}
