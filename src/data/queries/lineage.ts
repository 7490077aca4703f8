import { foldCase } from '../../lib/text.ts'
import { tokensOf } from '../sql/lexer.ts'
import type { Token } from '../sql/lexer.ts'
import type { Dialect } from '../sql/spelling.ts'

/** The names in a statement. */
export type Names = {
  /** Whether it is there, in any letter case. */
  readonly has: (name: string) => boolean
  /** Whether a `*` stands for all columns. */
  readonly hasAll: boolean
}

/** The tokens before a `*` that stands for all columns. */
const BEFORE_ALL = /^(?:select|distinct|all|,|\.)$/i

/** The names in a statement, also those in the statements that are arguments of `crosstab`. A name of a function, an alias or a common
 * table expression counts too: more names are found than tables and columns are read, and none less. */
export function namesIn(text: string, dialect: Dialect): Names {
  const tokens = tokensOf(text, dialect).filter(({ kind }) => kind !== 'comment')
  const nested = tokens.flatMap((token, at) =>
    isCrosstab(token) ? argumentsAt(tokens, at + 1).flatMap(({ value }) => tokensOf(value, dialect)) : [],
  )
  const all = [tokens, nested]
  const isNaming = ({ kind }: Token) =>
    kind === 'word' || kind === 'name' || (kind === 'string' && dialect !== 'postgresql')
  const names = new Set(
    all
      .flat()
      .filter(isNaming)
      .map(({ value }) => foldCase(value)),
  )
  return {
    has: (name) => names.has(foldCase(name)),
    hasAll: all.some((some) =>
      some.some(({ value }, at) => value === '*' && BEFORE_ALL.test(some[at - 1]?.value ?? '')),
    ),
  }
}

/** The columns of a table whose names are in a statement, or all. */
export function columnsIn({ has, hasAll }: Names, columns: readonly { readonly name: string }[]): string[] {
  return columns.flatMap(({ name }) => (hasAll || has(name) ? [name] : []))
}

const isCrosstab = ({ kind, value }: Token) => kind === 'word' && value.toLowerCase() === 'crosstab'
/** The strings in parentheses, up to the first other token. */
function argumentsAt(tokens: readonly Token[], at: number): readonly Token[] {
  const found: Token[] = []
  for (let next = at + 1; tokens[next]?.kind === 'string'; next += 2)
    found.push(...tokens.slice(next, next + 1))
  return found
}
