import { expect, test } from 'bun:test'
import type { RowGroup } from 'hyparquet'

import {
  checkGroup,
  checkPages,
  CHUNK_MAX_BYTES,
  PAGE_INDEXES_MAX,
  PAGE_MAX_BYTES,
  PAGE_NUMBERS_MAX,
  PAGE_TEXTS_MAX,
} from './bounds.ts'

type Chunk = NonNullable<RowGroup['columns'][number]['meta_data']>

function check(chunk: Partial<Chunk>, column: object = {}): void {
  const whole = { codec: 'SNAPPY', total_compressed_size: 1n, ...chunk } as Chunk
  const columns = [{ file_offset: 0n, meta_data: whole, ...column }]
  checkGroup({ columns, total_byte_size: 1n, num_rows: 1n }, ['qty'])
}

test('a column of a group of rows has 16 MiB at most, a known packing and no secret', () => {
  check({ total_compressed_size: BigInt(CHUNK_MAX_BYTES) })
  expect(() => check({ total_compressed_size: BigInt(CHUNK_MAX_BYTES) + 1n })).toThrow(/column qty\. Write/)
  for (const codec of ['UNCOMPRESSED', 'GZIP', 'ZSTD'] as const) check({ codec })
  expect(() => check({ codec: 'BROTLI' })).toThrow(/packed with BROTLI/)
  expect(() => check({}, { crypto_metadata: {} })).toThrow(/column qty is encrypted/)
})

/** A page by its header in the compact protocol of Thrift, with so many bytes behind it. */
function page(
  sizes: { unpacked?: number; packed?: number; values?: number; encoding?: number },
  bytes: number,
): Uint8Array {
  const { unpacked = 1, packed = bytes, values = 1, encoding = 0 } = sizes
  const header = [0x15, ...zigzag(0), 0x15, ...zigzag(unpacked), 0x15, ...zigzag(packed)]
  const inner = [
    0x2c,
    0x15,
    ...zigzag(values),
    0x15,
    ...zigzag(encoding),
    0x15,
    ...zigzag(3),
    0x15,
    ...zigzag(3),
    0,
  ]
  return Uint8Array.from([...header, ...inner, 0, ...Array.from({ length: bytes }, () => 0)])
}

function zigzag(value: number): number[] {
  const bytes: number[] = []
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

test('a page has 16 MiB and 512 Ki numbers at most, and lies within its column', () => {
  checkPages(page({ unpacked: PAGE_MAX_BYTES, values: PAGE_NUMBERS_MAX }, 5), false)
  expect(() => checkPages(page({ unpacked: PAGE_MAX_BYTES + 1 }, 5), false)).toThrow(/smaller pages/)
  expect(() => checkPages(page({ values: PAGE_NUMBERS_MAX + 1 }, 5), false)).toThrow(/smaller pages/)
  expect(() => checkPages(page({ values: -1 }, 5), false)).toThrow(/not where its header says/)
  expect(() => checkPages(page({ packed: 6 }, 5), false)).toThrow(/not where its header says/)
  expect(() => checkPages(page({ packed: -1 }, 5), false)).toThrow(/not where its header says/)
})

test('a page has 128 Ki texts at most, or 4 Mi of a dictionary', () => {
  const texts = (values: number, encoding?: number) =>
    checkPages(page({ values, ...(encoding && { encoding }) }, 5), true)
  const RLE_DICTIONARY = 8
  texts(PAGE_TEXTS_MAX)
  expect(() => texts(PAGE_TEXTS_MAX + 1)).toThrow(/131072 values/)
  texts(PAGE_INDEXES_MAX, RLE_DICTIONARY)
  expect(() => texts(PAGE_INDEXES_MAX + 1, RLE_DICTIONARY)).toThrow(/4194304 values/)
})
