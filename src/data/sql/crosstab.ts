import type { Piece } from '../../templates/pieces.ts'
import { isMark, isName, placed } from './clauses.ts'
import type { Placed } from './clauses.ts'
import { MISSING, columnsOf } from './crosstab-columns.ts'
import type { Column } from './crosstab-columns.ts'
import { WRITERS } from './dialects/writers.ts'
import { boundOf, joined, literalText, name, raw, sql } from './fragment.ts'
import type { Fragment } from './fragment.ts'
import { tokensOf } from './lexer.ts'
import type { Dialect } from './spelling.ts'
import { TextFault } from './text-fault.ts'

/** A part of a text in place of which other SQL stands. */
export type Replaced = { readonly start: number; readonly end: number; readonly fragment: Fragment }

/** How the statements in the quotes of a call are read. */
export type Inner = {
  readonly dialect: Dialect
  /** The pieces between two characters of the text. */
  readonly pieces: (start: number, end: number) => readonly Piece[]
  /** The statement that pieces write. */
  readonly statement: (pieces: readonly Piece[]) => Fragment
}

/** The calls of `crosstab` in a statement. PostgreSQL has the function: the statements in its quotes get literals for values.
 * Elsewhere the call becomes an aggregation.
 * @throws {TextFault} for calls without two statements, or without the columns of the result */
export function crosstabs(tokens: readonly Placed[], inner: Inner): readonly Replaced[] {
  return tokens.flatMap((place, index) => {
    const { token, after, next } = place
    const isCall =
      isName(token) && /^crosstab[234]?$/i.test(token.value) && isMark(next, '(') && after !== '.'
    if (!isCall) return []
    const args = tokens.slice(
      index + 2,
      tokens.findIndex((one, at) => at > index && isMark(one.token, ')')),
    )
    if (inner.dialect === 'postgresql') return args.flatMap((arg) => quoted(arg, inner))
    return aggregated(tokens, index, args, inner)
  })
}

function quoted(arg: Placed, inner: Inner): Replaced[] {
  const { start, end, kind } = arg.token
  // A text without values stays unchanged.
  if (kind !== 'string' || inner.pieces(start, end).every((piece) => piece.kind === 'text')) return []
  const text = literalText(statementOf(arg, inner), WRITERS.postgresql)
  return [{ start, end, fragment: raw(`'${text.replaceAll("'", "''")}'`) }]
}

/** The pieces between the quotes of a string, as they are without these quotes. */
function contentOf({ token }: Placed, { pieces, dialect }: Inner): readonly Piece[] {
  const [first, ...others] = pieces(token.start, token.end)
  const last = others.at(-1) ?? first
  const delimiter = first?.kind === 'text' ? /^(?:'|\$\w*\$)/.exec(first.text)?.[0] : undefined
  if (delimiter === undefined || last?.kind !== 'text')
    throw new TextFault(token.start, 'crosstab is called with statements in single quotes')
  const size = delimiter.length
  const content = pieces(token.start + size, token.end - size)
  return content.map((piece) => {
    if (piece.kind !== 'text' || delimiter !== "'") return piece
    if (dialect === 'mysql' && piece.text.includes('\\'))
      throw new TextFault(token.start, 'crosstab is called with statements without backslashes')
    return { ...piece, text: piece.text.replaceAll("''", "'") }
  })
}

/** The rows of the source with one column for each category, by the order of the categories. */
function aggregated(
  tokens: readonly Placed[],
  index: number,
  args: readonly Placed[],
  inner: Inner,
): Replaced[] {
  const start = tokens[index]?.token.start ?? 0
  const [source, comma, categories, ...others] = args
  if (!source || !categories || !isMark(comma?.token, ',') || others.length > 0)
    throw new TextFault(start, 'crosstab is called with two statements in quotes here')
  const { columns, list } = columnsOf(tokens.slice(index + args.length + 3), start, inner.dialect)
  const [row, ...values] = columns
  if (!row || values.length === 0) throw new TextFault(start, MISSING)
  const statements = { source: statementOf(source, inner), categories: statementOf(categories, inner) }
  const end = tokens[index + args.length + 2]?.token.end ?? start
  // The alias between them remains.
  return [
    { start, end, fragment: aggregation(statements, { row, values }, inner.dialect) },
    { ...list, fragment: raw('') },
  ]
}

const statementOf = (arg: Placed, inner: Inner) => inner.statement(contentOf(arg, inner))

function aggregation(
  { source, categories }: Readonly<Record<'source' | 'categories', Fragment>>,
  { row, values }: { readonly row: Column; readonly values: readonly Column[] },
  dialect: Dialect,
): Fragment {
  const writer = WRITERS[dialect]
  const text = (value: Fragment) => writer.exact(sql`CAST(${value} AS ${raw(writer.types.string)})`)
  const cast = (value: Fragment, { name: title, type }: Column) =>
    sql`CAST(${value} AS ${raw(type)}) AS ${name(title)}`
  const { numbered, join, has } = dialect === 'mysql' ? asList(text) : asRows(text)
  const columns = values.map((column, at) => cast(sql`max(CASE WHEN ${has(at)} THEN s.v END)`, column))
  return sql`(WITH crosstab_s (r, c, v) AS (${source}), crosstab_l (c) AS (${limited(categories, dialect)}),
${numbered}
SELECT ${joined([cast(raw('min(s.r)'), row), ...columns], ', ')}
FROM crosstab_s s ${join} GROUP BY ${text(raw('s.r'))})`
}

/** How categories are numbered, and whether a row of the source has the category at a place from 0. */
type Numbering = {
  readonly numbered: Fragment
  readonly join: Fragment
  readonly has: (at: number) => Fragment
}
type Comparable = (value: Fragment) => Fragment

const asRows = (text: Comparable): Numbering => ({
  numbered: raw('crosstab_k (c, n) AS (SELECT c, row_number() OVER () FROM crosstab_l)'),
  join: sql`LEFT JOIN crosstab_k k ON ${text(raw('k.c'))} = ${text(raw('s.c'))}`,
  has: (at) => raw(`k.n = ${at + 1}`),
})

/** MariaDB does not number rows in their order. */
const asList = (text: Comparable): Numbering => ({
  numbered: sql`crosstab_k (c) AS (SELECT json_arrayagg(CAST(c AS ${raw(WRITERS.mysql.types.string)})) FROM crosstab_l)`,
  join: raw('CROSS JOIN crosstab_k k'),
  has: (at) => sql`${text(raw('s.c'))} = ${text(raw(`json_unquote(json_extract(k.c, '$[${at}]'))`))}`,
})

/** MySQL forgets the order of a statement in parentheses that has no limit. */
function limited(statement: Fragment, dialect: Dialect): Fragment {
  if (dialect !== 'mysql') return statement
  const tokens = placed(tokensOf(boundOf(statement, WRITERS.mysql).text, dialect))
  const has = (word: string) => tokens.some(({ keyword, call }) => keyword === word && call === '')
  return has('ORDER') && !has('LIMIT') ? sql`${statement} LIMIT ${raw(String(CATEGORIES_MAX))}` : statement
}

const CATEGORIES_MAX = 2_000
