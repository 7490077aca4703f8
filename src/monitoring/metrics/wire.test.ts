import { describe, expect, test } from 'bun:test'

import fc from 'fast-check'
import { PbfWriter } from 'pbf'

import { Refusal } from '../../lib/errors.ts'
import { ByteCache } from './byte-cache.ts'
import { PARTS_MAX } from './points.ts'
import { Wire } from './wire.ts'

type Field =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'fixed64'; readonly value: number }
  | { readonly kind: 'message'; readonly value: readonly Field[] }

const { fields } = fc.letrec<{ fields: readonly Field[]; field: Field }>((tie) => ({
  fields: fc.array(tie('field'), { maxLength: 8 }),
  field: fc.oneof(
    { maxDepth: 4 },
    fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'grapheme' }) }),
    fc.record({ kind: fc.constant('double' as const), value: fc.double() }),
    fc.record({ kind: fc.constant('integer' as const), value: fc.maxSafeInteger() }),
    fc.record({ kind: fc.constant('fixed64' as const), value: fc.maxSafeNat() }),
    fc.record({ kind: fc.constant('message' as const), value: tie('fields') }),
  ),
}))

const NUMBERS = { text: 1, double: 2, integer: 3, fixed64: 4, message: 500 } as const

/** The encoding of mapbox's writer. */
function encode(all: readonly Field[]): Uint8Array {
  const pbf = new PbfWriter()
  for (const { kind, value } of all) {
    const number = NUMBERS[kind]
    // Not its own writer of texts, which mistakes U+20000 for U+10000.
    if (kind === 'text') pbf.writeBytesField(number, new TextEncoder().encode(value))
    if (kind === 'double') pbf.writeDoubleField(number, value)
    if (kind === 'integer') pbf.writeVarintField(number, value)
    if (kind === 'fixed64') pbf.writeFixed64Field(number, value)
    if (kind === 'message') pbf.writeBytesField(number, encode(value))
  }
  return pbf.finish()
}

function decode(wire: Wire): Field[] {
  const all: Field[] = []
  wire.fields((number) => {
    if (number === NUMBERS.text) all.push({ kind: 'text', value: wire.text() })
    if (number === NUMBERS.double) all.push({ kind: 'double', value: wire.double() })
    if (number === NUMBERS.integer) all.push({ kind: 'integer', value: wire.integer() })
    if (number === NUMBERS.fixed64) all.push({ kind: 'fixed64', value: Number(wire.fixed64()) })
    if (number === NUMBERS.message) all.push({ kind: 'message', value: decode(wire.message()) })
  })
  return all
}

const read = (bytes: readonly number[] | Uint8Array) => decode(Wire.of(Uint8Array.from(bytes)))

