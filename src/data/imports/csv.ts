import { CsvError, parse } from 'csv-parse/stream'

import type { CsvFormat } from '../../domain/import-plan.ts'
import { ImportFailure } from './failure.ts'

/** A record, and the line on which it begins, from 1. */
export type CsvRecord = { readonly line: number; readonly cells: readonly string[] }

const ENCODINGS = { 'utf-8': 'utf8', 'latin-1': 'latin1', 'utf-16le': 'utf16le' } as const
const LINE_END = /\r\n|\n|\r/g
/** csv-parse keeps a record in memory until it ends. */
const RECORD_MAX_CHARS = 4 * 1024 * 1024

/**
 * Reads CSV (RFC 4180) in batches of records, one for a chunk of bytes. Lines end with CRLF, LF or CR, also mixed. Blank
 * lines are left out.
 * @throws {ImportFailure} at the first fault of quoting, since what follows it cannot be trusted; the records before it
 * were yielded
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  { delimiter, quote, encoding }: Pick<CsvFormat, 'delimiter' | 'quote' | 'encoding'>,
): AsyncGenerator<readonly CsvRecord[]> {
  const records: CsvRecord[] = []
  let line = 1
  const { readable, writable } = parse({
    bom: true,
    delimiter,
    quote,
    encoding: ENCODINGS[encoding],
    max_record_size: RECORD_MAX_CHARS,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells) => {
      if (cells.length > 1 || cells[0] !== '') records.push({ line, cells })
      line += 1 + lineEndsIn(cells)
      return null
    },
  })
  const writer = writable.getWriter()
  let failure: unknown
  // The stream rejects each promise that it gave.
  const settle = (error: unknown) => (failure ??= error)
  writer.closed.catch(settle)
  readable.getReader().closed.catch(settle)
  try {
    for await (const chunk of bytes) {
      await writer.write(chunk)
      if (records.length > 0) yield records.splice(0)
    }
    await writer.close()
  } catch (error) {
    settle(error)
  }
  if (records.length > 0) yield records.splice(0)
  if (failure instanceof CsvError) throw failureAt(failure, line)
  if (failure !== undefined) throw failure as Error
}

/** The delimiter of a text: the one of `, ; | tab` that most of its first lines have equally often. */
export function delimiterOf(text: string): string {
  const lines = text
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split(LINE_END)
    .filter((line) => line !== '')
    .slice(0, 20)
  const candidates = [',', ';', '\t', '|'].map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const usual = counts[0] ?? 0
    return { delimiter, usual, agreeing: usual === 0 ? 0 : counts.filter((count) => count === usual).length }
  })
  const [best] = candidates.toSorted((a, b) => b.agreeing - a.agreeing || b.usual - a.usual)
  return best && best.agreeing > 0 ? best.delimiter : ','
}

function lineEndsIn(cells: readonly string[]): number {
  let count = 0
  for (const cell of cells)
    if (cell.includes('\n') || cell.includes('\r')) count += cell.match(LINE_END)?.length ?? 0
  return count
}

/** Reasons of csv-parse in words of ours. */
const REASONS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'Double a quote inside a quoted cell.',
  INVALID_OPENING_QUOTE: 'Quote the whole of a cell that has a quote.',
  CSV_QUOTE_NOT_CLOSED: 'Close the quote that opens a cell of this record.',
}

function failureAt(error: CsvError, line: number): ImportFailure {
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    const message = `A record has at most ${RECORD_MAX_CHARS} characters. Is a quote not closed?`
    return new ImportFailure([{ code: 'too_long', line, column: null, message }])
  }
  const message = REASONS[error.code]
  if (message === undefined) throw error
  return new ImportFailure([{ code: 'quoting', line, column: null, message }])
}
