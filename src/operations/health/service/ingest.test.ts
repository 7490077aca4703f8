import { expect, test } from 'bun:test'

import { ALWAYS_HEALTHY, UNKNOWN_LIMITS_MAX } from '../../../ports/ingest-health.ts'
import { limitsAreUnknown } from './ingest.ts'

const warningOf = (count: number) => {
  const ids = Array.from({ length: count }, (_, place) => place + 1)
  const unknownLimits = () => Promise.resolve(ids)
  return limitsAreUnknown({ ingestHealth: { ...ALWAYS_HEALTHY, unknownLimits } })
}

test('unknown limits are counted up to a bound, and the first jobs are named', async () => {
  expect(await warningOf(0)).toBeNull()
  const detailOf = async (count: number) => (await warningOf(count))?.detail
  expect(await detailOf(1)).toContain('of 1 job are unknown and make no alarm: 1. ')
  expect(await detailOf(11)).toContain(
    'of 11 jobs are unknown and make no alarm: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …. ',
  )
  expect(await detailOf(UNKNOWN_LIMITS_MAX - 1)).toContain('of 999 jobs ')
  expect(await detailOf(UNKNOWN_LIMITS_MAX)).toContain('of 1000 or more jobs ')
})
