import { PackedStrings } from '../xlsx/strings.ts'
import { damagedRecord, u16, u32, u8 } from './records.ts'

const [IS_WIDE, HAS_EXTRA, HAS_RUNS] = [1, 4, 8]

/** Reads texts (MS-XLS, 2.5.293) of a record and of those that continue it, each of which begins with a width of its own. */
export class TextReader {
  readonly #blocks: readonly Uint8Array[]
  #block = 0
  #at: number

  /** @param at where the first text begins */
  constructor(blocks: readonly Uint8Array[], at = 0) {
    this.#blocks = blocks
    this.#at = at
  }

  get isAtEnd(): boolean {
    const block = this.#blocks[this.#block]
    return block === undefined || (this.#at >= block.length && this.#block === this.#blocks.length - 1)
  }

  /** @param sizeBytes of the count of characters
   * @throws {Refusal} import_failed */
  text(sizeBytes: 1 | 2 = 2): string {
    this.#enter()
    const chars = sizeBytes === 1 ? u8(this.#bytes(), this.#at) : u16(this.#bytes(), this.#at)
    this.#at += sizeBytes
    const flags = u8(this.#bytes(), this.#at)
    this.#at += 1
    const runs = (flags & HAS_RUNS) === 0 ? 0 : u16(this.#bytes(), this.#skip(2))
    const extraBytes = (flags & HAS_EXTRA) === 0 ? 0 : u32(this.#bytes(), this.#skip(4))
    const text = this.#chars(chars, (flags & IS_WIDE) === IS_WIDE)
    this.#pass(runs * 4 + extraBytes)
    return text
  }

  #chars(count: number, isWideAtFirst: boolean): string {
    let [text, isWide] = ['', isWideAtFirst]
    for (let left = count; left > 0;) {
      if (this.#at >= this.#bytes().length) {
        this.#enter()
        isWide = (u8(this.#bytes(), this.#at) & IS_WIDE) === IS_WIDE
        this.#at += 1
      }
      const width = isWide ? 2 : 1
      const taken = Math.min(left, Math.floor((this.#bytes().length - this.#at) / width))
      if (taken === 0) throw damagedRecord()
      text += decoded(this.#bytes().subarray(this.#at, this.#at + taken * width), isWide)
      this.#at += taken * width
      left -= taken
    }
    return text
  }

  /** Goes over bytes, also of records that continue this one. */
  #pass(sizeBytes: number): void {
    for (let left = sizeBytes; left > 0;) {
      this.#enter()
      const taken = Math.min(left, this.#bytes().length - this.#at)
      this.#at += taken
      left -= taken
    }
  }

  /** @returns the place before */
  #skip(sizeBytes: number): number {
    const at = this.#at
    this.#at += sizeBytes
    return at
  }

  /** Goes on to the next record at the end of one. */
  #enter(): void {
    while (this.#at >= this.#bytes().length) {
      this.#block += 1
      this.#at = 0
    }
  }

  #bytes(): Uint8Array {
    const block = this.#blocks[this.#block]
    if (!block) throw damagedRecord()
    return block
  }
}

/** The shared texts of a workbook. @throws {Refusal} import_failed */
export function readSharedTexts(blocks: readonly Uint8Array[]): PackedStrings {
  const strings = new PackedStrings()
  const reader = new TextReader(blocks, 8)
  const count = u32(blocks[0] ?? new Uint8Array(), 4)
  // Some writers count too many.
  for (let left = count; left > 0 && !reader.isAtEnd; left -= 1) strings.add(reader.text())
  return strings
}

const CHARS_AT_ONCE = 8_192

/** UTF-16 or the lower halves of it. Halves of surrogates stay as they are, and become faults of their rows. */
function decoded(bytes: Uint8Array, isWide: boolean): string {
  let text = ''
  const width = isWide ? 2 : 1
  for (let from = 0; from < bytes.length; from += CHARS_AT_ONCE * width) {
    const part = bytes.subarray(from, from + CHARS_AT_ONCE * width)
    const units = isWide ? Array.from({ length: part.length / 2 }, (_, at) => u16(part, at * 2)) : part
    text += String.fromCharCode(...units)
  }
  return text
}
