import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { streamedFile } from '../../../../test/data/import-files.ts'
import {
  begin,
  compoundFile,
  end,
  numberRecord,
  textRecord,
  xlsRecord,
  xlsStream,
} from '../../../../test/data/xls.ts'
import type { ImportPlan, ValueFormat, WorkbookFormat } from '../../../domain/import-plan.ts'
import { Refusal } from '../../../lib/errors.ts'
import { ImportFailure } from '../failure.ts'
import { inspectFile, readRows } from '../file.ts'
import { XLS_MAX_BYTES } from './workbook.ts'

const XLS: WorkbookFormat = { kind: 'xls', sheet: null, hasHeader: true, skipRecords: 0 }
const VALUES: ValueFormat = { nulls: [''], decimal: '.', dateFormats: [], timeZone: 'Europe/Zurich' }
const FOLDER = join(import.meta.dir, '../../../../test/data/workbooks')

const made = async (name: string) => new Uint8Array(await Bun.file(join(FOLDER, name)).arrayBuffer())

const inspect = (
  bytes: Uint8Array,
  format: Partial<WorkbookFormat> = {},
  values: Partial<ValueFormat> = {},
) => inspectFile(streamedFile(bytes), { ...XLS, ...format }, { ...VALUES, ...values })

/** The columns with their types, and the rows. */
async function contentsOf(
  bytes: Uint8Array,
  format: Partial<WorkbookFormat> = {},
  values: Partial<ValueFormat> = {},
) {
  const { columns } = await inspect(bytes, format, values)
  const plan: ImportPlan = {
    file: { ...XLS, ...format },
    values: { ...VALUES, ...values },
    columns,
    onError: 'abort',
    faultsMax: 0,
  }
  const rows: unknown[] = []
  for await (const batch of readRows(streamedFile(bytes), plan, { rows: 0, skipped: 0, faults: [] }))
    rows.push(...batch)
  return { columns: columns.map(({ name, type }) => `${name} ${type}`), rows }
}

const refusalOf = async (bytes: Uint8Array, format: Partial<WorkbookFormat> = {}): Promise<string> => {
  const error: unknown = await contentsOf(bytes, format).catch((thrown: unknown) => thrown)
  if (error instanceof Refusal && error.code === 'import_failed') return error.detail
  throw error instanceof ImportFailure ? new Error(error.message) : error
}

describe('a workbook of xlwt', () => {
  test('has texts, numbers, moments and merged cells as they were written', async () => {
    const bytes = await made('xlwt.xls')
    expect(await inspect(bytes)).toMatchObject({
      sheets: ['First', 'Daten & mehr €', 'Errors'],
      sheet: 'First',
    })
    const { columns, rows } = await contentsOf(bytes, { sheet: 'Daten & mehr €' })
    expect(columns.join(', ')).toBe(
      'id string, name string, qty integer, price number, day date, at datetime, time time, took string, ok boolean, sum string, text string, rich string, gap string, far integer, zeros integer, long string',
    )
    expect(rows.slice(0, 2).map((row) => JSON.stringify(row))).toEqual([
      '["007","Zürich \\"x\\"",1,0.1,"2026-03-01","2026-03-01T09:30:15Z","07:05:00","26:30:00",true,null,null,"plain bold","merged",null,42,null]',
      '["008","line\\nbreak €😀",-2,0.29,"1900-02-28","2026-02-28T23:00:00Z","23:59:59","00:05:00",false,null,null,"plain bold",null,null,null,"12345678901234568"]',
    ])
    expect(rows[2]).toEqual(
      expect.arrayContaining(['1234567890123456789', `${'x'.repeat(9_000)}ü€`, 1e25, '9999-12-31', 7]),
    )
  })

  test('counts its days from 1904 where it says so', async () => {
    expect((await contentsOf(await made('1904.xls'))).rows).toEqual([['2026-03-01'], ['1904-01-02']])
  })

  test('has errors, which are faults unless they stand for null; a text that looks like one is a text', async () => {
    const bytes = await made('xlwt.xls')
    expect(await inspect(bytes, { sheet: 'Errors' })).toMatchObject({
      records: 1,
      faults: [
        { code: 'cell_error', line: 2, column: 'err', sheet: 'Errors' },
        { code: 'cell_error', line: 3, column: 'err', sheet: 'Errors' },
      ],
    })
    const nulls = ['', '#DIV/0!', '#N/A']
    expect((await contentsOf(bytes, { sheet: 'Errors' }, { nulls })).rows).toEqual([[null], [null], [null]])
  })
})

test('a workbook of SheetJS has the results of its formulas, and its short stream is read', async () => {
  const nulls = ['', '#N/A']
  expect(await contentsOf(await made('sheetjs.xls'), {}, { nulls })).toEqual({
    columns: [
      'id string',
      'sum number',
      'text string',
      'ok boolean',
      'err integer',
      'day datetime',
      'last number',
      'h time',
    ],
    rows: [
      ['007', 3, 'aü€b', true, 1, '2026-02-28T23:00:00Z', null, '12:00:00'],
      ['008', 1.5, 'plain', false, null, '2026-03-02T11:00:00Z', -1e300, null],
    ],
  })
})

