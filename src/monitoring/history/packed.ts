import { BitReader, BitWriter } from './bits.ts'
import type { ByteReader, ByteWriter } from './bytes.ts'

/** From here on a difference of integers is no exact double. */
const RESIDUAL_END = 2 ** 53
const PARAMETER_MAX = 52
const ESCAPE_ONES = 16
const WIDTH_BITS = 6
const MEMORY = 128
const LEAP = 8

/**
 * Writes integers within ±2^53 / 2: the first as it is, of the others what a simple predictor leaves, in Rice codes whose
 * parameter follows the values; noughts in a row become the length of their run. `db/README.md` has the bits.
 */
export function writePacked(writer: ByteWriter, integers: readonly number[]): void {
  const [first] = integers
  if (first === undefined) return
  writer.signed(first)
  if (integers.length === 1) return
  const { predictor } = bestPredictor(integers)
  const residuals = integers.slice(1)
  leave(residuals, predictor, first)
  const parameter = firstParameter(residuals)
  writer.byte(parameter * 4 + predictor)
  writer.bytes(ricesOf(residuals, parameter))
}

/** Reads the integers that writePacked wrote. @throws {RangeError} where the bytes are none of its making */
export function readPacked(reader: ByteReader, count: number): number[] {
  if (count === 0) return []
  // Adding 0 turns -0, which no integer is, into 0.
  const first = reader.signed() + 0
  if (count === 1) return [first]
  const header = reader.byte()
  const bits = new BitReader(reader.rest())
  const integers = readRices(bits, header >> 2, count - 1)
  reader.bytes(bits.position)
  restore(integers, header & 3, first)
  integers.unshift(first)
  return integers
}

/** The predictor that leaves least, in bits; one that leaves what is no exact double is none. */
export function bestPredictor(integers: readonly number[]): { predictor: number; total: number } {
  const first = integers[0] ?? 0
  let [none, last, line, mean] = [0, 0, 0, 0]
  let [one, before, middle] = [0, 0, 0]
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
  const totals = [none, last, line, mean]
  const total = Math.min(...totals)
  return { predictor: totals.indexOf(total), total }
}

/** How many bits a residual takes; not finite from where a difference of integers is no exact double. */
function widthOf(residual: number): number {
  const magnitude = Math.abs(residual)
  if (magnitude < 2 ** 31) return 32 - Math.clz32(magnitude)
  return magnitude < RESIDUAL_END ? Math.ceil(Math.log2(magnitude + 1)) : Infinity
}

/** Puts residuals in place of integers: against nought, the last one, as far on as the last step, a running mean. */
function leave(integers: number[], predictor: number, first: number): void {
  let [last, before, mean] = [0, 0, 0]
  for (let index = 0; index < integers.length; index++) {
    const integer = (integers[index] ?? 0) - first
    integers[index] = integer - guess(predictor, last, before, mean)
    before = last
    last = integer
    mean = (mean + integer) / 2
  }
}

/** Puts the integers in place of their residuals. */
function restore(residuals: number[], predictor: number, first: number): void {
  let [last, before, mean] = [0, 0, 0]
  for (let index = 0; index < residuals.length; index++) {
    const integer = (residuals[index] ?? 0) + guess(predictor, last, before, mean)
    residuals[index] = integer + first
    before = last
    last = integer
    mean = (mean + integer) / 2
  }
}

function guess(predictor: number, last: number, before: number, mean: number): number {
  if (predictor === 1) return last
  if (predictor === 2) return 2 * last - before
  return predictor === 3 ? Math.floor(mean) : 0
}

/** By the mean width of the residuals, which a few large ones do not sway. */
function firstParameter(residuals: readonly number[]): number {
  let width = 0
  for (const residual of residuals) width += widthOf(residual)
  return Math.max(0, Math.round(width / residuals.length) - 1)
}

