import { TemplateFault } from '../fault.ts'
import type { Expression } from './tree.ts'

const PARTS_MAX = 10_000

/** The expression of `escape` with its variable replaced.
 * @throws {TemplateFault} when it is too large: each `escape` in another one may double it */
export function substituted(by: Expression, name: string, value: Expression): Expression {
  let parts = 0
  const inner = (expression: Expression): Expression => {
    parts += 1
    if (parts > PARTS_MAX)
      throw new TemplateFault(value.at, `is escaped by more than ${PARTS_MAX} parts`, 'limit')
    if (expression.kind === 'variable') return expression.name === name ? value : expression
    if (expression.kind !== 'lambda') return rebuilt(expression, inner)
    return expression.names.includes(name) ? expression : { ...expression, body: inner(expression.body) }
  }
  return inner(by)
}

type Rebuild = (expression: Expression) => Expression

function rebuilt(
  by: Exclude<Expression, { readonly kind: 'variable' | 'lambda' }>,
  inner: Rebuild,
): Expression {
  switch (by.kind) {
    case 'sequence':
      return { ...by, items: by.items.map(inner) }
    case 'hash':
      return { ...by, entries: by.entries.map(([key, item]) => [inner(key), inner(item)] as const) }
    case 'default':
      return { ...by, of: inner(by.of), otherwise: by.otherwise && inner(by.otherwise) }
    case 'member':
      return { ...by, of: inner(by.of), key: inner(by.key) }
    case 'range':
      return { ...by, from: inner(by.from), to: by.to && inner(by.to) }
    case 'operation':
      return { ...by, left: inner(by.left), right: inner(by.right) }
    case 'call':
      return { ...by, of: inner(by.of), args: by.args.map(inner) }
    default:
      return 'of' in by ? { ...by, of: inner(by.of) } : by
  }
}
