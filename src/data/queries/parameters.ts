import { Refusal } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { parseInstant } from '../../lib/time.ts'
import type { Given } from '../../templates/template.ts'
import { Decimal } from '../../templates/values/decimal.ts'
import { DateValue, Range, Sequence, Text } from '../../templates/values/value.ts'
import type { Value } from '../../templates/values/value.ts'
import { VALUES_MAX } from './schema.ts'
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

type Passing = {
  /** The values in the call. */
  readonly passed: ReadonlyMap<string, Value | undefined>
  /** The values of the parameters of the calling template. */
  readonly inherited: Readonly<Record<string, Given>>
  readonly fail: (complaint: string) => never
}

/** The values of a data query that another one refers to: of each parameter the value in the call, or the value of the calling
 * template's parameter of the same name, or its default. */
export function innerValues(
  parameters: readonly Parameter[],
  { passed, inherited, fail }: Passing,
): Readonly<Record<string, Given>> {
  const known = new Set(parameters.map(({ name }) => name))
  for (const name of passed.keys()) if (!known.has(name)) fail(`${name} is not a parameter`)
  const entries = parameters.map((parameter): [string, Given] => {
    const { name } = parameter
    const value =
      passed.get(name) ?? (Object.hasOwn(inherited, name) ? inherited[name] : null) ?? parameter.default
    const at = `the parameter ${name}`
    if (value === null && parameter.required) fail(`${at} is required`)
    return [name, value === null ? null : inner(parameter, value, (complaint) => fail(`${at} ${complaint}`))]
  })
  return Object.fromEntries(entries)
}

function inner(parameter: Parameter, value: Value | NonNullable<Given>, fail: Passing['fail']): Given {
  const one = (item: unknown): Given => scalarOf(parameter, item) ?? fail(COMPLAINTS[parameter.type])
  const list = listOf(value)
  if ((list !== undefined) !== parameter.multi)
    return fail(parameter.multi ? 'must be a list' : 'must not be a list')
  if (!list) return one(value)
  if (list.size > VALUES_MAX) fail(`has more than ${VALUES_MAX} values`)
  return Array.from({ length: list.size }, (_, index) => one(list.at(index)))
}

function listOf(
  value: Value | NonNullable<Given>,
): { readonly size: number; at(index: number): unknown } | undefined {
  if (Array.isArray(value)) return { size: value.length, at: (index) => value[index] as unknown }
  return value instanceof Sequence || value instanceof Range ? value : undefined
}

const COMPLAINTS: Readonly<Record<Parameter['type'], string>> = {
  string: 'must be a text',
  number: 'must be a number',
  boolean: 'must be true or false',
  date: 'must be a date such as 2026-03-01',
  datetime: 'must be a date and time with a zone, such as 2026-03-01T12:00:00Z',
  enum: 'must be one of the choices',
}

/** A value from JSON or from a template, as templates take it; undefined for one of another type. */
function scalarOf(parameter: Parameter, value: unknown): Given {
  const { type } = parameter
  if (type === 'number') return typeof value === 'number' || value instanceof Decimal ? value : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (value instanceof DateValue) return value.kind === type ? value : undefined
  // A number that `?c` made a string is a string.
  const text = value instanceof Text ? value.text : value
  if (typeof text !== 'string') return undefined
  const made = textOf(parameter, text)
  return value instanceof Text && made === text ? new Text(text, value.isTainted) : made
}

function textOf({ type, choices }: Parameter, text: string): Given {
  if (type === 'date') return dateOf(text)
  if (type === 'datetime') return instantOf(text)
  if (type === 'enum') return choices.includes(text) ? new Text(text, false) : undefined
  return text
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
