import type { ZonedWriter } from '../sql/dialects/writer.ts'
import { balanced, bind, joined, name, raw, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'
import type { Condition, Relation } from './condition.ts'
import type { Expression } from './expression.ts'
import { truncatedDay, truncatedInstant } from './truncation.ts'

const OPERATORS: Readonly<Record<Relation, string>> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
}

/** The SQL of a condition. */
export function conditionSql(condition: Condition, writer: ZonedWriter): Fragment {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return balanced(
        condition.of.map((part) => conditionSql(part, writer)),
        condition.kind === 'and' ? 'AND' : 'OR',
      )
    case 'not':
      return sql`(NOT ${conditionSql(condition.of, writer)})`
    case 'null':
      return sql`(${expressionSql(condition.left, writer)} IS NULL)`
    case 'compare': {
      const left = comparedSql(condition.left, writer)
      return sql`(${left} ${raw(OPERATORS[condition.relation])} ${bind(condition.value)})`
    }
    case 'in':
      return sql`(${writer.among(comparedSql(condition.left, writer), condition.values)})`
    case 'text':
      return textSql(expressionSql(condition.left, writer), condition.pieces, writer)
  }
}

/** The SQL of an expression for comparisons. Texts are compared by characters: collations differ between databases. */
export function comparedSql(left: Expression, writer: ZonedWriter): Fragment {
  const operand = expressionSql(left, writer)
  return left.type === 'string' ? writer.exact(operand) : operand
}

/** Positions in place of LIKE: its patterns are short in a Durable Object, and its escapes differ. */
function textSql(left: Fragment, pieces: readonly string[], writer: ZonedWriter): Fragment {
  const text = writer.folded(left)
  const folded = (piece: string) => writer.folded(bind({ type: 'string', value: piece }))
  const [head = '', ...rest] = pieces
  const tail = rest.pop()
  if (tail === undefined) return sql`(${text} = ${folded(head)})`
  const inner = rest.filter((piece) => piece !== '')
  // Of null it is neither true nor false.
  if (head === '' && tail === '' && inner.length === 0) return sql`(${text} = ${text})`
  const [size, headSize, tailSize] = [text, folded(head), folded(tail)].map(writer.size) as [
    Fragment,
    Fragment,
    Fragment,
  ]
  const conditions: Fragment[] = []
  if (head !== '') conditions.push(sql`(${writer.part(text, raw('1'), headSize)} = ${folded(head)})`)
  if (tail !== '')
    conditions.push(
      sql`(${size} >= ${headSize} + ${tailSize})`,
      sql`(${writer.part(text, sql`${size} - ${tailSize} + 1`, tailSize)} = ${folded(tail)})`,
    )
  let between =
    head === '' && tail === ''
      ? text
      : writer.part(text, sql`${headSize} + 1`, sql`${size} - ${headSize} - ${tailSize}`)
  for (const [index, piece] of inner.entries()) {
    const place = writer.place(between, folded(piece))
    conditions.push(sql`(${place} > 0)`)
    if (index < inner.length - 1)
      between = writer.part(between, sql`${place} + ${writer.size(folded(piece))}`, writer.size(text))
  }
  return balanced(conditions, 'AND')
}

/** The SQL of an expression. A division by zero is null. */
export function expressionSql(expression: Expression, writer: ZonedWriter): Fragment {
  switch (expression.kind) {
    case 'column':
      return name(expression.name)
    case 'literal':
      return bind({ type: expression.type, value: expression.value })
    case 'operation':
      return operationSql(expression, writer)
    case 'truncation': {
      const { unit, column, type, timeZone } = expression
      if (type === 'date') return truncatedDay(unit, name(column), writer)
      return truncatedInstant(unit, name(column), { timeZone: timeZone ?? writer.timeZone, writer })
    }
    case 'call': {
      const of = expression.of.map((part) => expressionSql(part, writer))
      const [first = raw('NULL'), second = raw('0')] = of
      if (expression.name === 'LENGTH') return writer.length(first)
      if (expression.name === 'ROUND') return writer.round(first, second)
      return sql`${raw(expression.name)}(${joined(of, ', ')})`
    }
  }
}

function operationSql(
  { operator, ...sides }: Extract<Expression, { kind: 'operation' }>,
  writer: ZonedWriter,
): Fragment {
  const left = expressionSql(sides.left, writer)
  const right = expressionSql(sides.right, writer)
  if (operator === '||') return writer.concat(left, right)
  if (operator === '/') return sql`(${writer.double(left)} / NULLIF(${right}, 0))`
  if (operator === '%') return writer.remainder(left, sql`NULLIF(${right}, 0)`)
  return sql`(${left} ${raw(operator)} ${right})`
}
