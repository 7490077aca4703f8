import { expect, test } from 'bun:test'

import { Refusal } from '../../src/lib/errors.ts'
import { refused, valueOf } from './reply.ts'

test('a refusal is the same after its way between objects', () => {
  const refusal = new Refusal(
    'pool_exhausted',
    'No connection was free.',
    [{ pointer: '/a', message: 'b' }],
    5,
  )
  const reply = structuredClone(refused(refusal))
  expect(() => valueOf(reply)).toThrow(
    expect.objectContaining({
      code: 'pool_exhausted',
      detail: 'No connection was free.',
      errors: [{ pointer: '/a', message: 'b' }],
      retryAfterS: 5,
    }) as Refusal,
  )
})
