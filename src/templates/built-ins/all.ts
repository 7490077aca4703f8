import type { Expression, ExpressionOf } from '../syntax/tree.ts'
import type { Value } from '../values/value.ts'
import { fail } from '../run/machine.ts'
import type { Machine } from '../run/machine.ts'
import { Call } from './call.ts'
import type { BuiltIn } from './call.ts'
import { CHOICES } from './choices.ts'
import { FORMATS } from './formats.ts'
import { evalJson } from './json.ts'
import { arityOf } from './names.ts'
import { NUMBERS } from './numbers.ts'
import { groups, matches } from './patterns.ts'
import { SEQUENCES } from './sequences.ts'
import { SQL } from './sql.ts'
import { STRINGS } from './strings.ts'
import { TYPES } from './types.ts'

const BUILT_INS: ReadonlyMap<string, BuiltIn> = new Map([
  ...Object.entries(STRINGS),
  ...Object.entries(NUMBERS),
  ...Object.entries(FORMATS),
  ...Object.entries(SEQUENCES),
  ...CHOICES,
  ...Object.entries(TYPES),
  ...Object.entries(SQL),
  ['eval_json', evalJson],
  ['matches', matches],
  ['groups', groups],
])

/** The value of `of?name` or `of?name(args)`. */
export function callBuiltIn(
  machine: Machine,
  expression: ExpressionOf<'built-in'>,
  args: readonly Expression[] | null,
): Value | undefined {
  const { name, at } = expression
  const [builtIn, arity] = [BUILT_INS.get(name), arityOf(name)]
  if (!builtIn || !arity) return fail(at, `?${name} is not a built-in`)
  if (!args && arity.least > 0) fail(at, `?${name} needs arguments`)
  if (args && (args.length < arity.least || args.length > arity.most || arity.most === 0))
    fail(at, `?${name} takes another number of arguments`)
  return builtIn(new Call(machine, expression, args))
}
