import { isMark } from './clauses.ts'
import { joined, raw } from './fragment.ts'
import type { Fragment } from './fragment.ts'
import { tokensOf } from './lexer.ts'
import type { Dialect } from './spelling.ts'

/** A statement with more common table expressions before its own. */
export function withExpressions(
  statement: Fragment,
  expressions: readonly Fragment[],
  dialect: Dialect,
): Fragment {
  if (expressions.length === 0) return statement
  const { parts } = statement
  const end = parts.findIndex((part) => typeof part !== 'string')
  const size = end < 0 ? parts.length : end
  const text = parts
    .slice(0, size)
    .reduce<string>((sum, part) => sum + (typeof part === 'string' ? part : ''), '')
  const rest = { parts: parts.slice(size) }
  const list = joined(expressions, ', ')
  const [first, second] = wordsOf(text, dialect)
  if (first?.value.toUpperCase() !== 'WITH') return joined([raw('WITH '), list, raw(' '), statement], '')
  const isRecursive = second?.value.toUpperCase() === 'RECURSIVE'
  const after = isRecursive ? second.end : first.end
  const own = joined([raw(`,${text.slice(after)}`), rest], '')
  return joined([raw(isRecursive ? 'WITH RECURSIVE ' : 'WITH '), list, own], '')
}

/** The first tokens. The text may end within the parentheses of a statement, and never within quotes or a comment. */
function wordsOf(text: string, dialect: Dialect) {
  const tokens = tokensOf(text, dialect).filter(({ kind }) => kind !== 'comment')
  return isMark(tokens[0], '(') ? [] : tokens.slice(0, 2)
}
