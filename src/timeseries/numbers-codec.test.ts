import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { decodeNumbers, encodeNumbers } from './numbers-codec.ts'
import type { Samples } from './samples.ts'

const T = Date.parse('2026-03-02T09:00:00Z')

const VECTORS: { title: string; hex: string; samples: Samples<number> }[] = [
  {
    title: 'decimals at 10^2, every minute, the last one a second late',
    hex: '030680b59aeeca33e0d403000803fffcafa002a41309c81fffe5d328',
    samples: {
      at: [T, T + 60_000, T + 120_000, T + 180_000, T + 240_000, T + 301_000],
      values: [12.34, 12.3, 12.3, 12.3, 12.3, -1],
    },
  },
  {
    title: 'decimals at the ends of their range',
    hex: '0302008080f0968cc1ac0f00008080808080808008ccf0000000000001',
    samples: { at: [0, 8.64e15], values: [2 ** 51, -(2 ** 51)] },
  },
  {
    title: 'doubles: a third, the same again, its neighbour, minus zero, a half, the largest power of ten',
    hex: '040680b59aeeca33e0d4030000c8083fd55555555555550001710308bfd555555555555602bfe0084001ccf385ebc8a0',
    samples: {
      at: [0, 1, 2, 3, 4, 5].map((minutes) => T + minutes * 60_000),
      values: [1 / 3, 1 / 3, 0.33333333333333337, -0, 0.5, 1e308],
    },
  },
  {
    title: 'runs of zeros between and at the end, and one value that leaps',
    hex: '032800e8070000f8e0000000f28000009fffea7a120249249200',
    samples: {
      at: Array.from({ length: 40 }, (_, index) => 1_000 * index),
      values: Array.from({ length: 40 }, (_, index) => (index === 30 ? 1_000_000 : Number(index > 20))),
    },
  },
  { title: 'one sample', hex: '0301010000807f', samples: { at: [1], values: [8128] } },
  { title: 'no samples', hex: '030000', samples: { at: [], values: [] } },
]

describe('the format is fixed', () => {
  for (const { title, hex, samples } of VECTORS) {
    test(title, () => {
      expectSame(decodeNumbers(fromHex(hex)), samples)
      expect(encodeNumbers(samples).toHex()).toBe(hex.replaceAll(/\s/g, ''))
    })
  }
})

describe('hard values come back exactly, alone and among others', () => {
  const tiny = [1e-6, 1e-7, 5e-324, -5e-324, 2.2250738585072014e-308]
  const plain = [
    0,
    -0,
    1,
    -1,
    0.1,
    -0.1,
    0.1 + 0.2,
    1 / 3,
    Math.fround(0.1),
    123456789.123456,
    4503599627.370497,
  ]
  const large = [2 ** 31, 2 ** 32 + 1, 2 ** 52, 2 ** 52 + 1, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, 1e21, 1e22]
  const huge = [1e308, -1e308, Number.MAX_VALUE, -Number.MAX_VALUE]
  test.each([...tiny, ...plain, ...large, ...huge])('%p', (value) => {
    for (const values of [[value], [value, value], [1.25, value, 1.25], [value, -value, value]]) {
      const at = values.map((_, index) => index)
      expectSame(decodeNumbers(encodeNumbers({ at, values })), { at, values })
    }
  })
})

test('a power of two comes back from among small numbers', () => {
  for (let exponent = 0; exponent <= 51; exponent++) {
    const values = [0, 1, 2, 1, 2 ** exponent, 3, -(2 ** exponent), 2 ** exponent, 1, 2]
    const at = values.map((_, index) => index)
    expectSame(decodeNumbers(encodeNumbers({ at, values })), { at, values })
  }
})

test('any ascending samples of finite numbers come back exactly', () => {
  fc.assert(
    fc.property(anySamples(), (samples) => expectSame(decodeNumbers(encodeNumbers(samples)), samples)),
    { numRuns: 1_000 },
  )
})

test('a constant series every minute takes less than a twentieth of a byte per sample', () => {
  const at = Array.from({ length: 600 }, (_, index) => T + index * 60_000)
  expect(encodeNumbers({ at, values: at.map(() => 21.5) }).length).toBeLessThan(30)
  expect(encodeNumbers({ at, values: at.map(() => 1 / 3) }).length).toBeLessThan(30)
})

