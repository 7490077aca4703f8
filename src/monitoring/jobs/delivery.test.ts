import { expect, test } from 'bun:test'

import { deliveryWith } from '../../../test/engine/rules.ts'
import { loneKeyOf } from './delivery.ts'

test('a lone value has no other fields than a timestamp and an error code', () => {
  const values = { returnValue1: 1 }
  expect(loneKeyOf(deliveryWith({ values }))).toBe('returnValue1')
  expect(loneKeyOf(deliveryWith({ values, timestampAt: 5, errorCode: 3 }))).toBe('returnValue1')
  for (const more of [
    { values: {} },
    { values: { returnValue1: 1, stringValue1: 'x' } },
    { signal: 'log' as const },
    { message: '' },
    { ttlMs: 1 },
    { runId: '' },
  ])
    expect(loneKeyOf(deliveryWith({ values, ...more }))).toBeNull()
})
