import type { Chunks } from '../chunks.ts'
import { foldCase } from '../text.ts'
import { decodeCp437 } from './cp437.ts'
import { IN_64_BITS, numbersOf, readDirectory, unsafe, zip64 } from './directory.ts'
import type { DirectoryEntry } from './directory.ts'
import { windowed } from './source.ts'
import type { ByteSource } from './source.ts'
import { unpacked } from './inflate.ts'

/** The maximum sizes of an archive, and the names that its entries may have. */
export type ZipBounds = {
  readonly entriesMax: number
  /** All entries together, once they are unpacked. */
  readonly unpackedMaxBytes: number
  /** The path that a name means; null for a name that means none. A slash at its end is not part of it. */
  readonly pathOf: (name: string) => string | null
}

export type ZipEntry = {
  readonly path: string
  readonly isDirectory: boolean
  readonly sizeBytes: number
  /** The unpacked bytes, as many as promised or none of the end of them.
   * @throws {Refusal} zip_unsafe, while they are read, where they are others than the archive says */
  chunks(): Chunks
}

const STORED = 0
const DEFLATED = 8
/** Data descriptor behind the entry; a name in UTF-8. */
const [DESCRIBED, UTF_8] = [1 << 3, 1 << 11]
/** The only other flags that are accepted: the compression level. */
const KNOWN_FLAGS = DESCRIBED | UTF_8 | (3 << 1)
const LOCAL_BYTES = 30
/** The ratio of small entries is not checked. */
const RATIO_FROM_BYTES = 1024 * 1024
const RATIO_MAX = 100
const [KIND_MASK, KIND_FILE, KIND_DIRECTORY] = [0o170000, 0o100000, 0o040000]

/** The entries of an archive in the order of its directory; their contents are not read yet. Every byte of the archive must
 * belong to one entry, both headers of an entry must be equal, and no two names may lead to one place.
 * @throws {Refusal} zip_unsafe */
export async function readZip(whole: ByteSource, bounds: ZipBounds): Promise<ZipEntry[]> {
  const source = windowed(whole)
  const { entries, offsetBytes } = await readDirectory(source, bounds.entriesMax)
  const totalBytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (totalBytes > bounds.unpackedMaxBytes)
    throw unsafe(`The unpacked archive must have at most ${bounds.unpackedMaxBytes} bytes.`)
  const named = entries.map((entry) => ({ ...entry, ...placeOf(entry, bounds) }))
  refuseSamePlaces(named)
  const starts = await startsOf(source, entries, offsetBytes)
  return named.map((entry) => {
    const { path, isDirectory, sizeBytes } = entry
    const offset = starts.get(entry.number) ?? 0
    return { path, isDirectory, sizeBytes, chunks: () => unpacked(source, { ...entry, offsetBytes: offset }) }
  })
}

/** Looks at what the directory says of an entry by itself. */
function placeOf(entry: DirectoryEntry, { pathOf }: ZipBounds): { path: string; isDirectory: boolean } {
  const { number, flags, method, packedBytes, sizeBytes } = entry
  if (flags & (1 | (1 << 6) | (1 << 13))) throw unsafe(`Entry ${number} of the archive is encrypted.`)
  if (flags & ~KNOWN_FLAGS) throw unsafe(`Entry ${number} of the archive has unknown flags.`)
  if (method !== STORED && method !== DEFLATED)
    throw unsafe(`Entry ${number} of the archive must be stored or packed with deflate.`)
  if (method === STORED && packedBytes !== sizeBytes)
    throw unsafe(`Entry ${number} of the archive is stored, but its two sizes differ.`)
  if (sizeBytes > Math.max(RATIO_FROM_BYTES, packedBytes * RATIO_MAX))
    throw unsafe(`Entry ${number} of the archive unpacks to more than ${RATIO_MAX} times its size.`)
  const name = nameOf(entry)
  const isDirectory = name.endsWith('/')
  const path = pathOf(isDirectory ? name.slice(0, -1) : name)
  if (path === null)
    throw unsafe(`The name of entry ${number} of the archive is not a path inside the archive.`)
  if (isDirectory && sizeBytes > 0)
    throw unsafe(`Entry ${number} of the archive is a directory, but has content.`)
  refuseOddKind(entry, isDirectory)
  return { path, isDirectory }
}

/** The name of an entry: UTF-8, which many write without its flag, else code page 437 unless the flag says UTF-8. */
function nameOf({ number, name, flags }: DirectoryEntry): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name)
  } catch {
    if ((flags & UTF_8) === 0) return decodeCp437(name)
    throw unsafe(`The name of entry ${number} of the archive is not in UTF-8.`)
  }
}

