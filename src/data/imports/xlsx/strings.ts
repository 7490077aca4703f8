import { unreadable } from '../failure.ts'
import { scanXml, XML_TOKEN_MAX_CHARS } from './xml.ts'

/** Different texts of a workbook, in UTF-8: as many as a process of 128 MB holds beside all else. */
export const STRINGS_MAX_BYTES = 48 * 1024 * 1024
export const STRINGS_MAX = 4 * 1024 * 1024
/** A text of `XML_TOKEN_MAX_CHARS` fits in. */
const PAGE_BYTES = 4 * 1024 * 1024
const ESCAPED = /_x([\dA-F]{4})_/gi

/** The texts of cells, by their numbers from 0. Texts are kept as bytes: strings take several times as much. */
export class PackedStrings {
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  readonly #pages: Uint8Array[] = []
  /** Where each text begins, over all pages, and its length. */
  #starts = new Uint32Array(1024)
  #lengths = new Uint32Array(1024)
  #freeAt = 0
  #bytes = 0
  #count = 0

  /** @throws {Refusal} import_failed for too many */
  add(text: string): void {
    const bytes = this.#encoder.encode(text)
    this.#bytes += bytes.length
    if (this.#bytes > STRINGS_MAX_BYTES || this.#count >= STRINGS_MAX)
      throw unreadable(
        `The workbook has more than ${STRINGS_MAX} different texts, or more than ${STRINGS_MAX_BYTES} bytes of them. Save the sheet as CSV.`,
      )
    const room = this.#pages.length * PAGE_BYTES - this.#freeAt
    if (bytes.length > room) {
      this.#freeAt = this.#pages.length * PAGE_BYTES
      this.#pages.push(new Uint8Array(PAGE_BYTES))
    }
    if (this.#count === this.#starts.length) this.#grow()
    this.#pages.at(-1)?.set(bytes, this.#freeAt % PAGE_BYTES)
    this.#starts[this.#count] = this.#freeAt
    this.#lengths[this.#count] = bytes.length
    this.#freeAt += bytes.length
    this.#count += 1
  }

  get(at: number): string | null {
    const start = at < this.#count ? this.#starts[at] : undefined
    if (start === undefined) return null
    const from = start % PAGE_BYTES
    const page = this.#pages[Math.floor(start / PAGE_BYTES)]
    return this.#decoder.decode(page?.subarray(from, from + (this.#lengths[at] ?? 0)))
  }

  #grow(): void {
    const [starts, lengths] = [this.#starts, this.#lengths]
    this.#starts = new Uint32Array(starts.length * 2)
    this.#lengths = new Uint32Array(lengths.length * 2)
    this.#starts.set(starts)
    this.#lengths.set(lengths)
  }
}

/** The shared texts of a workbook: of rich texts their runs behind each other, without their phonetic hints.
 * @throws {Refusal} import_failed */
export async function readStrings(chunks: AsyncIterable<Uint8Array>): Promise<PackedStrings> {
  const strings = new PackedStrings()
  const text = new RunText()
  const parts = scanXml(chunks, {
    open: (name) => {
      if (name === 'si') text.begin()
      else text.open(name)
    },
    text: (part) => text.add(part),
    close: (name) => {
      if (name === 'si') strings.add(text.end())
      else text.close(name)
    },
  })
  for await (const _ of parts);
  return strings
}

/** Collects the runs of a text (`t`), outside of phonetic hints (`rPh`). */
export class RunText {
  #text = ''
  #isRun = false
  #isHint = false

  begin(): void {
    this.#text = ''
    this.#isRun = false
    this.#isHint = false
  }

  open(name: string): void {
    if (name === 'rPh') this.#isHint = true
    if (name === 't') this.#isRun = !this.#isHint
  }

  close(name: string): void {
    if (name === 'rPh') this.#isHint = false
    if (name === 't') this.#isRun = false
  }

  /** @throws {Refusal} import_failed for a text that is too long */
  add(part: string): void {
    if (this.#isRun) this.#text = joinedText(this.#text, part)
  }

  end(): string {
    return unescaped(this.#text)
  }
}

/** @throws {Refusal} import_failed for a text that is too long */
export function joinedText(text: string, part: string): string {
  if (text.length + part.length > XML_TOKEN_MAX_CHARS)
    throw unreadable(`A cell of the workbook has more than ${XML_TOKEN_MAX_CHARS} characters.`)
  return text + part
}

/** A text in which `_x000D_` stands for a character that XML cannot have (ECMA-376, 22.9.2.19). */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replaceAll(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
