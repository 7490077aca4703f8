import { isMark, isName, placed } from './clauses.ts'
import type { Placed } from './clauses.ts'
import { FUNCTIONS } from './functions/functions.ts'
import { tokensOf } from './lexer.ts'
import { refuseCatalogues, refuseForeignNames } from './names.ts'
import type { Relations } from './names.ts'
import type { Dialect } from './spelling.ts'
import { TextFault } from './text-fault.ts'

/** Checks a statement that a user wrote, and returns it without the end that could not stand in parentheses: its semicolon
 * and its comments. It is one statement that only reads, and calls functions of a fixed list.
 * @param relations what the caller sees of a PostgreSQL or MySQL source; null when the caller has no scope there. Tables of
 *   DuckDB and SQLite have scopes of their own: there a hidden table has no name.
 * @throws {TextFault} with the position; scope_unsupported_reference for names that could reach past a scope */
export function checkStatement(text: string, dialect: Dialect, relations: Relations | null): string {
  const tokens = placed(tokensOf(text, dialect))
  const last = isMark(tokens.at(-1)?.token, ';') ? tokens.at(-2) : tokens.at(-1)
  if (!last) throw new TextFault(0, 'is not a statement')
  for (const place of tokens) refuseToken(place, dialect, last)
  refuseBeginning(tokens, dialect)
  if (relations || dialect === 'duckdb' || dialect === 'sqlite') refuseCatalogues(tokens, dialect)
  if (relations) refuseForeignNames(tokens, dialect, relations)
  for (const place of tokens) if (isCrosstab(place)) checkCrosstab(place, tokens, relations)
  return text.slice(0, last.token.end)
}

function refuseToken(place: Placed, dialect: Dialect, last: Placed): void {
  const { token } = place
  if (isMark(token, ';') && token.start < last.token.end)
    throw new TextFault(token.start, 'begins a second statement')
  if (isMark(token, '@')) throw new TextFault(token.start, 'is a variable')
  refuseKeyword(place)
  refuseTable(place, dialect)
  refuseCall(place, dialect)
}

const BEGINNINGS: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES'])

function refuseBeginning(tokens: readonly Placed[], dialect: Dialect): void {
  const first = tokens.find(({ token }) => !isMark(token, '('))
  if (first && BEGINNINGS.has(first.keyword)) return
  if (first?.keyword === 'FROM' && dialect === 'duckdb') return
  const hint = /^(?:UN)?PIVOT$/.test(first?.keyword ?? '') ? ': write SELECT * FROM (PIVOT …)' : ''
  throw new TextFault(first?.token.start ?? 0, `a statement begins with SELECT, WITH or VALUES${hint}`)
}

/** Words that begin a change. They may follow common table expressions. */
const CHANGES = /^(?:INSERT|UPDATE|DELETE|MERGE)$/
/** Words that begin a list of the catalogue or a plan. */
const LISTS = /^(?:REPLACE|SHOW|DESCRIBE|DESC|SUMMARIZE|EXPLAIN|CALL|EXECUTE)$/
const LOCKS = /^(?:FOR (?:UPDATE|SHARE|NO|KEY)|LOCK IN)$/

function refuseKeyword({ token, keyword, after, next }: Placed): void {
  if (keyword === '' || after === '.') return
  if (keyword === 'INTO') throw new TextFault(token.start, 'stores rows, and a query only reads')
  if (LOCKS.test(`${after} ${keyword}`))
    throw new TextFault(token.start, 'locks rows, and a query only reads')
  const begins = after === '(' ? CHANGES.test(keyword) || LISTS.test(keyword) : CHANGES.test(keyword)
  if (begins && /^[()]$/.test(after) && isName(next))
    throw new TextFault(token.start, `${keyword} is not allowed in a query`)
}

/** DuckDB reads a file that is named in place of a table; SQLite takes a string for the name of a table. */
function refuseTable({ token, ...place }: Placed, dialect: Dialect): void {
  if ((dialect !== 'duckdb' && dialect !== 'sqlite') || !isTablePlace(place)) return
  if (token.kind === 'string')
    throw new TextFault(token.start, 'a table is named without quotes or in double quotes')
  if (token.kind === 'name' && token.value.includes('/'))
    throw new TextFault(token.start, 'is a path, not a table')
}

function isTablePlace({ after, clause, call }: Omit<Placed, 'token'>): boolean {
  if (after === '(') return call === 'FROM' || call === 'JOIN'
  if (clause !== 'FROM') return after === 'PIVOT' || after === 'UNPIVOT'
  return /^(?:FROM|JOIN|LATERAL|,)$/.test(after)
}

/** Words that may stand before a parenthesis without being a call, in every dialect. */
const NO_CALLS: ReadonlySet<string> = new Set(
  (
    'ALL AND ANY ARRAY AS BETWEEN BOTH BY CASE CROSS CUBE DISTINCT ELSE ESCAPE EXCEPT EXISTS FILTER FROM GROUP GROUPING HAVING ILIKE ' +
    'IN INNER INTERSECT IS ISNULL JOIN LATERAL LEADING LIKE LIMIT MATERIALIZED NOT NOTNULL OFFSET ON OR ORDER OVER PARTITION RANGE ' +
    'RECURSIVE ROLLUP ROW ROWS SELECT SETS SIMILAR SOME THEN TO TRAILING UNION USING VALUES WHEN WHERE WINDOW WITH WITHIN ' +
    'BIT BLOB CHAR CHARACTER DATE DEC DECIMAL DOUBLE FLOAT INT INTEGER INTERVAL NUMERIC PRECISION REAL TEXT TIME TIMESTAMP ' +
    'TIMESTAMPTZ VARCHAR VARYING'
  ).split(' '),
)

/** A function is called by its name without a schema, and the name is in the list of the dialect. */
function refuseCall(place: Placed, dialect: Dialect): void {
  const { token, keyword, after, next } = place
  if (!isMark(next, '(') || !isName(token) || isNameOfColumns(place)) return
  if (after === '.' && dialect !== 'duckdb')
    throw new TextFault(token.start, `${token.value} is called with a schema`)
  if (after !== '.' && NO_CALLS.has(keyword)) return
  if (!FUNCTIONS[dialect].has(token.value.toLowerCase()))
    throw new TextFault(token.start, `${token.value} is not a function that queries may call`)
}

/** Whether the columns of an alias or of a common table expression follow. */
function isNameOfColumns({ after, clause }: Placed): boolean {
  if (clause === 'WITH') return /^(?:WITH|RECURSIVE|,)$/.test(after)
  return after === 'AS' || after === ')'
}

const isCrosstab = ({ token, next }: Placed) =>
  (token.kind === 'word' || token.kind === 'name') &&
  /^crosstab[234]?$/i.test(token.value) &&
  isMark(next, '(')

/** The statements within a call of crosstab are run without the scopes around them. */
function checkCrosstab(call: Placed, tokens: readonly Placed[], relations: Relations | null): void {
  const unscoped = relations && { hidden: [...relations.hidden, ...relations.scoped], scoped: [] }
  for (const { token } of tokens.slice(tokens.indexOf(call) + 2)) {
    if (isMark(token, ')')) return
    if (isMark(token, ',')) continue
    if (token.kind !== 'string')
      throw new TextFault(token.start, 'crosstab is called with statements in quotes')
    try {
      checkStatement(token.value, 'postgresql', unscoped)
    } catch (error) {
      if (!(error instanceof TextFault)) throw error
      throw new TextFault(token.start, `in this statement, ${error.complaint}`, error.code)
    }
  }
}
