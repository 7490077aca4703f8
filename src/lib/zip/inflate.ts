import { Inflate } from 'fflate'
import { crc32 } from './crc32.ts'
import { unsafe } from './directory.ts'
import type { DirectoryEntry } from './directory.ts'
import type { ByteSource } from './source.ts'

/** The input of one step of the inflater: its output is 8.5 MB at most, which bounds the memory. */
const PIECE_BYTES = 8 * 1024
/** After so many bytes others have their turn: inflating waits for nothing by itself. */
const TURN_BYTES = 1024 * 1024

type PackedEntry = Pick<
  DirectoryEntry,
  'number' | 'method' | 'crc' | 'packedBytes' | 'sizeBytes' | 'offsetBytes'
>

/** The bytes of an entry, from `offsetBytes` of the archive on. The last chunk comes only after the size and the checksum of
 * the directory were found correct.
 * @throws {Refusal} zip_unsafe */
export async function* unpacked(source: ByteSource, entry: PackedEntry): AsyncGenerator<Uint8Array, void> {
  const lies = () => unsafe(`The content of entry ${entry.number} of the archive does not match its header.`)
  let [seenBytes, sinceBytes, crc] = [0, 0, 0]
  let last: Uint8Array = new Uint8Array()
  for await (const chunk of inflated(source, entry, lies)) {
    seenBytes += chunk.byteLength
    if (seenBytes > entry.sizeBytes) throw lies()
    crc = crc32(chunk, crc)
    if (last.byteLength > 0) yield last
    last = chunk
    sinceBytes += chunk.byteLength
    if (sinceBytes >= TURN_BYTES) {
      sinceBytes = 0
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  if (seenBytes !== entry.sizeBytes || crc !== entry.crc) throw lies()
  if (last.byteLength > 0) yield last
}

async function* inflated(
  source: ByteSource,
  { method, offsetBytes, packedBytes }: PackedEntry,
  lies: () => Error,
): AsyncGenerator<Uint8Array, void> {
  let chunks: Uint8Array[] = []
  const inflate = method === 0 ? null : new Inflate((chunk) => chunks.push(chunk))
  // An entry without any bytes has a piece as well: the end of what is deflated.
  for (let at = 0; at === 0 || at < packedBytes; at += PIECE_BYTES) {
    const piece = await source.read(offsetBytes + at, Math.min(PIECE_BYTES, packedBytes - at))
    if (!inflate) {
      yield piece
      continue
    }
    try {
      inflate.push(piece, at + PIECE_BYTES >= packedBytes)
    } catch {
      throw lies()
    }
    yield* chunks
    chunks = []
  }
}
