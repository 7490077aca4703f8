import { expect, test } from 'bun:test'

import { capacityRefusal } from './capacity.ts'

const MIB = 1024 * 1024

test.each([
  ['the last sample that may wait', null, { samples: 4_999_999 }],
  ['one more sample', 'overloaded', { samples: 5_000_000 }],
  ['the last byte that may wait', null, { sizeBytes: 64 * MIB - 1 }],
  ['one more byte', 'overloaded', { sizeBytes: 64 * MIB }],
  ['a commit that takes more', null, { isFull: false }],
  ['a commit that is full', 'overloaded', { isFull: true }],
  ['room for the WAL twice', null, { sizeBytes: MIB, freeBytes: 2 * MIB }],
  ['a byte less room', 'storage_full', { sizeBytes: MIB, freeBytes: 2 * MIB - 1 }],
  ['neither room nor patience', 'storage_full', { sizeBytes: 64 * MIB, freeBytes: 0, isFull: true }],
] as const)('%s: %p', (_name, code, given) => {
  const load = {
    samples: 0,
    rows: 0,
    sizeBytes: 0,
    isFull: false,
    freeBytes: Number.POSITIVE_INFINITY,
    ...given,
  }
  expect(capacityRefusal(load, load.isFull, load.freeBytes)?.code ?? null).toBe(code)
})
