/** The longest list one body holds; a reader refuses a larger count before it allocates anything for it. */
export const SAMPLES_PER_BODY_MAX = 65_536

const DOUBLE = new DataView(new ArrayBuffer(8))

/** Grows a list of bytes; numbers are little-endian base-128 varints computed in doubles, exact up to 2^53. */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  /** Most segments are small, and the engine makes small arrays several times as fast. */
  constructor(sizeBytes = 512) {
    this.#bytes = new Uint8Array(sizeBytes)
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
  }

  unsigned(value: number): void {
    let rest = value
    // Bit operations know 32 bits only, so large numbers go through doubles.
    while (rest >= 2 ** 31) {
      const low = rest % 128
      this.byte(low + 128)
      rest = (rest - low) / 128
    }
    while (rest > 127) {
      this.byte((rest & 127) | 128)
      rest >>>= 7
    }
    this.byte(rest)
  }

  /** Sign in bit 0 and six bits of the magnitude in the first byte: doubling all of it would leave 2^53. */
  signed(value: number): void {
    const magnitude = Math.abs(value)
    const sign = value < 0 ? 1 : 0
    if (magnitude < 64) return this.byte(magnitude * 2 + sign)

    const low = magnitude % 64
    this.byte(128 + low * 2 + sign)
    this.unsigned((magnitude - low) / 64)
  }

  /** IEEE 754, most significant byte first. */
  double(value: number): void {
    DOUBLE.setFloat64(0, value)
    this.#reserve(8)
    for (let index = 0; index < 8; index++) this.#bytes[this.#length++] = DOUBLE.getUint8(index)
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

/** Reads what ByteWriter wrote; a body that ends early, goes on too long or makes no sense throws a RangeError. */
export class ByteReader {
  readonly body: Uint8Array
  #position = 0

  constructor(body: Uint8Array) {
    this.body = body
  }

  /** That of the next byte in the body. */
  get place(): number {
    return this.#position
  }

  byte(): number {
    const value = this.body[this.#position++]
    if (value === undefined) throw new RangeError('the segment body is cut short')

    return value
  }

  bytes(length: number): Uint8Array {
    const end = this.#position + length
    if (end > this.body.length) throw new RangeError('the segment body is cut short')
    const value = this.body.subarray(this.#position, end)
    this.#position = end

    return value
  }

  double(): number {
    const bytes = this.bytes(8)
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0)
  }

  /** Continues with another reader, which gets all bytes and the next place and returns the place after its last byte. */
  through(read: (body: Uint8Array, place: number) => number): void {
    this.#position = read(this.body, this.#position)
    if (this.#position > this.body.length) throw new RangeError('the segment body is cut short')
  }

  unsigned(): number {
    const byte = this.byte()

    return byte < 128 ? byte : this.#continued(byte - 128, 128)
  }

  signed(): number {
    const byte = this.byte()
    const low = (byte >> 1) & 63
    const magnitude = byte < 128 ? low : this.#continued(low, 64)

    return byte & 1 ? -magnitude : magnitude
  }

  count(): number {
    const value = this.unsigned()
    if (value > SAMPLES_PER_BODY_MAX) throw new RangeError(`the segment body claims ${value} samples`)

    return value
  }

  end(): void {
    if (this.#position !== this.body.length) throw new RangeError('the segment body goes on after its end')
  }

  #continued(low: number, firstWeight: number): number {
    let value = low
    for (let weight = firstWeight; weight <= 2 ** 53; weight *= 128) {
      const byte = this.byte()
      value += (byte & 127) * weight
      if (byte < 128) return exact(value)
    }

    throw new RangeError('the segment body holds a number beyond 2^53')
  }
}

function exact(value: number): number {
  if (value > 2 ** 53) throw new RangeError('the segment body holds a number beyond 2^53')

  return value
}
