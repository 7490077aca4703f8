import type { Token } from './lexer.ts'
import { TextFault } from './text-fault.ts'

/** A token that is not a comment, with its place in the statement. */
export type Placed = {
  readonly token: Token
  /** The keyword, in upper case; empty for names with quotes and for all that is not a word. */
  readonly keyword: string
  /** The keyword or the punctuation before it; empty at the beginning, and after anything else. */
  readonly after: string
  readonly next: Token | undefined
  /** The clause at this depth of parentheses: `WITH`, `SELECT`, `FROM` …; empty before the first one. */
  readonly clause: string
  /** Whether the token begins its clause. */
  readonly begins: boolean
  /** The keyword or the name before the parenthesis that contains the token, in upper case. */
  readonly call: string
}

const CLAUSES = new Set(
  'WITH SELECT FROM WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH UNION EXCEPT INTERSECT VALUES'.split(
    ' ',
  ),
)
/** Calls whose arguments are separated by FROM. */
const FROM_CALLS = new Set(['EXTRACT', 'TRIM', 'SUBSTRING', 'OVERLAY', 'POSITION'])

/** A pair of parentheses; the outermost one is the statement. */
type Depth = { clause: string; readonly call: string }

/** The tokens of a statement without comments, with the clause that each stands in.
 * @throws {TextFault} when parentheses are not balanced */
export function placed(tokens: readonly Token[]): readonly Placed[] {
  const written = tokens.filter(({ kind }) => kind !== 'comment')
  const depths: Depth[] = [{ clause: '', call: '' }]
  const result: Placed[] = []
  for (const [index, token] of written.entries()) {
    if (isMark(token, ')')) depths.pop()
    const depth = depths.at(-1)
    if (!depth) throw new TextFault(token.start, 'closes a parenthesis that was not opened')
    const keyword = keywordOf(token)
    const begins = beginsClause(keyword, result, depth)
    if (begins) depth.clause = keyword
    const [last, { clause, call }] = [result.at(-1), depth]
    result.push({ token, keyword, after: marked(last), next: written[index + 1], clause, begins, call })
    if (isMark(token, '(')) depths.push({ clause: '', call: last ? last.token.value.toUpperCase() : '' })
  }
  if (depths.length > 1) throw new TextFault(written.at(-1)?.end ?? 0, 'a parenthesis is not closed')
  return result
}

const keywordOf = ({ kind, value }: Token) => (kind === 'word' ? value.toUpperCase() : '')

function marked(last: Placed | undefined): string {
  if (!last) return ''
  return last.token.kind === 'punctuation' ? last.token.value : last.keyword
}

function beginsClause(keyword: string, before: readonly Placed[], { call }: Depth): boolean {
  if (!CLAUSES.has(keyword)) return false
  const [comparison, last] = [marked(before.at(-2)), marked(before.at(-1))]
  if (last === '.') return false
  // Elsewhere it is of WITH ORDINALITY, WITH TIES, WITH ROLLUP or WITH TIME ZONE.
  if (keyword === 'WITH') return before.length === 0 || last === '('
  if (keyword !== 'FROM') return true
  const isDistinctFrom = last === 'DISTINCT' && (comparison === 'IS' || comparison === 'NOT')
  return !isDistinctFrom && !FROM_CALLS.has(call)
}

/** Whether a token is this punctuation. */
export function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'punctuation' && token.value === mark
}

/** Whether a token may be a name. */
export function isName(token: Token | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'name'
}
