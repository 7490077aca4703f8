import { expect, test } from 'bun:test'

import { Refusal } from '../lib/errors.ts'
import { reserveBytes, RESERVED_BYTES_MAX, SMALL_BYTES_MAX } from './body-budget.ts'

test('large bodies are taken in up to a bound, small ones always, and what was released counts no more', () => {
  const first = reserveBytes(RESERVED_BYTES_MAX - SMALL_BYTES_MAX - 1)
  const second = reserveBytes(SMALL_BYTES_MAX + 1)
  expect(() => reserveBytes(SMALL_BYTES_MAX + 1)).toThrow(Refusal)
  reserveBytes(SMALL_BYTES_MAX)()
  second()
  reserveBytes(SMALL_BYTES_MAX + 1)()
  first()
  reserveBytes(RESERVED_BYTES_MAX)()
})

test('a body whose release function is garbage-collected no longer counts', async () => {
  const leave = () => {
    reserveBytes(RESERVED_BYTES_MAX)
  }
  leave()
  expect(() => reserveBytes(SMALL_BYTES_MAX + 1)).toThrow(Refusal)
  const release = await untilThere(() => reserveBytes(RESERVED_BYTES_MAX))
  // A released body is not given back again when it is garbage-collected.
  release()
  for (let turn = 0; turn < 3; turn++) await collect()
  const whole = reserveBytes(RESERVED_BYTES_MAX)
  expect(() => reserveBytes(SMALL_BYTES_MAX + 1)).toThrow(Refusal)
  whole()
})

async function untilThere<Result>(get: () => Result): Promise<Result> {
  for (let tried = 0; tried < 50; tried++) {
    await collect()
    try {
      return get()
    } catch {
      continue
    }
  }
  return get()
}

async function collect(): Promise<void> {
  Bun.gc(true)
  await Bun.sleep(1)
}
