import { expect, test } from 'bun:test'

import { exampleValues } from './query-columns.ts'

const parameter = (type: Parameters<typeof exampleValues>[0][number]['type'], more: object = {}) => ({
  name: type,
  type,
  multi: false,
  required: true,
  default: null,
  choices: [],
  ...more,
})

test('a data query runs for its columns with examples of the values that it needs', () => {
  expect(exampleValues([])).toEqual({})
  expect(
    exampleValues([
      parameter('string'),
      parameter('number', { multi: true }),
      parameter('boolean'),
      parameter('date'),
      parameter('datetime'),
      parameter('enum', { choices: ['north', 'south'] }),
    ]),
  ).toEqual({
    string: 'a',
    number: [1],
    boolean: true,
    date: '2026-01-01',
    datetime: '2026-01-01T00:00:00Z',
    enum: 'north',
  })
})

test('values with a default, and values that may be missing, are left to the service', () => {
  expect(exampleValues([parameter('identifier', { default: 'region' })])).toEqual({})
  expect(exampleValues([parameter('query', { required: false })])).toEqual({})
})

test('no example stands for a column or for a value of another data query', () => {
  expect(exampleValues([parameter('string'), parameter('identifier')])).toBeNull()
  expect(exampleValues([parameter('query')])).toBeNull()
  expect(exampleValues([parameter('enum')])).toBeNull()
})
