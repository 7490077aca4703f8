import type { FileCell } from './cells.ts'
import { readLines } from './lines.ts'

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
  for await (const batch of readLines(bytes, LINE_MAX_CHARS, entriesOf))
    yield batch.map(({ line, value }) => ({ line, entries: value }))
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
