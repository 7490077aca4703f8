import { ownValue } from '../../lib/json.ts'
import type { Bind } from '../../ports/databases.ts'
import { isMark, isName } from './clauses.ts'
import type { Placed } from './clauses.ts'
import { WRITERS } from './dialects/writers.ts'
import type { Dialect } from './spelling.ts'
import { TextFault } from './text-fault.ts'

/** A column of the result. */
export type Column = { readonly name: string; readonly type: string }
type Place = { readonly start: number; readonly end: number }

export const MISSING = 'crosstab needs the columns of its result: AS ct (name text, a integer, b integer)'

/** The columns in `AS ct (name text, a integer)`, and the place of their list. */
export function columnsOf(
  tokens: readonly Placed[],
  start: number,
  dialect: Dialect,
): { readonly columns: readonly Column[]; readonly list: Place } {
  const [alias, open, ...others] = tokens[0]?.keyword === 'AS' ? tokens.slice(1) : tokens
  if (!alias || !open || !isName(alias.token) || !isMark(open.token, '(')) throw new TextFault(start, MISSING)
  const columns: Column[] = []
  let rest: readonly Placed[] = others
  for (;;) {
    const { column, mark, size } = columnAt(rest, start, dialect)
    columns.push(column)
    rest = rest.slice(size)
    if (mark.value === ')') return { columns, list: { start: open.token.start, end: mark.end } }
  }
}

/** The column at the beginning of tokens, the mark after it, and the number of all these tokens. */
function columnAt(tokens: readonly Placed[], start: number, dialect: Dialect) {
  const title = tokens[0]?.token
  if (!title || !isName(title)) throw new TextFault(title?.start ?? start, MISSING)
  const type = typeAt(tokens.slice(1), dialect)
  const mark = tokens[type.size + 1]?.token
  if (!mark || !(isMark(mark, ')') || isMark(mark, ','))) throw new TextFault(mark?.start ?? start, MISSING)
  return { column: { name: title.value, type: type.text }, mark, size: type.size + 2 }
}

/** The types of PostgreSQL that a column may have. */
const TYPES: Readonly<Record<string, Bind['type']>> = {
  text: 'string',
  varchar: 'string',
  'character varying': 'string',
  char: 'string',
  smallint: 'integer',
  int: 'integer',
  integer: 'integer',
  bigint: 'integer',
  real: 'number',
  float: 'number',
  'double precision': 'number',
  numeric: 'number',
  decimal: 'number',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'datetime',
  timestamptz: 'datetime',
  time: 'time',
}

/** The type at the beginning of tokens, as the dialect writes it, and the number of its tokens. */
function typeAt(
  tokens: readonly Placed[],
  dialect: Dialect,
): { readonly text: string; readonly size: number } {
  const end = tokens.findIndex(({ token }) => token.kind !== 'word')
  const title = wordsOf(tokens.slice(0, end)).toLowerCase()
  const type = ownValue(TYPES, title)
  if (type === undefined)
    throw new TextFault(
      tokens[0]?.token.start ?? 0,
      `is not a type of crosstab: ${Object.keys(TYPES).join(', ')}`,
    )
  const digits = digitsAt(tokens.slice(end))
  const size = wordsOf(digits).replaceAll(' ', '')
  const isExact = /^(?:numeric|decimal)$/.test(title) && size !== '' && dialect !== 'sqlite'
  const text = isExact ? `DECIMAL${size}` : WRITERS[dialect].types[type]
  return { text, size: end + digits.length }
}

const wordsOf = (tokens: readonly Placed[]) => tokens.map(({ token }) => token.value).join(' ')

/** The size of a type in parentheses. */
function digitsAt(tokens: readonly Placed[]): readonly Placed[] {
  const [first] = tokens
  if (!isMark(first?.token, '(')) return []
  const size = tokens.slice(0, tokens.findIndex(({ token }) => isMark(token, ')')) + 1)
  if (/^\( \d{1,4}(?: , \d{1,2})? \)$/.test(wordsOf(size))) return size
  throw new TextFault(first?.token.start ?? 0, 'is not a size of a type')
}
