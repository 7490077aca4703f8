import { expect, test } from 'bun:test'

import type { OpenStatePipeline } from '../../src/state-pipeline.ts'
import { runWhenDue } from '../../workers/server/due-watch.ts'

const LONG_MS = 700
const DAY_MS = 86_400_000
const log = { info() {}, warn() {}, error() {} }

/** How often a flow is settled meanwhile that next wants to be at these instants, one after the other. */
async function settlings(...wanted: readonly number[]): Promise<number> {
  let count = 0
  const flow = {
    get nextAt() {
      return wanted[count] ?? Infinity
    },
    runDue: () => Promise.resolve(void count++),
  } as OpenStatePipeline
  const end = runWhenDue(flow, { clock: { now: () => Date.now() }, log })
  await Bun.sleep(LONG_MS)
  await end()
  const before = count
  await Bun.sleep(LONG_MS / 2)
  // Not after it was ended.
  expect(count).toBe(before)
  return count
}

test.each([
  ['once, when the time has come', 1, () => [Date.now() + 20]],
  ['at once, when it is over', 1, () => [0]],
  ['as often as something is due', 2, () => [0, Date.now()]],
  ['not for never', 0, () => []],
  ['not before the time', 0, () => [Date.now() + DAY_MS]],
  // A timer of more than 2^31 ms would fire at once.
  ['not for a time far away', 0, () => [Date.now() + 2 ** 32]],
] as const)('a flow is settled %s', async (_, times, wanted) => {
  expect(await settlings(...wanted())).toBe(times)
})
