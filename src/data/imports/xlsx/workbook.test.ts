import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { streamedFile } from '../../../../test/data/import-files.ts'
import { numberRow, textRow, workbook } from '../../../../test/data/workbook.ts'
import { DEFLATED } from '../../../../test/packages/crafted.ts'
import type { ImportPlan, ValueFormat, WorkbookFormat } from '../../../domain/import-plan.ts'
import { Refusal } from '../../../lib/errors.ts'
import { ImportFailure, importRefusal } from '../failure.ts'
import { inspectFile, readRows } from '../file.ts'
import type { ImportProgress } from '../file.ts'
import { PackedStrings, STRINGS_MAX, STRINGS_MAX_BYTES } from './strings.ts'
import { XML_TOKEN_MAX_CHARS } from './xml.ts'

const XLSX: WorkbookFormat = { kind: 'xlsx', sheet: null, hasHeader: true, skipRecords: 0 }
const VALUES: ValueFormat = { nulls: [''], decimal: '.', dateFormats: [], timeZone: 'Europe/Zurich' }
const FOLDER = join(import.meta.dir, '../../../../test/data/workbooks')

const made = async (name: string) => new Uint8Array(await Bun.file(join(FOLDER, name)).arrayBuffer())

const inspect = (
  bytes: Uint8Array,
  format: Partial<WorkbookFormat> = {},
  values: Partial<ValueFormat> = {},
) => inspectFile(streamedFile(bytes), { ...XLSX, ...format }, { ...VALUES, ...values })

/** Names of columns with their types. */
async function typesOf(...asked: Parameters<typeof inspect>): Promise<string[]> {
  return (await inspect(...asked)).columns.map(({ name, type }) => `${name} ${type}`)
}

/** The rows of the sheet with the types that were found. */
async function rowsOf(
  bytes: Uint8Array,
  format: Partial<WorkbookFormat> = {},
  plan: Partial<ImportPlan> = {},
) {
  const { columns } = await inspect(bytes, format, plan.values)
  const progress: ImportProgress = { rows: 0, skipped: 0, faults: [] }
  const order: ImportPlan = {
    file: { ...XLSX, ...format },
    values: VALUES,
    columns: columns.map(({ name, source, type }) => ({ name, source, type })),
    onError: 'abort',
    faultsMax: 100,
    ...plan,
  }
  const rows: unknown[] = []
  for await (const batch of readRows(streamedFile(bytes), order, progress)) rows.push(...batch)
  return { ...progress, rows }
}

const refusalOf = async (bytes: Uint8Array, format: Partial<WorkbookFormat> = {}): Promise<string> => {
  const error: unknown = await inspect(bytes, format).catch((thrown: unknown) => thrown)
  if (error instanceof Refusal && error.code === 'import_failed') return error.detail
  throw error instanceof ImportFailure ? new Error(error.message) : error
}

describe('a workbook of XlsxWriter', () => {
  test('has texts, numbers, moments, results of formulas and merged cells as they were written', async () => {
    const bytes = await made('xlsxwriter.xlsx')
    expect(await inspect(bytes)).toMatchObject({ sheets: ['First', 'Data & more'], sheet: 'First' })
    expect(await typesOf(bytes, { sheet: 'Data & more' })).toEqual([
      'id string',
      'name string',
      'qty integer',
      'price number',
      'day date',
      'at datetime',
      'time time',
      'took string',
      'ok boolean',
      'sum integer',
      'rich string',
      'gap string',
      'far integer',
    ])
    expect((await rowsOf(bytes, { sheet: 'Data & more' })).rows.map((row) => JSON.stringify(row))).toEqual([
      '["007","Zürich \\"x\\"",1,0.1,"2026-03-01","2026-03-01T09:30:15Z","07:05:00","26:30:00",true,2,"plain bold","merged",null]',
      String.raw`["008","line\nbreak <&>",-2,0.3,"1900-02-28","2026-02-28T23:00:00.250Z","23:59:59","00:05:00",false,-4,"plain bold",null,null]`,
      '["1234567890123456789","a_x000D_b",123456789012345,1e+25,"9999-12-31","2026-12-31T22:59:59Z","00:00:00","00:00:00",true,246913578024690,"plain bold",null,7]',
    ])
  })

  test('counts its days from 1904 where it says so', async () => {
    expect((await rowsOf(await made('1904.xlsx'))).rows).toEqual([['2026-03-01'], ['1904-01-02']])
  })
})

