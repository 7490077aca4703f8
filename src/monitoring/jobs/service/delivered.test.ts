import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { timeFormat } from '../../../lib/time.ts'
import type { Delivered } from '../../../ports/job-actors.ts'
import { deliveredText } from './delivered.ts'

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 500)

test('what is written of a delivery says nothing of those before', () => {
  const one = fc.record<Delivered>({
    accepted: fc.constantFrom(1, 1, 1, 2),
    timestampAt: fc.constantFrom(0, 0, 0, 1_500),
    late: fc.constantFrom(false, false, false, true),
    state: fc.constantFrom('ok', 'ok', 'ok', 'major'),
    errorCode: fc.constantFrom(0, 0, 0, 5),
    deadlineAt: fc.constantFrom(60_000, 60_000, 60_000, 60_001, null),
  })
  const zone = fc.constantFrom('UTC', 'UTC', 'UTC', 'Europe/Berlin')
  fc.assert(
    fc.property(fc.array(fc.tuple(zone, one), { maxLength: 20, size: 'max' }), (all) => {
      for (const [timeZone, delivered] of all) {
        const format = timeFormat(timeZone)
        const { accepted, late, state, errorCode, timestampAt, deadlineAt } = delivered
        const timestamp = format(timestampAt)
        const nextTimeoutAt = deadlineAt === null ? null : format(deadlineAt)
        expect(JSON.parse(`{${deliveredText(format, delivered)}}`)).toEqual({
          accepted,
          timestamp,
          late,
          state,
          errorCode,
          nextTimeoutAt,
        })
      }
    }),
    { numRuns: RUNS },
  )
})
