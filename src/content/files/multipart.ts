import type { Chunks } from '../../lib/chunks.ts'
import { Refusal } from '../../lib/errors.ts'

/** The first file of a form: the type that it is declared as, and its bytes as they come. */
export type Part = { readonly type: string | null; readonly chunks: Chunks }

const HEADERS_MAX_BYTES = 16 * 1024
const CRLF = '\r\n'

/** The boundary of a form with files (RFC 7578); null where the media type is another one. */
export function boundaryOf(contentType: string | null): string | null {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '')) return null
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '') ?? []
  return quoted ?? bare ?? ''
}

/** Reads a form up to its one file. Fields beside it are passed over; no more than one part's head is ever held.
 * @throws {Refusal} bad_request when it is no form, has no file, or, once its chunks are read, ends early or has another */
export async function readFilePart(body: Chunks, boundary: string): Promise<Part> {
  if (boundary === '') throw new Refusal('bad_request', 'The form names no boundary.')
  const reader = new Reader(body)
  const delimiter = `--${boundary}`
  // What stands before the first delimiter is nothing; a line break in front of it is then there as well.
  if (!(await reader.startsWith(delimiter))) {
    for await (const _ of reader.until(CRLF + delimiter));
  }
  const head = await nextFile(reader, CRLF + delimiter)
  if (!head) throw new Refusal('bad_request', 'The form has no file.')
  return { type: head.type, chunks: fileAndEnd(reader, CRLF + delimiter) }
}

async function* fileAndEnd(reader: Reader, delimiter: string): AsyncGenerator<Uint8Array, void> {
  yield* reader.until(delimiter)
  if (await nextFile(reader, delimiter)) throw new Refusal('bad_request', 'The form has more than one file.')
}

/** Goes on to the next part that is a file; null after the last part. */
async function nextFile(reader: Reader, delimiter: string): Promise<{ readonly type: string | null } | null> {
  for (;;) {
    if (await reader.startsWith('--')) return null
    const head = await reader.text(`${CRLF}${CRLF}`, HEADERS_MAX_BYTES)
    const fields = new Map(
      head.split(CRLF).map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const
      }),
    )
    if (/;\s*filename\*?=/i.test(fields.get('content-disposition') ?? ''))
      return { type: fields.get('content-type') ?? null }
    for await (const _ of reader.until(delimiter));
  }
}

/** Reads chunks up to marks, wherever the borders of chunks are. */
class Reader {
  readonly #source: AsyncIterator<Uint8Array, void>
  #held: Uint8Array = new Uint8Array()

  constructor(body: Chunks) {
    this.#source = body[Symbol.asyncIterator]()
  }

  /** Whether these characters come next; if so they are passed over. */
  async startsWith(mark: string): Promise<boolean> {
    while (this.#held.byteLength < mark.length) {
      if (!(await this.#more())) return false
    }
    const isThere = indexOf(this.#held, bytesOf(mark)) === 0
    if (isThere) this.#held = this.#held.subarray(mark.length)
    return isThere
  }

  /** The text before the mark, which is passed over. */
  async text(mark: string, sizeMaxBytes: number): Promise<string> {
    for (;;) {
      const at = indexOf(this.#held, bytesOf(mark))
      if (at >= 0) {
        const text = new TextDecoder().decode(this.#held.subarray(0, at))
        this.#held = this.#held.subarray(at + mark.length)
        return text
      }
      if (this.#held.byteLength > sizeMaxBytes)
        throw new Refusal('bad_request', 'A part of the form has too much in its head.')
      if (!(await this.#more())) throw endedEarly()
    }
  }

  /** The bytes before the mark, which is passed over. */
  async *until(mark: string): AsyncGenerator<Uint8Array, void> {
    const sought = bytesOf(mark)
    try {
      for (;;) {
        const at = indexOf(this.#held, sought)
        // The end of what is held may be the beginning of the mark.
        const sure = at >= 0 ? at : Math.max(0, this.#held.byteLength - sought.byteLength + 1)
        const before = this.#held.subarray(0, sure)
        this.#held = this.#held.subarray(at >= 0 ? at + sought.byteLength : sure)
        if (before.byteLength > 0) yield before
        if (at >= 0) return
        if (!(await this.#more())) throw endedEarly()
      }
    } catch (error) {
      await this.#source.return?.()
      throw error
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next()
    if (next.done === true) return false
    const { value } = next
    const held = new Uint8Array(this.#held.byteLength + value.byteLength)
    held.set(this.#held)
    held.set(value, this.#held.byteLength)
    this.#held = held
    return true
  }
}

function endedEarly(): Refusal {
  return new Refusal('bad_request', 'The form ends early.')
}

function bytesOf(mark: string): Uint8Array {
  return new TextEncoder().encode(mark)
}

function indexOf(bytes: Uint8Array, sought: Uint8Array): number {
  const [first = 0] = sought
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + sought.byteLength > bytes.byteLength) return -1
    if (sought.every((byte, place) => bytes[at + place] === byte)) return at
  }
  return -1
}
