import type { Chunks } from '../../lib/chunks.ts'
import { Refusal } from '../../lib/errors.ts'

/** The first file of a form: the type that it is declared as, and its bytes as they come. */
export type FilePart = { readonly type: string | null; readonly chunks: Chunks }

/** A part of a form; `filename` is null for a field. */
export type FormPart = FilePart & { readonly name: string; readonly filename: string | null }

const HEADERS_MAX_BYTES = 16 * 1024
const CRLF = '\r\n'

/** The boundary of a form with files (RFC 7578); null where the media type is another one. */
export function boundaryOf(contentType: string | null): string | null {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '')) return null
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '') ?? []
  return quoted ?? bare ?? ''
}

/** The parts of a form as they arrive. The chunks of a part are valid until the next part is read. Only the head of one part is
 * in memory.
 * @throws {Refusal} bad_request when it is not a form, or once it ends early */
export async function* formParts(body: Chunks, boundary: string): AsyncGenerator<FormPart, void> {
  if (boundary === '') throw new Refusal('bad_request', 'The Content-Type of the form has no boundary.')
  const reader = new Reader(body)
  const delimiter = `--${boundary}`
  // The preamble before the first delimiter is ignored; it then ends with a line break.
  if (!(await reader.startsWith(delimiter))) {
    for await (const _ of reader.until(CRLF + delimiter));
  }
  while (!(await reader.startsWith('--'))) {
    const head = headOf(await reader.text(`${CRLF}${CRLF}`, HEADERS_MAX_BYTES))
    const chunks = reader.until(CRLF + delimiter)
    yield { ...head, chunks }
    for await (const _ of chunks);
  }
}

/** Reads a form up to its one file. Fields beside it are passed over.
 * @throws {Refusal} bad_request when it is not a form, has no file, or, once its chunks are read, ends early or has another */
export async function readFilePart(body: Chunks, boundary: string): Promise<FilePart> {
  const parts = formParts(body, boundary)
  const file = await nextFile(parts)
  if (!file) throw new Refusal('bad_request', 'The form has no file.')
  return { type: file.type, chunks: fileAndEnd(file, parts) }
}

async function* fileAndEnd(
  { chunks }: FormPart,
  parts: AsyncGenerator<FormPart, void>,
): AsyncGenerator<Uint8Array, void> {
  yield* chunks
  if (await nextFile(parts)) throw new Refusal('bad_request', 'The form must have exactly one file.')
}

async function nextFile(parts: AsyncGenerator<FormPart, void>): Promise<FormPart | null> {
  for (;;) {
    const next = await parts.next()
    if (next.done === true) return null
    if (next.value.filename !== null) return next.value
  }
}

function headOf(head: string): Omit<FormPart, 'chunks'> {
  const fields = new Map(
    head.split(CRLF).map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  const disposition = fields.get('content-disposition') ?? ''
  return {
    name: parameterOf(disposition, 'name') ?? '',
    filename: parameterOf(disposition, 'filename'),
    type: fields.get('content-type') ?? null,
  }
}

/** A parameter as browsers write it (WHATWG HTML, multipart form data); empty for a name in an encoding of its own. */
function parameterOf(disposition: string, name: string): string | null {
  const found = new RegExp(`;\\s*${name}(?:\\*=|=(?:"([^"]*)"|([^\\s;"]*)))`, 'i').exec(disposition)
  if (!found) return null
  const text = found[1] ?? found[2] ?? ''
  return text.replaceAll(/%0D|%0A|%22/gi, (code) => decodeURIComponent(code))
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
        throw new Refusal('bad_request', 'The headers of a part of the form are too long.')
      if (!(await this.#more())) throw endedEarly()
    }
  }

  /** The bytes before the mark, which is passed over. */
  async *until(mark: string): AsyncGenerator<Uint8Array, void> {
    const sought = bytesOf(mark)
    try {
      for (;;) {
        const at = indexOf(this.#held, sought)
        // The end of the buffer may be the beginning of the boundary.
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
  return new Refusal('bad_request', 'The form is truncated.')
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
