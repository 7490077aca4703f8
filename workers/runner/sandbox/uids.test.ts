import { expect, test } from 'bun:test'

import { claimUids } from './uids.ts'

test('no two have one row of users, and one that is given back is there for the next', async () => {
  const first = await claimUids()
  const second = await claimUids()
  if (first === null || second === null) throw new Error('no users are free')
  expect(Math.abs(first.first - second.first)).toBeGreaterThanOrEqual(64)
  await first.release()
  const third = await claimUids()
  await second.release()
  await third?.release()
  expect(third?.first).toBe(Math.min(first.first, third?.first ?? 0))
  expect(third?.first).not.toBe(second.first)
})
