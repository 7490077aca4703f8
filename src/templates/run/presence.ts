import type { Expression } from '../syntax/tree.ts'
import type { Value } from '../values/value.ts'
import { Missing, missing } from './machine.ts'
import type { Machine } from './machine.ts'

/** The value, which must be there. */
export function present(machine: Machine, expression: Expression): Value {
  return machine.evaluate(expression) ?? missing(expression.at, nameOf(expression))
}

const nameOf = (expression: Expression): string =>
  expression.kind === 'variable' ? expression.name : 'the value'

/** The value; a missing value within parentheses is not a fault. */
export function optional(machine: Machine, expression: Expression): Value | undefined {
  if (expression.kind !== 'group') return machine.evaluate(expression)
  const { depth } = machine.limits
  try {
    return machine.evaluate(expression)
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    machine.limits.returnTo(depth)
    return undefined
  }
}
