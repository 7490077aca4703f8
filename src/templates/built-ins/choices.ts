import { Decimal } from '../values/decimal.ts'
import { Text } from '../values/value.ts'
import type { Local } from '../run/machine.ts'
import { booleanOf } from '../run/coercion.ts'
import { compared } from '../run/operations.ts'
import { present } from '../run/presence.ts'
import type { BuiltIn, Call } from './call.ts'

const then: BuiltIn = (call) => {
  const chosen = call.args?.[booleanOf(call.target, call.of.at) ? 0 : 1]
  return chosen && present(call.machine, chosen)
}

/** `?switch(case1, result1, case2, result2, …, otherwise)`. */
const choose: BuiltIn = (call) => {
  const { machine, target, args } = call
  for (let index = 0; args && index + 1 < args.length; index += 2) {
    const [wanted, result] = [args[index], args[index + 1]]
    if (wanted && result && compared('==', target, machine.evaluate(wanted), call.at))
      return present(machine, result)
  }
  const otherwise = args && args.length % 2 === 1 ? args.at(-1) : undefined
  return otherwise ? present(machine, otherwise) : call.fail('finds no case for this value')
}

/** The turn of the loop whose variable is the target. */
function turnOf(call: Call): NonNullable<Local['loop']> {
  const name = call.of.kind === 'variable' ? call.of.name : ''
  for (let local = call.machine.locals; local; local = local.outer)
    if (local.loop && local.names.includes(name)) return local.loop
  return call.fail('is of no loop variable')
}

export const CHOICES: readonly (readonly [string, BuiltIn])[] = [
  ['then', then],
  ['switch', choose],
  ['index', (call) => Decimal.of(turnOf(call).index)],
  ['counter', (call) => Decimal.of(turnOf(call).index + 1)],
  ['has_next', (call) => turnOf(call).hasNext],
  ['is_first', (call) => turnOf(call).index === 0],
  ['is_last', (call) => !turnOf(call).hasNext],
  ['item_parity', (call) => new Text(turnOf(call).index % 2 === 0 ? 'odd' : 'even', false)],
]