/** Links, devices and the like, as Unix would make them, whichever system the archive says that it is from. */
function refuseOddKind({ number, attributes }: DirectoryEntry, isDirectory: boolean): void {
  const kind = (attributes >>> 16) & KIND_MASK
  const isPlain = kind === 0 || kind === (isDirectory ? KIND_DIRECTORY : KIND_FILE)
  if (!isPlain) throw unsafe(`Entry ${number} of the archive is a link or a special file.`)
}

type PlacedEntry = { readonly number: number; readonly path: string; readonly isDirectory: boolean }

/** Refuses entries that some system would put in one place: the same name, but for case and composition, or a file where
 * another entry needs a directory. */
function refuseSamePlaces(entries: readonly PlacedEntry[]): void {
  const places = new Map<string, PlacedEntry>()
  for (const entry of entries) {
    const place = foldCase(entry.path)
    if (places.has(place)) throw unsafe(`Entry ${entry.number} of the archive has the name of another entry.`)
    places.set(place, entry)
  }
  for (const [place, { number }] of places) {
    for (let at = place.indexOf('/'); at >= 0; at = place.indexOf('/', at + 1)) {
      if (places.get(place.slice(0, at))?.isDirectory === false)
        throw unsafe(`Entry ${number} of the archive lies below a file.`)
    }
  }
}

/** Where the bytes of each entry begin, by its number. */
async function startsOf(
  source: ByteSource,
  entries: readonly DirectoryEntry[],
  directoryAt: number,
): Promise<Map<number, number>> {
  const starts = new Map<number, number>()
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.offsetBytes - b.offsetBytes)) {
    if (entry.offsetBytes !== end) throw torn(entry, entry.offsetBytes < end)
    const start = await startOf(source, entry, directoryAt)
    starts.set(entry.number, start)
    end = start + entry.packedBytes
    if (end > directoryAt) throw torn(entry, true)
    if (entry.flags & DESCRIBED) end += await descriptorBytes(source, entry, { end, directoryAt })
  }
  if (end !== directoryAt) throw unsafe('The archive has bytes that belong to no entry.')
  return starts
}

function torn({ number }: DirectoryEntry, isOver: boolean) {
  return unsafe(
    isOver
      ? `Entry ${number} of the archive overlaps another entry or the directory.`
      : `The archive has bytes before entry ${number} that belong to no entry.`,
  )
}

/** Holds the header in front of an entry against the directory. */
async function startOf(source: ByteSource, entry: DirectoryEntry, directoryAt: number): Promise<number> {
  const { number, offsetBytes, flags, method, name } = entry
  const lies = () => unsafe(`The two headers of entry ${number} of the archive differ.`)
  if (offsetBytes + LOCAL_BYTES + name.byteLength > directoryAt) throw torn(entry, true)
  const bytes = await source.read(offsetBytes, LOCAL_BYTES + name.byteLength)
  const view = numbersOf(bytes)
  const isAlike =
    view.getUint32(0, true) === 0x04034b50 &&
    view.getUint16(6, true) === flags &&
    view.getUint16(8, true) === method &&
    view.getUint16(26, true) === name.byteLength &&
    name.every((byte, at) => bytes[LOCAL_BYTES + at] === byte)
  if (!isAlike) throw lies()
  const told = [14, 18, 22].map((at) => view.getUint32(at, true))
  if (told.includes(IN_64_BITS)) throw zip64()
  // The header may omit sizes that follow in a data descriptor.
  const isLater = (flags & DESCRIBED) !== 0 && told.every((number32) => number32 === 0)
  if (!isLater && !isSame(told, entry)) throw lies()
  return offsetBytes + LOCAL_BYTES + name.byteLength + view.getUint16(28, true)
}

/** Twelve bytes behind an entry, which most writers put four more in front of. */
async function descriptorBytes(
  source: ByteSource,
  entry: DirectoryEntry,
  { end, directoryAt }: { readonly end: number; readonly directoryAt: number },
): Promise<number> {
  const bytes = await source.read(end, Math.min(16, directoryAt - end))
  const view = numbersOf(bytes)
  for (const from of [4, 0]) {
    const isThere = bytes.byteLength >= from + 12 && (from === 0 || view.getUint32(0, true) === 0x08074b50)
    if (
      isThere &&
      isSame(
        [0, 4, 8].map((at) => view.getUint32(from + at, true)),
        entry,
      )
    )
      return from + 12
  }
  throw unsafe(`The two headers of entry ${entry.number} of the archive differ.`)
}

function isSame([crc, packedBytes, sizeBytes]: readonly number[], entry: DirectoryEntry): boolean {
  return crc === entry.crc && packedBytes === entry.packedBytes && sizeBytes === entry.sizeBytes
}
