import { TemplateFault } from '../fault.ts'
import type { ExpressionParser } from './expressions.ts'
import type { Part } from './parts.ts'
import type { Reader } from './reader.ts'
import type { Expression, Node } from './tree.ts'

/** `<@name …>` with its content and its end, or `<@name …/>`. */
export function call(reader: Reader, part: Extract<Part, { readonly kind: 'call' }>): Node {
  const expressions = reader.expressions(part.tokens)
  const of = expressions.expression()
  skipSpace(expressions)
  const named = namedArgs(expressions)
  const args = named ? [] : expressions.args()
  const bodyNames = bodyParameters(expressions)
  const isEmpty = expressions.token.text === '/'
  expressions.end(true)
  const children = isEmpty ? [] : contentOf(reader, bodyNames)
  const end = isEmpty ? part : closing(reader, part, of)
  return reader.node({ kind: 'call', of, args, named, bodyNames }, part, end, children)
}

function skipSpace(expressions: ExpressionParser): void {
  while (expressions.token.kind === 'space') expressions.next()
}

function namedArgs(expressions: ExpressionParser): ReadonlyMap<string, Expression> | null {
  const isNamed = () =>
    expressions.isName() && expressions.following?.kind === 'mark' && expressions.following.text === '='
  if (!isNamed()) return null
  const named = new Map<string, Expression>()
  while (isNamed()) {
    const name = expressions.takeName()
    expressions.next()
    expressions.isNamed = true
    named.set(name, expressions.expression())
  }
  return named
}

function bodyParameters(expressions: ExpressionParser): readonly string[] {
  const names: string[] = []
  if (!expressions.takeMark(';')) return names
  skipSpace(expressions)
  if (!expressions.isName()) return names
  do {
    skipSpace(expressions)
    names.push(expressions.takeName())
    skipSpace(expressions)
  } while (expressions.takeMark(','))
  return names
}

/** Names of the call hide loop variables. */
function contentOf(reader: Reader, bodyNames: readonly string[]): Node[] {
  const hidden = bodyNames.filter((name) => reader.loops.has(name))
  return hidden.length > 0 ? reader.loops.hiding(hidden, () => reader.content()) : reader.content()
}

function closing(reader: Reader, part: Part, of: Expression): Part {
  const end = reader.take()
  if (end?.kind !== 'close call')
    throw new TemplateFault((end ?? part).at, 'is not the end of the call', 'syntax')
  if (end.name !== '' && end.name !== pathOf(of))
    throw new TemplateFault(end.at, 'is the end of another call', 'syntax')
  return end
}

function pathOf(expression: Expression): string | undefined {
  if (expression.kind === 'variable') return expression.name
  if (expression.kind !== 'member' || expression.key.kind !== 'text') return undefined
  const before = pathOf(expression.of)
  return before === undefined ? undefined : `${before}.${expression.key.text}`
}
