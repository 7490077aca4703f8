import { expect, test } from 'bun:test'
import { scryptSync } from 'node:crypto'

import { scryptBeside } from './hashing.ts'
import { scryptInSteps } from './scrypt.ts'

const NO_REST = () => Promise.resolve()

// RFC 7914, section 12; of each the first 32 bytes, which do not depend on how many are asked for.
test.each([
  ['', '', { n: 16, r: 1, p: 1 }, '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442'],
  [
    'password',
    'NaCl',
    { n: 1024, r: 8, p: 16 },
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162',
  ],
  [
    'pleaseletmein',
    'SodiumChloride',
    { n: 16384, r: 8, p: 1 },
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2',
  ],
])('scrypt of %p and %p equals the vector of the RFC', async (password, salt, cost, expected) => {
  const hash = await scryptInSteps(password, new TextEncoder().encode(salt), cost, NO_REST)
  expect(hash.toHex()).toBe(expected)
})

test('it is the hash that the host itself would compute, at every cost', async () => {
  for (const [n, r, p] of [
    [2, 1, 1],
    [4, 3, 2],
    [64, 5, 3],
    [16_384, 8, 5],
  ] as const) {
    const password = `${crypto.randomUUID()} é €`
    const salt = crypto.getRandomValues(new Uint8Array(16))
    const expected = scryptSync(password, salt, 32, { N: n, r, p, maxmem: 64 * 1024 * 1024 })
    expect(await scryptBeside(password, salt, { n, r, p })).toEqual(new Uint8Array(expected))
  }
})

test('others have their turn after each half a mebibyte', async () => {
  let rests = 0
  const rest = () => Promise.resolve(void rests++)
  await scryptInSteps('password', new Uint8Array(16), { n: 4_096, r: 8, p: 2 }, rest)
  // Of each lane 4 MiB are written and read again.
  expect(rests).toBe(2 * 2 * 8)
})

test.each([
  { n: 1_000, r: 8, p: 1 },
  { n: 1, r: 8, p: 1 },
  { n: 16, r: 0, p: 1 },
  { n: 16, r: 8, p: 0.5 },
])('there is no cost of %p', async (cost) => {
  const hashed = scryptInSteps('password', new Uint8Array(16), cost, NO_REST)
  expect(await hashed.catch(String)).toContain('RangeError: scrypt does not support')
})
