import { TemplateFault } from '../fault.ts'
import type { ExpressionParser } from './expressions.ts'
import type { Directive } from './reader.ts'
import type { Parameter } from './tree.ts'

/** `macro` and `function`. */
export const macro =
  (routine: 'macro' | 'function'): Directive =>
  (reader, part, expressions) => {
    if (reader.routine) throw new TemplateFault(part.at, 'is a definition within a definition', 'syntax')
    const { kind } = expressions.token
    const isText = kind === 'text' || kind === 'raw text'
    const name = isText ? expressions.next().text : expressions.takeName()
    const { parameters, rest } = signature(expressions)
    expressions.end(false)
    reader.routine = routine
    const children = reader.loops.outside(() => reader.content())
    reader.routine = null
    const end = reader.close(routine, part)
    const isFunction = routine === 'function'
    return reader.node({ kind: 'macro', name, isFunction, parameters, rest }, part, end, children)
  }

function signature(expressions: ExpressionParser): {
  readonly parameters: readonly Parameter[]
  readonly rest: string | null
} {
  const parameters = new Map<string, Parameter>()
  let rest: string | null = null
  let hasDefaults = false
  expressions.takeMark('(')
  while (expressions.isName()) {
    const { at } = expressions.token
    const name = expressions.takeName()
    const isRest = expressions.takeMark('...') !== undefined
    const otherwise = expressions.takeMark('=') ? expressions.expression() : null
    expressions.takeMark(',')
    if (rest !== null || (isRest && otherwise)) expressions.fail('the rest is the last, without default', at)
    if (!isRest && hasDefaults && !otherwise) expressions.fail('needs a default, as those before have', at)
    if (otherwise) hasDefaults = true
    if (isRest) rest = name
    else parameters.set(name, { name, otherwise })
  }
  expressions.takeMark(')')
  return { parameters: [...parameters.values()], rest }
}

export const nested: Directive = (reader, part, expressions) => {
  if (reader.routine !== 'macro') throw new TemplateFault(part.at, '#nested is not in a macro', 'syntax')
  const args = part.tokens.length > 0 ? expressions.args() : []
  if (part.tokens.length > 0) expressions.end(true)
  return reader.node({ kind: 'nested', args }, part, part)
}

export const returning: Directive = (reader, part, expressions) => {
  const value = part.tokens.length > 0 ? expressions.expression() : null
  if (value) expressions.end(true)
  const isRight = reader.routine === 'macro' ? !value : value !== null
  if (!isRight) throw new TemplateFault(part.at, returnComplaint(reader.routine), 'syntax')
  return reader.node({ kind: 'return', value }, part, part)
}

function returnComplaint(routine: 'macro' | 'function' | null): string {
  if (routine === 'macro') return 'a macro returns no value'
  return routine === 'function' ? 'a function returns a value' : '#return is not in a macro or function'
}
