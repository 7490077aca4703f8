import { formattedDate } from '../values/dates.ts'
import { Decimal } from '../values/decimal.ts'
import { formattedNumber } from '../values/numbers.ts'
import { DateValue, Matches, NOTHING, Text, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { fail, missing } from './machine.ts'
import type { Machine } from './machine.ts'

/** Steps of writing a number or a date. */
export const FORMAT_STEPS = 20

/** A value as a string: numbers and dates by the settings. */
export function textOf(machine: Machine, value: Value | undefined, at: number): Text {
  if (value instanceof Text) return value
  if (value instanceof Decimal || value instanceof DateValue) machine.limits.step(at, FORMAT_STEPS)
  if (value instanceof Decimal) return numberText(value, setting(machine, 'number_format'), at)
  if (value instanceof DateValue)
    return dateText(machine, value, setting(machine, `${value.kind}_format`), at)
  if (typeof value === 'boolean') {
    if (setting(machine, 'boolean_format').text === 'true,false')
      fail(at, 'is a boolean: write ?c, ?string or ?then')
    return booleanText(machine, value)
  }
  if (value === NOTHING) return new Text('', false)
  if (value === undefined) missing(at)
  return fail(at, `is ${typeOf(value)}, not a string`)
}

const setting = (machine: Machine, name: string): Text => machine.settings.get(name) ?? new Text('', false)

/** A number by a format. The minus of a number could begin a comment of SQL with another one. */
export function numberText(value: Decimal, format: Text, at: number): Text {
  const text = formattedNumber(value, format.text) ?? fail(at, `${format.text} is not a format of numbers`)
  const isComputer = format.text === 'computer' || format.text === 'c'
  return new Text(text, format.isTainted || value.unscaled < 0n, isComputer ? value : null)
}

export function dateText(machine: Machine, value: DateValue, format: Text, at: number): Text {
  const text = formattedDate(value, format.text, machine.timeZone)
  return new Text(text ?? fail(at, `${format.text} is not a format of a ${value.kind}`), format.isTainted)
}

/** A boolean as `?string` writes it. */
export function booleanText(machine: Machine, value: boolean): Text {
  const { text, isTainted } = setting(machine, 'boolean_format')
  if (text === 'c') return new Text(String(value), false, value)
  const [yes = '', no = ''] = text.split(/,([^]*)/)
  return new Text(value ? yes : no, isTainted, value)
}

export function numberOf(value: Value | undefined, at: number): Decimal {
  if (value instanceof Decimal) return value
  if (value === undefined) missing(at)
  return fail(at, `is ${typeOf(value)}, not a number`)
}

export function booleanOf(value: Value | undefined, at: number): boolean {
  if (typeof value === 'boolean') return value
  if (value === undefined) missing(at)
  if (value instanceof Matches) return value.isWhole
  return fail(at, `is ${typeOf(value)}, not a boolean`)
}
