import { expect, test } from 'bun:test'

import { Refusal } from '../../src/lib/errors.ts'
import { outcomeOf, refused, replyOf, valueOf } from './reply.ts'

const refusal = new Refusal('pool_exhausted', 'No connection was free.', [{ pointer: '/a', message: 'b' }], 5)
const parts = {
  code: 'pool_exhausted' as const,
  detail: 'No connection was free.',
  errors: [{ pointer: '/a', message: 'b' }],
  retryAfterS: 5,
}

test('a refusal is the same after its way between objects', () => {
  const reply = structuredClone(refused(refusal))
  expect(() => valueOf(reply)).toThrow(expect.objectContaining(parts) as Refusal)
  expect(outcomeOf(reply)).toMatchObject(parts)
})

test('the refusal that caused an error is the reply; another error is thrown', async () => {
  const wrapped = () => Promise.reject(new Error('a query failed', { cause: refusal }))
  expect(await replyOf(wrapped)).toEqual({ ok: false, ...parts })
  const fault = () => Promise.reject(new TypeError('a fault'))
  expect(await replyOf(fault).catch(String)).toBe('TypeError: a fault')
})