describe('bytes that are not a series are refused', () => {
  test.each<[string, Samples<number>]>([
    ['NaN', { at: [1], values: [NaN] }],
    ['an infinity', { at: [1, 2], values: [1, -Infinity] }],
    ['a fraction of a millisecond', { at: [1.5], values: [1] }],
    ['an instant before 1970', { at: [-1], values: [1] }],
    ['an instant past the year 275760', { at: [8.64e15 + 2], values: [1] }],
    ['an instant that is not a number', { at: [NaN], values: [1] }],
    ['falling instants', { at: [2, 1], values: [1, 1] }],
    ['more values than instants', { at: [1], values: [1, 2] }],
    ['more samples than a body holds', { at: Array(65_537).fill(1), values: Array(65_537).fill(1) }],
  ])('%s', (_, samples) => {
    expect(() => encodeNumbers(samples)).toThrow(RangeError)
  })
})

describe('a damaged body is refused', () => {
  test.each([
    ['nothing at all', '', /cut short/],
    ['an unknown kind', '05 00 00', /5 is not a kind/],
    ['a string body', '11 00 00', /17 is not a kind/],
    ['a run past the count', '04 02 01 00 00 00 03', /a run of 3 among 2/],
    ['an empty run', '04 02 01 00 00 00 00', /a run of 0 among 2/],
    ['a double of nine bytes', '04 01 02 00 18 00 00 00 00 00 00 00 00 00', /24 is not a header/],
    ['a double of no bytes', '04 01 02 00 10', /16 is not a header/],
    ['a number of 2^53 + 2', '03 01 8280808080808010 00 00', /beyond 2\^53/],
    ['a number without end', '03 01 ffffffffffffffffffff01 00 00', /beyond 2\^53/],
    ['a count beyond what a body holds', '03 818004 00', /65537 samples/],
    ['an unknown exponent', '03 01 01 00 07 00', /7 is not an exponent/],
    ['a packed run past the count', '03 03 01 01 00 00 f0 00', /a run of 15 among 1/],
  ])('%s', (_, hex, message) => {
    const decode = () => decodeNumbers(fromHex(hex))
    expect(decode).toThrow(RangeError)
    expect(decode).toThrow(message)
  })

  test('one that is cut anywhere, and one with a byte too many', () => {
    fc.assert(
      fc.property(anySamples(), fc.nat(), (samples, place) => {
        const body = encodeNumbers(samples)
        expect(() => decodeNumbers(body.subarray(0, place % body.length))).toThrow(RangeError)
        expect(() => decodeNumbers(Uint8Array.of(...body, 0))).toThrow(RangeError)
      }),
    )
  })

  test('one of any bytes gives samples or a RangeError', () => {
    fc.assert(
      fc.property(fc.constantFrom(3, 4), fc.uint8Array({ maxLength: 60 }), (kind, rest) => {
        try {
          const { at, values } = decodeNumbers(Uint8Array.of(kind, ...rest))
          expect(values.length).toBe(at.length)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

function anySamples(): fc.Arbitrary<Samples<number>> {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  const decimal = fc
    .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(7))
    .map(([mantissa, exponent]) => mantissa / 10 ** exponent)
  const kinds = [
    decimal,
    double,
    fc.maxSafeInteger(),
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(1.5, 1.5, 1.5, 2),
    fc.constantFrom(1 / 3, -0, 0),
    fc.oneof(decimal, double),
  ]

  return fc
    .oneof(...kinds.map((kind) => fc.array(fc.tuple(anyGap(), kind), { maxLength: 200 })))
    .map((steps) => {
      let at = 0

      return { at: steps.map(([gap]) => (at += gap)), values: steps.map(([, value]) => value) }
    })
}

function anyGap(): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constant(0),
    fc.constant(60_000),
    fc.integer({ min: 59_000, max: 61_000 }),
    fc.integer({ min: 0, max: 4e13 }),
  )
}

function expectSame(given: Samples<number>, wanted: Samples<number>): void {
  const isSame = (one: number, index: number) => Object.is(one, wanted.values[index])
  expect(given.at).toEqual(wanted.at)
  expect(given.values.length).toBe(wanted.values.length)
  if (!given.values.every(isSame)) expect(given.values).toStrictEqual([...wanted.values])
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replaceAll(/\s/g, ''))
}
