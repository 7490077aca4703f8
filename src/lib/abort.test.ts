import { expect, spyOn, test } from 'bun:test'

import { passed, untilAborted } from './abort.ts'

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

test('a pause ends with its time or with an abort, and leaves no listener', async () => {
  const stop = new AbortController()
  const [added, removed] = [spyOn(stop.signal, 'addEventListener'), spyOn(stop.signal, 'removeEventListener')]
  await passed(1, stop.signal)
  const long = passed(600_000, stop.signal)
  stop.abort()
  await long
  await passed(600_000, stop.signal)
  expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([2, 2])
})
