import { bitsAt, BitWriter, onesAt } from './bits.ts'
import type { ByteReader, ByteWriter } from './bytes.ts'

/** From here on a difference of integers is not an exact double. */
const RESIDUAL_END = 2 ** 53
const PARAMETER_MAX = 52
const ESCAPE_ONES = 16
const WIDTH_BITS = 6
/** The maximum number of bits of one write. */
const WORD_BITS = 24
const MEMORY = 128
const LEAP = 8

/**
 * Writes integers within ±2^53 / 2: the first as it is, of the others what a simple predictor leaves, in Rice codes whose
 * parameter follows the values; zeros in a row become the length of their run. `docs/architecture/formats/segments.md` has the bits.
 */
export function writePacked(
  writer: ByteWriter,
  integers: readonly number[],
  { predictor, total } = bestPredictor(integers),
): void {
  const [first] = integers
  if (first === undefined) return
  writer.signed(first)
  if (integers.length === 1) return
  // By the mean width of the residuals, which a few large ones do not sway.
  const parameter = Math.max(0, Math.round(total / (integers.length - 1)) - 1)
  writer.byte(parameter * 4 + predictor)
  writer.bytes(ricesOf(integers, predictor, parameter))
}

/** Reads the integers that writePacked wrote. @throws {RangeError} for bytes that writePacked did not write */
export function readPacked(reader: ByteReader, count: number): Float64Array {
  const integers = new Float64Array(count)
  if (count === 0) return integers
  // Adding 0 turns -0, which no integer is, into 0.
  integers[0] = reader.signed() + 0
  if (count === 1) return integers
  const header = reader.byte()
  reader.through((body, place) => readRices({ body, place }, header >> 2, integers))
  restore(integers, header & 3)
  return integers
}

/** The predictor with the smallest residuals in bits; a residual that is not an exact double disqualifies it. */
export function bestPredictor(integers: readonly number[]): { predictor: number; total: number } {
  const first = integers[0] ?? 0
  // One declaration each: a pattern over a list makes this loop and those like it half as fast.
  let none = 0
  let last = 0
  let line = 0
  let mean = 0
  let one = 0
  let before = 0
  let middle = 0
  for (let index = 1; index < integers.length; index++) {
    const integer = (integers[index] ?? 0) - first
    none += widthOf(integer)
    last += widthOf(integer - one)
    line += widthOf(integer - 2 * one + before)
    mean += widthOf(integer - Math.floor(middle))
    before = one
    one = integer
    middle = (middle + integer) / 2
  }
  const total = Math.min(none, last, line, mean)
  return { predictor: [none, last, line, mean].indexOf(total), total }
}

/** How many bits a residual takes about; not finite where a difference of integers is not an exact double. */
function widthOf(residual: number): number {
  const magnitude = Math.abs(residual)
  if (magnitude < 2 ** 31) return 32 - Math.clz32(magnitude)
  return magnitude < RESIDUAL_END ? Math.ceil(Math.log2(magnitude + 1)) : Infinity
}

/** Puts the integers in place of their residuals, which follow the first integer. */
function restore(integers: Float64Array, predictor: number): void {
  const first = integers[0] ?? 0
  let last = 0
  let before = 0
  let mean = 0
  for (let index = 1; index < integers.length; index++) {
    const integer = (integers[index] ?? 0) + guess(predictor, last, before, mean)
    integers[index] = integer + first
    before = last
    last = integer
    mean = (mean + integer) / 2
  }
}

/** The predictors: zero, the last value, the last value plus the last step, a running mean. */
function guess(predictor: number, last: number, before: number, mean: number): number {
  if (predictor === 1) return last
  if (predictor === 2) return 2 * last - before
  return predictor === 3 ? Math.floor(mean) : 0
}

/** The codes of the residuals of all integers but the first. */
function ricesOf(integers: readonly number[], predictor: number, parameter: number): Uint8Array {
  const bits = new BitWriter()
  const rice = new Rice(parameter)
  const first = integers[0] ?? 0
  let last = 0
  let before = 0
  let mean = 0
  let run = 0
  for (let index = 1; index < integers.length; index++) {
    const integer = (integers[index] ?? 0) - first
    const residual = integer - guess(predictor, last, before, mean)
    before = last
    last = integer
    mean = (mean + integer) / 2
    if (residual === 0 && rice.inRun) {
      run++
      continue
    }
    if (rice.inRun) {
      writeGamma(bits, run)
      rice.learnRun(run)
      writeRice(bits, rice, residual, 1)
      run = 0
    } else {
      writeRice(bits, rice, residual, 0)
    }
    rice.learn(Math.abs(residual))
  }
  if (run > 0) writeGamma(bits, run)
  return bits.finish()
}

