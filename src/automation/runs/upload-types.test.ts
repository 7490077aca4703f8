import { expect, test } from 'bun:test'

import { RUN_TYPES } from '../scripts/accepted-files.ts'
import { UPLOAD_TYPES } from './upload-types.ts'

const bytes = (text: string, atLeast = 0) =>
  new Uint8Array(
    Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(Math.max(0, atLeast - text.length))]),
  )

/** A ZIP whose first entry is a stored file of this name and content. */
function zip(name: string, content = ''): Uint8Array {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(20, 4)
  head.writeUInt32LE(content.length, 18)
  head.writeUInt32LE(content.length, 22)
  head.writeUInt16LE(name.length, 26)
  return new Uint8Array(Buffer.concat([head, Buffer.from(name + content), Buffer.alloc(64)]))
}

const COMPOUND = bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 600)
const TAR = (() => {
  const block = Buffer.alloc(1_024)
  block.write('a.txt', 0)
  block.write('0000644\0', 100)
  block.write('ustar\x0000', 257)
  block.fill(' ', 148, 156)
  block.write(
    `${block
      .subarray(0, 512)
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return new Uint8Array(block)
})()

/** The beginning of a file, by what stands in the names of types. */
const SAMPLES: readonly (readonly [of: RegExp, beginning: Uint8Array])[] = [
  [/json/, bytes('{"a": 1}\n')],
  [/xml$/, bytes('<?xml version="1.0"?><a/>')],
  [/vtt/, bytes('WEBVTT\n\n')],
  [/pdf/, bytes('%PDF-1.7\n', 40)],
  [/msword|ms-excel|ms-powerpoint/, COMPOUND],
  [/openxmlformats/, zip('[Content_Types].xml')],
  [/oasis\.opendocument\.text/, zip('mimetype', 'application/vnd.oasis.opendocument.text')],
  [/oasis\.opendocument\.spreadsheet/, zip('mimetype', 'application/vnd.oasis.opendocument.spreadsheet')],
  [/oasis\.opendocument\.presentation/, zip('mimetype', 'application/vnd.oasis.opendocument.presentation')],
  [/epub/, zip('mimetype', 'application/epub+zip')],
  [/rtf/, bytes('{\\rtf1\\ansi', 40)],
  [/parquet/, bytes('PAR1', 40)],
  [/avro/, bytes('Obj\x01', 40)],
  [/arrow\.file/, bytes('ARROW1\0\0', 40)],
  [/arrow\.stream/, bytes('\xff\xff\xff\xff\x10\0\0\0', 40)],
  [/orc/, bytes('ORC\x11\0', 40)],
  [/zip-compressed|\/zip$/, zip('a.txt', 'x')],
  [/gzip/, bytes('\x1f\x8b\x08\0', 40)],
  [/bzip2/, bytes('BZh91AY&SY', 40)],
  [/xz$/, bytes('\xfd7zXZ\0', 40)],
  [/zstd/, bytes('\x28\xb5\x2f\xfd\x04\0', 40)],
  [/tar$/, TAR],
  [/7z/, bytes('7z\xbc\xaf\x27\x1c\0\x04', 40)],
  [/yaml|sql|plain|csv|tsv|tab-separated|markdown/, bytes('a,b\n1,2\n')],
]

const BINARY = bytes('\x01\x02\x03\0', 80)

test('every type that a run may take is in the table, and no other', () => {
  expect([...UPLOAD_TYPES.accepted].sort()).toEqual([...RUN_TYPES].sort())
})

test.each([...RUN_TYPES])('%s is taken for what begins like it, and for nothing else', async (type) => {
  const sample = SAMPLES.find(([of]) => of.test(type))?.[1] ?? new Uint8Array()
  expect(await UPLOAD_TYPES.typeOf(type, 'x', sample)).toBe(type)
  expect(await UPLOAD_TYPES.typeOf(`${type}; charset=utf-8`, 'x', sample)).toBe(type)
  expect(await UPLOAD_TYPES.typeOf(type, 'x', BINARY)).toBeNull()
  const isText = await UPLOAD_TYPES.typeOf('text/plain', 'x', sample)
  if (isText === null) expect(await UPLOAD_TYPES.typeOf(type, 'x', bytes('plain words'))).toBeNull()
})

test.each([
  ['x.orc', bytes('ORC\x11\0', 40), 'application/orc'],
  ['x.csv', bytes('a,b'), 'text/csv'],
  ['x.csv', BINARY, null],
  ['x', bytes('%PDF-1.7\n', 40), 'application/pdf'],
  ['x', BINARY, 'application/octet-stream'],
  ['x.zip', zip('a', 'x'), 'application/zip'],
])(
  'a file without a declared type has the type of its name and its first bytes: %s',
  async (name, head, type) => {
    expect(await UPLOAD_TYPES.typeOf(null, name, head)).toBe(type)
  },
)
