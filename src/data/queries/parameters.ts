import { Refusal } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { isRounded } from '../../lib/numbers.ts'
import { pointerOf } from '../../lib/pointer.ts'
import { isDay, parseInstant } from '../../lib/time.ts'
import type { Given } from '../../templates/template.ts'
import { Decimal } from '../../templates/values/decimal.ts'
import { DateValue, Name, Range, Sequence, Text } from '../../templates/values/value.ts'
import type { Value } from '../../templates/values/value.ts'
import { VALUES_MAX } from './schema.ts'
import type { Parameter, ParameterValue } from './schema.ts'

/** Names and values that parameters may have; null where they are not checked. */
export type Allowed = {
  readonly columns: ReadonlySet<string> | null
  /** Values as strings, by the ids of the data queries that have them. */
  readonly choices: ReadonlyMap<number, ReadonlySet<string>> | null
}

export const UNCHECKED: Allowed = { columns: null, choices: null }

type Values = Readonly<Record<string, ParameterValue | null>>

/** The values that a template is given, by the names of its parameters. A parameter without a value is null.
 * @throws {Refusal} invalid for values of unknown parameters, of other types, and for missing ones */
export function valuesOf(
  parameters: readonly Parameter[],
  given: Values,
  { pointer, allowed }: { readonly pointer: string; readonly allowed: Allowed },
): Readonly<Record<string, Given>> {
  const faults: Fault[] = []
  const known = new Set(parameters.map(({ name }) => name))
  for (const name of Object.keys(given))
    if (!known.has(name)) faults.push({ pointer: pointer + pointerOf([name]), message: 'is not a parameter' })
  const entries = parameters.map((parameter): [string, Given] => {
    const own = Object.hasOwn(given, parameter.name) ? given[parameter.name] : null
    const value = own ?? parameter.default
    const at = `${pointer}/${parameter.name}`
    if (value !== null) return [parameter.name, typed(parameter, value, { at, faults, allowed })]
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
      typed(parameter, parameter.default, { at: `/parameters/${index}/default`, faults, allowed: UNCHECKED })
  if (faults.length > 0) throw new Refusal('invalid', 'The body is invalid; see errors.', faults)
}

type Place = { readonly at: string; readonly faults: Fault[]; readonly allowed: Allowed }

function typed(parameter: Parameter, value: ParameterValue, { at, faults, allowed }: Place): Given {
  const one = (item: string | number | boolean, pointer: string): Given => {
    const made = isRounded(item) ? undefined : scalarOf(parameter, item, allowed)
    if (made === undefined)
      faults.push({ pointer, message: isRounded(item) ? ROUNDED : COMPLAINTS[parameter.type] })
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
  readonly allowed: Allowed
  readonly fail: (complaint: string) => never
}

/** The values of a data query that another one refers to: of each parameter the value in the call, or the value of the calling
 * template's parameter of the same name, or its default. */
export function innerValues(
  parameters: readonly Parameter[],
  { passed, inherited, allowed, fail }: Passing,
): Readonly<Record<string, Given>> {
  const known = new Set(parameters.map(({ name }) => name))
  for (const name of passed.keys()) if (!known.has(name)) fail(`${name} is not a parameter`)
  const entries = parameters.map((parameter): [string, Given] => {
    const { name } = parameter
    const value =
      passed.get(name) ?? (Object.hasOwn(inherited, name) ? inherited[name] : null) ?? parameter.default
    const at = `the parameter ${name}`
    if (value === null && parameter.required) fail(`${at} is required`)
    const refuse = (complaint: string) => fail(`${at} ${complaint}`)
    return [name, value === null ? null : inner(parameter, value, { allowed, fail: refuse })]
  })
  return Object.fromEntries(entries)
}

function inner(
  parameter: Parameter,
  value: Value | NonNullable<Given>,
  { allowed, fail }: Pick<Passing, 'allowed' | 'fail'>,
): Given {
  const one = (item: unknown): Given => scalarOf(parameter, item, allowed) ?? fail(COMPLAINTS[parameter.type])
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

const ROUNDED = 'must be between -2^53 and 2^53, because JSON numbers are rounded beyond'
const COMPLAINTS: Readonly<Record<Parameter['type'], string>> = {
  string: 'must be a text',
  number: 'must be a number',
  boolean: 'must be true or false',
  date: 'must be a date such as 2026-03-01',
  datetime: 'must be a date and time with a zone, such as 2026-03-01T12:00:00Z',
  enum: 'must be one of the choices',
  identifier: 'must be the name of a column of the data source',
  query: 'must be a value of the data query with its values',
}

/** A value from JSON or from a template, as templates take it; undefined for one of another type. */
function scalarOf(parameter: Parameter, value: unknown, allowed: Allowed): Given {
  const { type } = parameter
  if (type === 'query') return choiceOf(parameter, value, allowed)
  if (type === 'number') return isNumber(value) ? value : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (value instanceof DateValue) return value.kind === type ? value : undefined
  // A number that `?c` made a string is a string.
  const text = value instanceof Text ? value.text : value
  if (typeof text !== 'string') return undefined
  const made = textOf(parameter, text, allowed)
  return value instanceof Text && made === text ? new Text(text, value.isTainted) : made
}

const isNumber = (value: unknown): value is number | Decimal =>
  typeof value === 'number' || value instanceof Decimal

function textOf({ type, choices }: Parameter, text: string, { columns }: Allowed): Given {
  if (type === 'date') return dateOf(text)
  if (type === 'datetime') return instantOf(text)
  if (type === 'enum') return choices.includes(text) ? new Text(text, false) : undefined
  if (type === 'identifier') return columns?.has(text) === false ? undefined : new Name(text)
  return text
}

function choiceOf({ valuesQueryId }: Parameter, value: unknown, { choices }: Allowed): Given {
  const isScalar = isNumber(value) || typeof value === 'boolean' || typeof value === 'string'
  if (!isScalar && !(value instanceof Text)) return undefined
  const text = value instanceof Text ? value.text : String(value)
  return !choices || choices.get(valuesQueryId ?? 0)?.has(text) === true ? value : undefined
}

function dateOf(text: string): DateValue | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  return isDay(year, month, day) ? new DateValue('date', Date.parse(`${text}T00:00:00Z`)) : undefined
}

function instantOf(text: string): DateValue | undefined {
  try {
    return new DateValue('datetime', parseInstant(text))
  } catch {
    return undefined
  }
}
