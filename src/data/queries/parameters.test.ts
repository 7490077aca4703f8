import { describe, expect, test } from 'bun:test'
import { refusalIn } from '../../lib/errors.ts'
import { DateValue, Text } from '../../templates/values/value.ts'
import { UNCHECKED, valuesOf } from './parameters.ts'
import type { Parameter, ParameterValue } from './schema.ts'

const parameter = (part: Partial<Parameter>): Parameter => ({
  name: 'x',
  type: 'string',
  multi: false,
  required: false,
  default: null,
  choices: [],
  valuesQueryId: null,
  ...part,
})

type Values = Readonly<Record<string, ParameterValue | null>>

const given = (part: Partial<Parameter>, values: Values) =>
  valuesOf([parameter(part)], values, { pointer: '/parameters', allowed: UNCHECKED })['x']

/** The places and complaints of a refusal. */
function faults(part: Partial<Parameter>, values: Values) {
  try {
    given(part, values)
    return []
  } catch (error) {
    return refusalIn(error)?.errors.map(({ pointer, message }) => [pointer, message])
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('the value of a parameter', () => {
  test('is the one of the run, or else the default, or else null', () => {
    const part = { default: 'north' }
    expect([given(part, { x: 'south' }), given(part, {}), given(part, { x: null }), given({}, {})]).toEqual([
      'south',
      'north',
      'north',
      null,
    ])
  })

  test('is of its type', () => {
    expect(given({ type: 'number' }, { x: 1.5 })).toBe(1.5)
    expect(given({ type: 'boolean' }, { x: false })).toBe(false)
    expect(given({ type: 'date' }, { x: '2026-03-01' })).toEqual(new DateValue('date', Date.UTC(2026, 2, 1)))
    const at = new DateValue('datetime', Date.UTC(2026, 2, 1, 11))
    expect(given({ type: 'datetime' }, { x: '2026-03-01T12:00:00+01:00' })).toEqual(at)
    expect(given({ type: 'enum', choices: ['a', 'b'] }, { x: 'b' })).toEqual(new Text('b', false))
  })

  test('is not an integer that JSON may have rounded', () => {
    const complaint = 'must be between -2^53 and 2^53, because JSON numbers are rounded beyond'
    for (const x of [2 ** 53, -(2 ** 63)])
      expect(faults({ type: 'number' }, { x })).toEqual([['/parameters/x', complaint]])
    expect(faults({ type: 'number', multi: true }, { x: [1, 2 ** 60] })).toEqual([
      ['/parameters/x/1', complaint],
    ])
    for (const x of [2 ** 53 - 1, 2 ** 64, 1e300]) expect(given({ type: 'number' }, { x })).toBe(x)
  })

  test.each([0, 1, 5_000])('is a list of %d', (count) => {
    expect(given({ type: 'number', multi: true, default: [7] }, { x: numbers(count) })).toEqual(
      numbers(count),
    )
  })
})

describe('a run is refused, with the place', () => {
  test.each([
    ['a missing value', { required: true }, {}, 'x', 'is required'],
    ['null in its place', { required: true }, { x: null }, 'x', 'is required'],
    ['a number for a text', {}, { x: 1 }, 'x', 'must be a text'],
    ['a text for a number', { type: 'number' }, { x: '1' }, 'x', 'must be a number'],
    ['a text for a truth value', { type: 'boolean' }, { x: 'true' }, 'x', 'must be true or false'],
    ['a day that is not', { type: 'date' }, { x: '2026-02-30' }, 'x', 'must be a date'],
    ['an instant for a date', { type: 'date' }, { x: '2026-03-01T00:00:00Z' }, 'x', 'must be a date'],
    ['an instant without a zone', { type: 'datetime' }, { x: '2026-03-01T12:00:00' }, 'x', 'with a zone'],
    ['a date for an instant', { type: 'datetime' }, { x: '2026-03-01' }, 'x', 'with a zone'],
    ['another choice', { type: 'enum', choices: ['a'] }, { x: 'b' }, 'x', 'must be one of the choices'],
    ['one value for a list', { multi: true }, { x: 'a' }, 'x', 'must be a list'],
    ['a list for one value', {}, { x: ['a'] }, 'x', 'must not be a list'],
    ['a wrong item', { type: 'number', multi: true }, { x: [1, 'b'] }, 'x/1', 'must be a number'],
  ] as const)('%s', (_, part, values, ...[place, complaint]) => {
    const wanted = [[`/parameters/${place}`, expect.stringContaining(complaint) as string]]
    expect(faults(part as Partial<Parameter>, values as Values)).toEqual(wanted)
  })

  test('all faults at once, also of a parameter that is unknown', () => {
    expect(faults({ type: 'number' }, { x: 'a', y: 1 })).toEqual([
      ['/parameters/y', 'is not a parameter'],
      ['/parameters/x', 'must be a number'],
    ])
  })
})
