import { expect, test } from 'bun:test'

import { importRefusal } from './failure.ts'

test('the pointer of a fault escapes the name of its column', () => {
  const message = 'The value is not of the type integer.'
  const fault = { code: 'not_of_the_type', line: 3, column: 'amount/net~', message } as const
  expect(importRefusal([fault]).errors).toEqual([{ pointer: '/file/3/amount~1net~0', message }])
})