test('a workbook of openpyxl is read; errors are faults unless they stand for null', async () => {
  const bytes = await made('openpyxl.xlsx')
  const nulls = ['', '#N/A', '#DIV/0!']
  expect(await inspect(bytes)).toMatchObject({
    sheets: ['Data', 'Second'],
    records: 0,
    faults: [
      { code: 'cell_error', line: 2, column: 'err', sheet: 'Data' },
      { code: 'cell_error', line: 3, column: 'err', sheet: 'Data' },
    ],
  })
  expect(await typesOf(bytes, {}, { nulls })).toEqual([
    'id string',
    'qty number',
    'day date',
    'at datetime',
    'ok boolean',
    'err string',
    'note string',
  ])
  expect((await rowsOf(bytes, {}, { values: { ...VALUES, nulls } })).rows).toEqual([
    ['007', 1, '2026-03-01', '2026-03-01T09:30:00Z', true, null, 'x'],
    ['008', 2.5, '2026-03-02', '2026-03-01T23:00:00Z', false, null, null],
  ])
  expect((await rowsOf(bytes, { sheet: 'Second' })).rows).toEqual([[5]])
})

describe('a sheet', () => {
  const styles = `<numFmts><numFmt numFmtId="200" formatCode="[$-407]d\\. mmm yyyy"/></numFmts>
    <cellStyleXfs><xf numFmtId="22"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="200"/><xf numFmtId="22"/></cellXfs>`

  test('has shared, rich and inline texts without phonetic hints, booleans, dates as texts and gaps', async () => {
    const strings = `<si><t>a</t></si><si><r><t>7</t></r><r><t xml:space="preserve"> &amp;&#x20AC;</t></r><rPh><t>no</t></rPh></si>`
    const rows = `${textRow(1, ['a', 'b', 'c', 'd', 'e'])}
      <row r="3"><c r="A3" t="s"><v>1</v></c><c r="C3" t="b"><v>1</v></c><c r="E3" t="d"><v>2026-03-01</v></c></row>
      <row><c t="inlineStr"><is><r><t>x</t></r><r><t>_x0041_</t></r></is></c><c r="C4" t="str"><f>A1</f><v>y</v></c></row>
      <row r="5"><c r="A5" s="1"/></row>`
    const bytes = workbook({ rows, strings })
    expect((await rowsOf(bytes)).rows).toEqual([
      ['7 &€', null, 'true', null, '2026-03-01'],
      ['xA', null, 'y', null, null],
    ])
  })

  test('keeps the digits of long numbers, and writes others in their shortest form', async () => {
    const numbers = ['12345678901234567', '0.30000000000000004', '0.1', '1E+2', '1.0']
    const rows = `${textRow(1, ['n'])}${numbers.map((value, at) => numberRow(at + 2, [value])).join('')}`
    expect((await inspect(workbook({ rows }))).columns).toMatchObject([
      { type: 'string', warnings: [{ code: 'long_digits', line: 2 }] },
    ])
    expect((await rowsOf(workbook({ rows }))).rows).toEqual([
      ['12345678901234567'],
      ['0.30000000000000004'],
      ['0.1'],
      ['100'],
      ['1'],
    ])
  })

  test('has numbers with a point, also if a comma separates the decimals of its texts', async () => {
    const rows = `${textRow(1, ['n', 't'])}<row r="2"><c><v>1.5</v></c><c t="str"><v>2,5</v></c></row>`
    const values: ValueFormat = { ...VALUES, decimal: ',' }
    const columns: ImportPlan['columns'] = ['n', 't'].map((name, source) => ({
      name,
      source,
      type: 'number',
    }))
    expect(await typesOf(workbook({ rows }), {}, values)).toEqual(['n number', 't string'])
    expect((await rowsOf(workbook({ rows }), {}, { values, columns })).rows).toEqual([[1.5, 2.5]])
    const thousands = workbook({ rows: rows.replace('2,5', '2.500') })
    expect(rowsOf(thousands, {}, { values, columns })).rejects.toBeInstanceOf(ImportFailure)
  })

  test('has a number where its format is not of the first style list, and days among instants are midnights', async () => {
    const cell = (row: number, style: number, value: number) =>
      `<row r="${row}"><c s="${style}"><v>${value}</v></c></row>`
    const rows = `${textRow(1, ['at'])}${cell(2, 1, 46_082)}${cell(3, 2, 46_083)}`
    expect(await typesOf(workbook({ rows, styles }))).toEqual(['at date'])
    expect((await rowsOf(workbook({ rows, styles }))).rows).toEqual([['2026-03-01'], ['2026-03-02']])
    const mixed = rows + cell(4, 1, 46_084.5) + cell(5, 3, 46_085)
    expect((await rowsOf(workbook({ rows: mixed, styles }))).rows).toEqual([
      ['2026-02-28T23:00:00Z'],
      ['2026-03-01T23:00:00Z'],
      ['2026-03-03T11:00:00Z'],
      ['2026-03-03T23:00:00Z'],
    ])
    expect(await typesOf(workbook({ rows: `${textRow(1, ['n'])}${cell(2, 0, 46_082)}`, styles }))).toEqual([
      'n integer',
    ])
  })

  test('without a header has as many columns as its widest row, and rows before the header are left out', async () => {
    const rows = numberRow(1, [1]) + numberRow(2, [2, 3]) + numberRow(9, [4])
    expect((await rowsOf(workbook({ rows }), { hasHeader: false })).rows).toEqual([
      [1, null],
      [2, 3],
      [4, null],
    ])
    expect((await rowsOf(workbook({ rows }), { skipRecords: 1 })).rows).toEqual([[4, null]])
  })

  test('has 100 columns and no more, and no value outside of its header', async () => {
    const wide = (count: number) =>
      textRow(
        1,
        Array.from({ length: count }, (_, at) => `c${at}`),
      )
    expect((await inspect(workbook({ rows: wide(100) }))).columns.length).toBe(100)
    expect(inspect(workbook({ rows: wide(101) }))).rejects.toBeInstanceOf(ImportFailure)
    const rows = textRow(1, ['a', 'b']) + numberRow(2, [1, 2, 3]) + numberRow(3, [4, 5])
    expect(await inspect(workbook({ rows }))).toMatchObject({
      records: 1,
      faults: [{ code: 'too_many_cells', line: 2, sheet: 'Data' }],
    })
  })

  test('places a fault by its row and column', async () => {
    const rows = textRow(1, ['a', 'b']) + numberRow(2, [1, 2]) + numberRow(7, [3, 'x'])
    const bytes = workbook({ rows: rows.replace('<c><v>x</v></c>', '<c t="str"><v>x</v></c>') })
    const columns: ImportPlan['columns'] = [{ name: 'qty', type: 'integer', source: 1 }]
    const failure = (await rowsOf(bytes, {}, { columns }).catch((error: unknown) => error)) as ImportFailure
    expect(importRefusal(failure.faults).errors).toEqual([
      { pointer: '/file/7/qty', message: 'Sheet Data: The value is not of the type integer.' },
    ])
    expect(await rowsOf(bytes, {}, { columns, onError: 'skip' })).toMatchObject({ rows: [[2]], skipped: 1 })
  })

  test('has cells of 1 Mi characters and no longer', async () => {
    const rows = (chars: number) => textRow(1, ['a']) + textRow(2, ['x'.repeat(chars)])
    const noise = (text: string) =>
      workbook({ rows: text }, (parts) => parts.map((part) => ({ ...part, method: 0 })))
    expect((await inspect(noise(rows(XML_TOKEN_MAX_CHARS)))).records).toBe(1)
    expect(await refusalOf(noise(rows(XML_TOKEN_MAX_CHARS + 1)))).toMatch(/more than 1048576 characters/)
    const runs = `<row r="1"><c t="inlineStr"><is>${`<r><t>${'x'.repeat(600_000)}</t></r>`.repeat(2)}</is></c></row>`
    expect(await refusalOf(noise(runs))).toMatch(/more than 1048576 characters/)
  })
})

