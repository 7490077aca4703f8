import { expect, test } from 'bun:test'

import { Refusal } from '../lib/errors.ts'
import { holdIntake, INTAKE_BYTES_MAX, SMALL_BYTES_MAX } from './body-budget.ts'

test('large bodies are taken in up to a bound, small ones always, and what was released counts no more', () => {
  const first = holdIntake(INTAKE_BYTES_MAX - SMALL_BYTES_MAX - 1)
  const second = holdIntake(SMALL_BYTES_MAX + 1)
  expect(() => holdIntake(SMALL_BYTES_MAX + 1)).toThrow(Refusal)
  holdIntake(SMALL_BYTES_MAX)()
  second()
  holdIntake(SMALL_BYTES_MAX + 1)()
  first()
  holdIntake(INTAKE_BYTES_MAX)()
})

test('what nobody can release any more counts no more', async () => {
  const leave = () => {
    holdIntake(INTAKE_BYTES_MAX)
  }
  leave()
  expect(() => holdIntake(SMALL_BYTES_MAX + 1)).toThrow(Refusal)
  const release = await untilThere(() => holdIntake(INTAKE_BYTES_MAX))
  // What was released is not given back once more when it has gone.
  release()
  for (let turn = 0; turn < 3; turn++) await collect()
  const whole = holdIntake(INTAKE_BYTES_MAX)
  expect(() => holdIntake(SMALL_BYTES_MAX + 1)).toThrow(Refusal)
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
