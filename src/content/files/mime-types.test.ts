import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { FILE_TYPES } from './mime-types.ts'

const DOCUMENT = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

test('a document that is broken inside is what it is declared as, and nothing by itself', async () => {
  const name = '[Content_Types].xml'
  const head = new Uint8Array(200).fill(0xff)
  head.set([
    0x50,
    0x4b,
    0x03,
    0x04,
    20,
    0,
    0,
    0,
    8,
    0,
    ...Array.from({ length: 8 }, () => 0),
    100,
    0,
    0,
    0,
    100,
    0,
    0,
    0,
  ])
  head.set([name.length, 0, 0, 0, ...new TextEncoder().encode(name)], 26)
  expect(await FILE_TYPES.typeOf(DOCUMENT, 'x', head)).toBe(DOCUMENT)
  expect(await FILE_TYPES.typeOf(null, 'x', head)).toBeNull()
})

/** Beginnings that lead far into the parsers. */
const MAGIC = [
  'PK\x03\x04',
  'RIFF',
  'OggS',
  '\x1a\x45\xdf\xa3',
  '\0\0\0\x18ftyp',
  'II*\0',
  '\x89PNG\r\n\x1a\n',
  'ID3',
  '<?xml',
  '',
]

test('a file with any first bytes has an accepted type, an unknown one, or none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MAGIC),
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(null, ...FILE_TYPES.accepted),
      fc.constantFrom('x', 'x.docx', 'x.txt', 'x.png'),
      async (magic, rest, declared, name) => {
        const head = new Uint8Array([...Buffer.from(magic, 'latin1'), ...rest])
        const type = await FILE_TYPES.typeOf(declared, name, head)
        expect([null, 'application/octet-stream', ...FILE_TYPES.accepted]).toContain(type)
        if (declared !== null) expect([null, declared]).toContain(type)
      },
    ),
    { numRuns: 1_000 },
  )
})