describe('a file is refused that', () => {
  const row = numberRow(1, [1])
  test.each([
    ['has a document type', { sheet: '<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>' }, /document type/],
    ['has a document type in its texts', { strings: '<!DOCTYPE sst>' }, /document type/],
    ['has an entity of its own', { rows: textRow(1, ['&lol;']) }, /unknown entity &lol;/],
    ['has an unfinished entity', { rows: textRow(1, ['a & b']) }, /unknown entity &\./],
    ['has rows backwards', { rows: numberRow(2, [1]) + row }, /not in their order/],
    ['has a row twice', { rows: row + row }, /not in their order/],
    ['has row 1048577', { rows: numberRow(1_048_577, [1]) }, /not in their order/],
    ['has column XFE', { rows: '<row r="1"><c r="XFE1"><v>1</v></c></row>' }, /not in their order/],
    ['has cells backwards', { rows: '<row r="1"><c r="B1"/><c r="A1"/></row>' }, /not in their order/],
    ['names a text that is not there', { rows: '<row><c t="s"><v>0</v></c></row>' }, /is damaged/],
    ['has no number where one should be', { rows: numberRow(1, ['x']) }, /is damaged/],
    ['has XML that does not end', { sheet: '<worksheet><sheetData>' }, /XML in the workbook is damaged/],
    ['has XML that ends twice', { sheet: '<worksheet/></worksheet>' }, /XML in the workbook is damaged/],
    ['has an attribute that does not end', { sheet: '<worksheet a="b>' }, /XML in the workbook is damaged/],
    ['has no sheet', { book: '<workbook/>' }, /no sheet of cells/],
  ])('%s', async (_, parts, says) => {
    expect(await refusalOf(workbook(parts))).toMatch(says)
  })

  test('has other bounds of its rows and columns', async () => {
    const last = '<row r="1048576"><c r="XFD1048576"/><c t="n"/></row>'
    expect(await refusalOf(workbook({ rows: last }))).toMatch(/not in their order/)
    expect((await inspect(workbook({ rows: last.replace('<c t="n"/>', '') }))).records).toBe(0)
  })

  test('is not an archive, is truncated, or lacks parts', async () => {
    const bytes = workbook({ rows: row })
    expect(await refusalOf(bytes.slice(0, bytes.length - 30))).toMatch(/not a ZIP archive, or is truncated/)
    expect(await refusalOf(new TextEncoder().encode('a,b\n1,2\n'))).toMatch(/not a ZIP archive/)
    for (const lost of ['_rels/.rels', 'xl/workbook.xml', 'xl/sharedStrings.xml', 'xl/worksheets/sheet1.xml'])
      expect(
        await refusalOf(workbook({ rows: row }, (parts) => parts.filter(({ name }) => name !== lost))),
      ).toMatch(/parts of it are missing/)
  })

  test('has no sheet of the name', async () => {
    expect(await refusalOf(workbook({ rows: row }), { sheet: 'data' })).toBe(
      'The workbook has no sheet data; it has Data.',
    )
  })

  test('unpacks to much more than it has, before anything is unpacked', async () => {
    const bomb = workbook({}, (parts) => [
      ...parts.slice(0, -1),
      { name: 'xl/worksheets/sheet1.xml', method: DEFLATED, data: new Uint8Array(32 * 1024 * 1024) },
    ])
    const begunAt = performance.now()
    expect(await refusalOf(bomb)).toMatch(/unpacks to more than 100 times its size/)
    expect(performance.now() - begunAt).toBeLessThan(500)
  })
})

test('different texts have 48 MiB and number 4 Mi, and no more', () => {
  const mebi = 'x'.repeat(1024 * 1024)
  const large = new PackedStrings()
  for (let at = 0; at < STRINGS_MAX_BYTES / mebi.length; at += 1) large.add(mebi)
  expect(large.get(47)).toBe(mebi)
  expect(large.get(48)).toBeNull()
  expect(() => large.add('x')).toThrow(/Save the sheet as CSV/)
  const many = new PackedStrings()
  for (let at = 0; at < STRINGS_MAX; at += 1) many.add('')
  expect(() => many.add('')).toThrow(/different texts/)
})

test('packed texts come back as they were', () => {
  const texts = ['', 'a', 'é€😀', '\uFEFFb', ...Array.from({ length: 5_000 }, (_, at) => `text ${at}`)]
  const packed = new PackedStrings()
  for (const text of texts) packed.add(text)
  expect(texts.map((_, at) => packed.get(at))).toEqual(texts)
})
