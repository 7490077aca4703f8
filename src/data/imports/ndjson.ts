import type { FileCell } from './cells.ts'
import { ImportFailure } from './failure.ts'

/** A line, and the keys and values of its object, or null where it has no object. */
export type NdjsonLine = {
  readonly line: number
  readonly entries: readonly (readonly [string, FileCell])[] | null
}

/** A line is kept in memory until it ends. */
const LINE_MAX_CHARS = 4 * 1024 * 1024
/** Numbers that a double may change. */
const LONG_NUMBER = /\d{16}|e[+-]?\d{3}/i

/** JSON with the source of numbers, of ECMAScript 2026, which the types do not have yet. */
type ExactJson = {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): object
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}
const exact = JSON as unknown as ExactJson

/** Reads a JSON object on each line, in batches of lines, one for a chunk of bytes. Blank lines are left out. Numbers keep
 * their digits. @throws {ImportFailure} at a line that is too long */
export async function* readNdjson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly NdjsonLine[]> {
  const decoder = new TextDecoder()
  let open = ''
  let line = 1
  const take = (texts: readonly string[]) =>
    texts.flatMap((text): NdjsonLine[] => {
      if (text.length > LINE_MAX_CHARS) throw tooLong(line)
      const own = line
      line += 1
      return text.trim() === '' ? [] : [{ line: own, entries: entriesOf(text) }]
    })
  for await (const chunk of bytes) {
    const texts = (open + decoder.decode(chunk, { stream: true })).split('\n')
    open = texts.pop() ?? ''
    const batch = take(texts)
    if (batch.length > 0) yield batch
    if (open.length > LINE_MAX_CHARS) throw tooLong(line)
  }
  const last = take([open + decoder.decode()])
  if (last.length > 0) yield last
}

function tooLong(line: number): ImportFailure {
  const message = `A line has at most ${LINE_MAX_CHARS} characters.`
  return new ImportFailure([{ code: 'too_long', line, column: null, message }])
}

function entriesOf(text: string): NdjsonLine['entries'] {
  try {
    const value: unknown = LONG_NUMBER.test(text) ? exact.parse(text, keepNumber) : JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value) || exact.isRawJSON(value))
      return null
    return Object.entries(value).map(([key, one]) => [key, cellOf(one)])
  } catch (error) {
    // The latter is for values that are nested too deeply.
    if (error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}

function keepNumber(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value
}

function cellOf(value: unknown): FileCell {
  if (value === null) return null
  if (typeof value === 'string') return { text: value, type: 'string' }
  if (typeof value !== 'object') return JSON.stringify(value)
  return exact.isRawJSON(value) ? value.rawJSON : { text: JSON.stringify(value), type: 'json' }
}
