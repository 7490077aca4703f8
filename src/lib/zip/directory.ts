import { Refusal } from '../errors.ts'
import type { ByteSource } from './source.ts'

/** The record of one entry in the central directory (APPNOTE 4.3.12). */
export type DirectoryEntry = {
  /** The number of the entry, from 1. */
  readonly number: number
  readonly system: number
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedBytes: number
  readonly sizeBytes: number
  readonly attributes: number
  readonly offsetBytes: number
  readonly name: Uint8Array
}

export type Directory = { readonly entries: readonly DirectoryEntry[]; readonly offsetBytes: number }

const END_BYTES = 22
const COMMENT_MAX_BYTES = 0xffff
const HEADER_BYTES = 46
/** So many bytes of names, comments and the like for each entry, on the average. */
const HEADER_MAX_BYTES = 2_048

/** The refusal of an archive that is unsafe to unpack. */
export function unsafe(detail: string): Refusal {
  return new Refusal('zip_unsafe', detail)
}

/** The refusal of an archive with sizes of 64 bits. */
export function zip64(): Refusal {
  return unsafe('The archive has the ZIP64 format, which is not supported.')
}

/** The placeholder of a number whose 64-bit value is elsewhere. */
export const IN_64_BITS = 0xffffffff

/** A look at bytes as little-endian numbers. */
export function numbersOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The directory at the end of an archive, which has to be where its last record says, and as long.
 * @throws {Refusal} zip_unsafe for a file that is not a ZIP archive, has parts elsewhere, needs ZIP64, or has too many entries */
export async function readDirectory(source: ByteSource, entriesMax: number): Promise<Directory> {
  const { endAt, end } = await findEnd(source)
  const view = numbersOf(end)
  const [disk, firstDisk, here, total] = [4, 6, 8, 10].map((at) => view.getUint16(at, true))
  const sizeBytes = view.getUint32(12, true)
  const offsetBytes = view.getUint32(16, true)
  if (
    total === 0xffff ||
    sizeBytes === IN_64_BITS ||
    offsetBytes === IN_64_BITS ||
    (await hasZip64(source, endAt))
  )
    throw zip64()
  if (disk !== 0 || firstDisk !== 0 || here !== total)
    throw unsafe('The archive is split over several files, which is not supported.')
  if (here === undefined || here > entriesMax)
    throw unsafe(`The archive must have at most ${entriesMax} entries.`)
  if (offsetBytes + sizeBytes !== endAt)
    throw unsafe('The central directory of the archive is not where its end record says.')
  if (sizeBytes > here * HEADER_MAX_BYTES)
    throw unsafe('The central directory of the archive is larger than its entries need.')
  const bytes = await source.read(offsetBytes, sizeBytes)
  return { entries: listed(bytes, here), offsetBytes }
}

/** The last record: what ends the archive with a comment that is as long as it says. */
async function findEnd(source: ByteSource): Promise<{ endAt: number; end: Uint8Array }> {
  const tailBytes = Math.min(source.sizeBytes, END_BYTES + COMMENT_MAX_BYTES)
  const tail = await source.read(source.sizeBytes - tailBytes, tailBytes)
  const view = numbersOf(tail)
  for (let at = tailBytes - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue
    if (at + END_BYTES + view.getUint16(at + 20, true) !== tailBytes) break
    return { endAt: source.sizeBytes - tailBytes + at, end: tail.subarray(at, at + END_BYTES) }
  }
  throw unsafe('The file is not a ZIP archive, or is truncated.')
}

async function hasZip64(source: ByteSource, endAt: number): Promise<boolean> {
  if (endAt < 20) return false
  return numbersOf(await source.read(endAt - 20, 4)).getUint32(0, true) === 0x07064b50
}

function listed(bytes: Uint8Array, count: number): DirectoryEntry[] {
  const view = numbersOf(bytes)
  const entries: DirectoryEntry[] = []
  let at = 0
  while (at < bytes.byteLength) {
    const isHeader = at + HEADER_BYTES <= bytes.byteLength && view.getUint32(at, true) === 0x02014b50
    if (!isHeader) throw unsafe('The central directory of the archive is damaged.')
    const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = [28, 30, 32].map((field) =>
      view.getUint16(at + field, true),
    )
    const next = at + HEADER_BYTES + nameBytes + extraBytes + commentBytes
    if (next > bytes.byteLength) throw unsafe('The central directory of the archive is damaged.')
    if ([20, 24, 42].some((field) => view.getUint32(at + field, true) === IN_64_BITS)) throw zip64()
    if (view.getUint16(at + 34, true) !== 0)
      throw unsafe('The archive is split over several files, which is not supported.')
    entries.push({
      number: entries.length + 1,
      system: view.getUint8(at + 5),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packedBytes: view.getUint32(at + 20, true),
      sizeBytes: view.getUint32(at + 24, true),
      attributes: view.getUint32(at + 38, true),
      offsetBytes: view.getUint32(at + 42, true),
      name: bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + nameBytes),
    })
    at = next
  }
  if (entries.length !== count)
    throw unsafe('The central directory of the archive has fewer or more entries than its end record says.')
  return entries
}
