import { describe, expect, test } from 'bun:test'

import { parametersSchema } from '../../job-config/schema.ts'
import { parseFilter } from './filter.ts'
import { valueHolds } from './values.ts'

const parameters = parametersSchema.parse({
  returnValue: [
    { valueName: 'Round trip', valueDivisor: 1000 },
    { valueName: 'Loss' },
    { valueName: 'Loss' },
  ],
  stringValue: [{ valueName: 'Release' }],
})
const current = {
  returnValue1: { value: 2500, at: 0 },
  returnValue2: { value: 7, at: 0 },
  returnValue3: { value: 8, at: 0 },
  stringValue1: { value: '10', at: 0 },
}

function holds(item: string, value: string, operator: string, expression?: string): boolean {
  const { conditions } = parseFilter(JSON.stringify({ conditions: [{ item, value, operator, expression }] }))
  const [condition] = conditions
  if (condition?.test.kind !== 'value') throw new Error('This is not a condition on a value.')
  return valueHolds({ test: condition.test, negated: condition.negated }, { parameters, current })
}

describe('a condition on a current value', () => {
  const rows: [string, string, string, string | undefined, boolean][] = [
    ['value_raw', 'returnValue1', 'eq', '2500', true],
    ['value_user', 'returnValue1', 'eq', '2.5', true],
    ['value_user', 'ROUND TRIP', 'gt', '2.5', false],
    ['value_user', 'round trip', 'ne', '2.6', true],
    ['value_user', 'round trip', 'ne', '2.5', false],
    ['value_user', 'Loss', 'ge', '8', true],
    ['value_user', 'Loss', 'lt', '7', false],
    ['value_raw', 'stringValue1', 'eq', '10', true],
    ['value_raw', 'Release', 'lt', '9', true],
    ['value_raw', 'Release', 'starts_with', '1', true],
    ['value_user', 'Loss', 'matches', '*', true],
    ['value_user', 'Loss', 'not_contains', '7', true],
    ['value_user', 'Gain', 'ne', '7', false],
    ['value_user', 'Gain', 'not_defined', undefined, true],
    ['value_user', 'Loss', 'is_defined', undefined, true],
    ['value_user', 'returnValue1', 'gt', 'many', false],
  ]
  for (const [item, value, operator, expression, expected] of rows) {
    test(`${item} of ${value} ${operator} ${expression ?? ''} is ${expected}`, () => {
      expect(holds(item, value, operator, expression)).toBe(expected)
    })
  }
})
