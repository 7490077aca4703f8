import { Refusal } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { parseInstant } from '../../lib/time.ts'
import type { Given } from '../../templates/template.ts'
import { DateValue } from '../../templates/values/value.ts'
import type { Parameter, ParameterValue } from './schema.ts'

type Values = Readonly<Record<string, ParameterValue | null>>

/** The values that a template is given, by the names of its parameters. A parameter without a value is null.
 * @throws {Refusal} invalid for values of unknown parameters, of other types, and for missing ones */
export function valuesOf(
  parameters: readonly Parameter[],
  given: Values,
  pointer: string,
): Readonly<Record<string, Given>> {
  const faults: Fault[] = []
  const known = new Set(parameters.map(({ name }) => name))
  for (const name of Object.keys(given))
    if (!known.has(name)) faults.push({ pointer: `${pointer}/${name}`, message: 'is not a parameter' })
  const entries = parameters.map((parameter): [string, Given] => {
    const own = Object.hasOwn(given, parameter.name) ? given[parameter.name] : null
    const value = own ?? parameter.default
    const at = `${pointer}/${parameter.name}`
    if (value !== null) return [parameter.name, typed(parameter, value, { at, faults })]
    if (parameter.required) faults.push({ pointer: at, message: 'is required' })
    return [parameter.name, null]
  })
  if (faults.length > 0) throw new Refusal('invalid', 'The body is invalid; see errors.', faults)
  return Object.fromEntries(entries)
}

/** Refuses defaults of other types than their parameters. @throws {Refusal} invalid */
export function checkDefaults(parameters: readonly Parameter[]): void {
  const faults: Fault[] = []
  for (const [index, parameter] of parameters.entries())
    if (parameter.default !== null)
      typed(parameter, parameter.default, { at: `/parameters/${index}/default`, faults })
  if (faults.length > 0) throw new Refusal('invalid', 'The body is invalid; see errors.', faults)
}

type Place = { readonly at: string; readonly faults: Fault[] }

function typed(parameter: Parameter, value: ParameterValue, { at, faults }: Place): Given {
  const one = (item: string | number | boolean, pointer: string): Given => {
    const made = scalarOf(parameter, item)
    if (made === undefined) faults.push({ pointer, message: COMPLAINTS[parameter.type] })
    return made
  }
  if (Array.isArray(value) === parameter.multi)
    return Array.isArray(value) ? value.map((item, index) => one(item, `${at}/${index}`)) : one(value, at)
  faults.push({ pointer: at, message: parameter.multi ? 'must be a list' : 'must not be a list' })
  return null
}

const COMPLAINTS: Readonly<Record<Parameter['type'], string>> = {
  string: 'must be a text',
  number: 'must be a number',
  boolean: 'must be true or false',
  date: 'must be a date such as 2026-03-01',
  datetime: 'must be a date and time with a zone, such as 2026-03-01T12:00:00Z',
  enum: 'must be one of the choices',
}

function scalarOf({ type, choices }: Parameter, value: string | number | boolean): Given {
  if (type === 'number' || type === 'boolean') return typeof value === type ? value : undefined
  if (typeof value !== 'string') return undefined
  if (type === 'date') return dateOf(value)
  if (type === 'datetime') return instantOf(value)
  return type === 'string' || choices.includes(value) ? value : undefined
}

function dateOf(text: string): DateValue | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const ms = Date.parse(`${text}T00:00:00Z`)
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
  return isDay ? new DateValue('date', ms) : undefined
}

function instantOf(text: string): DateValue | undefined {
  try {
    return new DateValue('datetime', parseInstant(text))
  } catch {
    return undefined
  }
}
