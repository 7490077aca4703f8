import type { Definition, Parameter, ParameterType } from './definition.ts'
import type { ParameterValue } from './parts.ts'
import { isFixedDuration } from '../../lib/duration.ts'
import { ownValue } from '../../lib/json.ts'

export type Values = Readonly<Record<string, ParameterValue>>

/** The values of a group of dashboards, the nearest first. */
export type Defaults = readonly Values[]

export type ResolvedParameters = {
  readonly values: Values
  /** Values of other types, which are passed over. */
  readonly problems: readonly { readonly name: string; readonly message: string }[]
}

/** The values of the parameters of a dashboard: of the request, else the default of the dashboard, else of the nearest group
 * that has one. A value of another type is passed over. Null in a request clears a value.
 * @param given only parameters of the dashboard */
export function resolveParameters(
  { parameters }: Pick<Definition, 'parameters'>,
  given: Values,
  defaults: Defaults,
): ResolvedParameters {
  const problems: { name: string; message: string }[] = []
  const values = Object.fromEntries(
    parameters.map((parameter) => {
      const { name } = parameter
      if (Object.hasOwn(given, name) && fits(parameter, given[name] ?? null))
        return [name, given[name] ?? null]
      const inherited = [parameter.default, ...defaults.map((group) => ownValue(group, name) ?? null)]
      const found = inherited.find((one, level) => {
        if (one === null || fits(parameter, one)) return one !== null
        const owner = level === 0 ? 'the default' : 'a default of a group'
        problems.push({ name, message: `${owner} is not of the type ${parameter.type}` })
        return false
      })
      return [name, found ?? null]
    }),
  )
  return { values, problems }
}

/** The faults of values that a request gives, by parameter. */
export function faultsOfValues(
  { parameters }: Pick<Definition, 'parameters'>,
  given: Values,
): readonly { readonly name: string; readonly message: string }[] {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  return Object.entries(given).flatMap(([name, value]) => {
    const parameter = known.get(name)
    if (!parameter) return [{ name, message: 'must be a parameter of the dashboard' }]
    if (parameter.hidden) return [{ name, message: 'is hidden and cannot be set' }]
    return fits(parameter, value) ? [] : [{ name, message: `must be of the type ${parameter.type}` }]
  })
}

/** Values of parameters that came as texts of a URL, in the types of the parameters. A text that is not of the type stays. */
export function valuesOfTexts({ parameters }: Pick<Definition, 'parameters'>, given: Values): Values {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const parameter = known.get(name)
      if (!parameter || value === null) return [name, value]
      return [
        name,
        Array.isArray(value) ? value.map((one) => typed(parameter, one)) : typed(parameter, value),
      ]
    }),
  )
}

const NUMERIC: ReadonlySet<ParameterType> = new Set(['number', 'object', 'user'])

function typed({ type, values }: Parameter, value: string | number | boolean): string | number | boolean {
  const text = String(value)
  if (type === 'enum') return values.find((one) => String(one.value) === text)?.value ?? text
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (NUMERIC.has(type) && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return Number(text)
  return text
}

/** The values that a widget gives in place of the values of its dashboard: `${name}` as a whole text is the value of a parameter. */
export function substituted(params: Values, values: Values): Values {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      Array.isArray(value) ? value : valueIn(value, values),
    ]),
  )
}

function valueIn(value: ParameterValue, values: Values): ParameterValue {
  const name = typeof value === 'string' ? /^\$\{([\w-]+)\}$/.exec(value)?.[1] : undefined
  return name === undefined ? value : (ownValue(values, name) ?? null)
}

/** Whether a value is of the type of a parameter. Null is of each. */
function fits(parameter: Pick<Parameter, 'type' | 'multi' | 'values'>, value: ParameterValue): boolean {
  if (value === null) return true
  if (Array.isArray(value))
    return parameter.multi && value.every((one) => FITS[parameter.type](one, parameter))
  return FITS[parameter.type](value, parameter)
}

type Fits = (value: string | number | boolean, parameter: Pick<Parameter, 'values'>) => boolean

const isText: Fits = (value) => typeof value === 'string'
const isId: Fits = (value) => typeof value === 'number' && Number.isInteger(value) && value > 0
const isDuration: Fits = (value) => typeof value === 'string' && isFixedDuration(value.replace(/^-/, ''))
const isTime =
  (pattern: RegExp): Fits =>
  (value) =>
    typeof value === 'string' && pattern.test(value) && !Number.isNaN(Date.parse(value))

const FITS: Readonly<Record<ParameterType, Fits>> = {
  string: isText,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: isTime(/^\d{4}-\d\d-\d\d$/),
  datetime: isTime(/T.*(?:Z|[+-]\d\d:\d\d)$/),
  duration: isDuration,
  timeRange: isDuration,
  enum: (value, { values }) => values.some((one) => one.value === value),
  query: () => true,
  object: isId,
  user: isId,
}
