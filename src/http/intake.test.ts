import { expect, test } from 'bun:test'

import { Refusal } from '../lib/errors.ts'
import { holdIntake, INTAKE_BYTES_MAX, SMALL_BYTES_MAX } from './intake.ts'

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
