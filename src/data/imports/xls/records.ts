import { unreadable } from '../failure.ts'

/** A record of a workbook (MS-XLS, 2.1.4) with its place in the stream. */
export type XlsRecord = { readonly type: number; readonly data: Uint8Array; readonly nextAt: number }

/** The types of the records that are read. */
export const RECORD = {
  formula: 0x06,
  end: 0x0a,
  isFrom1904: 0x22,
  password: 0x2f,
  continued: 0x3c,
  sheet: 0x85,
  numbers: 0xbd,
  richLabel: 0xd6,
  style: 0xe0,
  strings: 0xfc,
  labelOfStrings: 0xfd,
  number: 0x203,
  label: 0x204,
  booleanOrError: 0x205,
  formulaText: 0x207,
  shortNumber: 0x27e,
  format: 0x41e,
  begin: 0x809,
} as const

const HEAD_BYTES = 4

/** The record at a place. @throws {Refusal} import_failed for one that does not end */
export function recordAt(stream: Uint8Array, at: number): XlsRecord {
  const [type, sizeBytes] = [u16(stream, at), u16(stream, at + 2)]
  const from = at + HEAD_BYTES
  if (from + sizeBytes > stream.length) throw damagedRecord()
  return { type, data: stream.subarray(from, from + sizeBytes), nextAt: from + sizeBytes }
}

/** The data of a record and of those that continue it. */
export function continuedFrom(stream: Uint8Array, record: XlsRecord): readonly Uint8Array[] {
  const blocks = [record.data]
  for (let at = record.nextAt; at + HEAD_BYTES <= stream.length;) {
    const next = recordAt(stream, at)
    if (next.type !== RECORD.continued) break
    blocks.push(next.data)
    at = next.nextAt
  }
  return blocks
}

/** @throws {Refusal} import_failed beyond the end */
export function u8(bytes: Uint8Array, at: number): number {
  const value = bytes[at]
  if (value === undefined) throw damagedRecord()
  return value
}

/** @throws {Refusal} import_failed beyond the end */
export function u16(bytes: Uint8Array, at: number): number {
  return u8(bytes, at) + u8(bytes, at + 1) * 2 ** 8
}

/** @throws {Refusal} import_failed beyond the end */
export function u32(bytes: Uint8Array, at: number): number {
  return u16(bytes, at) + u16(bytes, at + 2) * 2 ** 16
}

/** @throws {Refusal} import_failed beyond the end */
export function double(bytes: Uint8Array, at: number): number {
  u8(bytes, at + 7)
  return new DataView(bytes.buffer, bytes.byteOffset + at, 8).getFloat64(0, true)
}

/** A number in 30 bits: the upper bits of a double or a whole number, or a hundredth of it. */
export function shortNumber(bytes: Uint8Array, at: number): number {
  const bits = u32(bytes, at)
  const isHundredth = (bits & 1) === 1
  const value = (bits & 2) === 2 ? bits >> 2 : upperBits(bits)
  return isHundredth ? value / 100 : value
}

function upperBits(bits: number): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setUint32(0, bits & 0xfffffffc)
  return view.getFloat64(0)
}

export function damagedRecord(): Error {
  return unreadable('The XLS workbook is damaged: a record of it does not end.')
}
