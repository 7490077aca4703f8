import { pbkdf2Sync } from 'node:crypto'

import type { ScryptCost } from '../../src/ports/secrets.ts'

const HASH_BYTES = 32
/** The number of words of a block of Salsa20. */
const WORDS = 16
/** How much is mixed at once: some one millisecond. */
const BYTES_AT_ONCE = 512 * 1024

/** scrypt (RFC 7914), a little at a time: `rest` is awaited in between, so that other work has its turn.
 * @throws {RangeError} unless `n` is a power of two above 1, and `r` and `p` are positive integers */
export async function scryptInSteps(
  password: string,
  salt: Uint8Array,
  { n, r, p }: ScryptCost,
  rest: () => Promise<void>,
): Promise<Uint8Array> {
  const isCost = n >= 2 && [Math.log2(n), r, p].every(Number.isInteger) && r >= 1 && p >= 1
  if (!isCost) throw new RangeError(`scrypt does not support N ${n}, r ${r}, p ${p}.`)
  const laneBytes = 128 * r
  const lanes = new Uint8Array(pbkdf2Sync(password, salt, 1, p * laneBytes, 'sha256'))
  const mixer = new Mixer(n, r)
  for (let lane = 0; lane < p; lane++)
    await mixer.mixLane(new DataView(lanes.buffer, lane * laneBytes, laneBytes), rest)
  return new Uint8Array(pbkdf2Sync(password, lanes, 1, HASH_BYTES, 'sha256'))
}

class Mixer {
  readonly #n: number
  /** The number of words of a lane. */
  readonly #words: number
  /** Each state of a lane, one behind the other. */
  readonly #states: Int32Array
  readonly #mixed: Int32Array
  readonly #block = new Int32Array(WORDS)

  constructor(n: number, r: number) {
    this.#n = n
    this.#words = 32 * r
    this.#states = new Int32Array((n + 1) * this.#words)
    this.#mixed = new Int32Array(this.#words)
  }

