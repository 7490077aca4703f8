import { converted, isoText, parsedDate } from '../values/dates.ts'
import { Decimal } from '../values/decimal.ts'
import { DateValue, Matches, typeOf } from '../values/value.ts'
import type { Text, Value } from '../values/value.ts'
import { booleanText, dateText, numberText, textOf } from '../run/coercion.ts'
import { fail } from '../run/machine.ts'
import type { Machine } from '../run/machine.ts'
import type { BuiltIn, Call } from './call.ts'

/** `value?string.format` and `value?string("format")`. */
export function stringFormat(machine: Machine, value: Value, format: Text, at: number): Text {
  if (value instanceof Decimal) return numberText(value, format, at)
  if (value instanceof DateValue) return dateText(machine, value, format, at)
  return fail(at, `is ${typeOf(value)}, which has no formats`)
}

const string: BuiltIn = (call) => {
  const { machine, at } = call
  const target = call.target instanceof Matches ? call.target.isWhole : call.target
  if (typeof target === 'boolean') return booleanString(call, target)
  if (!call.args) return textOf(machine, target, at)
  if (call.count !== 1) call.fail('takes one format')
  return stringFormat(machine, target, call.made(call.text(0)), at)
}

function booleanString(call: Call, target: boolean): Text {
  if (!call.args) return booleanText(call.machine, target)
  if (call.count !== 2) call.fail('takes a string for true and one for false')
  const words = [call.text(0), call.text(1)]
  return call.made((target ? words[0] : words[1]) ?? '')
}

const date =
  (kind: DateValue['kind']): BuiltIn =>
  (call) => {
    const { target, machine } = call
    if (target instanceof DateValue)
      return (
        converted(target, kind, machine.timeZone) ?? call.fail(`is of a ${target.kind}, which has no ${kind}`)
      )
    if (call.count > 1) call.fail('takes one format')
    const format = call.args ? call.text(0) : (machine.settings.get(`${kind}_format`)?.text ?? '')
    const text = call.string
    return (
      parsedDate(kind, text, format, machine.timeZone) ?? call.fail(`is of a string that is not a ${kind}`)
    )
  }

/** `?iso_utc`, and `?iso("Europe/Zurich")`. */
const iso: BuiltIn = (call) => {
  const { target, at } = call
  if (!(target instanceof DateValue)) return call.fail(`is of a date, not of ${typeOf(target)}`)
  const zone = call.args ? call.text(0) : 'UTC'
  try {
    return call.made(isoText(target, zone, false))
  } catch (error) {
    if (error instanceof RangeError) return fail(at, `${zone} is not a time zone`)
    throw error
  }
}

export const FORMATS: Readonly<Record<string, BuiltIn>> = {
  string,
  date: date('date'),
  time: date('time'),
  datetime: date('datetime'),
  iso,
  iso_utc: iso,
}
