import type { ByteCache, Span } from './byte-cache.ts'
import { malformed, PARTS_MAX, tooManyParts } from './points.ts'

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

const VARINT_MAX_BYTES = 10

/** A protobuf message, read strictly: a field of another type, a length past its end, a truncated or endless varint and
 * a group are rejected. Unknown fields are skipped. */
export class Wire {
  readonly #view: DataView
  /** Shared by the message and all messages inside it. */
  readonly #parts: { count: number }
  readonly #start: number
  readonly #end: number
  #at: number
  #type = VARINT

  private constructor(view: DataView, parts: { count: number }, start: number, end: number) {
    this.#view = view
    this.#parts = parts
    this.#start = start
    this.#end = end
    this.#at = start
  }

  /** The message with these bytes. */
  static of({ buffer, byteOffset, byteLength }: Uint8Array): Wire {
    return new Wire(new DataView(buffer, byteOffset, byteLength), { count: 0 }, 0, byteLength)
  }

  /** Calls `read` for each field in order; `read` may call at most one of the readers below.
   * @throws {Refusal} bad_request */
  fields(read: (field: number) => void): void {
    this.#at = this.#start
    while (this.#at < this.#end) {
      const field = this.#tag()
      const value = this.#at
      read(field)
      if (this.#at === value) this.#skip()
    }
  }

  /** The result of `read` for all fields with this number: from the cache if the same bytes came before. `read` must read
   * these fields only. */
  cached<Value>(cache: ByteCache<Value>, field: number, read: () => Value): Value {
    const span = this.#spanOf(field)
    if (!span) return read()
    const known = cache.find(this.#view, span)
    if (known) {
      if (this.#parts.count + known.parts > PARTS_MAX) throw tooManyParts()
      this.#parts.count += known.parts
      return known.value
    }
    const before = this.#parts.count
    const value = read()
    cache.add(this.#view, span, { value, parts: this.#parts.count - before })
    return value
  }

  /** @throws {Refusal} too_large past PARTS_MAX messages in all */
  message(): Wire {
    if (this.#parts.count >= PARTS_MAX) throw tooManyParts()
    this.#parts.count++
    const start = this.#block()
    return new Wire(this.#view, this.#parts, start, this.#at)
  }

  text(): string {
    const start = this.#block()
    const { buffer, byteOffset } = this.#view
    try {
      return UTF8.decode(new Uint8Array(buffer, byteOffset + start, this.#at - start))
    } catch {
      throw malformed('a text is not UTF-8')
    }
  }

  double(): number {
    return this.#view.getFloat64(this.#fixed64(), true)
  }

  /** A `fixed64`, exactly. */
  fixed64(): bigint {
    return this.#view.getBigUint64(this.#fixed64(), true)
  }

  /** A `fixed64` that counts nanoseconds, in whole milliseconds; null for zero. */
  milliseconds(): number | null {
    const at = this.#fixed64()
    const low = this.#view.getUint32(at, true)
    const high = this.#view.getUint32(at + 4, true)
    if (low === 0 && high === 0) return null
    // 2^32 ns are 4294 ms and 967,296 ns: no term exceeds an exact integer, and no BigInt is made.
    return high * 4_294 + Math.floor((high * 967_296 + low) / 1_000_000)
  }

  /** An `sfixed64`; beyond 2^53 the nearest double. */
  signedFixed64(): number {
    return Number(this.#view.getBigInt64(this.#fixed64(), true))
  }

  /** An `int64`, `uint32` or `bool`; beyond 2^53 the nearest double. */
  integer(): number {
    this.#expect(VARINT)
    const start = this.#at
    const value = this.#varint()
    if (value <= Number.MAX_SAFE_INTEGER) return value
    // A negative number, which has all 64 bits, or one that exceeds a double's integers.
    let exact = 0n
    for (let at = this.#at - 1; at >= start; at--)
      exact = exact * 128n + BigInt(this.#view.getUint8(at) & 0x7f)
    return Number(BigInt.asIntN(64, exact))
  }

  /** Where all fields with this number are; null if other fields are between them, or the message has no such field. */
  #spanOf(wanted: number): Span | null {
    let from = this.#end
    let end = this.#end
    this.#at = this.#start
    while (this.#at < this.#end) {
      const start = this.#at
      const isWanted = this.#tag() === wanted
      this.#skip()
      if (!isWanted) continue
      if (from === this.#end) from = start
      else if (end !== start) return null
      end = this.#at
    }
    return from === this.#end ? null : { start: from, end }
  }

  /** The number of the next field. */
  #tag(): number {
    const tag = this.#varint()
    const field = Math.floor(tag / 8)
    if (field < 1 || field > 0x1fff_ffff) throw malformed('a field has no valid number')
    this.#type = tag % 8
    return field
  }

  #fixed64(): number {
    this.#expect(FIXED64)
    return this.#advance(8)
  }

  /** The start of a block; the position moves behind it. */
  #block(): number {
    this.#expect(BYTES)
    return this.#advance(this.#varint())
  }

  #skip(): void {
    if (this.#type === VARINT) this.#varint()
    else if (this.#type === FIXED64) this.#advance(8)
    else if (this.#type === BYTES) this.#block()
    else if (this.#type === FIXED32) this.#advance(4)
    else throw malformed('a field has no valid type')
  }

  #expect(type: number): void {
    if (this.#type !== type) throw malformed('a field has the wrong type')
  }

  #advance(length: number): number {
    const start = this.#at
    if (length > this.#end - start) throw malformed('a field is longer than the message that contains it')
    this.#at += length
    return start
  }

  #varint(): number {
    if (this.#at < this.#end) {
      const only = this.#view.getUint8(this.#at)
      if (only < 0x80) {
        this.#at++
        return only
      }
    }
    let value = 0
    let scale = 1
    for (let length = 0; length < VARINT_MAX_BYTES; length++) {
      const byte = this.#view.getUint8(this.#advance(1))
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
    throw malformed('a varint is too long or truncated')
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
