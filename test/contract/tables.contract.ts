import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { RowLines } from '../../src/data/tables/row-lines.ts'
import { joined } from '../../src/lib/chunks.ts'
import type { ImportPlan } from '../../src/domain/import-plan.ts'
import type { Column, Row } from '../../src/domain/table.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Bind, Bound, QueryLimits, RowStream } from '../../src/ports/databases.ts'
import type { Generation, TableView, Tables } from '../../src/ports/tables.ts'
import { rejection } from './rejection.ts'

export type TablesUnderTest = { readonly tables: Tables; readonly blobs: Blobs; close(): Promise<void> }

export const LIMITS: QueryLimits = { timeoutMs: 30_000, rowsMax: 100_000, bytesMax: 32 * 1024 * 1024 }
export const NEVER = new AbortController().signal

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'integer' },
  { name: 'name', type: 'string' },
  { name: 'price', type: 'number' },
  { name: 'is paid', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'at', type: 'datetime' },
  { name: 'clock', type: 'time' },
  { name: 'more', type: 'json' },
  { name: 'raw', type: 'binary' },
]

/** A plan that takes all columns of a CSV file as they come. */
export function planOf(columns: readonly Column[], changes: Partial<ImportPlan> = {}): ImportPlan {
  return {
    file: {
      kind: 'csv',
      delimiter: ',',
      quote: '"',
      encoding: 'utf-8',
      hasHeader: true,
      skipRecords: 0,
    },
    values: { nulls: [''], decimal: '.', dateFormats: [], timeZone: 'UTC' },
    columns: columns.map((column, source) => ({ ...column, source })),
    onError: 'abort',
    faultsMax: 100,
    ...changes,
  }
}

export async function rowsOf(stream: RowStream): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of stream.rows) rows.push(...batch)
  return rows
}

async function* batchesOf(rows: readonly Row[]): AsyncGenerator<readonly Row[], void> {
  yield rows
}

