import type { Expression } from './tree.ts'

/** The expression of `escape` with its variable replaced. */
export function substituted(by: Expression, name: string, value: Expression): Expression {
  const inner = (expression: Expression) => substituted(expression, name, value)
  if (by.kind === 'variable') return by.name === name ? value : by
  if (by.kind === 'lambda') return by.names.includes(name) ? by : { ...by, body: inner(by.body) }
  return rebuilt(by, inner)
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
