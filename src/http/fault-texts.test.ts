import { expect, test } from 'bun:test'

import * as z from 'zod'

import { faultText } from './fault-texts.ts'

/** One fault of each code that zod has. */
const FAULTS: readonly (readonly [z.core.$ZodIssueCode, z.ZodType, unknown, string])[] = [
  ['invalid_type', z.object({ a: z.string() }), {}, 'is missing'],
  ['invalid_type', z.string(), 1, 'must be a string'],
  ['invalid_type', z.int(), 1.5, 'must be a whole number'],
  ['invalid_type', z.strictObject({}), [], 'must be an object'],
  ['invalid_type', z.boolean(), 'true', 'must be true or false'],
  ['invalid_type', z.string().optional().nonoptional(), undefined, 'is missing'],
  ['too_big', z.string().max(3), 'four', 'must have at most 3 characters'],
  ['too_big', z.number().lt(3), 3, 'must be less than 3'],
  ['too_small', z.array(z.int()).min(1), [], 'must have at least 1 entry'],
  ['too_small', z.number().positive(), 0, 'must be more than 0'],
  ['invalid_format', z.iso.datetime({ offset: true }), 'x', 'must be an ISO 8601 date-time with an offset'],
  ['invalid_format', z.string().regex(/^a$/), 'b', 'must be in the form that the OpenAPI document describes'],
  ['not_multiple_of', z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  ['unrecognized_keys', z.strictObject({}), { a: 1 }, 'has unknown fields'],
  ['invalid_value', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  ['invalid_value', z.enum(['a', 'b']), undefined, 'is missing'],
  ['invalid_value', z.literal('a'), 'b', 'must be a'],
  [
    'invalid_union',
    z.union([z.string(), z.number()]),
    null,
    'must have one of the forms that the OpenAPI document describes',
  ],
  [
    'invalid_union',
    z.union([z.string().transform(Number), z.array(z.string()).max(1).transform(Number)]),
    ['1', '2'],
    'must have at most 1 entry',
  ],
  ['invalid_union', z.discriminatedUnion('t', [z.object({ t: z.literal('a') })]), {}, 'is missing'],
  [
    'invalid_union',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.enum(['b', 'c']) })]),
    { t: 'd' },
    'must be one of a, b, c',
  ],
  ['invalid_key', z.record(z.string().max(1), z.int()), { long: 1 }, 'has an invalid key'],
  ['invalid_element', z.map(z.object({}), z.int()), new Map([[{}, 'x']]), 'has an invalid element'],
  ['custom', z.string().refine(() => false), 'x', 'is invalid'],
]

test.each(FAULTS)('%s is said in our words', (code, schema, input, text) => {
  const [issue] = schema.safeParse(input).error?.issues ?? []
  expect([issue?.code, issue?.message]).toEqual([code, text])
})

test('each code of zod has words, and none is zod’s own', () => {
  const codes: Record<z.core.$ZodIssueCode, true> = {
    invalid_type: true,
    too_big: true,
    too_small: true,
    invalid_format: true,
    not_multiple_of: true,
    unrecognized_keys: true,
    invalid_union: true,
    invalid_key: true,
    invalid_element: true,
    invalid_value: true,
    custom: true,
  }
  expect(new Set<string>(FAULTS.map(([code]) => code))).toEqual(new Set(Object.keys(codes)))
  expect(faultText({ code: 'custom', input: 'x' })).toBe('is invalid')
})

test('what a schema says itself stays', () => {
  const { error } = z.string().max(1, 'must be short').safeParse('long')
  expect(error?.issues[0]?.message).toBe('must be short')
})
