const HASH_BITS = 14
const MATCH_MIN = 4
const COPY_LENGTH_MAX = 64
const OFFSET_MAX = 65_535
const LITERAL_LENGTH_MAX = 65_536

/** Compresses into one block of Snappy's raw format, with one hash table of the last places of four bytes, as Go's
 * encoder does it. */
export function snappy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const block: number[] = varint(bytes.length)
  const places = new Int32Array(1 << HASH_BITS).fill(-1)
  let literalFrom = 0
  for (let at = 0; at + MATCH_MIN <= bytes.length;) {
    const word = view.getUint32(at, true)
    const hash = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS)
    const place = places[hash] ?? -1
    places[hash] = at
    if (place < 0 || at - place > OFFSET_MAX || view.getUint32(place, true) !== word) {
      at++
      continue
    }
    let length = MATCH_MIN
    while (at + length < bytes.length && bytes[place + length] === bytes[at + length]) length++
    writeLiteral(block, bytes.subarray(literalFrom, at))
    writeCopies(block, at - place, length)
    at += length
    literalFrom = at
  }
  writeLiteral(block, bytes.subarray(literalFrom))
  return Uint8Array.from(block)
}

function writeLiteral(block: number[], bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += LITERAL_LENGTH_MAX) {
    const part = bytes.subarray(at, at + LITERAL_LENGTH_MAX)
    const last = part.length - 1
    if (last < 60) block.push(last << 2)
    else block.push(61 << 2, last & 255, last >> 8)
    for (const byte of part) block.push(byte)
  }
}

function writeCopies(block: number[], offset: number, length: number): void {
  for (let left = length; left > 0; left -= COPY_LENGTH_MAX) {
    const part = Math.min(left, COPY_LENGTH_MAX)
    block.push(((part - 1) << 2) | 2, offset & 255, offset >> 8)
  }
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [128 + (number % 128), ...varint(Math.floor(number / 128))]
}
