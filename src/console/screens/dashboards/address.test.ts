import { expect, test } from 'bun:test'

import { addressOf, withField, withValue } from './address.ts'
import type { Parameter } from './dashboard.ts'

const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  name,
  label: '',
  type: 'string',
  multi: false,
  required: false,
  hidden: false,
  default: null,
  values: [],
  valuesQueryId: null,
  ...more,
})
const PARAMETERS = [
  parameter('region', { multi: true }),
  parameter('least', { type: 'number' }),
  parameter('on', { type: 'boolean' }),
  parameter('level', { type: 'enum', values: [{ value: 2, label: 'two' }] }),
  parameter('secret', { hidden: true }),
]

test('values in the address have the types of their parameters', () => {
  const search = '?p.region=north&p.region=south&p.least=-2.5&p.on=true&p.level=2&p.secret=x&p.other=y'
  expect(addressOf(search, PARAMETERS).values).toEqual({
    region: ['north', 'south'],
    least: -2.5,
    on: true,
    level: 2,
  })
})

test('an empty value clears a default, and a value of another type is sent as it is', () => {
  expect(addressOf('?p.region=&p.least=many', PARAMETERS).values).toEqual({ region: null, least: 'many' })
})

test('range and page are in the address, and the end is now unless it is named', () => {
  expect(addressOf('?from=-P7D&page=two', PARAMETERS)).toEqual({
    values: {},
    timeRange: { from: '-P7D', to: 'now' },
    page: 'two',
  })
  expect(addressOf('', PARAMETERS).timeRange).toBeNull()
})

test('a changed value replaces the former ones and keeps the rest of the address', () => {
  const search = '?p.region=a&p.region=b&from=-P7D'
  expect(withValue(search, 'region', ['c', 'd'])).toBe('?from=-P7D&p.region=c&p.region=d')
  expect(withValue(search, 'region', null)).toBe('?from=-P7D&p.region=')
  expect(withField(search, 'from', null)).toBe('?p.region=a&p.region=b')
  expect(withField('?from=-P7D', 'from', null)).toBe('')
})