  /** scryptROMix, in place. */
  async mixLane(lane: DataView, rest: () => Promise<void>): Promise<void> {
    const words = this.#words
    const stepsAtOnce = Math.ceil(BYTES_AT_ONCE / lane.byteLength)
    for (let word = 0; word < words; word++) this.#states[word] = lane.getInt32(4 * word, true)
    for (let step = 0; step < this.#n; step++) {
      if (step % stepsAtOnce === 0) await rest()
      this.#mixBlocks(this.#states, step * words, this.#states, (step + 1) * words)
    }
    const state = this.#states.slice(-words)
    for (let step = 0; step < this.#n; step++) {
      if (step % stepsAtOnce === 0) await rest()
      const at = (wordAt(state, words - WORDS) & (this.#n - 1)) * words
      for (let word = 0; word < words; word++)
        this.#mixed[word] = wordAt(state, word) ^ wordAt(this.#states, at + word)
      this.#mixBlocks(this.#mixed, 0, state, 0)
    }
    for (let word = 0; word < words; word++) lane.setInt32(4 * word, wordAt(state, word), true)
  }

  /** scryptBlockMix: of what it makes the blocks in even places come before the others. */
  #mixBlocks(from: Int32Array, fromAt: number, to: Int32Array, toAt: number): void {
    const words = this.#words
    const block = this.#block
    for (let word = 0; word < WORDS; word++) block[word] = wordAt(from, fromAt + words - WORDS + word)
    for (let place = 0; place < words; place += 2 * WORDS) {
      mixBlock(block, from, fromAt + place)
      for (let word = 0; word < WORDS; word++) to[toAt + place / 2 + word] = wordAt(block, word)
      mixBlock(block, from, fromAt + place + WORDS)
      for (let word = 0; word < WORDS; word++) to[toAt + (words + place) / 2 + word] = wordAt(block, word)
    }
  }
}

/** Salsa20/8 of a block and another one. */
function mixBlock(y: Int32Array, from: Int32Array, at: number): void {
  let x0 = (y[0] = wordAt(y, 0) ^ wordAt(from, at + 0))
  let x1 = (y[1] = wordAt(y, 1) ^ wordAt(from, at + 1))
  let x2 = (y[2] = wordAt(y, 2) ^ wordAt(from, at + 2))
  let x3 = (y[3] = wordAt(y, 3) ^ wordAt(from, at + 3))
  let x4 = (y[4] = wordAt(y, 4) ^ wordAt(from, at + 4))
  let x5 = (y[5] = wordAt(y, 5) ^ wordAt(from, at + 5))
  let x6 = (y[6] = wordAt(y, 6) ^ wordAt(from, at + 6))
  let x7 = (y[7] = wordAt(y, 7) ^ wordAt(from, at + 7))
  let x8 = (y[8] = wordAt(y, 8) ^ wordAt(from, at + 8))
  let x9 = (y[9] = wordAt(y, 9) ^ wordAt(from, at + 9))
  let x10 = (y[10] = wordAt(y, 10) ^ wordAt(from, at + 10))
  let x11 = (y[11] = wordAt(y, 11) ^ wordAt(from, at + 11))
  let x12 = (y[12] = wordAt(y, 12) ^ wordAt(from, at + 12))
  let x13 = (y[13] = wordAt(y, 13) ^ wordAt(from, at + 13))
  let x14 = (y[14] = wordAt(y, 14) ^ wordAt(from, at + 14))
  let x15 = (y[15] = wordAt(y, 15) ^ wordAt(from, at + 15))
  for (let round = 0; round < 8; round += 2) {
    x8 ^= turned((x4 ^= turned(x0 + x12, 7)) + x0, 9)
    x0 ^= turned((x12 ^= turned(x8 + x4, 13)) + x8, 18)
    x13 ^= turned((x9 ^= turned(x5 + x1, 7)) + x5, 9)
    x5 ^= turned((x1 ^= turned(x13 + x9, 13)) + x13, 18)
    x2 ^= turned((x14 ^= turned(x10 + x6, 7)) + x10, 9)
    x10 ^= turned((x6 ^= turned(x2 + x14, 13)) + x2, 18)
    x7 ^= turned((x3 ^= turned(x15 + x11, 7)) + x15, 9)
    x15 ^= turned((x11 ^= turned(x7 + x3, 13)) + x7, 18)
    x2 ^= turned((x1 ^= turned(x0 + x3, 7)) + x0, 9)
    x0 ^= turned((x3 ^= turned(x2 + x1, 13)) + x2, 18)
    x7 ^= turned((x6 ^= turned(x5 + x4, 7)) + x5, 9)
    x5 ^= turned((x4 ^= turned(x7 + x6, 13)) + x7, 18)
    x8 ^= turned((x11 ^= turned(x10 + x9, 7)) + x10, 9)
    x10 ^= turned((x9 ^= turned(x8 + x11, 13)) + x8, 18)
    x13 ^= turned((x12 ^= turned(x15 + x14, 7)) + x15, 9)
    x15 ^= turned((x14 ^= turned(x13 + x12, 13)) + x13, 18)
  }
  y[0] = wordAt(y, 0) + x0
  y[1] = wordAt(y, 1) + x1
  y[2] = wordAt(y, 2) + x2
  y[3] = wordAt(y, 3) + x3
  y[4] = wordAt(y, 4) + x4
  y[5] = wordAt(y, 5) + x5
  y[6] = wordAt(y, 6) + x6
  y[7] = wordAt(y, 7) + x7
  y[8] = wordAt(y, 8) + x8
  y[9] = wordAt(y, 9) + x9
  y[10] = wordAt(y, 10) + x10
  y[11] = wordAt(y, 11) + x11
  y[12] = wordAt(y, 12) + x12
  y[13] = wordAt(y, 13) + x13
  y[14] = wordAt(y, 14) + x14
  y[15] = wordAt(y, 15) + x15
}

function turned(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

function wordAt(words: Int32Array, at: number): number {
  return words[at] ?? 0
}