/** The promises of the port, for each implementation. */
export function tablesContract(implementation: string, open: () => Promise<TablesUnderTest>): void {
  describe(implementation, () => {
    let under: TablesUnderTest
    beforeAll(async () => {
      under = await open()
    }, 180_000)
    afterAll(() => under.close())

    let made = 0
    const load = async (columns: readonly Column[], lines: readonly string[], sourceId = 1) => {
      made += 1
      const to: Generation = { sourceId, tableId: made, key: `g${made}` }
      const blob = `imports/${made}`
      const text = `${columns.map(({ name }) => `"${name}"`).join(',')}\n${lines.join('\n')}\n`
      await under.blobs.put(blob, new TextEncoder().encode(text))
      await under.tables.load({ to, blob, plan: planOf(columns) }, NEVER)
      return to
    }
    /** Loads rows from lines as the service writes them. */
    const loadLines = async (
      tableId: number,
      {
        columns,
        batches,
        isPlain = true,
      }: {
        readonly columns: readonly Column[]
        readonly batches: AsyncIterable<readonly Row[], void>
        readonly isPlain?: boolean | undefined
      },
    ) => {
      const to: Generation = { sourceId: 8, tableId, key: 'rows' }
      const lines = new RowLines(columns)
      const chunks = await Array.fromAsync(lines.write(batches))
      const sizeBytes = chunks.reduce((sum, { length }) => sum + length, 0)
      await under.blobs.put(`rows/${tableId}`, joined(chunks, sizeBytes))
      const plan = planOf(columns, {
        file: { kind: 'rows', plainRows: isPlain ? lines.plainRows : null },
        values: { ...planOf([]).values, nulls: [] },
      })
      const counts = await under.tables.load({ to, blob: `rows/${tableId}`, plan }, NEVER)
      return { to, counts, isPlain: lines.plainRows !== null }
    }
    const viewOf = (of: Generation, columns: readonly string[], view: Partial<TableView> = {}) => ({
      name: 'orders',
      of,
      columns,
      where: null,
      ...view,
    })
    const ask = (
      text: string,
      views: readonly TableView[],
      binds: readonly Bind[] = [],
      limits: Partial<QueryLimits> = {},
    ) =>
      under.tables.query(
        { views, statement: { text, binds }, timeZone: 'Europe/Zurich' },
        { ...LIMITS, ...limits },
        NEVER,
      )

    describe('a table', () => {
      let orders: Generation
      const names = COLUMNS.map((column) => column.name)
      beforeAll(async () => {
        orders = await load(COLUMNS, [
          `1,"a ""b"", c",2.5,true,2026-03-29,2026-03-29T01:30:00.25Z,07:30:15.5,"{""a"":[1]}",AAH/`,
          `9007199254740993,'\\N',1e300,false,0001-01-01,1969-12-31T23:59:59Z,00:00,null,`,
          `3,,,,,,,,`,
          `4,"line\r\nline",-0.1,true,9999-12-31,9999-12-30T00:00:00Z,23:59:59,3,AA==`,
        ])
      })

      test('has the values that were imported', async () => {
        const stream = await ask('SELECT * FROM orders ORDER BY price NULLS FIRST', [viewOf(orders, names)])
        expect(stream.columns.map(({ name, type }) => ({ name, type }))).toEqual([...COLUMNS])
        expect(await rowsOf(stream)).toEqual([
          [3, null, null, null, null, null, null, null, null],
          [4, 'line\r\nline', -0.1, true, '9999-12-31', '9999-12-30T00:00:00Z', '23:59:59', '3', 'AA=='],
          [
            1,
            'a "b", c',
            2.5,
            true,
            '2026-03-29',
            '2026-03-29T01:30:00.25Z',
            '07:30:15.5',
            '{"a":[1]}',
            'AAH/',
          ],
          [
            '9007199254740993',
            String.raw`'\N'`,
            1e300,
            false,
            '0001-01-01',
            '1969-12-31T23:59:59Z',
            '00:00:00',
            'null',
            null,
          ],
        ])
      })

      test('is seen as its view: other columns and rows are not there', async () => {
        const view = viewOf(orders, ['id', 'name'], { where: { text: '"id" < 4', binds: [] } })
        expect(await rowsOf(await ask('SELECT id FROM orders ORDER BY id', [view]))).toEqual([[1], [3]])
        expect(await rowsOf(await ask('SELECT count(*) FROM "orders"', [view]))).toEqual([[2]])
        expect(await rejection(ask('SELECT price FROM orders', [view]))).toMatchObject({
          code: 'query_failed',
        })
        expect(await rejection(ask('SELECT * FROM others', [view]))).toMatchObject({ code: 'query_failed' })
      })

      const string = (value: string | null): Bind => ({ type: 'string', value })
      test.each<[condition: string, binds: Bind[], ids: readonly (number | string)[]]>([
        ['"name" = $1', [string('a "b", c')], [1]],
        ['"name" = $1', [string("' OR 1=1 --")], []],
        ['"name" = $1 OR "name" = $2', [string('a\0"b"'), string(String.raw`'\N'`)], ['9007199254740993']],
        ['"name" = $1', [string(null)], []],
        [
          '"id" = $2 OR "id" = $1',
          [
            { type: 'integer', value: '9007199254740993' },
            { type: 'integer', value: 3 },
          ],
          [3, '9007199254740993'],
        ],
        ['"price" = CAST($1 AS DOUBLE)', [{ type: 'number', value: -0.1 }], [4]],
        ['"is paid" = $1', [{ type: 'boolean', value: true }], [1, 4]],
        ['"day" < $1', [{ type: 'date', value: '2026-03-30' }], [1, '9007199254740993']],
        ['"at" = $1', [{ type: 'datetime', value: '2026-03-29T01:30:00.25Z' }], [1]],
        ['"at" > $1', [{ type: 'datetime', value: '2026-03-29T01:30:00Z' }], [1, 4]],
        ['"clock" >= $1', [{ type: 'time', value: '07:30:15.50' }], [1, 4]],
        ['"raw" = $1', [{ type: 'binary', value: 'AA==' }], [4]],
      ])('has the rows of its condition: %s with %j', async (text, binds, ids) => {
        const view = viewOf(orders, ['id'], { where: { text, binds } })
        const rows = await rowsOf(await ask('SELECT id FROM orders ORDER BY id', [view]))
        expect(rows.map(([id]) => id ?? null)).toEqual([...ids])
      })

      test('has a condition whose placeholders are its own', async () => {
        const of = (id: number): Bound => ({ text: '"id" = $1', binds: [{ type: 'integer', value: id }] })
        const views = [
          viewOf(orders, ['id'], { where: of(1) }),
          viewOf(orders, ['id'], { name: 'others', where: of(4) }),
        ]
        const text = 'SELECT o.id, p.id, CAST($1 AS VARCHAR) FROM orders o, others p'
        expect(await rowsOf(await ask(text, views, [string('x')]))).toEqual([[1, 4, 'x']])
        const missing = viewOf(orders, ['id'], { where: { text: '"id" = $2', binds: of(1).binds } })
        expect(await rejection(ask('SELECT 1', [missing]))).toBeInstanceOf(Error)
      })

      test('takes values for placeholders', async () => {
        const binds: Bind[] = [
          { type: 'string', value: `' OR 1=1 --` },
          { type: 'integer', value: '3' },
        ]
        const text = 'SELECT id FROM orders WHERE name = CAST($1 AS VARCHAR) OR id = CAST($2 AS BIGINT)'
        expect(await rowsOf(await ask(text, [viewOf(orders, names)], binds))).toEqual([[3]])
      })

      test.each([
        'SELECT 1; SELECT 2',
        'DELETE FROM orders',
        'CREATE TABLE more (a INTEGER)',
        'DROP VIEW orders',
        'COMMIT',
        'SELECT',
        '',
      ])('refuses %j', async (text) => {
        expect(await rejection(ask(text, [viewOf(orders, names)]))).toMatchObject({ code: 'query_failed' })
        expect(await rowsOf(await ask('SELECT count(*) FROM orders', [viewOf(orders, names)]))).toEqual([[4]])
      })

      test('has as many rows and bytes in a result as the limits say', async () => {
        const text = 'SELECT id FROM orders'
        const view = viewOf(orders, names)
        expect((await rowsOf(await ask(text, [view], [], { rowsMax: 4 }))).length).toBe(4)
        const read = async (limits: Partial<QueryLimits>) => rowsOf(await ask(text, [view], [], limits))
        expect(await rejection(read({ rowsMax: 3 }))).toMatchObject({ code: 'query_too_large' })
        expect(await rejection(read({ bytesMax: 10 }))).toMatchObject({ code: 'query_too_large' })
      })

      test('is named by its generation, of which others know nothing', async () => {
        const other = await load([{ name: 'id', type: 'integer' }], ['7'], 2)
        expect(await under.tables.list(2)).toEqual([other])
        expect(await under.tables.list(3)).toEqual([])
        expect(await rowsOf(await ask('SELECT id FROM orders', [viewOf(other, ['id'])]))).toEqual([[7]])
        const beside = await load([{ name: 'id', type: 'integer' }], ['7'])
        const both = [viewOf(beside, ['id'], { name: 'others' }), viewOf(orders, ['id'])]
        const text = 'SELECT o.id, (SELECT count(*) FROM orders) FROM others o'
        expect(await rowsOf(await ask(text, both))).toEqual([[7, 4]])
        await under.tables.drop([other, { sourceId: 2, tableId: 99, key: 'missing' }])
        expect(await under.tables.list(2)).toEqual([])
        expect(await rejection(ask('SELECT 1', [viewOf(other, ['id'])]))).toMatchObject({
          code: 'unavailable',
        })
      })
    })

    test('a file with a fault leaves no generation', async () => {
      const columns: Column[] = [
        { name: 'id', type: 'integer' },
        { name: 'note', type: 'string' },
      ]
      const to = { sourceId: 5, tableId: 1, key: 'bad' }
      await under.blobs.put('imports/bad', new TextEncoder().encode('id,note\n1,a\n2,"b\nb"\nx,c\n'))
      const failure = await rejection(
        under.tables.load({ to, blob: 'imports/bad', plan: planOf(columns) }, NEVER),
      )
      expect(failure).toMatchObject({ code: 'import_failed', errors: [{ pointer: '/file/5/id' }] })
      expect(await under.tables.list(5)).toEqual([])
      const plan = planOf(columns, { onError: 'skip' })
      expect(await under.tables.load({ to, blob: 'imports/bad', plan }, NEVER)).toMatchObject({
        rows: 2,
        skipped: 1,
        faults: [{ line: 5, column: 'id' }],
      })
    })

    test('a file that is missing is told', async () => {
      const to = { sourceId: 5, tableId: 2, key: 'none' }
      expect(
        await rejection(under.tables.load({ to, blob: 'imports/none', plan: planOf(COLUMNS) }, NEVER)),
      ).toMatchObject({ code: 'not_found' })
    })

    test('a file is inspected as a whole, and its progress is told', async () => {
      const lines = Array.from({ length: 50_000 }, (_, index) => `${index},x${index}`)
      await under.blobs.put('imports/long', new TextEncoder().encode(`id,name\n${lines.join('\n')}\n007,y\n`))
      const shares: number[] = []
      const { file, values } = planOf([])
      const contents = await under.tables.inspect('imports/long', file, values, NEVER, (share) =>
        shares.push(share),
      )
      expect(contents).toMatchObject({
        records: 50_001,
        columns: [
          { name: 'id', type: 'string', warnings: [{ code: 'leading_zeros', line: 50_002 }] },
          { name: 'name', type: 'string' },
        ],
      })
      expect(shares.at(-1)).toBe(1)
    })

    const PLAIN = [
      ['007', '1', '2.5', 'TRUE', '2026-03-29', '2026-03-29T01:30:00Z', '07:30:15', 'a ""b"", c'],
      [
        'NULL',
        '-9007199254740',
        '.5',
        'false',
        '0001-01-01',
        '1969-12-31T23:59:59.000001Z',
        '00:00:00',
        'x\r\ny',
      ],
      [' x ', '+3', '5.', 'NA', '9999-12-31', '9999-12-30T00:00:00.5Z', '23:59:59.999999', ''],
      [String.raw`\N`, '', '-1.5E-7', 'true', '', 'NA', '12:00:00.5', "'\ufeffü😀"],
      ['', '0', '1e300', 'False', '2024-02-29', '2026-10-25T00:30:00Z', '', '#,;\t| -- '],
      ['-', '-0', '123456789012345678901234567890', 'tRuE', 'NA', '', 'NA', 'NaN'],
      ['NA', '999999999999999', '-0.1', '', '2026-12-31', '2000-01-01T00:00:00Z', '01:02:03.04', 'null'],
    ]
    test.each<[name: string, options: { lineEnd: string; delimiter: string; head: string; tail: string }]>([
      ['CRLF', { lineEnd: '\r\n', delimiter: ',', head: '', tail: '\r\n' }],
      ['LF', { lineEnd: '\n', delimiter: ';', head: '', tail: '' }],
      ['tabs and a byte order mark', { lineEnd: '\n', delimiter: '\t', head: '\ufeff', tail: '\n' }],
    ])(
      'a file that was inspected has the rows of its records, one by one: %s',
      async (name, { lineEnd, delimiter, head, tail }) => {
        const header = PLAIN[0]?.map((_, at) => `"c\r${at}"`) ?? []
        const lines = PLAIN.map((cells) => cells.map((cell, at) => (at > 6 || at === 0 ? `"${cell}"` : cell)))
        const text = [header, ...lines].map((cells) => cells.join(delimiter)).join(lineEnd)
        const blob = `imports/plain-${name.slice(0, 2)}`
        await under.blobs.put(blob, new TextEncoder().encode(`${head}${text}${tail}`))
        const { file, values } = planOf([], {
          file: { kind: 'csv', delimiter, quote: '"', encoding: 'utf-8', hasHeader: true, skipRecords: 0 },
          values: { nulls: ['NA', ''], decimal: '.', dateFormats: [], timeZone: 'Europe/Zurich' },
        })
        const { columns, plain } = await under.tables.inspect(blob, file, values, NEVER)
        expect(plain?.types).toEqual(columns.map(({ type }) => type))
        expect(plain?.records).toBe(PLAIN.length)
        const read = async (key: string, isInspected: boolean) => {
          const to: Generation = { sourceId: 9, tableId: 1, key }
          const plan = planOf([], { file, values, columns, plain: isInspected ? plain : null })
          await under.tables.load({ to, blob, plan }, NEVER)
          const batches = await Array.fromAsync(await under.tables.read(to, columns, NEVER))
          return batches.flat()
        }
        expect(await read('whole', true)).toEqual(await read('single', false))
      },
    )

    test('a file of JSON lines is a table: digits, objects and missing keys are as they were', async () => {
      const lines = [
        '{"id":1,"name":"007","more":{"n":9007199254740993},"at":"2026-03-29T01:30:00Z"}',
        '{"id":9007199254740993,"is paid":true}',
      ]
      await under.blobs.put('imports/lines', new TextEncoder().encode(lines.join('\n')))
      const { values } = planOf([])
      const file = { kind: 'ndjson' } as const
      const { columns } = await under.tables.inspect('imports/lines', file, values, NEVER)
      expect(columns.map(({ name, type }) => ({ name, type }))).toEqual([
        { name: 'id', type: 'string' },
        { name: 'name', type: 'string' },
        { name: 'more', type: 'json' },
        { name: 'at', type: 'datetime' },
        { name: 'is paid', type: 'boolean' },
      ])
      const to: Generation = { sourceId: 7, tableId: 1, key: 'lines' }
      const plan = planOf([], {
        file,
        columns: columns.map((column) => (column.name === 'id' ? { ...column, type: 'integer' } : column)),
      })
      await under.tables.load({ to, blob: 'imports/lines', plan }, NEVER)
      const view = { name: 'lines', of: to, columns: columns.map(({ name }) => name), where: null }
      expect(await rowsOf(await ask('SELECT * FROM lines ORDER BY id', [view]))).toEqual([
        [1, '007', '{"n":9007199254740993}', '2026-03-29T01:30:00Z', null],
        ['9007199254740993', null, null, null, true],
      ])
    })

    test('names of any characters are names of columns and tables', async () => {
      const hostile = ['a"b', "c'd", 'e.f', 'g;h', '😀', 'value', 'x'.repeat(100), '--', 'order']
      const columns = hostile.map((one): Column => ({ name: one, type: 'integer' }))
      const to: Generation = { sourceId: 6, tableId: 1, key: 'names' }
      await under.blobs.put(
        'imports/names',
        new TextEncoder().encode(`${hostile.map(() => 'n').join(',')}\n1,2,3,4,5,6,7,8,9\n`),
      )
      await under.tables.load({ to, blob: 'imports/names', plan: planOf(columns) }, NEVER)
      const view = { name: 'my "table"', of: to, columns: hostile, where: null }
      const stream = await ask('SELECT * FROM "my ""table"""', [view])
      expect(stream.columns.map(({ name: one }) => one)).toEqual(hostile)
      expect(await rowsOf(stream)).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9]])
    })

    test('a table is read whole, and rows as the service writes them make the same table', async () => {
      const cells = [
        [
          1,
          'a \uFFFD "b"\r\n',
          2.5,
          true,
          '2026-03-29',
          '2026-03-29T01:30:00.25Z',
          '07:30:15.5',
          '{"a":[1]}',
          'AAH/',
        ],
        [
          '9007199254740993',
          '',
          1e300,
          false,
          '0001-01-01',
          '1969-12-31T23:59:59Z',
          '00:00:00',
          'null',
          'AA==',
        ],
        [3, null, null, null, null, null, null, null, null],
      ] as const
      // More than a page of the edge, and a column that hides the number of a row.
      const rows = Array.from({ length: 5_000 }, (_, index): Row => [index % 7, ...(cells[index % 3] ?? [])])
      const columns: readonly Column[] = [{ name: 'RowID', type: 'integer' }, ...COLUMNS]
      const fill = async (tableId: number, batches: AsyncIterable<readonly Row[], void>) => {
        const { to, counts } = await loadLines(tableId, { columns, batches })
        expect(counts).toEqual({ rows: 5_000, skipped: 0, faults: [] })
        return to
      }
      const first = await fill(1, batchesOf(rows))
      const second = await fill(2, await under.tables.read(first, columns, NEVER))
      const read: Row[] = []
      for await (const batch of await under.tables.read(second, columns, NEVER)) read.push(...batch)
      expect(read).toEqual(rows)
      expect(await rejection(under.tables.read({ ...second, tableId: 3 }, columns, NEVER))).toMatchObject({
        code: 'unavailable',
      })
    })

    test('rows in lines that are CSV as well have the values of lines that are only JSON', async () => {
      const plain = [
        [
          '',
          null,
          -9007199254740991,
          '-900000000000000000',
          5e-324,
          '12.50',
          true,
          '1000-02-28',
          '2026-11-26T23:59:59.5Z',
        ],
        ['null', 'a,"b"', 0, '007', -1.5e300, '-0.1', false, '2999-12-31', '1999-01-01T00:00:00Z'],
        [String.raw`\N \n \" \\ '`, '"', 1, '12', 0.1, '100', null, null, null],
        ['\u{feff}\u2028é😀', ' ', null, null, null, null, true, '2024-02-29', '2026-11-26T10:00:00.000001Z'],
      ] as const
      // More than one part of a file.
      const many = Array.from({ length: 6_000 }, (_, index): Row => plain[index % 4] ?? [])
      const types = [
        'string',
        'string',
        'integer',
        'integer',
        'number',
        'number',
        'boolean',
        'date',
        'datetime',
      ] as const
      const columns = types.map((type, index): Column => ({ name: `c${index}`, type }))
      const read = async (tableId: number, isPlain?: boolean) => {
        const loaded = await loadLines(tableId, { columns, batches: batchesOf(many), isPlain })
        const rows = (await Array.fromAsync(await under.tables.read(loaded.to, columns, NEVER))).flat()
        return { rows, counts: loaded.counts, wasPlain: loaded.isPlain }
      }
      const [csv, json] = [await read(11), await read(12, false)]
      expect(csv).toEqual({ ...json, wasPlain: true })
      expect(csv.rows[2]?.[0]).toBe(plain[2][0])
    })

    test('a fault of rows in lines that are CSV as well has its place', async () => {
      const columns: readonly Column[] = [{ name: 'day', type: 'date' }]
      const batches = batchesOf([['2026-01-01'], ['2026-02-30'], ['2026-01-02']])
      const refused = await rejection(loadLines(13, { columns, batches, isPlain: true }))
      expect(refused).toMatchObject({ code: 'import_failed', errors: [{ pointer: '/file/2/day' }] })
    })

    test('a table with as many columns as it may have is read whole', async () => {
      const columns = Array.from({ length: 100 }, (_, n): Column => ({ name: `c${n}`, type: 'integer' }))
      const wide = await load(columns, [columns.map((_, n) => n).join(',')])
      const rows: Row[] = []
      for await (const batch of await under.tables.read(wide, columns, NEVER)) rows.push(...batch)
      expect(rows).toEqual([columns.map((_, n) => n)])
    })

    test('a reader who leaves ends the statement', async () => {
      const numbers = await load(
        [{ name: 'n', type: 'integer' }],
        Array.from({ length: 20_000 }, (_, n) => `${n}`),
      )
      const stream = await ask('SELECT a.n FROM orders a, orders b', [viewOf(numbers, ['n'])], [], {
        rowsMax: 1_000_000_000,
        bytesMax: 4 * 1024 * 1024,
      })
      const reader = stream.rows.getReader()
      expect((await reader.read()).value?.length).toBeGreaterThan(0)
      await reader.cancel()
      expect(await rowsOf(await ask('SELECT count(*) FROM orders', [viewOf(numbers, ['n'])]))).toEqual([
        [20_000],
      ])
    })
  })
}
