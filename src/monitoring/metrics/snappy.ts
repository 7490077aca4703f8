import { Refusal } from '../../lib/errors.ts'
import { malformed } from './points.ts'

const LITERAL = 0
const COPY_1 = 1
const COPY_2 = 2
/** From this value on, the length of a literal is in the bytes after the tag. */
const LONG_LITERAL = 60

/** Decompresses one block of Snappy's raw format. The stated length is used only to allocate the result, within a
 * bound.
 * @throws {Refusal} too_large when the stated length exceeds `sizeMaxBytes`, bad_request when the block is invalid */
export function unsnappy(block: Uint8Array, sizeMaxBytes: number): Uint8Array<ArrayBuffer> {
  const source = new Source(block)
  const size = source.varint()
  if (size > sizeMaxBytes)
    throw new Refusal(
      'too_large',
      `The uncompressed body must have at most ${sizeMaxBytes} bytes. Send smaller requests.`,
    )
  const target = new Uint8Array(size)
  let at = 0
  while (!source.isAtEnd) {
    const tag = source.number(1)
    const isLiteral = (tag & 3) === LITERAL
    const length = isLiteral ? literalLength(source, tag) : copyLength(tag)
    const offset = isLiteral ? 0 : copyOffset(source, tag)
    if (length > size - at) throw malformed('the Snappy block is longer than its stated length')
    if (isLiteral) target.set(source.take(length), at)
    else repeat(target, at, { offset, length })
    at += length
  }
  if (at < size) throw malformed('the Snappy block is shorter than its stated length')
  return target
}

function literalLength(source: Source, tag: number): number {
  const length = tag >>> 2
  return 1 + (length < LONG_LITERAL ? length : source.number(length - LONG_LITERAL + 1))
}

function copyLength(tag: number): number {
  return (tag & 3) === COPY_1 ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2)
}

function copyOffset(source: Source, tag: number): number {
  if ((tag & 3) === COPY_1) return (tag >>> 5) * 256 + source.number(1)
  return source.number((tag & 3) === COPY_2 ? 2 : 4)
}

/** Copies bytes from `offset` before the position; if both ranges overlap, the copy repeats itself. */
function repeat(
  target: Uint8Array,
  at: number,
  { offset, length }: { offset: number; length: number },
): void {
  if (offset === 0 || offset > at) throw malformed('the Snappy block copies from before its begin')
  if (offset >= length) target.copyWithin(at, at - offset, at - offset + length)
  else for (let index = at; index < at + length; index++) target[index] = target[index - offset] ?? 0
}

class Source {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  take(length: number): Uint8Array {
    const start = this.#skip(length)
    return this.#bytes.subarray(start, start + length)
  }

  /** A little-endian number of 1 to 4 bytes. */
  number(size: number): number {
    const start = this.#skip(size)
    let number = 0
    for (let at = start + size - 1; at >= start; at--) number = number * 256 + (this.#bytes[at] ?? 0)
    return number
  }

  varint(): number {
    let value = 0
    for (let place = 0; place < 5; place++) {
      const byte = this.number(1)
      value += (byte & 0x7f) * 128 ** place
      if (byte < 0x80) return value
    }
    throw malformed('the Snappy block has no length')
  }

  /** Returns where the skipped bytes begin. */
  #skip(length: number): number {
    const start = this.#at
    if (length > this.#bytes.length - start) throw malformed('the Snappy block is truncated')
    this.#at += length
    return start
  }
}
