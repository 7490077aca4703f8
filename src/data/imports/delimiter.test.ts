import { expect, test } from 'bun:test'

import { delimiterOf } from './delimiter.ts'

test.each([
  ['a,b,c\n1,2,3', ','],
  ['a;b\n1,5;2,5\n3,5;4,5', ';'],
  ['a\tb\n1\t2', '\t'],
  ['"a,b"|c\n1|2', '|'],
  ['alone', ','],
])('the delimiter of %j is %j', (text, delimiter) => {
  expect(delimiterOf(text, '"')).toBe(delimiter)
})