describe('a stream of records', () => {
  const name = textRecord(0, 0, 'a')

  test('is read whether it is short or long, and however its cells are written', async () => {
    const rk = (value: number) => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24]
    const cells = [
      ...['a', 'b', 'c'].map((text, column) => textRecord(0, column, text)),
      // 3 and -1 as whole numbers, 1.5 as hundredths.
      xlsRecord(0xbd, [
        1,
        0,
        0,
        0,
        0,
        0,
        ...rk((3 << 2) | 2),
        0,
        0,
        ...rk((-1 << 2) | 2),
        0,
        0,
        ...rk((150 << 2) | 3),
        2,
        0,
      ]),
      xlsRecord(0x27e, [2, 0, 0, 0, 0, 0, ...rk(0x3ff00000)]),
      // A chart, with numbers of its own.
      begin(32),
      numberRecord(0, 0, 99),
      end,
      numberRecord(2, 2, 0.1),
    ]
    const rows = [
      [3, -1, 1.5],
      [1, null, 0.1],
    ]
    expect((await contentsOf(compoundFile(xlsStream(cells)))).rows).toEqual(rows)
    const padding = xlsRecord(
      0x5c,
      Array.from({ length: 8_000 }, () => 32),
    )
    expect((await contentsOf(compoundFile(xlsStream(cells, [padding])))).rows).toEqual(rows)
  })

  test('has texts that go on in the next record, in another width', async () => {
    const strings = [
      xlsRecord(0xfc, [2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0x61, 4, 0, 8, 1, 0, 0x62]),
      xlsRecord(0x3c, [1, 0xac, 0x20, 0x63, 0, 0x64, 0, 9, 9]),
      xlsRecord(0x3c, [9, 9]),
    ]
    const label = (row: number, at: number) => xlsRecord(0xfd, [row, 0, 0, 0, 0, 0, at, 0, 0, 0])
    const rows = (await contentsOf(compoundFile(xlsStream([label(0, 0), label(1, 1)], strings)))).rows
    expect(rows).toEqual([['b€cd']])
    expect(await refusalOf(compoundFile(xlsStream([label(0, 2)], strings)))).toMatch(/row 1 .* damaged/)
  })

  test.each([
    ['a password', xlsStream([name], [xlsRecord(0x2f, [1, 0])]), /has a password/],
    ['rows backwards', xlsStream([numberRecord(1, 0, 1), name]), /rows of the sheet are not in their order/],
    ['cells backwards', xlsStream([numberRecord(0, 1, 1), name]), /cells of row 1 .* not in their order/],
    ['a cell twice', xlsStream([name, name]), /cells of row 1 .* not in their order/],
    ['a number that is NaN', xlsStream([numberRecord(0, 0, Number.NaN)]), /row 1 .* damaged/],
    ['a record that does not end', xlsStream([name]).slice(0, -6), /a record of it does not end/],
    ['a text that does not end', xlsStream([xlsRecord(0x204, [0, 0, 0, 0, 0, 0, 9, 0, 0])]), /does not end/],
    ['no sheet', Uint8Array.from([...begin(5), ...end]), /no sheet of cells/],
    ['an older version', Uint8Array.from([...begin(5, 0x500), ...end]), /Excel 95 or older/],
    ['no beginning', Uint8Array.from(end), /not an XLS workbook/],
  ])('with %s is refused', async (_, stream, says) => {
    expect(await refusalOf(compoundFile(stream))).toMatch(says)
  })

  test('has rows of 4 Mi characters and no longer', async () => {
    const texts = (count: number) =>
      compoundFile(
        xlsStream(Array.from({ length: count }, (_, column) => textRecord(0, column, 'x'.repeat(65_000)))),
      )
    expect((await inspect(texts(64))).columns.length).toBe(64)
    expect(await refusalOf(texts(65))).toMatch(/more than 4194304 characters/)
  })
})

describe('a compound file is refused that', () => {
  test.each([
    ['is an encrypted XLSX workbook', compoundFile(new Uint8Array(64), 'EncryptedPackage'), /has a password/],
    ['is of Excel 95', compoundFile(new Uint8Array(64), 'Book'), /Excel 95 or older/],
    ['is another document', compoundFile(new Uint8Array(64), 'WordDocument'), /not an XLS workbook/],
    ['is another file', new Uint8Array(1_024), /not an XLS workbook/],
    ['has a header alone', compoundFile(xlsStream([])).slice(0, 512), /damaged or truncated/],
  ])('%s', async (_, bytes, says) => {
    expect(await refusalOf(bytes)).toMatch(says)
  })

  test('has one byte more than 16 MiB', async () => {
    const bytes = compoundFile(xlsStream([textRecord(0, 0, 'a'), numberRecord(1, 0, 1)]))
    const padded = (sizeBytes: number) => {
      const all = new Uint8Array(sizeBytes)
      all.set(bytes)
      return all
    }
    expect((await contentsOf(padded(XLS_MAX_BYTES))).rows).toEqual([[1]])
    expect(await refusalOf(padded(XLS_MAX_BYTES + 1))).toMatch(/at most 16777216 bytes/)
  })

  test('is truncated anywhere, or goes in a circle', async () => {
    const bytes = await made('xlwt.xls')
    for (let size = 0; size < bytes.length - 4_096; size += 997)
      expect(await refusalOf(bytes.slice(0, size))).not.toBe('')
    const circle = compoundFile(new Uint8Array(8_192))
    const view = new DataView(circle.buffer)
    view.setUint32(512 + 3 * 4, 3, true)
    expect(await refusalOf(circle)).toMatch(/damaged/)
  })

  test('has any byte changed, without another error than a refusal', async () => {
    const bytes = await made('xlwt.xls')
    for (let at = 0; at < bytes.length; at += 151) {
      const changed = bytes.slice()
      changed[at] = (changed[at] ?? 0) ^ 0xff
      const error: unknown = await contentsOf(changed, { sheet: 'Daten & mehr €' }).catch(
        (thrown: unknown) => thrown,
      )
      if (error instanceof Error && !(error instanceof Refusal) && !(error instanceof ImportFailure))
        throw error
    }
  })
})
