import { ByteReader, ByteWriter } from './bytes.ts'
import { asDecimals } from './numbers-codec.ts'
import type { NumberSummary, SegmentExtent } from './summary.ts'

/** The summary beside a segment's body, which saves reads of the body. */
export type SegmentHeader = SegmentExtent & {
  /** Null for strings. */
  readonly numbers: NumberSummary | null
  /** How the body is kept: as it is, deflated, or in the blobs under a number. */
  readonly isDeflated: boolean
  readonly isBlob: boolean
}

const DOUBLES = 7
const TEXTS = 8
const DEFLATED = 16
const BLOB = 32

/** The bytes of a head; `from` is not among them. */
export function encodeHeader(
  summary: SegmentExtent | NumberSummary,
  kept: { readonly isDeflated: boolean; readonly isBlob: boolean },
): Uint8Array {
  const writer = new ByteWriter(64)
  const numbers = 'min' in summary ? summary : null
  const decimals = numbers ? decimalsOf(numbers) : null
  const flags = (kept.isDeflated ? DEFLATED : 0) + (kept.isBlob ? BLOB : 0)
  writer.byte(flags + (decimals?.exponent ?? (numbers ? DOUBLES : TEXTS)))
  writer.unsigned(summary.count)
  writer.unsigned(summary.to - summary.from)
  if (decimals) writeMantissas(writer, decimals.mantissas)
  else if (numbers) writeNumbers(writer, numbers)
  return writer.finish()
}

function writeMantissas(writer: ByteWriter, mantissas: readonly number[]): void {
  const [min = 0, max = 0, sum = 0, first = 0, last = 0] = mantissas
  writer.signed(min)
  writer.unsigned(max - min)
  writer.signed(sum)
  writer.unsigned(first - min)
  writer.unsigned(last - min)
}

function writeNumbers(writer: ByteWriter, { min, max, sum, first, last }: NumberSummary): void {
  for (const value of [min, max, sum ?? Number.NaN, first, last]) writer.double(value)
}

/** Reads the bytes that encodeHeader wrote. @throws RangeError when encodeHeader did not write the bytes */
export function decodeHeader(from: number, bytes: Uint8Array): SegmentHeader {
  const reader = new ByteReader(bytes)
  const header = reader.byte()
  const rim = { from, count: reader.unsigned(), to: from + reader.unsigned() }
  const kept = { isDeflated: (header & DEFLATED) !== 0, isBlob: (header & BLOB) !== 0 }
  const form = header & 15
  if (form > TEXTS) throw new RangeError(`${form} is not a form of a segment's head`)
  const numbers = form === TEXTS ? null : { ...rim, ...numbersOf(reader, form) }
  reader.end()
  return { ...rim, ...kept, numbers }
}

type Numbers = Omit<NumberSummary, keyof SegmentExtent>

function numbersOf(reader: ByteReader, form: number): Numbers {
  if (form === DOUBLES) {
    const [min, max] = [reader.double(), reader.double()]
    const sum = reader.double()
    return { min, max, sum: Number.isNaN(sum) ? null : sum, first: reader.double(), last: reader.double() }
  }
  const scale = 10 ** form
  const min = reader.signed() + 0
  const max = (min + reader.unsigned()) / scale
  const sum = (reader.signed() + 0) / scale
  const [first, last] = [min + reader.unsigned(), min + reader.unsigned()]
  return { min: min / scale, max, sum, first: first / scale, last: last / scale }
}

/** Whether a head says that its body is the number of a blob. */
export function isInBlob(head: Uint8Array): boolean {
  return ((head[0] ?? 0) & BLOB) !== 0
}

/** The same head, of a body that stands beside it. */
export function withoutBlob(head: Uint8Array): Uint8Array {
  const copy = new Uint8Array(head)
  copy[0] = (copy[0] ?? 0) & ~BLOB
  return copy
}

/** The five numbers over one power of ten, where that brings each of them back. */
function decimalsOf({ min, max, sum, first, last }: NumberSummary): ReturnType<typeof asDecimals> {
  return sum === null ? null : asDecimals([min, max, sum, first, last])
}
