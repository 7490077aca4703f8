import { expect, test } from 'bun:test'

import { defaultsOf, textOfDefaults } from './defaults.ts'

test('values of parameters are a line of text and back', () => {
  const values = { region: 'north', site: 7, on: true, lines: ['a', 'b'], none: null }
  const text = 'region=north, site=7, on=true, lines=a|b, none='
  expect(textOfDefaults(values)).toBe(text)
  expect(defaultsOf(text)).toEqual(values)
  expect(defaultsOf(' ')).toEqual({})
})

test('a text without a name and a sign of equality has no values', () => {
  for (const text of ['north', '=north', '1a=b', 'a=b, c']) expect(defaultsOf(text)).toBeNull()
})
