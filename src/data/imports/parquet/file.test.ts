import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { streamedFile } from '../../../../test/data/import-files.ts'
import type { ImportPlan, ValueFormat } from '../../../domain/import-plan.ts'
import { Refusal } from '../../../lib/errors.ts'
import { heldSource } from '../../../lib/zip/source.ts'
import { inspectFile, readRows } from '../file.ts'
import { openParquet } from './file.ts'

const VALUES: ValueFormat = { nulls: [''], decimal: '.', dateFormats: [], timeZone: 'Europe/Zurich' }
const FOLDER = join(import.meta.dir, '../../../../test/data/parquet')

const made = async (name: string) =>
  new Uint8Array(await Bun.file(join(FOLDER, `${name}.parquet`)).arrayBuffer())

async function tableOf(bytes: Uint8Array): Promise<{ types: string[]; rows: readonly unknown[][] }> {
  const { columns } = await inspectFile(streamedFile(bytes), { kind: 'parquet' }, VALUES)
  const plan: ImportPlan = {
    file: { kind: 'parquet' },
    values: VALUES,
    columns,
    onError: 'abort',
    faultsMax: 0,
  }
  const batches = await Array.fromAsync(
    readRows(streamedFile(bytes), plan, { rows: 0, skipped: 0, faults: [] }),
  )
  return { types: columns.map(({ name, type }) => `${name} ${type}`), rows: batches.flat() as unknown[][] }
}

async function refusalOf(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof Refusal && error.code === 'import_failed') return error.detail
  throw error
}

describe('a file of pyarrow', () => {
  test.each(['none', 'snappy', 'gzip', 'zstd', 'version2'])(
    'packed as %s has its types and values',
    async (name) => {
      const { types, rows } = await tableOf(await made(name))
      expect(types).toEqual([
        'id string',
        'qty integer',
        'long integer',
        'ulong string',
        'price number',
        'small number',
        'money number',
        'cents number',
        'ok boolean',
        'day date',
        'at datetime',
        'local datetime',
        'time time',
        'word string',
        'text string',
      ])
      expect(rows.map((row) => JSON.stringify(row))).toEqual([
        '["007",1,123456789012345,"18446744073709551615",0.1,0.5,0.3,0.05,true,"2026-03-01","2026-03-01T10:30:15.00025Z","2026-03-01T09:30:00Z","07:05:00","a","Zürich \\"x\\""]',
        String.raw`["008",-2,-1,"0",1e+25,-0.25,-12345678901234568,-1.1,false,"1900-02-28","1969-12-31T23:59:59.999999Z","2026-06-30T22:00:00Z","23:59:59.5","b","line\nbreak"]`,
        '[null,null,0,"1",null,null,null,null,null,null,null,null,null,"a",null]',
      ])
    },
  )

  test('with instants of 96 bits has them', async () => {
    expect((await tableOf(await made('int96'))).rows.map((row) => row[1])).toEqual([
      '2026-03-01T10:30:15.00025Z',
      '1969-12-31T23:59:59.999999Z',
      null,
    ])
  })

  test('without rows has its columns', async () => {
    expect(await tableOf(await made('empty'))).toEqual({ types: ['n string'], rows: [] })
  })

  test.each([
    ['list', /column tags is nested/],
    ['struct', /column point is nested/],
    ['fixed', /column bytes has the type FIXED_LEN_BYTE_ARRAY/],
    ['lz4', /column a is packed with LZ4/],
  ])('with %s is refused', async (name, says) => {
    expect(await refusalOf(tableOf(await made(name)))).toMatch(says)
  })
})

test('a file that is truncated or damaged anywhere is refused or read, and nothing else', async () => {
  const whole = await made('zstd')
  for (const sizeBytes of [0, 4, 11, 12, 100, whole.length - 1])
    expect(await refusalOf(openParquet(heldSource(whole.slice(0, sizeBytes))))).toMatch(/truncated/)
  for (let at = 0; at < whole.length; at += 29) {
    const bytes = whole.slice()
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    const outcome = await tableOf(bytes).then(
      () => null,
      (error: unknown) => error,
    )
    if (outcome !== null) expect((outcome as Refusal).name).toMatch(/^(?:Refusal|ImportFailure)$/)
  }
})

test('an error of the storage is not an error of the file', () => {
  const bytes = heldSource(new Uint8Array(100))
  const broken = { ...bytes, read: () => Promise.reject(new Error('cut off')) }
  expect(openParquet(broken)).rejects.toThrow('cut off')
})
