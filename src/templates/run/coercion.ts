import { formattedDate } from '../values/dates.ts'
import { Decimal } from '../values/decimal.ts'
import { formattedNumber } from '../values/numbers.ts'
import { DateValue, Matches, NOTHING, Text, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { fail, missing } from './machine.ts'
import type { Machine } from './machine.ts'

/** A value as a string: numbers and dates by the settings. */
export function textOf(machine: Machine, value: Value | undefined, at: number): Text {
  if (value instanceof Text) return value
  const plain = plainText(machine, value, at)
  if (plain === undefined) {
    if (value === undefined) missing(at)
    fail(at, `is ${typeOf(value)}, not a string`)
  }
  return new Text(plain ?? '', false, value instanceof Decimal || typeof value === 'boolean' ? value : null)
}

function plainText(machine: Machine, value: Value | undefined, at: number): string | undefined {
  if (value instanceof Decimal) return numberText(value, setting(machine, 'number_format'), at)
  if (value instanceof DateValue)
    return dateText(machine, value, setting(machine, `${value.kind}_format`), at)
  if (typeof value === 'boolean') return booleanText(machine, value, at)
  return value === NOTHING ? '' : undefined
}

const setting = (machine: Machine, name: string): string => machine.settings.get(name) ?? ''

export function numberText(value: Decimal, format: string, at: number): string {
  return formattedNumber(value, format) ?? fail(at, `${format} is not a format of numbers`)
}

export function dateText(machine: Machine, value: DateValue, format: string, at: number): string {
  const text = formattedDate(value, format, machine.timeZone)
  return text ?? fail(at, `${format} is not a format of a ${value.kind}`)
}

function booleanText(machine: Machine, value: boolean, at: number): string {
  const format = setting(machine, 'boolean_format')
  if (format === 'true,false') fail(at, 'is a boolean: write ?c, ?string or ?then')
  if (format === 'c') return String(value)
  const [yes = '', no = ''] = format.split(/,([^]*)/)
  return value ? yes : no
}

/** A boolean as `?string` writes it. */
export function booleanWord(machine: Machine, value: boolean): string {
  const format = setting(machine, 'boolean_format')
  if (format === 'c') return String(value)
  const [yes = '', no = ''] = format.split(/,([^]*)/)
  return value ? yes : no
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
