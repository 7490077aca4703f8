/** Writes bits, the most significant first; the last byte is filled up with noughts. */
export class BitWriter {
  #bytes = new Uint8Array(256)
  #length = 0
  /** Bits that no byte holds yet, fewer than eight between calls. */
  #held = 0
  #heldCount = 0

  /** The lowest `count` bits of an integer, 53 at most. */
  bits(value: number, count: number): void {
    if (count > 24) {
      const low = value % TWO_24
      this.bits((value - low) / TWO_24, count - 24)
      this.bits(low, 24)
      return
    }
    this.#held = (this.#held << count) | value
    this.#heldCount += count
    while (this.#heldCount >= 8) {
      this.#heldCount -= 8
      this.#byte((this.#held >>> this.#heldCount) & 255)
    }
    this.#held &= (1 << this.#heldCount) - 1
  }

  /** `length` ones. */
  ones(length: number): void {
    for (let left = length; left > 0; left -= 24)
      this.bits(ONES >>> (24 - Math.min(24, left)), Math.min(24, left))
  }

  finish(): Uint8Array {
    if (this.#heldCount > 0) this.bits(0, 8 - this.#heldCount)
    return this.#bytes.subarray(0, this.#length)
  }

  #byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(this.#length * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes[this.#length++] = value
  }
}

/** Reads what BitWriter wrote. @throws {RangeError} past the end of the bytes */
export class BitReader {
  readonly #bytes: Uint8Array
  #position = 0
  /** The bits that were taken out of the bytes and not given out yet are the lowest of these. */
  #held = 0
  #heldCount = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  bits(count: number): number {
    if (count > 24) return this.bits(count - 24) * TWO_24 + this.bits(24)
    if (this.#heldCount < count) this.#fill(count)
    this.#heldCount -= count
    return (this.#held >>> this.#heldCount) & ((1 << count) - 1)
  }

  /** How many ones stand before the next nought, which is taken too; `max` ones need no nought after them. */
  ones(max: number): number {
    let length = 0
    for (;;) {
      if (this.#heldCount === 0) this.#fill(1)
      const run = Math.clz32(~(this.#held << (32 - this.#heldCount)))
      if (length + run >= max) {
        this.#heldCount -= max - length
        return max
      }
      if (run < this.#heldCount) {
        this.#heldCount -= run + 1
        return length + run
      }
      length += this.#heldCount
      this.#heldCount = 0
    }
  }

  /** How many bytes were begun. */
  get position(): number {
    return this.#position - (this.#heldCount >> 3)
  }

  #fill(count: number): void {
    while (this.#heldCount < count) {
      const byte = this.#bytes[this.#position++]
      if (byte === undefined) throw new RangeError('the segment body is cut short')
      this.#held = (this.#held << 8) | byte
      this.#heldCount += 8
    }
  }
}

const TWO_24 = 2 ** 24
const ONES = TWO_24 - 1
