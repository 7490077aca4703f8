import { expect, test } from 'bun:test'

import { Refusal } from '../../lib/errors.ts'
import { parametersOf } from './parameters.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test.each([
  ['', {}],
  ['  \n', {}],
  ['{"a":{"b":[1]}}', { a: { b: [1] } }],
  ['[1]', { body: [1] }],
  ['null', { body: null }],
  ['"x"', { body: 'x' }],
  ['a=1&b=2', { body: 'a=1&b=2' }],
  ['{"a":', { body: '{"a":' }],
])('%p is %p', (text, parameters) => expect(parametersOf(bytes(text))).toEqual(parameters as never))

test('as JSON it has 65,536 characters at most', () => {
  const around = JSON.stringify({ body: '' }).length
  expect(parametersOf(bytes('x'.repeat(65_536 - around)))).toHaveProperty('body')
  expect(() => parametersOf(bytes('x'.repeat(65_537 - around)))).toThrow(Refusal)
})

test('bytes that are not text are refused', () =>
  expect(() => parametersOf(new Uint8Array([0xff]))).toThrow(Refusal))
