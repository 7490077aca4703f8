import { expect, test } from 'bun:test'

import { instantQuery } from './instants.ts'

const faultOf = (text: string) => instantQuery.safeParse(text).error?.issues[0]?.message ?? null

test.each([
  ['1970-01-01T00:00:00Z', null],
  ['1969-12-31T23:59:59.999Z', 'must be from 1970-01-01 to 9999-12-30 (UTC)'],
  ['9999-12-30T23:59:59.999Z', null],
  ['9999-12-31T00:00:00Z', 'must be from 1970-01-01 to 9999-12-30 (UTC)'],
  ['2026-13-01T00:00:00Z', 'must be an ISO 8601 date-time with Z or an offset; write + as %2B'],
])('of %s the fault is %p', (text, fault) => {
  expect(faultOf(text)).toBe(fault)
})
