import { expect, test } from 'bun:test'

import { base32, codeOf, stepAt, stepOf } from './totp.ts'

const SECRET = new TextEncoder().encode('12345678901234567890')

/** RFC 6238, appendix B: seconds and the code of eight digits, of which ours are the last six. */
test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('at second %i the code ends %s', async (second, code) => {
  expect(await codeOf(SECRET, stepAt(second * 1000))).toBe(code.slice(-6))
})

/** RFC 4226, appendix D. */
test.each([
  [0, '755224'],
  [1, '287082'],
  [2, '359152'],
  [3, '969429'],
  [4, '338314'],
  [5, '254676'],
  [6, '287922'],
  [7, '162583'],
  [8, '399871'],
  [9, '520489'],
])('the code of step %i is %s', async (step, code) => {
  expect(await codeOf(SECRET, step)).toBe(code)
})

test('a code is taken one step early or late, and no further', async () => {
  const at = 45_000 * 1000
  for (const [distance, step] of [
    [-2, null],
    [-1, 1499],
    [0, 1500],
    [1, 1501],
    [2, null],
  ] as const)
    expect(await stepOf(SECRET, await codeOf(SECRET, 1500 + distance), at)).toBe(step)
})

/** RFC 4648, section 10, without the padding. */
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('%p is %p in base32', (text, encoded) => {
  expect(base32(new TextEncoder().encode(text))).toBe(encoded)
})
