import { describe, expect, test } from 'bun:test'

import fc from 'fast-check'

import { codeOf } from '../../../test/refusals.ts'
import { unsnappy } from './snappy.ts'

const MAX = 1024

/** The parts of a block, as a compressor may choose them. */
type Part =
  | { readonly kind: 'literal'; readonly bytes: Uint8Array }
  | { readonly kind: 'copy'; readonly form: 1 | 2 | 3; readonly length: number; readonly back: number }

const literal = fc
  .uint8Array({ minLength: 1, maxLength: 300 })
  .map((bytes): Part => ({ kind: 'literal', bytes }))
const copy = fc
  .record({
    form: fc.constantFrom(1 as const, 2 as const, 3 as const),
    length: fc.nat(63),
    back: fc.nat(5000),
  })
  .map((fields): Part => ({ kind: 'copy', ...fields }))
const block = fc.array(fc.oneof(literal, copy), { maxLength: 40 })

/** Writes a block and its decompressed bytes, byte by byte. */
function write(parts: readonly Part[]): { packed: Uint8Array; plain: Uint8Array<ArrayBuffer> } {
  const plain: number[] = []
  const body: number[] = []
  for (const part of parts) {
    if (part.kind === 'literal') body.push(...literalTag(part.bytes.length), ...part.bytes)
    if (part.kind === 'literal') plain.push(...part.bytes)
    if (part.kind === 'literal' || plain.length === 0) continue
    const { form } = part
    const length = form === 1 ? 4 + (part.length % 8) : 1 + part.length
    const offset = 1 + (part.back % Math.min(plain.length, form === 1 ? 2047 : 65_535))
    if (form === 1) body.push(((offset >> 8) << 5) | ((length - 4) << 2) | 1, offset & 255)
    else body.push(((length - 1) << 2) | form, offset & 255, offset >> 8, ...(form === 3 ? [0, 0] : []))
    for (let index = 0; index < length; index++) plain.push(plain[plain.length - offset] ?? 0)
  }
  return { packed: Uint8Array.from([...varint(plain.length), ...body]), plain: Uint8Array.from(plain) }
}

function literalTag(length: number): number[] {
  return length <= 60 ? [(length - 1) << 2] : [61 << 2, (length - 1) & 255, (length - 1) >> 8]
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [128 + (number % 128), ...varint(Math.floor(number / 128))]
}

const outcomeOf = (packed: Iterable<number>, max = MAX) =>
  codeOf(() => unsnappy(Uint8Array.from(packed), max)) ?? 'taken'

describe('a Snappy block', () => {
  test('of any parts, including overlapping copies, is decompressed to its source', () => {
    fc.assert(
      fc.property(block, (parts) => {
        const { packed, plain } = write(parts)
        expect(unsnappy(packed, plain.length)).toEqual(plain)
      }),
    )
  })

  test('is rejected when bytes are missing or added at its end', () => {
    fc.assert(
      fc.property(block, fc.nat(), (parts, cut) => {
        const { packed } = write(parts)
        fc.pre(packed.length > 1)
        expect(outcomeOf(packed.subarray(0, cut % packed.length), 100_000)).toBe('bad_request')
        expect(outcomeOf([...packed, 0, 7], 100_000)).toBe('bad_request')
      }),
    )
  })

  test('of random bytes is rejected or has its stated length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(['taken', 'bad_request', 'too_large']).toContain(outcomeOf(bytes))
      }),
      { numRuns: 2000 },
    )
  })

  test('may state at most the allowed length, and allocates nothing beyond it', () => {
    const bytes = new Uint8Array(MAX)
    const packed = [...varint(MAX), ...literalTag(MAX), ...bytes]
    expect(unsnappy(Uint8Array.from(packed), MAX)).toEqual(bytes)
    expect(outcomeOf(packed, MAX - 1)).toBe('too_large')
    expect(outcomeOf([...varint(2 ** 32 - 1), 0, 1], 4 * 1024 * 1024)).toBe('too_large')
  })

  const ten = varint(10)
  test.each<[string, number[]]>([
    ['nothing at all', []],
    ['a length that does not end', [128, 128, 128, 128, 128, 1]],
    ['a length that ends with the block', [128]],
    ['less than it says', [...ten, 0, 1]],
    ['more than it says', [...varint(1), 4, 1, 2]],
    ['a copy from before the start', [...ten, 0, 1, 1 | (0 << 2), 2]],
    ['a copy from where it stands', [...ten, 0, 1, 1 | (0 << 2), 0]],
    ['a copy without its offset', [...ten, 0, 1, 2 | (3 << 2), 1]],
    ['a copy of a far offset', [...ten, 0, 1, 3 | (3 << 2), 1, 0, 0, 128]],
    ['a literal whose length has bit 31', [...ten, 63 << 2, 0, 0, 0, 128, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['a literal of 4 GiB', [...ten, 63 << 2, 255, 255, 255, 255, 1, 2, 3, 4]],
    ['a literal without its length', [...ten, 62 << 2, 1]],
  ])('with %s is rejected', (_, packed) => {
    expect(outcomeOf(packed)).toBe('bad_request')
  })
})
