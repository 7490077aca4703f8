import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { timeFormat } from '../../../lib/time.ts'
import type { Delivered, DeliveredSeries } from '../../../domain/delivery.ts'
import { deliveredText, runText } from './delivered.ts'

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 500)
const leavesTimeout = fc.constantFrom(undefined, undefined, undefined, true) as fc.Arbitrary<true>
const message = 'values arrive without errorCode; error code 5 stays until a delivery has an errorCode'
const WARNED = { warnings: [{ code: 'error_code_stands', message }] }

test('the text of a delivery does not depend on earlier deliveries', () => {
  const one = fc.record<Delivered>({
    accepted: fc.constantFrom(1, 1, 1, 2),
    timestampAt: fc.constantFrom(0, 0, 0, 1_500),
    late: fc.constantFrom(false, false, false, true),
    state: fc.constantFrom('ok', 'ok', 'ok', 'major'),
    errorCode: fc.constantFrom(0, 0, 0, 5),
    deadlineAt: fc.constantFrom(60_000, 60_000, 60_000, 60_001, null),
    leavesTimeout,
  })
  const zone = fc.constantFrom('UTC', 'UTC', 'UTC', 'Europe/Berlin')
  fc.assert(
    fc.property(fc.array(fc.tuple(zone, one), { maxLength: 20, size: 'max' }), (all) => {
      for (const [timeZone, delivered] of all) {
        const format = timeFormat(timeZone)
        const { accepted, late, state, errorCode, timestampAt, deadlineAt, leavesTimeout: isLeft } = delivered
        const timestamp = format(timestampAt)
        const nextTimeoutAt = deadlineAt === null ? null : format(deadlineAt)
        expect(JSON.parse(`{${deliveredText(format, delivered)}}`)).toEqual({
          accepted,
          timestamp,
          late,
          state,
          errorCode,
          nextTimeoutAt,
          ...(isLeft ? WARNED : {}),
        })
      }
    }),
    { numRuns: RUNS },
  )
})

test('the text of a series has its refused samples and does not depend on earlier ones', () => {
  const refused = [{ index: 1, code: 'value_in_future' as const }]
  const one = fc.record<DeliveredSeries>({
    accepted: fc.constantFrom(1, 1, 1, 2),
    late: fc.constantFrom(0, 0, 0, 1),
    refused: fc.constantFrom([], [], [], refused),
    state: fc.constantFrom('ok', 'ok', 'ok', 'major'),
    errorCode: fc.constantFrom(0, 0, 0, 5),
    deadlineAt: fc.constantFrom(60_000, 60_000, 60_000, 60_001, null),
    leavesTimeout,
  })
  const format = timeFormat('UTC')
  fc.assert(
    fc.property(fc.array(one, { maxLength: 20, size: 'max' }), (all) => {
      for (const { deadlineAt, leavesTimeout: isLeft, ...rest } of all) {
        const nextTimeoutAt = deadlineAt === null ? null : format(deadlineAt)
        const run = { ...rest, deadlineAt, ...(isLeft ? { leavesTimeout: isLeft } : {}) }
        expect(JSON.parse(`{${runText(format, run)}}`)).toEqual({
          ...rest,
          nextTimeoutAt,
          ...(isLeft ? WARNED : {}),
        })
      }
    }),
    { numRuns: RUNS },
  )
})
