import { expect, test } from 'bun:test'

import { Waking } from '../../workers/bun/waking.ts'

const SOON_MS = 20
const LONG_MS = 120

async function wokenBy(arm: (waking: Waking) => void): Promise<number> {
  let woken = 0
  const waking = new Waking(() => woken++)
  arm(waking)
  await Bun.sleep(LONG_MS)
  waking.close()
  return woken
}

test.each([
  ['once, when the time has come', 1, (waking: Waking) => waking.armed(Date.now() + SOON_MS)],
  ['at once, when it is over', 1, (waking: Waking) => waking.armed(0)],
  ['once, by the latest word', 1, (waking: Waking) => [0, Date.now() + SOON_MS].forEach(waking.armed)],
  ['not for never', 0, (waking: Waking) => [0, null].forEach(waking.armed)],
  ['not before the time', 0, (waking: Waking) => waking.armed(Date.now() + 10 * LONG_MS)],
  // A timer of more than 2^31 ms would fire at once.
  ['not for a time far away', 0, (waking: Waking) => waking.armed(Date.now() + 2 ** 32)],
  [
    'not once it is closed',
    0,
    (waking: Waking) => [() => waking.armed(0), () => waking.close()].forEach((act) => act()),
  ],
  [
    'not when it is armed after that',
    0,
    (waking: Waking) => [() => waking.close(), () => waking.armed(0)].forEach((act) => act()),
  ],
])('a flow is woken %s', async (_, times, arm) => {
  expect(await wokenBy(arm)).toBe(times)
})
