import { Decimal } from '../values/decimal.ts'
import { epochMs } from '../values/dates.ts'
import { computerNumber } from '../values/numbers.ts'
import { DateValue, Matches, Text, typeOf } from '../values/value.ts'
import { numberOf } from '../run/coercion.ts'
import type { BuiltIn, Call } from './call.ts'

const target = (call: Call): Decimal => numberOf(call.target, call.of.at)
const HALF = new Decimal(5n, 1)

const computer: BuiltIn = (call) => {
  const value = call.target instanceof Matches ? call.target.isWhole : call.target
  if (value instanceof Decimal) return new Text(computerNumber(value), value.unscaled < 0n, value)
  if (typeof value === 'boolean') return new Text(String(value), false, value)
  return call.fail(`is of a number or a boolean, not of ${typeOf(value)}`)
}

const long: BuiltIn = (call) => {
  const value = call.target
  if (value instanceof DateValue) return Decimal.of(epochMs(value, call.machine.timeZone))
  return Decimal.of(BigInt.asIntN(64, target(call).rounded(0, 'down').unscaled))
}

export const NUMBERS: Readonly<Record<string, BuiltIn>> = {
  c: computer,
  // Halves go up, also below zero.
  round: (call) => target(call).plus(HALF).rounded(0, 'floor'),
  floor: (call) => target(call).rounded(0, 'floor'),
  ceiling: (call) => target(call).rounded(0, 'ceiling'),
  int: (call) => Decimal.of(target(call).integer()),
  abs: (call) => target(call).absolute(),
  long,
}
