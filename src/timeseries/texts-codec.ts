import { ByteReader, ByteWriter } from './bytes.ts'
import { readInstants, writeInstants } from './columns.ts'
import { readPacked, writePacked } from './packed-integers.ts'
import type { Samples } from './samples.ts'

const KIND_TEXT = 0x11

/** Without ignoreBOM a text that begins with U+FEFF would lose it. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const utf8Encoder = new TextEncoder()

/**
 * Packs string samples into a segment body that decodeTexts returns unchanged, lone surrogates included.
 * The format is described in docs/architecture/formats/segments.md: each different text once, then which of them each sample holds.
 * @throws RangeError for instants that are no ascending epoch ms.
 */
export function encodeTexts(samples: Samples<string>): Uint8Array {
  const writer = new ByteWriter()
  writer.byte(KIND_TEXT)
  writeInstants(writer, samples)

  const places = new Map<string, number>()
  const chosen = samples.values.map((text) => {
    const place = places.get(text) ?? places.size
    places.set(text, place)

    return place
  })
  writer.unsigned(places.size)
  for (const text of places.keys()) writeText(writer, text)
  writePacked(writer, chosen)

  return writer.finish()
}

/**
 * Unpacks a segment body of string samples.
 * @throws RangeError or TypeError when the body is not one that encodeTexts makes.
 */
export function decodeTexts(body: Uint8Array): Samples<string> {
  const reader = new ByteReader(body)
  const kind = reader.byte()
  if (kind !== KIND_TEXT) throw new RangeError(`${kind} is not a kind of string segment`)

  const at = readInstants(reader)
  const texts: string[] = []
  for (let left = reader.count(); left > 0; left--) texts.push(readText(reader))
  const places = readPacked(reader, at.length)
  const values = Array.from(places, (place) => {
    const text = texts[place]
    if (text === undefined) throw new RangeError(`the segment body has no text ${place}`)

    return text
  })
  reader.end()

  return { at, values }
}

function writeText(writer: ByteWriter, text: string): void {
  const isWellFormed = !/\p{Surrogate}/u.test(text)
  const bytes = isWellFormed ? utf8Encoder.encode(text) : utf16Bytes(text)
  writer.unsigned(bytes.length * 2 + (isWellFormed ? 0 : 1))
  writer.bytes(bytes)
}

function readText(reader: ByteReader): string {
  const header = reader.unsigned()
  const isWellFormed = header % 2 === 0
  const bytes = reader.bytes(Math.floor(header / 2))

  return isWellFormed ? utf8.decode(bytes) : utf16Text(bytes)
}

/** UTF-8 has no form for a lone surrogate, so such a text is kept as its UTF-16 code units, little-endian. */
function utf16Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2)
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    bytes[index * 2] = unit & 255
    bytes[index * 2 + 1] = unit >> 8
  }

  return bytes
}

function utf16Text(bytes: Uint8Array): string {
  if (bytes.length % 2 === 1) throw new RangeError('the segment body holds half a UTF-16 code unit')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let text = ''
  for (let index = 0; index < bytes.length; index += 2)
    text += String.fromCharCode(view.getUint16(index, true))

  return text
}
