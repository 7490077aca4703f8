/** A record, and the line on which it begins, from 1. */
export type CsvRecord = {
  readonly line: number
  readonly cells: readonly string[]
  /** Whether all cells are known to have neither NUL nor bytes that are not of the encoding. */
  readonly isClean: boolean
}

const QUOTE = 0x22
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const LINE_END = /\r\n|\n|\r/g
/** A record of more characters is left to a reader that refuses records by their size. */
const RECORD_MAX_CHARS = 1024 * 1024
/** Characters of cells that have a fault. */
const FAULTY = /[\0\uFFFD]/

/** The ends of lines outside of quotes that a text has. */
type LineEnds = { crlf: boolean; lf: boolean; cr: boolean }

/**
 * Splits CSV (RFC 4180) with the quote `"` into records. It stops before a record with a fault of quoting, and before a long
 * one; then `rest` is the text from there on. Blank lines are left out.
 */
export class CsvScanner {
  readonly #delimiter: number
  readonly lineEnds: LineEnds = { crlf: false, lf: false, cr: false }
  /** Whether a line was left out. */
  hasBlankLines = false
  /** The line on which the rest begins, from 1. */
  line = 1
  /** The text of which no record was made yet. */
  rest = ''
  isStopped = false
  #text = ''
  #at = 0
  #linesInCells = 0
  /** The characters of the rest in which there was no end of a record. */
  #scannedChars = 0

  /** @param delimiter a character of ASCII, neither a quote nor the end of a line */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0)
  }

  /** The records that end in the rest and this text. @param isLast whether the text ends with it */
  scan(text: string, isLast: boolean): CsvRecord[] {
    this.rest += text
    // A long record that comes in small pieces is not scanned for each of them.
    if (!isLast && this.rest.length < 2 * this.#scannedChars) return []
    this.#text = this.rest
    const records: CsvRecord[] = []
    const isClean = !FAULTY.test(this.#text)
    let from = (this.#at = 0)
    while (from < this.#text.length) {
      const cells = this.#record(isLast)
      if (cells === null || this.#at - from > RECORD_MAX_CHARS) break
      from = this.#at
      if (cells.length > 1 || cells[0] !== '') records.push({ line: this.line, cells, isClean })
      else this.hasBlankLines = true
      this.line += 1 + this.#linesInCells
    }
    this.rest = this.#text.slice(from)
    this.#scannedChars = this.rest.length
    this.#text = ''
    if (this.rest.length > RECORD_MAX_CHARS) this.isStopped = true
    return records
  }

  /** The cells of the next record; null where it has no end yet, or has a fault. */
  #record(isLast: boolean): string[] | null {
    const cells: string[] = []
    this.#linesInCells = 0
    for (;;) {
      const cell = this.#text.charCodeAt(this.#at) === QUOTE ? this.#quoted(isLast) : this.#bare()
      if (cell === null) return null
      cells.push(cell)
      if (this.#at === this.#text.length) return isLast ? cells : null
      const next = this.#text.charCodeAt(this.#at)
      if (next !== this.#delimiter) return this.#endLine(next, isLast) ? cells : null
      this.#at += 1
    }
  }

  /** A cell without quotes; null for one that has a quote inside. */
  #bare(): string | null {
    const text = this.#text
    const from = this.#at
    let at = from
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === this.#delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) break
      if (code !== QUOTE) continue
      this.isStopped = true
      return null
    }
    this.#at = at
    return text.slice(from, at)
  }

  /** A cell in quotes; null where it has no end yet. */
  #quoted(isLast: boolean): string | null {
    const text = this.#text
    const from = this.#at + 1
    let end = text.indexOf('"', from)
    let isDoubled = false
    while (end !== -1 && text.charCodeAt(end + 1) === QUOTE) {
      isDoubled = true
      end = text.indexOf('"', end + 2)
    }
    if (end === -1) {
      this.isStopped ||= isLast
      return null
    }
    // The next character may double the quote.
    if (end + 1 === text.length && !isLast) return null
    this.#at = end + 1
    const cell = text.slice(from, end)
    this.#linesInCells += lineEndsIn(cell)
    return isDoubled ? cell.replaceAll('""', '"') : cell
  }

  /** Steps over the end of a line; false where it is not known yet, and for another character, which is a fault. */
  #endLine(code: number, isLast: boolean): boolean {
    if (code === LINE_FEED) {
      this.lineEnds.lf = true
      this.#at += 1
      return true
    }
    if (code !== CARRIAGE_RETURN) {
      this.isStopped = true
      return false
    }
    const next = this.#at + 1
    if (next === this.#text.length && !isLast) return false
    const isPair = this.#text.charCodeAt(next) === LINE_FEED
    this.lineEnds[isPair ? 'crlf' : 'cr'] = true
    this.#at = next + (isPair ? 1 : 0)
    return true
  }
}

export function lineEndsIn(cell: string): number {
  return cell.includes('\n') || cell.includes('\r') ? (cell.match(LINE_END)?.length ?? 0) : 0
}