/** Puts residuals behind the first integer, and answers the place behind their bytes. */
function readRices(
  from: { readonly body: Uint8Array; readonly place: number },
  parameter: number,
  integers: Float64Array,
): number {
  const bytes = from.body
  const rice = new Rice(parameter)
  const count = integers.length
  let place = from.place * 8
  for (let index = 1; index < count; index++) {
    let least = 0
    if (rice.inRun) {
      const width = onesAt(bytes, place)
      const run = 2 ** width + bitsAt(bytes, place + width + 1, width) - 1
      place += 2 * width + 1
      index += run
      if (index > count) throw new RangeError(`the segment body holds a run of ${run} among ${count - 1}`)
      if (index === count) break
      rice.learnRun(run)
      least = 1
    }
    const ones = onesAt(bytes, place)
    let magnitude = least
    if (ones < ESCAPE_ONES) {
      magnitude += ones * rice.scale + bitsAt(bytes, place + ones + 1, rice.parameter)
      place += ones + 1 + rice.parameter
    } else {
      const width = bitsAt(bytes, place + ESCAPE_ONES, WIDTH_BITS)
      magnitude += bitsAt(bytes, place + ESCAPE_ONES + WIDTH_BITS, width)
      place += ESCAPE_ONES + WIDTH_BITS + width
    }
    rice.learn(magnitude)
    const isNegative = magnitude !== 0 && bitsAt(bytes, place++, 1) === 1
    integers[index] = isNegative ? -magnitude : magnitude
  }
  return (place + 7) >>> 3
}

/** The parameter of the next code, from the mean of those before it. */
class Rice {
  parameter: number
  /** 2 to the power of the parameter. */
  scale: number
  #sum: number
  #count = 8

  constructor(parameter: number) {
    this.parameter = parameter
    this.scale = 2 ** parameter
    this.#sum = parameter === 0 ? 1 : 8 * this.scale
    this.#settle()
  }

  /** Noughts are so many that their runs are counted. */
  get inRun(): boolean {
    return this.#sum * 4 < this.#count
  }

  learn(magnitude: number): void {
    // One that leaps must not make those after it dear.
    this.#sum += Math.min(magnitude, this.scale * LEAP)
    if (++this.#count >= MEMORY) this.#forget()
    this.#settle()
  }

  learnRun(length: number): void {
    for (let left = Math.min(length, 4 * MEMORY); left > 0; left--) {
      this.#count++
      if (this.#count >= MEMORY) this.#forget()
    }
    this.#settle()
  }

  #forget(): void {
    this.#sum /= 2
    this.#count /= 2
  }

  #settle(): void {
    while (this.#count * this.scale * 2 < this.#sum && this.parameter < PARAMETER_MAX) {
      this.parameter++
      this.scale *= 2
    }
    while (this.parameter > 0 && this.#count * this.scale >= this.#sum) {
      this.parameter--
      this.scale /= 2
    }
  }
}

function writeRice(bits: BitWriter, rice: Rice, residual: number, least: number): void {
  const { parameter } = rice
  const magnitude = Math.abs(residual) - least
  if (magnitude >= 2 ** WORD_BITS || parameter >= WORD_BITS)
    return writeLarge(bits, rice, residual, magnitude)
  const quotient = magnitude >>> parameter
  const signBits = residual === 0 ? 0 : 1
  const width = quotient + 1 + parameter + signBits
  if (width > WORD_BITS || quotient >= ESCAPE_ONES) return writeLarge(bits, rice, residual, magnitude)
  // All of it in one word: most residuals are small.
  const code = (((2 << quotient) - 2) << parameter) | (magnitude & ((1 << parameter) - 1))
  bits.bits((code << signBits) | (residual >>> 31), width)
}

/** Writes more than one word; separate, so that an engine inlines the usual case. */
function writeLarge(bits: BitWriter, { parameter, scale }: Rice, residual: number, magnitude: number): void {
  const quotient = Math.floor(magnitude / scale)
  if (quotient >= ESCAPE_ONES) {
    // Not by the logarithm: 2^49 + 1 and 2^49 have the same.
    const width = magnitude < 2 ** 32 ? 32 - Math.clz32(magnitude) : 64 - Math.clz32(magnitude / 2 ** 32)
    bits.ones(ESCAPE_ONES)
    bits.bits(width, WIDTH_BITS)
    bits.bits(magnitude, width)
  } else {
    bits.ones(quotient)
    bits.bits(0, 1)
    bits.bits(magnitude - quotient * scale, parameter)
  }
  if (residual !== 0) bits.bits(residual < 0 ? 1 : 0, 1)
}

/** Elias gamma of the length plus one. */
function writeGamma(bits: BitWriter, length: number): void {
  const width = 31 - Math.clz32(length + 1)
  bits.ones(width)
  bits.bits(0, 1)
  if (width > 0) bits.bits(length + 1 - 2 ** width, width)
}
