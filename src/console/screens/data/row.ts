import type { Cell } from './cells.ts'
import type { ColumnType, Filter } from './filter.ts'

/** A value of a row as it is shown. */
export type Shown = { readonly name: string; readonly type: ColumnType; readonly value: Cell }
/** The texts of a row in a form; null for no value. */
export type RowDraft = Readonly<Record<string, string | null>>

export function draftOf(shown: readonly Shown[]): RowDraft {
  return Object.fromEntries(shown.map(({ name, value }) => [name, value === null ? null : String(value)]))
}

/** A text as a value of the API. Numbers that a double would change stay text. */
export function valueOf(type: ColumnType, text: string | null): Cell {
  if (text === null) return null
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if ((type === 'integer' || type === 'number') && text.trim() !== '') {
    const number = Number(text)
    return Number.isFinite(number) && String(number) === text.trim() ? number : text.trim()
  }
  return text
}

/** The row to insert. */
export function insertedRow(columns: readonly Omit<Shown, 'value'>[], draft: RowDraft): Record<string, Cell> {
  return Object.fromEntries(columns.map(({ name, type }) => [name, valueOf(type, draft[name] ?? null)]))
}

/** The key of a row and its changed values; null when nothing has changed. */
export function changedRow(
  shown: readonly Shown[],
  draft: RowDraft,
  key: readonly string[],
): Record<string, Cell> | null {
  const changed = shown.filter(({ name, value }) => {
    const before = value === null ? null : String(value)
    return !key.includes(name) && (draft[name] ?? null) !== before
  })
  if (changed.length === 0) return null
  return {
    ...keyOf(shown, key),
    ...Object.fromEntries(changed.map(({ name, type }) => [name, valueOf(type, draft[name] ?? null)])),
  }
}

export function keyOf(shown: readonly Shown[], key: readonly string[]): Record<string, Cell> {
  return Object.fromEntries(
    shown.filter(({ name }) => key.includes(name)).map(({ name, value }) => [name, value]),
  )
}

/** The rows that have the key of a row. */
export function keyFilter(shown: readonly Shown[], key: readonly string[]): Filter {
  return { and: Object.entries(keyOf(shown, key)).map(([column, value]) => ({ column, op: 'eq', value })) }
}

/** Columns that can find a row: the ones with a value. */
export function keyColumns(shown: readonly Shown[]): readonly string[] {
  return shown
    .filter(({ type, value }) => value !== null && type !== 'json' && type !== 'binary')
    .map(({ name }) => name)
}

const MEASURES: ReadonlySet<ColumnType> = new Set(['integer', 'number', 'boolean'])

/** The columns by which a row is found at first: the ones of the last time, one that is called like an id, the texts and times
 * beside measured values, or the first. */
export function guessedKey(shown: readonly Shown[], last: readonly string[]): readonly string[] {
  const possible = keyColumns(shown)
  if (last.length > 0 && last.every((name) => possible.includes(name))) return last
  const id =
    possible.find((name) => /^(?:id|uuid|key|code|nr|no|number)$/i.test(name)) ??
    possible.find((name) => /(?:^|[_\s-])id$/i.test(name))
  if (id !== undefined) return [id]
  const types = new Map(shown.map(({ name, type }) => [name, type]))
  const named = possible.filter((name) => !MEASURES.has(types.get(name) ?? 'string'))
  return named.length > 0 && named.length < shown.length ? named : possible.slice(0, 1)
}
