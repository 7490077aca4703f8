import { gunzip } from '../../../http/bytes.ts'
import type { Chunks } from '../../../lib/chunks.ts'
import { joined } from '../../../lib/chunks.ts'
import { Refusal } from '../../../lib/errors.ts'

/** The text of a member once it is inflated, at most: a row of a table may have 4 MiB of characters. */
const MEMBER_MAX_BYTES = 32 * 1024 * 1024
/** RFC 1952: the plain header of a gzip member, the flag that says that a field follows, and the field itself. */
const HEADER_BYTES = 10
const EXTRA_FLAG = 4
const EXTRA_BYTES = 10
const SUBFIELD = [0x54, 0x4d] as const

/** One member of gzip that says in a field of its header how long it is, so that it can be read without the others. Members
 * behind each other are gzip again. */
export async function packMember(text: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip')))
  const member = new Uint8Array(packed.length + EXTRA_BYTES)
  member.set(packed.subarray(0, HEADER_BYTES))
  member[3] = EXTRA_FLAG
  member.set([8, 0, ...SUBFIELD, 4, 0], HEADER_BYTES)
  new DataView(member.buffer).setUint32(HEADER_BYTES + 6, member.length, true)
  member.set(packed.subarray(HEADER_BYTES), HEADER_BYTES + EXTRA_BYTES)
  return member
}

/** The texts of members that come one after the other in chunks of any size; no more than one of them is ever held.
 * @throws {Refusal} bad_request for other bytes, too_large for a member that is larger than the service writes */
export async function* unpackMembers(chunks: Chunks): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const reader = new ChunkReader(chunks)
  try {
    for (;;) {
      const header = await reader.take(HEADER_BYTES + EXTRA_BYTES)
      if (header === null) return
      const member = await reader.take(sizeOf(header) - header.length)
      if (member === null) throw noArchive()
      const plain = new Uint8Array(HEADER_BYTES + member.length)
      plain.set(header.subarray(0, HEADER_BYTES))
      plain[3] = 0
      plain.set(member, HEADER_BYTES)
      yield await gunzip(plain, { sentMaxBytes: Infinity, inflatedMaxBytes: MEMBER_MAX_BYTES })
    }
  } finally {
    await reader.close()
  }
}

function sizeOf(header: Uint8Array<ArrayBuffer>): number {
  const isOurs =
    header[0] === 0x1f &&
    header[1] === 0x8b &&
    header[3] === EXTRA_FLAG &&
    header[12] === SUBFIELD[0] &&
    header[13] === SUBFIELD[1]
  const size = new DataView(header.buffer, header.byteOffset).getUint32(HEADER_BYTES + 6, true)
  // Compressed data are hardly ever larger than the original.
  if (!isOurs || size <= header.length || size > MEMBER_MAX_BYTES + 64 * 1024) throw noArchive()
  return size
}

class ChunkReader {
  readonly #source: AsyncIterator<Uint8Array, void>
  #held: Uint8Array[] = []
  #heldBytes = 0

  constructor(chunks: Chunks) {
    this.#source = chunks[Symbol.asyncIterator]()
  }

  /** This many bytes; null at the end. @throws {Refusal} bad_request for fewer */
  async take(sizeBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    while (this.#heldBytes < sizeBytes) {
      const next = await this.#source.next()
      if (next.done === true) {
        if (this.#heldBytes === 0) return null
        throw noArchive()
      }
      this.#held.push(next.value)
      this.#heldBytes += next.value.byteLength
    }
    const [first] = this.#held
    const all = this.#held.length === 1 && first ? first : joined(this.#held, this.#heldBytes)
    this.#held = [all.subarray(sizeBytes)]
    this.#heldBytes -= sizeBytes
    return new Uint8Array(all.subarray(0, sizeBytes))
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }
}

/** The refusal of bytes that are not a complete archive. */
export function noArchive(): Refusal {
  return new Refusal(
    'bad_request',
    'The file is not a valid backup: it is truncated, was modified, or is not a Tidemark backup.',
  )
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