function ricesOf(residuals: readonly number[], parameter: number): Uint8Array {
  const bits = new BitWriter()
  const rice = new Rice(parameter)
  let run = 0
  for (const residual of residuals) {
    if (residual === 0 && rice.inRun) {
      run++
      continue
    }
    if (rice.inRun) {
      writeGamma(bits, run)
      rice.learnRun(run)
      writeRice(bits, rice.parameter, residual, 1)
      run = 0
    } else {
      writeRice(bits, rice.parameter, residual, 0)
    }
    rice.learn(Math.abs(residual))
  }
  if (run > 0) writeGamma(bits, run)
  return bits.finish()
}

function readRices(bits: BitReader, parameter: number, count: number): number[] {
  const rice = new Rice(parameter)
  const residuals: number[] = []
  while (residuals.length < count) {
    let least = 0
    if (rice.inRun) {
      const run = readGamma(bits)
      appendRun(residuals, run, count)
      if (residuals.length === count) break
      rice.learnRun(run)
      least = 1
    }
    const residual = readRice(bits, rice.parameter, least)
    rice.learn(residual < 0 ? -residual : residual)
    residuals.push(residual)
  }
  return residuals
}

function appendRun(residuals: number[], run: number, count: number): void {
  if (residuals.length + run > count)
    throw new RangeError(`the segment body holds a run of ${run} among ${count}`)
  for (let index = 0; index < run; index++) residuals.push(0)
}

/** The parameter of the next code, from the mean of those before it. */
class Rice {
  parameter: number
  #sum: number
  #count = 8
  #scale: number

  constructor(parameter: number) {
    this.parameter = parameter
    this.#scale = 2 ** parameter
    this.#sum = parameter === 0 ? 1 : 8 * this.#scale
    this.#settle()
  }

  /** Noughts are so many that their runs are counted. */
  get inRun(): boolean {
    return this.#sum * 4 < this.#count
  }

  learn(magnitude: number): void {
    // One that leaps must not make those after it dear.
    this.#sum += Math.min(magnitude, this.#scale * LEAP)
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
    while (this.#count * this.#scale * 2 < this.#sum && this.parameter < PARAMETER_MAX) {
      this.parameter++
      this.#scale *= 2
    }
    while (this.parameter > 0 && this.#count * this.#scale >= this.#sum) {
      this.parameter--
      this.#scale /= 2
    }
  }
}

function writeRice(bits: BitWriter, parameter: number, residual: number, least: number): void {
  const magnitude = Math.abs(residual) - least
  const scale = 2 ** parameter
  const quotient = Math.floor(magnitude / scale)
  if (quotient >= ESCAPE_ONES) {
    const width = widthOf(magnitude)
    bits.ones(ESCAPE_ONES)
    bits.bits(width, WIDTH_BITS)
    bits.bits(magnitude, width)
  } else {
    bits.ones(quotient)
    bits.bits(0, 1)
    if (parameter > 0) bits.bits(magnitude - quotient * scale, parameter)
  }
  if (residual !== 0) bits.bits(residual < 0 ? 1 : 0, 1)
}

function readRice(bits: BitReader, parameter: number, least: number): number {
  const magnitude = readMagnitude(bits, parameter) + least
  if (magnitude === 0) return 0
  return bits.bits(1) === 1 ? -magnitude : magnitude
}

function readMagnitude(bits: BitReader, parameter: number): number {
  const quotient = bits.ones(ESCAPE_ONES)
  if (quotient === ESCAPE_ONES) return bits.bits(bits.bits(WIDTH_BITS))
  return parameter === 0 ? quotient : quotient * 2 ** parameter + bits.bits(parameter)
}

/** Elias gamma of the length plus one. */
function writeGamma(bits: BitWriter, length: number): void {
  const width = 31 - Math.clz32(length + 1)
  bits.ones(width)
  bits.bits(0, 1)
  if (width > 0) bits.bits(length + 1 - 2 ** width, width)
}

function readGamma(bits: BitReader): number {
  const width = bits.ones(30)
  return 2 ** width + (width > 0 ? bits.bits(width) : 0) - 1
}
