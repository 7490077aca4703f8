import { CsvError, parse } from 'csv-parse/stream'

import type { CsvFormat } from '../../domain/import-plan.ts'
import { CsvScanner, lineEndsIn } from './csv-scanner.ts'
import type { CsvRecord } from './csv-scanner.ts'
import { ImportFailure } from './failure.ts'

/** The shape of a file once it was read: the end of all its lines; null where they have several ends, where some are blank, and
 * where a reader of another program may read something else. */
export type CsvShape = { lineEnd: '\r\n' | '\n' | null }

type CsvOptions = Pick<CsvFormat, 'delimiter' | 'quote' | 'encoding'>

const ENCODINGS = { 'utf-8': 'utf8', 'latin-1': 'latin1', 'utf-16le': 'utf16le' } as const
/** csv-parse keeps a record in memory until it ends. */
const RECORD_MAX_CHARS = 4 * 1024 * 1024
/** The first bytes of a file in UTF-16; they override the encoding of the request. */
const WIDE_MARK = [0xff, 0xfe] as const
const DELIMITER = /^[ -~\t]$/

/**
 * Reads CSV (RFC 4180) in batches of records, one for a chunk of bytes. Lines end with CRLF, LF or CR, also mixed. Blank
 * lines are left out.
 * @param shape is filled in at the end
 * @throws {ImportFailure} at the first fault of quoting, since what follows it cannot be trusted; the records before it
 * were yielded
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  options: CsvOptions,
  shape: CsvShape = { lineEnd: null },
): AsyncGenerator<readonly CsvRecord[]> {
  const { delimiter, quote, encoding } = options
  const chunks: AsyncIterator<Uint8Array, unknown> = bytes[Symbol.asyncIterator]()
  try {
    const begin = await chunks.next()
    if (begin.done === true) return
    const first = begin.value
    const isUsual = encoding === 'utf-8' && quote === '"' && delimiter !== '"' && DELIMITER.test(delimiter)
    const isWide = first.length < WIDE_MARK.length || WIDE_MARK.every((byte, at) => first[at] === byte)
    const all = following(first, chunks)
    if (isUsual && !isWide) yield* scanCsv(all, options, shape)
    else yield* parseCsv(all, options, { bom: true, line: 1 })
  } finally {
    await chunks.return?.()
  }
}

/** The chunks of an iterator whose first was taken. */
async function* following(first: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = first; ;) {
    yield chunk
    const result = await chunks.next()
    if (result.done === true) return
    chunk = result.value
  }
}

/** Reads records with the scanner. At a fault csv-parse reads on and explains the fault. */
async function* scanCsv(
  chunks: AsyncGenerator<Uint8Array>,
  options: CsvOptions,
  shape: CsvShape,
): AsyncGenerator<readonly CsvRecord[]> {
  const scanner = new CsvScanner(options.delimiter)
  const texts = textsOf(chunks)
  for (;;) {
    const { done, value: text = '' } = await texts.next()
    const records = scanner.scan(text, done === true)
    if (records.length > 0) yield records
    if (scanner.isStopped) break
    if (done !== true) continue
    shape.lineEnd = lineEndOf(scanner)
    return
  }
  const encoder = new TextEncoder()
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield encoder.encode(scanner.rest)
    for await (const text of texts) yield encoder.encode(text)
  }
  yield* parseCsv(rest(), options, { bom: false, line: scanner.line })
}

async function* textsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

function lineEndOf({ lineEnds: { crlf, lf, cr }, hasBlankLines }: CsvScanner): CsvShape['lineEnd'] {
  if (hasBlankLines || cr || crlf === lf) return null
  return crlf ? '\r\n' : '\n'
}

async function* parseCsv(
  bytes: AsyncIterable<Uint8Array>,
  { delimiter, quote, encoding }: CsvOptions,
  { bom, line: firstLine }: { readonly bom: boolean; readonly line: number },
): AsyncGenerator<readonly CsvRecord[]> {
  const records: CsvRecord[] = []
  let line = firstLine
  const { readable, writable } = parse({
    bom,
    delimiter,
    quote,
    encoding: ENCODINGS[encoding],
    max_record_size: RECORD_MAX_CHARS,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells) => {
      if (cells.length > 1 || cells[0] !== '') records.push({ line, cells, isClean: false })
      line += 1
      for (const cell of cells) line += lineEndsIn(cell)
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