function outcomeOf(bytes: readonly number[] | Uint8Array): string {
  try {
    read(bytes)
    return 'taken'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

describe('a protobuf message', () => {
  test('is read as another implementation wrote it', () => {
    fc.assert(
      fc.property(fields, (all) => {
        expect(read(encode(all))).toEqual(all as Field[])
      }),
    )
  })

  test('is read in the same way when its fields are skipped', () => {
    fc.assert(
      fc.property(fields, (all) => {
        let count = 0
        Wire.of(encode(all)).fields(() => count++)
        expect(count).toBe(all.length)
      }),
    )
  })

  test('is rejected when it is truncated within a field', () => {
    fc.assert(
      fc.property(fields, fc.nat(), (all, at) => {
        const bytes = encode(all)
        const whole = new Set(all.map((_, index) => encode(all.slice(0, index)).length))
        fc.pre(bytes.length > 0 && !whole.has(at % bytes.length))
        expect(outcomeOf(bytes.subarray(0, at % bytes.length))).toBe('bad_request')
      }),
    )
  })

  test('of random bytes is read or rejected, and causes no other error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(['taken', 'bad_request']).toContain(outcomeOf(bytes))
      }),
      { numRuns: 2000 },
    )
  })

  test('is read from a view of a larger buffer', () => {
    const bytes = encode([{ kind: 'text', value: 'within' }])
    const large = new Uint8Array(bytes.length + 20).fill(255)
    large.set(bytes, 7)
    expect(decode(Wire.of(large.subarray(7, 7 + bytes.length)))).toEqual([{ kind: 'text', value: 'within' }])
  })

  test('has exact 64-bit integers, including negative ones', () => {
    const bytes = Uint8Array.from([0x09, 0x40, 0x9e, 0xd5, 0x6c, 0x2a, 0x01, 0xf0, 0x18])
    const wire = Wire.of(bytes)
    let time = 0n
    wire.fields(() => (time = wire.fixed64()))
    expect(time).toBe(0x18f0_012a_6cd5_9e40n)
    expect(read([0x18, ...Array<number>(9).fill(255), 1])).toEqual([{ kind: 'integer', value: -1 }])
    const negative = Wire.of(Uint8Array.from([0x09, 0xfe, ...Array<number>(7).fill(255)]))
    let number = 0
    negative.fields(() => (number = negative.signedFixed64()))
    expect(number).toBe(-2)
  })

  test('has the whole milliseconds of nanoseconds, and null for zero', () => {
    const millisecondsOf = (time: bigint): number | null => {
      const bytes = new DataView(new ArrayBuffer(9))
      bytes.setUint8(0, 0x09)
      bytes.setBigUint64(1, time, true)
      const wire = Wire.of(new Uint8Array(bytes.buffer))
      let found = null as number | null
      wire.fields(() => (found = wire.milliseconds()))
      return found
    }
    expect([0n, 1n, 999_999n, 1_000_000n].map(millisecondsOf)).toEqual([null, 0, 0, 1])
    const max = 2n ** 64n - 1n
    const edge = fc
      .bigInt(1n, max / 1_000_000n)
      .chain((ms) => fc.constantFrom(ms * 1_000_000n - 1n, ms * 1_000_000n))
    fc.assert(
      fc.property(fc.oneof(fc.bigInt(1n, max), edge), (time) => {
        expect(millisecondsOf(time)).toBe(Number(time / 1_000_000n))
      }),
      { numRuns: 2_000 },
    )
  })

  test(`has at most ${PARTS_MAX} messages in all`, () => {
    const empty = (count: number) => new Uint8Array(2 * count).map((_, index) => (index % 2 === 0 ? 0x3a : 0))
    const open = (count: number) => {
      const wire = Wire.of(empty(count))
      wire.fields(() => wire.message())
    }
    expect(() => open(PARTS_MAX)).not.toThrow()
    expect(() => open(PARTS_MAX + 1)).toThrow('too_large')
  })

  test.each<[string, number[]]>([
    ['a field number of zero', [0x02, 0]],
    ['a group', [0x3b, 0x3c]],
    ['a type that does not exist', [0x3f, 0]],
    // The following fields would be valid if these were misread.
    ['a text where a number is wanted', [0x12, 9, 0, 0, 0, 0, 0, 0, 0, 0x38, 0]],
    ['a text where an integer is wanted', [0x1a, 2, 0x38, 0]],
    ['a number where a text is wanted', [0x08, 1, 65]],
    ['a number where a message is wanted', [0xa1, 0x1f, 0, 0x3d, 0, 0, 0, 0, 0x38, 0]],
    ['a double of seven bytes', [0x11, 0, 0, 0, 0, 0, 0, 0]],
    ['a length past its end', [0x0a, 2, 65]],
    ['a length of 2^63', [0x0a, ...Array<number>(9).fill(128), 1]],
    ['an inner length past the end of what holds it', [0xa2, 0x1f, 3, 0x0a, 2, 65, 0x38, 0]],
    ['a varint of eleven bytes', [0x18, ...Array<number>(10).fill(128), 1]],
    ['a varint that does not end', [0x18, 128]],
    ['a skipped varint that does not end', [0x38, 128]],
    ['a skipped length past its end', [0x3a, 9]],
    ['a skipped number that is cut', [0x3d, 0, 0]],
    ['text that is not UTF-8', [0x0a, 2, 0xc3, 0x28]],
  ])('with %s is rejected', (_, bytes) => {
    expect(outcomeOf(bytes)).toBe('bad_request')
  })
})

describe('fields that are read from the cache', () => {
  const text = (value: string) => encode([{ kind: 'message', value: [{ kind: 'text', value }] }])
  const number = encode([{ kind: 'integer', value: 7 }])
  const bodyOf = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))

  /** The texts in the messages of a body, and how often messages were read. */
  function reader() {
    const cache = new ByteCache<string[]>()
    let reads = 0
    const textsOf = (body: Uint8Array, wire = Wire.of(body)) =>
      wire.cached(cache, NUMBERS.message, () => {
        reads++
        return decode(wire).flatMap((field) =>
          field.kind === 'message'
            ? field.value.flatMap((one) => (one.kind === 'text' ? one.value : []))
            : [],
        )
      })
    return { textsOf, reads: () => reads }
  }

  test('are read once while their bytes are the same, wherever they are', () => {
    const { textsOf, reads } = reader()
    expect(textsOf(bodyOf(text('a'), text('bcdef'), number))).toEqual(['a', 'bcdef'])
    expect(textsOf(bodyOf(number, text('a'), text('bcdef')))).toEqual(['a', 'bcdef'])
    expect(reads()).toBe(1)
    expect(textsOf(bodyOf(text('a'), text('bcdeg'), number))).toEqual(['a', 'bcdeg'])
    expect(textsOf(bodyOf(text('a')))).toEqual(['a'])
    expect(reads()).toBe(3)
  })

  test('are read again if other fields are between them, if they are long, and if the message has none', () => {
    for (const body of [bodyOf(text('a'), number, text('b')), text('x'.repeat(2_000)), number]) {
      const { textsOf, reads } = reader()
      expect(textsOf(body)).toEqual(textsOf(body))
      expect(reads()).toBe(2)
    }
  })

  test('count as messages each time', () => {
    const inner = bodyOf(...Array.from({ length: 100 }, () => text('')))
    const cache = new ByteCache<number>()
    const readTimes = (times: number) => {
      const pbf = new PbfWriter()
      for (let time = 0; time < times; time++) pbf.writeBytesField(NUMBERS.message, inner)
      const wire = Wire.of(pbf.finish())
      let reads = 0
      wire.fields(() => {
        const message = wire.message()
        message.cached(cache, NUMBERS.message, () => {
          reads++
          return decode(message).length
        })
      })
      return reads
    }
    const timesMax = Math.floor(PARTS_MAX / 101)
    expect(readTimes(timesMax)).toBe(1)
    expect(() => readTimes(timesMax + 1)).toThrow(Refusal)
  })
})
