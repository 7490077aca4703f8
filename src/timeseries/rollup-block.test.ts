import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { blockOf, CellBlock, decodeCells, HOURS, levelFor, MINUTES, spanOf } from './rollup-block.ts'
import { decodeHeader, encodeHeader } from './segment-header.ts'
import { segmentNumbers } from './segments.ts'
import { HOUR_MS } from '../lib/time.ts'

const BLOCK = 1_000
const { from: BEGIN_AT } = spanOf(HOURS, BLOCK)

const value = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }).map((mantissa) => mantissa / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 5, 1e308, -1e308, 1 / 3),
)
const lists = fc.array(
  fc.array(fc.tuple(fc.integer({ min: 0, max: 128 * HOUR_MS - 1 }), value), { minLength: 1, maxLength: 60 }),
  { minLength: 1, maxLength: 5 },
)

test('cells come back as they were written, and are what a look at all samples gives', () => {
  fc.assert(
    fc.property(lists, (given) => {
      let body: Uint8Array | null = null
      const all: { at: number; value: number }[] = []
      for (const list of given) {
        const some = list
          .map(([offset, one]) => ({ at: BEGIN_AT + offset, value: one }))
          .toSorted((one, other) => one.at - other.at)
        all.push(...some)
        const block: CellBlock = body ? CellBlock.decode(HOURS, BLOCK, body) : new CellBlock(HOURS, BLOCK)
        block.add({ at: some.map(({ at }) => at), values: some.map((one) => one.value) })
        body = block.encode()
        expect(decodeCells(HOURS, BLOCK, body)).toEqual(
          block.cells.toSorted((one, other) => one.from - other.from),
        )
      }
      const sorted = all.toSorted((one, other) => one.at - other.at)
      for (const cell of decodeCells(HOURS, BLOCK, body ?? new Uint8Array())) {
        const inside = sorted.filter(({ at }) => at >= cell.from && at < cell.end)
        const values = inside.map((one) => one.value)
        expect(cell).toMatchObject({
          count: inside.length,
          min: Math.min(...values),
          max: Math.max(...values),
          last: values.at(-1) ?? 0,
          to: inside.at(-1)?.at ?? 0,
        })
      }
    }),
    { numRuns: 300 },
  )
})

test('a cell keeps the mean of numbers whose sum is beyond the range of a double', () => {
  const minutes = new CellBlock(MINUTES, BLOCK)
  const { from } = spanOf(MINUTES, BLOCK)
  const at = Array.from({ length: 24 }, (_, index) => from + index * 150_000)
  minutes.add({ at, values: at.map((_, index) => (index % 2 === 0 ? 1e308 : 1.6e308)) })
  const hours = new CellBlock(HOURS, blockOf(HOURS, from))
  hours.addCells(decodeCells(MINUTES, BLOCK, minutes.encode()))
  const [hour, ...others] = decodeCells(HOURS, blockOf(HOURS, from), hours.encode())
  expect(others).toHaveLength(from % HOUR_MS === 0 ? 0 : 1)
  expect(hour?.sum).toBeNull()
  expect((hour?.mean ?? 0) / 1.3e308).toBeCloseTo(1, 12)
})

test('the mean is unknown in a cell of a release that kept none', () => {
  const body = Uint8Array.fromHex('21010005020001087fe1ccf385ebc8a0087fe1ccf385ebc8a0087fe1ccf385ebc8a0')
  expect(decodeCells(HOURS, BLOCK, body)[0]).toMatchObject({ count: 2, sum: null, mean: null, max: 1e308 })
})

test('sums of decimals are exact, however they were added', () => {
  const block = new CellBlock(HOURS, BLOCK)
  for (let index = 0; index < 1_000; index++) block.add({ at: [BEGIN_AT + index], values: [0.1] })
  expect(block.cells[0]?.sum).toBe(100)
})

test('the format is fixed', () => {
  const block = new CellBlock(HOURS, BLOCK)
  block.add({ at: [0, 1, HOUR_MS, 5 * HOUR_MS + 9].map((ms) => BEGIN_AT + ms), values: [1.5, 2.5, -3, 7.25] })
  expect(block.encode().toHex()).toBe(
    '200300009804013002087e0002900324bd38340000a06509ffff1b206409ffff1b286409ffff1b28',
  )
})

test.each<[number, number, 1 | 2 | null]>([
  [60, 16, HOURS],
  [60, 15.9, null],
  [5, 16, MINUTES],
  [5, 15.9, HOURS],
])('segments of %p minutes with %p samples on the average have the level %p', (minutes, count, level) => {
  const toMs = minutes === 5 ? 300_000 : HOUR_MS
  expect(levelFor({ from: 0, to: toMs * 10, count: count * 10 })).toEqual(level)
})

describe('a head', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        fc.boolean(),
        (values, isDeflated, isBlob) => {
          const at = values.map((_, index) => BEGIN_AT + index * 7)
          for (const { summary, head } of segmentNumbers(
            { at, values },
            { countMax: 50, sizeMaxBytes: 5_000 },
          )) {
            const decoded = decodeHeader(BEGIN_AT, encodeHeader(summary, { isDeflated, isBlob }))
            expect(decoded).toMatchObject({ isDeflated, isBlob, count: values.length, numbers: summary })
            expect(decodeHeader(BEGIN_AT, head).numbers).toEqual(decoded.numbers)
          }
        },
      ),
    )
  })

  test.each(['09 01 00', '00 01', '00 01 00 00 00 00 00 00 00'])('of %p is refused', (hex) => {
    expect(() => decodeHeader(0, Uint8Array.fromHex(hex.replaceAll(' ', '')))).toThrow(RangeError)
  })
})
