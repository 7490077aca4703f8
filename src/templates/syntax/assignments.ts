import { TemplateFault } from '../fault.ts'
import type { ExpressionParser } from './expressions.ts'
import type { Directive } from './reader.ts'
import type { Arithmetic, Assignment, Scope } from './tree.ts'

const DIRECTIVES: Readonly<Record<Scope, string>> = { namespace: 'assign', local: 'local', global: 'global' }
const OPERATORS = ['=', '+=', '-=', '*=', '/=', '%=', '++', '--'] as const

/** `assign`, `local` and `global`: values, or the output of their content. */
export const assign =
  (scope: Scope): Directive =>
  (reader, part, expressions) => {
    if (scope === 'local' && !reader.routine)
      throw new TemplateFault(part.at, '#local is not in a macro or function', 'syntax')
    const first = target(expressions)
    if (expressions.token.kind === 'end' && expressions.token.text === '') {
      const children = reader.content()
      const end = reader.close(DIRECTIVES[scope], part)
      return reader.node({ kind: 'capture', scope, name: first }, part, end, children)
    }
    const assignments = [assignment(expressions, first, part.at)]
    while (isAssignment(expressions)) {
      expressions.takeMark(',')
      const { at } = expressions.token
      assignments.push(assignment(expressions, target(expressions), at))
    }
    expressions.end(true)
    return reader.node({ kind: 'assign', scope, assignments }, part, part)
  }

function target(expressions: ExpressionParser): string {
  const { kind } = expressions.token
  return kind === 'text' || kind === 'raw text' ? expressions.next().text : expressions.takeName()
}

function isAssignment(expressions: ExpressionParser): boolean {
  return expressions.isMark(',') || expressions.isName() || expressions.token.kind === 'text'
}

function assignment(expressions: ExpressionParser, name: string, at: number): Assignment {
  const mark = expressions.takeMark(...OPERATORS)
  if (!mark) expressions.fail('= is missing')
  const operator = mark?.text === '=' ? '=' : (mark?.text.charAt(0) as Arithmetic)
  const isStep = mark?.text === '++' || mark?.text === '--'
  return { name, operator, value: isStep ? null : expressions.expression(), at }
}
