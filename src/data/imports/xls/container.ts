import { unreadable } from '../failure.ts'

/** The streams of a compound file (MS-CFB), which is the container of XLS workbooks. */
export type Container = {
  /** The names of the streams and storages in small letters: they have no letter case. */
  readonly names: ReadonlySet<string>
  /** The bytes of the stream of this name. @throws {Refusal} import_failed */
  readonly stream: (name: string) => Uint8Array
}

const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
const HEADER_BYTES = 512
const ENTRY_BYTES = 128
/** Sectors of the table of sectors that the header names. */
const HEADER_SECTORS = 109
/** Numbers from here on end a chain. */
const LAST_SECTOR = 0xfffffffa
const MINI_SECTOR_BITS = 6
const ROOT = 5

type Entry = { readonly start: number; readonly sizeBytes: number }

/** @throws {Refusal} import_failed for a file of another kind */
export function openContainer(bytes: Uint8Array): Container {
  if (bytes.length < HEADER_BYTES || SIGNATURE.some((byte, at) => bytes[at] !== byte)) throw notWorkbook()
  const sectors = new Sectors(bytes)
  const entries = new Map<string, Entry>()
  let root: Entry | null = null
  for (const { name, type, ...entry } of entriesOf(sectors.directory(), sectors.isLarge)) {
    if (type === ROOT) root = entry
    else if (!entries.has(name)) entries.set(name, entry)
  }
  return {
    names: new Set(entries.keys()),
    stream(name) {
      const entry = entries.get(name)
      if (!entry || !root) throw notWorkbook()
      return entry.sizeBytes < sectors.miniMaxBytes ? sectors.mini(entry, root) : sectors.stream(entry)
    },
  }
}

function* entriesOf(
  directory: Uint8Array,
  isLarge: boolean,
): Generator<Entry & { readonly name: string; readonly type: number }> {
  const view = viewOf(directory)
  const decoder = new TextDecoder('utf-16le')
  for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
    const nameBytes = Math.min(64, view.getUint16(at + 64, true)) - 2
    const type = view.getUint8(at + 66)
    if (type === 0 || nameBytes <= 0) continue
    // Files with small sectors may have anything in the upper half of a size.
    const upper = isLarge ? view.getUint32(at + 124, true) : 0
    yield {
      name: decoder.decode(directory.subarray(at, at + nameBytes)).toLowerCase(),
      type,
      start: view.getUint32(at + 116, true),
      sizeBytes: upper * 2 ** 32 + view.getUint32(at + 120, true),
    }
  }
}

/** The sectors of a file, and the chains that they form. */
class Sectors {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #bits: number
  /** The sector behind each sector. */
  readonly #next: Uint32Array
  readonly miniMaxBytes: number
  readonly #count: number
  /** Whether sectors have 4,096 bytes and not 512. */
  readonly isLarge: boolean

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.#bits = this.#view.getUint16(30, true)
    this.isLarge = this.#bits === 12
    if (this.#bits !== 9 && !this.isLarge) throw damaged()
    this.#count = Math.ceil(bytes.length / 2 ** this.#bits)
    this.miniMaxBytes = this.#view.getUint32(56, true)
    this.#next = this.#table()
  }

  directory(): Uint8Array {
    return this.#chain(this.#view.getUint32(48, true))
  }

  stream({ start, sizeBytes }: Entry): Uint8Array {
    return sized(this.#chain(start), sizeBytes)
  }

  /** A stream that is shorter than `miniMaxBytes`: its sectors lie in the stream of the root. */
  mini({ start, sizeBytes }: Entry, root: Entry): Uint8Array {
    const all = this.stream(root)
    const table = viewOf(this.#chain(this.#view.getUint32(60, true)))
    const stream = new Uint8Array(Math.ceil(sizeBytes / 2 ** MINI_SECTOR_BITS) * 2 ** MINI_SECTOR_BITS)
    let sector = start
    for (let to = 0; to < stream.length; to += 2 ** MINI_SECTOR_BITS) {
      const from = sector * 2 ** MINI_SECTOR_BITS
      if (from >= all.length || sector * 4 + 4 > table.byteLength) throw damaged()
      stream.set(all.subarray(from, from + 2 ** MINI_SECTOR_BITS), to)
      sector = table.getUint32(sector * 4, true)
    }
    return sized(stream, sizeBytes)
  }

  #sector(number: number): Uint8Array {
    const from = (number + 1) * 2 ** this.#bits
    if (from >= this.#bytes.length) throw damaged()
    return this.#bytes.subarray(from, from + 2 ** this.#bits)
  }

  /** The bytes of the sectors from one on. Without a copy where they lie behind each other. */
  #chain(start: number): Uint8Array {
    const numbers: number[] = []
    for (let number = start; number < LAST_SECTOR; number = this.#next[number] ?? LAST_SECTOR) {
      // A chain that is longer than the file goes in a circle.
      if (numbers.length >= this.#count || number >= this.#count) throw damaged()
      numbers.push(number)
    }
    const [first = 0] = numbers
    if (numbers.every((number, at) => number === first + at)) {
      const from = (first + 1) * 2 ** this.#bits
      return this.#bytes.subarray(from, from + numbers.length * 2 ** this.#bits)
    }
    const bytes = new Uint8Array(numbers.length * 2 ** this.#bits)
    for (const [at, number] of numbers.entries()) bytes.set(this.#sector(number), at * 2 ** this.#bits)
    return bytes
  }

  #table(): Uint32Array {
    const places = this.#tablePlaces()
    const perSector = 2 ** this.#bits / 4
    const next = new Uint32Array(places.length * perSector)
    for (const [at, place] of places.entries()) {
      const view = viewOf(this.#sector(place))
      for (let index = 0; index < Math.floor(view.byteLength / 4); index += 1)
        next[at * perSector + index] = view.getUint32(index * 4, true)
    }
    return next
  }

  /** The numbers of the sectors that hold the table of sectors. */
  #tablePlaces(): readonly number[] {
    const places: number[] = []
    const take = (view: DataView, from: number, count: number) => {
      for (let index = 0; index < count; index += 1) {
        const place = view.getUint32(from + index * 4, true)
        if (place < LAST_SECTOR) places.push(place)
      }
    }
    take(this.#view, 76, HEADER_SECTORS)
    const perSector = 2 ** this.#bits / 4 - 1
    let more = this.#view.getUint32(68, true)
    for (let count = 0; more < LAST_SECTOR; count += 1) {
      const sector = this.#sector(more)
      if (sector.length < 2 ** this.#bits || count > this.#count || places.length > this.#count)
        throw damaged()
      const view = viewOf(sector)
      take(view, 0, perSector)
      more = view.getUint32(perSector * 4, true)
    }
    return places
  }
}

function sized(bytes: Uint8Array, sizeBytes: number): Uint8Array {
  if (bytes.length < sizeBytes) throw damaged()
  return bytes.subarray(0, sizeBytes)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function notWorkbook(): Error {
  return unreadable('The file is not an XLS workbook.')
}

function damaged(): Error {
  return unreadable('The XLS workbook is damaged or truncated.')
}
