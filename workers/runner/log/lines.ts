const LINE_FEED = 10
/** The most bytes that a character (a UTF-16 code unit) takes in UTF-8. */
const BYTES_OF_CHARACTER = 3

/** The receiver of a line; `isCut` marks a truncated one. */
export type TakeLine = (text: string, isCut: boolean) => void

/** Splits a stream of bytes into lines. The memory for a line is bounded: the rest of a longer line is dropped. */
export class Lines {
  readonly #take: TakeLine
  readonly #kept: Uint8Array
  readonly #decoder = new TextDecoder()
  #length = 0
  #isCut = false

  /** @param lengthMax the characters of a line that are kept at least */
  constructor(lengthMax: number, take: TakeLine) {
    this.#take = take
    this.#kept = new Uint8Array(lengthMax * BYTES_OF_CHARACTER)
  }

  push(bytes: Uint8Array): void {
    let from = 0
    for (let to = bytes.indexOf(LINE_FEED); to >= 0; to = bytes.indexOf(LINE_FEED, from)) {
      this.#keep(bytes.subarray(from, to))
      this.#end()
      from = to + 1
    }
    this.#keep(bytes.subarray(from))
  }

  /** Passes on the last line, if it has no line feed. */
  end(): void {
    if (this.#length > 0) this.#end()
  }

  #keep(bytes: Uint8Array): void {
    const room = this.#kept.length - this.#length
    if (bytes.length > room) this.#isCut = true
    const part = bytes.subarray(0, room)
    this.#kept.set(part, this.#length)
    this.#length += part.length
  }

  #end(): void {
    const text = this.#decoder.decode(this.#kept.subarray(0, this.#length))
    this.#take(text.endsWith('\r') ? text.slice(0, -1) : text, this.#isCut)
    this.#length = 0
    this.#isCut = false
  }
}
