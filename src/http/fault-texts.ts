import * as z from 'zod'

type Issue = z.core.$ZodRawIssue
type Words = {
  readonly [Code in z.core.$ZodIssueCode]: (issue: Extract<Issue, { readonly code: Code }>) => string
}

const WORDS: Words = {
  invalid_type: ({ input, expected }) => orMissing(input, `must be ${TYPES[expected] ?? expected}`),
  too_big: ({ origin, inclusive, maximum }) =>
    bound(origin, inclusive === false ? 'less than' : 'at most', maximum),
  too_small: ({ origin, inclusive, minimum }) =>
    bound(origin, inclusive === false ? 'more than' : 'at least', minimum),
  invalid_format: ({ format }) =>
    `must be ${FORMATS[format] ?? 'in the form that the OpenAPI document describes'}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: () => 'has unknown fields',
  invalid_value: ({ input, values }) => orMissing(input, `must be ${oneOf(values)}`),
  invalid_union: unionText,
  invalid_key: () => 'has an invalid key',
  invalid_element: () => 'has an invalid element',
  custom: () => 'is invalid',
}

/** The message of a fault in the input, unless its schema has a message of its own: `is missing`, `must be …`. Values that
 * were sent are never repeated. */
export function faultText(issue: Issue): string {
  const words = WORDS[issue.code] as (issue: Issue) => string
  return words(issue)
}

function orMissing(input: unknown, text: string): string {
  return input === undefined ? 'is missing' : text
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  nonoptional: 'there',
  never: 'absent',
  date: 'a date',
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 date-time with an offset',
  date: 'a date, YYYY-MM-DD',
  time: 'a time of day',
  duration: 'an ISO 8601 duration',
  url: 'a URL',
  email: 'an email address',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'base64',
  safeint: 'a whole number',
}

/** The forms of a union are distinguished by one of their fields, by their types, or by all of their parts. */
function unionText(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { input, discriminator, options, errors } = issue
  if (typeof discriminator !== 'string' || !Array.isArray(options)) {
    const [only, ...others] = errors.filter(([first]) => first?.code !== 'invalid_type')
    const [fault] = only ?? []
    if (fault?.path.length === 0 && others.length === 0) return fault.message
    return orMissing(input, 'must have one of the forms that the OpenAPI document describes')
  }
  return orMissing((input as Readonly<Record<string, unknown>>)[discriminator], `must be ${oneOf(options)}`)
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'string')
    return `must have ${relation} ${limit} ${String(limit) === '1' ? 'character' : 'characters'}`
  if (['array', 'set', 'map', 'object', 'record'].includes(origin))
    return `must have ${relation} ${limit} ${String(limit) === '1' ? 'entry' : 'entries'}`
  return `must be ${relation} ${limit}`
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const [only] = values
  const names = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return values.length === 1 && only !== undefined ? String(names[0]) : `one of ${names.join(', ')}`
}

z.config({ customError: (issue) => faultText(issue) })
