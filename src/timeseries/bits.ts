/** Writes bits, the most significant first; the last byte is filled up with zeros. */
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
    // A part of a small array would first make a buffer of it, which takes longer than a copy.
    return this.#bytes.slice(0, this.#length)
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

/**
 * The `count` bits from a place on, 53 at most, as an integer; places are counted in bits, and past the end there are
 * zeros. Readers keep their place in a variable of their own: an object that holds it makes a decoder half as fast.
 */
export function bitsAt(bytes: Uint8Array, place: number, count: number): number {
  if (count > 24) return bitsAt(bytes, place, count - 24) * TWO_24 + bitsAt(bytes, place + count - 24, 24)
  return count === 0 ? 0 : wordAt(bytes, place) >>> (32 - count)
}

/** How many ones stand before the next zero; exact up to 24. */
export function onesAt(bytes: Uint8Array, place: number): number {
  return Math.clz32(~wordAt(bytes, place))
}

/** At least 25 bits, the first of them the highest. */
function wordAt(bytes: Uint8Array, place: number): number {
  const index = place >>> 3
  const word =
    ((bytes[index] ?? 0) << 24) |
    ((bytes[index + 1] ?? 0) << 16) |
    ((bytes[index + 2] ?? 0) << 8) |
    (bytes[index + 3] ?? 0)
  return word << (place & 7)
}

const TWO_24 = 2 ** 24
const ONES = TWO_24 - 1
