import { crc32, deflateRawSync } from 'node:zlib'

import { joined } from '../../src/lib/chunks.ts'

type Header = {
  name?: string | Uint8Array
  flags?: number
  method?: number
  crc?: number
  packedBytes?: number
  sizeBytes?: number
  signature?: number
}

/** An entry of an archive that is put together by hand: what it says of itself where that is not true. */
export type Part = Header & {
  readonly name: string | Uint8Array
  readonly data?: string | Uint8Array
  /** The bytes in the archive, unless they are the data or the deflated data. */
  readonly raw?: Uint8Array
  /** The fields of the header in front of the data that differ from the directory. */
  readonly local?: Header
  /** The bytes behind the data: their number, or the bytes. */
  readonly descriptor?: 12 | 16 | Uint8Array
  readonly system?: number
  readonly attributes?: number
  readonly extra?: Uint8Array
  readonly comment?: Uint8Array
  readonly disk?: number
  /** Where the directory says that it begins. */
  readonly offsetBytes?: number
  /** In the directory only, or with its bytes only. */
  readonly isOnlyListed?: boolean
  readonly isUnlisted?: boolean
  /** Bytes in front of it that are nobody's. */
  readonly gap?: Uint8Array
}

export type End = {
  readonly here?: number
  readonly total?: number
  readonly disk?: number
  readonly sizeBytes?: number
  readonly offsetBytes?: number
  readonly commentBytes?: number
  readonly comment?: Uint8Array
  /** In front of the directory, of the last record, and behind it. */
  readonly before?: Uint8Array
  readonly between?: Uint8Array
  readonly after?: Uint8Array
}

export const [STORED, DEFLATED] = [0, 8]
export const DESCRIBED = 1 << 3
export const UTF_8 = 1 << 11

/** An archive of these parts, as its headers should be unless a part says otherwise. */
export function craft(parts: readonly Part[], end: End = {}): Uint8Array<ArrayBuffer> {
  const whole: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  const add = (bytes: Uint8Array) => {
    whole.push(bytes)
    at += bytes.byteLength
  }
  for (const part of parts) {
    const made = madeOf(part)
    add(part.gap ?? new Uint8Array())
    const offsetBytes = part.offsetBytes ?? at
    if (!part.isOnlyListed) {
      const shown = part.descriptor ? { ...made, crc: 0, packedBytes: 0, sizeBytes: 0 } : made
      add(localOf({ ...shown, ...part.local }, part.extra))
      add(made.raw)
      add(descriptorOf(part, made))
    }
    if (!part.isUnlisted) directory.push(listedOf(made, part, offsetBytes))
  }
  add(end.before ?? new Uint8Array())
  return join([...whole, ...directory, lastOf(directory, at, end)])
}

function lastOf(directory: readonly Uint8Array[], from: number, end: End): Uint8Array {
  const told = {
    disk: 0,
    here: directory.length,
    total: directory.length,
    sizeBytes: join(directory).byteLength,
    offsetBytes: from,
    commentBytes: end.comment?.byteLength ?? 0,
    ...end,
  }
  return join([
    end.between ?? new Uint8Array(),
    u32(0x06054b50),
    ...[told.disk, told.disk, told.here, told.total].map(u16),
    ...[told.sizeBytes, told.offsetBytes].map(u32),
    u16(told.commentBytes),
    end.comment ?? new Uint8Array(),
    end.after ?? new Uint8Array(),
  ])
}

/** Bytes behind each other. */
export function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return joined(
    parts,
    parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
  )
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

export function u16(number: number): Uint8Array {
  return Uint8Array.of(number & 0xff, (number >>> 8) & 0xff)
}

export function u32(number: number): Uint8Array {
  return join([u16(number & 0xffff), u16(number >>> 16)])
}

type Made = Required<Header> & { readonly raw: Uint8Array }

function madeOf({ data = '', raw, name, ...part }: Part): Made {
  const bytes = typeof data === 'string' ? utf8(data) : data
  const method = part.method ?? STORED
  const stored = raw ?? (method === DEFLATED ? deflateRawSync(bytes) : bytes)
  return {
    name,
    flags: part.flags ?? (part.descriptor ? DESCRIBED : 0),
    method,
    crc: part.crc ?? crc32(bytes),
    packedBytes: part.packedBytes ?? stored.byteLength,
    sizeBytes: part.sizeBytes ?? bytes.byteLength,
    signature: part.signature ?? 0x02014b50,
    raw: stored,
  }
}

function localOf({ name, ...header }: Made & Header, extra: Uint8Array = new Uint8Array()): Uint8Array {
  const bytes = typeof name === 'string' ? utf8(name) : name
  return join([
    u32(header.signature === 0x02014b50 ? 0x04034b50 : header.signature),
    ...[20, header.flags, header.method, 0, 0x21].map(u16),
    ...[header.crc, header.packedBytes, header.sizeBytes].map(u32),
    ...[bytes.byteLength, extra.byteLength].map(u16),
    bytes,
    extra,
  ])
}

function descriptorOf({ descriptor }: Part, made: Made): Uint8Array {
  if (!descriptor) return new Uint8Array()
  if (descriptor instanceof Uint8Array) return descriptor
  const told = [made.crc, made.packedBytes, made.sizeBytes].map(u32)
  return join(descriptor === 16 ? [u32(0x08074b50), ...told] : told)
}

function listedOf({ name, ...made }: Made, part: Part, offsetBytes: number): Uint8Array {
  const bytes = typeof name === 'string' ? utf8(name) : name
  const comment = part.comment ?? new Uint8Array()
  return join([
    u32(made.signature),
    Uint8Array.of(20, part.system ?? 3),
    ...[20, made.flags, made.method, 0, 0x21].map(u16),
    ...[made.crc, made.packedBytes, made.sizeBytes].map(u32),
    ...[bytes.byteLength, 0, comment.byteLength, part.disk ?? 0, 0].map(u16),
    u32(part.attributes ?? 0),
    u32(offsetBytes),
    bytes,
    comment,
  ])
}
