import { expect, test } from 'bun:test'

import { untilAborted } from './abort.ts'

const never = () => new Promise<never>(() => undefined)

test('a promise comes to what it comes to while nothing is aborted', async () => {
  const { signal } = new AbortController()
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1)
  const failure = new Error('failed')
  expect(await untilAborted(Promise.reject(failure), signal).catch((error: unknown) => error)).toBe(failure)
})

test('an abort comes first, also one of before, and later ones do no harm', async () => {
  const stop = new AbortController()
  const waiting = untilAborted(never(), stop.signal).catch((error: unknown) => error)
  const done = await untilAborted(Promise.resolve(1), stop.signal)
  const reason = new Error('too late')
  stop.abort(reason)
  expect(await waiting).toBe(reason)
  expect(await untilAborted(never(), stop.signal).catch((error: unknown) => error)).toBe(reason)
  expect(done).toBe(1)
})
