import { expect, test } from 'bun:test'

import { acceptedBy } from './accepted.ts'

test.each([
  [['text/csv', 'application/json'], ['text/csv'], ['text/csv']],
  [['text/csv', 'text/plain', 'application/json'], ['text/*'], ['text/csv', 'text/plain']],
  [['text/csv', 'application/json'], ['*/*'], ['text/csv', 'application/json']],
  [['text/csv'], ['image/png'], []],
  [[], ['*/*'], []],
  [['textual/csv'], ['text/*'], []],
])('a script that takes %p in a widget that takes %p takes %p', (script, widget, both) => {
  expect(acceptedBy(script, widget)).toEqual(both)
})
