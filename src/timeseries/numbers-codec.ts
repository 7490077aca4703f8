import { ByteReader, ByteWriter } from './bytes.ts'
import { appendRun, readInstants, writeInstants } from './columns.ts'
import { readPacked, writePacked } from './packed-integers.ts'
import type { Samples } from './samples.ts'

const KIND_DECIMAL = 0x03
const KIND_DOUBLE = 0x04

const EXPONENT_MAX = 6
/** Residuals of mantissas of this size are still exact doubles. */
const MANTISSA_MAX = 2 ** 51

/**
 * Packs numeric samples into a segment body that decodeNumbers returns unchanged (Object.is), -0 included.
 * The format is described in docs/architecture/formats/segments.md: decimals where a power of ten up to 10^6 makes all values integers, else
 * the XOR of neighbouring doubles, after Gorilla (Pelkonen et al., VLDB 2015), in whole bytes.
 * @throws RangeError for NaN, infinities, and instants that are no ascending epoch ms.
 */
export function encodeNumbers(
  samples: Samples<number>,
  decimals: Decimals | null = asDecimals(samples.values),
): Uint8Array {
  const writer = new ByteWriter()
  writer.byte(decimals ? KIND_DECIMAL : KIND_DOUBLE)
  writeInstants(writer, samples)
  if (decimals) writeDecimals(writer, decimals)
  else writeDoubles(writer, samples.values)

  return writer.finish()
}

/**
 * Unpacks a segment body of numeric samples.
 * @throws RangeError when the body is not one that encodeNumbers makes.
 */
export function decodeNumbers(body: Uint8Array): Samples<number> {
  const reader = new ByteReader(body)
  const kind = reader.byte()
  if (kind !== KIND_DECIMAL && kind !== KIND_DOUBLE)
    throw new RangeError(`${kind} is not a kind of numeric segment`)

  const at = readInstants(reader)
  const values = kind === KIND_DECIMAL ? readDecimals(reader, at.length) : readDoubles(reader, at.length)
  reader.end()

  return { at, values }
}

/** Values as integers over a power of ten. */
export type Decimals = { readonly exponent: number; readonly mantissas: readonly number[] }

/** The values over the smallest power of ten up to 10^6 that makes all of them integers; null where none does.
 * @throws RangeError for NaN and infinities */
export function asDecimals(values: readonly number[]): Decimals | null {
  if (!values.every(Number.isFinite)) throw new RangeError('a sample is not a finite number')
  for (let exponent = 0; exponent <= EXPONENT_MAX; exponent++) {
    const mantissas = mantissasAt(values, 10 ** exponent)
    if (mantissas) return { exponent, mantissas }
  }

  return null
}

/** The values times the scale, where that makes all of them integers. */
function mantissasAt(values: readonly number[], scale: number): number[] | undefined {
  const mantissas: number[] = []
  for (const value of values) {
    // Adding 0 turns a mantissa of -0 into 0, so that the comparison refuses the value -0, which no integer holds.
    const mantissa = Math.round(value * scale) + 0
    if (Math.abs(mantissa) > MANTISSA_MAX || !Object.is(mantissa / scale, value)) return undefined
    mantissas.push(mantissa)
  }

  return mantissas
}

function writeDecimals(writer: ByteWriter, { exponent, mantissas }: Decimals): void {
  writer.byte(exponent)
  writePacked(writer, mantissas)
}

function readDecimals(reader: ByteReader, count: number): number[] {
  const exponent = reader.byte()
  if (exponent > EXPONENT_MAX) throw new RangeError(`${exponent} is not an exponent of a segment`)
  const scale = 10 ** exponent
  const mantissas = readPacked(reader, count)
  const values: number[] = []
  for (const mantissa of mantissas) values.push(mantissa / scale)

  return values
}

/** Writes doubles as what changes from one to the next. */
export function writeDoubles(writer: ByteWriter, values: readonly number[]): void {
  const bits = new DataView(new ArrayBuffer(8))
  let lastHigh = 0
  let lastLow = 0
  let repeats = 0
  for (const value of values) {
    bits.setFloat64(0, value)
    const high = bits.getInt32(0)
    const low = bits.getInt32(4)
    if (high === lastHigh && low === lastLow) {
      repeats++
      continue
    }
    writeRepeats(writer, repeats)
    repeats = 0
    writeChange(writer, high ^ lastHigh, low ^ lastLow)
    lastHigh = high
    lastLow = low
  }
  writeRepeats(writer, repeats)
}

function writeRepeats(writer: ByteWriter, repeats: number): void {
  if (repeats === 0) return
  writer.byte(0)
  writer.unsigned(repeats)
}

function writeChange(writer: ByteWriter, high: number, low: number): void {
  const leading = (high === 0 ? 32 + Math.clz32(low) : Math.clz32(high)) >> 3
  const trailing = (low === 0 ? 32 + trailingZeros(high) : trailingZeros(low)) >> 3
  const end = 8 - trailing

  writer.byte((leading << 4) | (end - leading))
  for (let index = leading; index < end; index++) {
    const word = index < 4 ? high : low
    writer.byte((word >>> (24 - 8 * (index & 3))) & 255)
  }
}

/** Reads the doubles that writeDoubles wrote. */
export function readDoubles(reader: ByteReader, count: number): number[] {
  const bits = new DataView(new ArrayBuffer(8))
  const values: number[] = []
  while (values.length < count) {
    const header = reader.byte()
    if (header === 0) appendRun(values, bits.getFloat64(0), reader.unsigned(), count)
    else values.push(readChange(reader, header, bits))
  }

  return values
}

function readChange(reader: ByteReader, header: number, bits: DataView): number {
  const leading = header >> 4
  const length = header & 15
  const end = leading + length
  if (length === 0 || end > 8) throw new RangeError(`${header} is not a header of a double in a segment`)
  for (let index = leading; index < end; index++) bits.setUint8(index, bits.getUint8(index) ^ reader.byte())

  return bits.getFloat64(0)
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word)
}
