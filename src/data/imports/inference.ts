import type { ColumnWarning, FileColumn } from '../../domain/import-plan.ts'
import { textFor } from './cells.ts'
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

/** Finds the type of a column from all of its values. A column without any value is text. */
export class ColumnInference {
  readonly #readers: Readonly<Record<Candidate, CellReader>>
  readonly #warnings = new Map<ColumnWarning['code'], ColumnWarning>()
  #possible: readonly Candidate[] = CANDIDATES
  #values = 0
  #hasNulls = false

  constructor(readers: Readonly<Record<Candidate, CellReader>>) {
    this.#readers = readers
  }

  /** Takes the next value; null for none. */
  add(cell: FileCell, line: number): void {
    if (cell === null) {
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

  #narrow(cell: Exclude<FileCell, null>, line: number): void {
    const [text, as] = typeof cell === 'string' ? [cell, null] : [cell.text, cell.type]
    const left = this.#possible.filter(
      (type) => isPossible(type, as) && this.#readers[type](textFor(cell, type)) !== undefined,
    )
    const isNumeric = left.includes('integer') || left.includes('number')
    if (isNumeric && LEADING_ZERO.test(text)) this.#becomeText({ code: 'leading_zeros', line })
    else if (isNumeric && WHOLE.test(text) && digitsOf(text) > DIGITS_MAX)
      this.#becomeText({ code: 'long_digits', line })
    else if (left.length > 0) this.#possible = left
    else if (this.#values >= USUAL_MIN) this.#becomeText({ code: 'mixed_types', line })
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
