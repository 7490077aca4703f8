import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Suite } from './suite.ts'
import { until } from '../until.ts'

type Made = { readonly id: number }
type Upload = { readonly id: string; readonly sizeBytes: number }
type Column = { readonly table: string; readonly name: string; readonly type: string }

const NOWHERE = '00000000000000000000000000'
const CSV_TYPE = { 'content-type': 'text/csv' }
const ORDERS = [
  'id,region,amount,note,at',
  '007,nord,1e5,"a ""quoted""\r\nline",2026-03-01T10:00:00Z',
  '008,süd,-1.5E-7,,2026-03-02T10:00:00+01:00',
  '009,nord,12,"x,y",2026-03-03T10:00:00Z',
].join('\r\n')

const JSON_LINES = '{"id":"007","more":{"a":[1]}}\n[1]\n{"qty":2}\n'

/** Names that SQL must quote, and the longest. */
const HOSTILE_NAMES = [
  'value',
  'order',
  '__proto__',
  'a"b',
  "c'd",
  'e.f',
  'g;h',
  '`i`',
  '😀',
  '--',
  '$1',
  'x'.repeat(255),
]

const REPLACEMENTS = 5

let made = 0

const makeSource = (client: Client) =>
  good<Made>(client.request('POST', '/dataSources', { json: { name: `files ${++made}`, type: 'csv' } }))

const upload = (client: Client, id: number, text: string) =>
  good<Upload>(client.request('POST', `/dataSources/${id}/uploads`, { text, headers: CSV_TYPE }))

type Selected = { readonly columns: readonly { readonly name: string }[]; readonly rows: readonly unknown[] }

const selectFrom = (client: Client, id: number, name: string, json: object = {}) =>
  good<Selected>(
    client.request('POST', `/dataSources/${id}/tables/${encodeURIComponent(name)}/select`, { json }),
  )

/** Imports a file into a new data source and answers all its rows. */
async function rowsAfterImport(client: Client, text: string): Promise<readonly unknown[]> {
  const { id } = await makeSource(client)
  const { id: file } = await upload(client, id, text)
  await good(client.request('POST', `/dataSources/${id}/import`, { json: { upload: file, table: 't' } }))
  return (await selectFrom(client, id, 't')).rows
}

const columnsOf = async (client: Client, id: number) =>
  ((await client.request('GET', `/dataSources/${id}/columns`)).body as unknown as Column[]).map(
    ({ table: of, name, type }) => `${of}.${name} ${type}`,
  )

const stage = once(async (client) => {
  const { id: source } = await makeSource(client)
  const { id: file } = await upload(client, source, ORDERS)
  const database = await good<Made>(
    client.request('POST', '/dataSources', {
      json: {
        name: 'no files here',
        type: 'postgresql',
        connection: { host: 'db.example.org', database: 'sales', user: 'reader' },
      },
    }),
  )
  return { source, file, database: database.id }
})

const WRITES = [
  ['POST /dataSources/{source}/uploads/{file}/preview', {}],
  ['POST /dataSources/{source}/import', { upload: NOWHERE, table: 'orders' }],
  ['DELETE /dataSources/{source}/tables/none', undefined],
] as const

const bad = (title: string, json: object, pointer: string): Row => ({
  title: `an import with ${title}`,
  call: 'POST /dataSources/{source}/import',
  json: { upload: NOWHERE, table: 'orders', ...json },
  answers: 'invalid',
  pointers: [pointer],
})

const rows: readonly Row[] = [
  ...WRITES.flatMap(([call, json]): Row[] => [
    { title: `${call} by nobody`, call, json, as: null, answers: 'unauthenticated' },
    { title: `${call} by a viewer`, call, json, as: 'dashboard_viewer', answers: 'forbidden' },
  ]),
  bad('no table', { table: '' }, '/table'),
  bad('a long name', { table: 'x'.repeat(256) }, '/table'),
  bad('another mode', { mode: 'merge' }, '/mode'),
  bad('17 columns of a key', { key: Array.from({ length: 17 }, String) }, '/key'),
  bad('a long delimiter', { file: { delimiter: ',,' } }, '/file/delimiter'),
  bad('an unknown kind of file', { file: { kind: 'ods' } }, '/file/kind'),
  bad('a sheet of Parquet', { file: { kind: 'parquet', sheet: 'a' } }, '/file/sheet'),
  bad('a delimiter of NDJSON', { file: { kind: 'ndjson', delimiter: ',' } }, '/file/delimiter'),
  bad('no columns', { columns: [] }, '/columns'),
  bad('101 columns', { columns: Array.from({ length: 101 }, () => ({ source: 'a' })) }, '/columns'),
  bad('1,001 errors', { maxErrors: 1_001 }, '/maxErrors'),
  bad('an unknown zone', { values: { timeZone: 'Mars' } }, '/values/timeZone'),
  bad('21 nulls', { values: { nulls: Array.from({ length: 21 }, String) } }, '/values/nulls'),
  {
    title: 'an import of an unknown upload',
    call: 'POST /dataSources/{source}/import',
    json: { upload: NOWHERE, table: 'orders' },
    answers: 'not_found',
  },
  {
    title: 'an import into a database',
    call: 'POST /dataSources/{database}/import',
    json: { upload: NOWHERE, table: 'orders' },
    answers: 'conflict',
  },
  {
    title: 'a test of a source of files',
    call: 'POST /dataSources/test',
    json: { name: 'files', type: 'csv' },
    answers: 'invalid',
    pointers: ['/type'],
  },
  { title: 'an unknown table', call: 'DELETE /dataSources/{source}/tables/none', answers: 'not_found' },
]

export const dataTablesSuite: Suite = {
  name: 'tables of data sources',
  scenarios: [
    ...table(stage, rows),
    {
      title: 'a preview has the types of all values, and what a number would change',
      async run(client) {
        const { id } = await makeSource(client)
        const file = await upload(client, id, ORDERS)
        expect(file.sizeBytes).toBe(new TextEncoder().encode(ORDERS).length)
        const { status, body } = await client.request(
          'POST',
          `/dataSources/${id}/uploads/${file.id}/preview`,
          {
            json: {},
          },
        )
        expect(status).toBe(200)
        expect(body).toMatchObject({
          delimiter: ',',
          records: 3,
          faults: [],
          columns: [
            { name: 'id', type: 'string', nullable: false, warnings: [{ code: 'leading_zeros', line: 2 }] },
            { name: 'region', type: 'string' },
            { name: 'amount', type: 'number' },
            { name: 'note', type: 'string', nullable: true },
            { name: 'at', type: 'datetime' },
          ],
        })
        expect((body['sample'] as string[][])[0]?.[3]).toBe('a "quoted"\r\nline')
      },
    },
    {
      title: 'an upload becomes a table, is replaced whole, and goes with its name',
      async run(client) {
        const { id } = await makeSource(client)
        const importOf = async (text: string, json: object = {}) => {
          const { id: file } = await upload(client, id, text)
          return client.request('POST', `/dataSources/${id}/import`, {
            json: { upload: file, table: 'orders', ...json },
          })
        }
        const first = await importOf(ORDERS)
        expect([first.status, first.body]).toEqual([
          201,
          { table: 'orders', rows: 3, replaced: 0, skipped: 0, faults: [] },
        ])
        expect(await columnsOf(client, id)).toEqual([
          'orders.id string',
          'orders.region string',
          'orders.amount number',
          'orders.note string',
          'orders.at datetime',
        ])
        const entry = await client.request('GET', '/audit?objectType=dataTable&action=create&limit=1')
        expect(entry.body['items']).toMatchObject([{ after: { name: 'orders', rows: 3, dataSourceId: id } }])
        const again = await importOf(ORDERS)
        expect([again.status, again.body['code']]).toEqual([409, 'name_taken'])

        const replaced = await importOf('a;b\n1;x\n2;y\n', {
          mode: 'replace',
          columns: [
            { source: 'b', name: 'letter' },
            { source: 'a', type: 'string' },
          ],
        })
        expect([replaced.status, replaced.body['rows']]).toEqual([200, 2])
        expect(await columnsOf(client, id)).toEqual(['orders.letter string', 'orders.a string'])

        const broken = await importOf('a,b\n1,x\n2\n', { mode: 'replace' })
        expect([broken.status, broken.body['code'], broken.body['errors']]).toEqual([
          422,
          'import_failed',
          [{ pointer: '/file/3', message: 'The record has 1 of 2 cells.' }],
        ])
        expect(await columnsOf(client, id)).toEqual(['orders.letter string', 'orders.a string'])

        const skipping = await importOf('a,b\n1,x\n2\n3,z\n', { mode: 'replace', onError: 'skip' })
        expect(skipping.body).toMatchObject({
          rows: 2,
          skipped: 1,
          faults: [{ code: 'too_few_cells', line: 3, column: null }],
        })
        const tooMany = await importOf('a,b\n1\n2\n', { mode: 'replace', onError: 'skip', maxErrors: 1 })
        expect(tooMany.body['code']).toBe('import_failed')

        const unknown = await importOf('a\n1\n', { table: 'other', columns: [{ source: 'b' }] })
        expect([unknown.status, unknown.body['errors']]).toEqual([
          422,
          [{ pointer: '/columns/0/source', message: 'is not a column of the file' }],
        ])
        for (const text of ['', '\n\n'])
          expect((await importOf(text, { table: 'other' })).body['code']).toBe('import_failed')

        const connection = { host: 'db.example.org', database: 'sales', user: 'reader' }
        const json = { name: `typed ${++made}`, type: 'postgresql', connection }
        const typed = () => client.request('PUT', `/dataSources/${id}`, { json })
        expectAnswer(await typed(), { answers: 'has_dependents', pointers: ['/dependents/0'] })
        const gone = await client.request('DELETE', `/dataSources/${id}/tables/ORDERS`)
        expect(gone.status).toBe(204)
        expect(await columnsOf(client, id)).toEqual([])
        expectAnswer(await typed(), { answers: 200 })
      },
    },
    {
      title:
        'a file is added to a table: its rows follow, or replace rows with their keys, or nothing changes',
      async run(client) {
        const { id } = await makeSource(client)
        const importOf = async (text: string, json: object) => {
          const { id: file } = await upload(client, id, text)
          return client.request('POST', `/dataSources/${id}/import`, {
            json: { upload: file, table: 'stock', ...json },
          })
        }
        const none = await importOf('id,qty\n1,1\n', { mode: 'append' })
        expect([none.status, none.body['code']]).toEqual([404, 'not_found'])
        await good(importOf('id,qty,note\na,1,\nb,2,x\n', {}))
        const appended = await importOf('qty,id\n3,007\n,b\n', { mode: 'append' })
        expect([appended.status, appended.body['rows'], appended.body['replaced']]).toEqual([200, 4, 0])
        expect(await columnsOf(client, id)).toEqual([
          'stock.id string',
          'stock.qty integer',
          'stock.note string',
        ])
        const widened = await importOf('id,qty,note\nb,2.5,y\nc,1e3,z\n', { mode: 'upsert', key: ['id'] })
        expect([widened.status, widened.body['rows'], widened.body['replaced']]).toEqual([200, 4, 2])
        const state = async () => [
          await columnsOf(client, id),
          (await selectFrom(client, id, 'stock', { orderBy: [{ column: 'id' }] })).rows,
        ]
        const after = await state()
        expect(after).toEqual([
          ['stock.id string', 'stock.qty number', 'stock.note string'],
          [
            ['007', 3, null],
            ['a', 1, null],
            ['b', 2.5, 'y'],
            ['c', 1000, 'z'],
          ],
        ])
        const refused: readonly (readonly [string, object, string, string?])[] = [
          ['id,other\n1,2\n', { mode: 'append' }, 'invalid', '/columns'],
          ['id,qty\n1,2\n', { mode: 'upsert', key: ['id'] }, 'invalid', '/columns'],
          ['id,qty,note\n1,2,\n', { mode: 'upsert' }, 'invalid', '/key'],
          ['id,qty,note\n1,2,\n', { mode: 'upsert', key: ['none'] }, 'invalid', '/key/0'],
          ['id,qty,note\nq,2,\nq,3,\n', { mode: 'upsert', key: ['id'] }, 'import_failed', '/key'],
          ['id,qty,note\n,2,\n', { mode: 'upsert', key: ['id'] }, 'import_failed', '/key'],
          ['id,qty,note\n1,many,\n', { mode: 'append' }, 'import_failed', '/file/2/qty'],
        ]
        for (const [text, json, code, pointer] of refused) {
          const { body } = await importOf(text, json)
          expect([text, body['code']]).toEqual([text, code])
          if (pointer !== undefined) expect(body['errors']).toMatchObject([{ pointer }])
        }
        expect(await state()).toEqual(after)
      },
    },
    {
      title: 'a file of JSON objects on lines becomes a table with a column for each key',
      decidedAbovePorts: 'tables of files',
      async run(client) {
        const { id } = await makeSource(client)
        const { id: file } = await upload(client, id, JSON_LINES)
        const format = { file: { kind: 'ndjson' } }
        const path = `/dataSources/${id}/uploads/${file}/preview`
        expect((await client.request('POST', path, { json: format })).body).toMatchObject({
          delimiter: null,
          records: 2,
          columns: [
            { name: 'id', type: 'string', nullable: true, warnings: [] },
            { name: 'more', type: 'json', nullable: true },
            { name: 'qty', type: 'integer', nullable: true },
          ],
          sample: [
            ['007', '{"a":[1]}', ''],
            ['', '', '2'],
          ],
          faults: [{ code: 'not_an_object', line: 2, column: null }],
        })
        const importOf = (json: object) =>
          client.request('POST', `/dataSources/${id}/import`, {
            json: { upload: file, table: 'lines', ...format, ...json },
          })
        const aborted = await importOf({})
        expect([aborted.status, aborted.body['errors']]).toEqual([
          422,
          [{ pointer: '/file/2', message: 'The line is not a JSON object.' }],
        ])
        expect(await columnsOf(client, id)).toEqual([])
        expect((await importOf({ onError: 'skip' })).body).toMatchObject({ rows: 2, skipped: 1 })
        expect(await columnsOf(client, id)).toEqual([
          'lines.id string',
          'lines.more json',
          'lines.qty integer',
        ])
      },
    },
    {
      title: 'an imported table is selected: rows, aggregates and a total',
      async run(client) {
        const { id } = await makeSource(client)
        const { id: file } = await upload(client, id, ORDERS)
        await good(
          client.request('POST', `/dataSources/${id}/import`, { json: { upload: file, table: 'orders' } }),
        )
        const select = async (json: object) =>
          good<{ rows: unknown; total: unknown }>(
            client.request('POST', `/dataSources/${id}/tables/orders/select`, { json }),
          )
        const all = await select({ orderBy: [{ column: 'id' }], total: 'exact' })
        expect([all.rows, all.total]).toEqual([
          [
            ['007', 'nord', 100_000, 'a "quoted"\r\nline', '2026-03-01T11:00:00+01:00'],
            ['008', 'süd', -1.5e-7, null, '2026-03-02T10:00:00+01:00'],
            ['009', 'nord', 12, 'x,y', '2026-03-03T11:00:00+01:00'],
          ],
          3,
        ])
        const sums = await select({
          groupBy: ['region'],
          aggregates: [
            { fn: 'SUM', expr: 'amount', as: 'sum' },
            { fn: 'MEDIAN', expr: 'amount', as: 'median' },
            { fn: 'COUNT', expr: '*', as: 'n' },
          ],
          filter: { column: 'region', match: 'OR(nor%,xyz)' },
        })
        expect(sums.rows).toEqual([['nord', 100_012, 50_006, 2]])
      },
    },
    ...(
      [
        [
          'CRLF, and LF inside cells',
          'a,b\r\n1,"x\ny"\r\n2,z\r\n',
          [
            [1, 'x\ny'],
            [2, 'z'],
          ],
        ],
        [
          'CR alone',
          'a,b\r1,x\r2,y',
          [
            [1, 'x'],
            [2, 'y'],
          ],
        ],
        [
          'mixed line ends',
          'a,b\r1,x\n2,y\r\n3,"z\rz"\n',
          [
            [1, 'x'],
            [2, 'y'],
            [3, 'z\rz'],
          ],
        ],
        [
          'a byte order mark',
          '\uFEFFa,b\n1e5,"1"\n-1.5E-7,2\n',
          [
            [100_000, 1],
            [-1.5e-7, 2],
          ],
        ],
      ] as const
    ).map(([title, text, expected]) => ({
      title: `a file with ${title} has the cells that were written`,
      decidedAbovePorts: 'tables of files',
      run: async (client: Client) => expect(await rowsAfterImport(client, text)).toEqual([...expected]),
    })),
    {
      title: 'a column stays text where the last of 200,000 values is no number',
      decidedAbovePorts: 'tables of files',
      async run(client) {
        const { id } = await makeSource(client)
        const numbers = Array.from({ length: 199_999 }, (_, index) => `${index + 1}\n`).join('')
        const { id: file } = await upload(client, id, `n\n${numbers}007\n`)
        const preview = await client.request('POST', `/dataSources/${id}/uploads/${file}/preview`, {
          json: {},
        })
        expect(preview.body).toMatchObject({
          records: 200_000,
          columns: [{ type: 'string', warnings: [{ code: 'leading_zeros', line: 200_001 }] }],
        })
        await good(
          client.request('POST', `/dataSources/${id}/import`, { json: { upload: file, table: 't' } }),
        )
        const aggregates = [
          { fn: 'COUNT', expr: '*', as: 'n' },
          { fn: 'MIN', column: 'n', as: 'least' },
        ]
        expect((await selectFrom(client, id, 't', { aggregates })).rows).toEqual([[200_000, '007']])
      },
    },
    {
      title: 'faults of a file have their line, also after a cell of many lines, and the old rows stay',
      async run(client) {
        const { id } = await makeSource(client)
        const importOf = async (text: string, json: object = {}) => {
          const { id: file } = await upload(client, id, text)
          const body = { upload: file, table: 't', mode: 'replace', ...json }
          return client.request('POST', `/dataSources/${id}/import`, { json: body })
        }
        await importOf('a,b\n1,x\n')
        const head = 'a,b\n1,"two\r\nlines"\n'
        const columns = [{ source: 'a', type: 'integer' }, { source: 'b' }]
        for (const [record, pointer] of [
          ['2,"open\n', '/file/4'],
          ['2,"x"y\n', '/file/4'],
          ['2\n', '/file/4'],
          ['2,x,3\n', '/file/4'],
          ['2,x\0\n', '/file/4'],
          ['x,y\n', '/file/4/a'],
        ] as const) {
          const { status, body } = await importOf(head + record, { columns })
          expect([status, body['code'], body['errors']]).toMatchObject([422, 'import_failed', [{ pointer }]])
        }
        expect((await selectFrom(client, id, 't')).rows).toEqual([[1, 'x']])
      },
    },
    {
      title: 'names of tables and columns may have all characters, and are answered unchanged',
      async run(client) {
        const { id } = await makeSource(client)
        const quoted = HOSTILE_NAMES.map((name) => `"${name.replaceAll('"', '""')}"`)
        const text = `${quoted.join(',')}\n${quoted.map((_, index) => index).join(',')}\n`
        for (const name of HOSTILE_NAMES) {
          const { id: file } = await upload(client, id, text)
          const json = { upload: file, table: name }
          await good(client.request('POST', `/dataSources/${id}/import`, { json }))
          const { columns, rows: selected } = await selectFrom(client, id, name)
          expect(columns.map((column) => column.name)).toEqual(HOSTILE_NAMES)
          expect(selected).toEqual([HOSTILE_NAMES.map((_, index) => index)])
        }
        const [object = {}] = (await selectFrom(client, id, 'value', { format: 'objects' })).rows
        expect(Object.entries(object as object)).toEqual(HOSTILE_NAMES.map((name, index) => [name, index]))
        const names = (await columnsOf(client, id)).map((column) => column.split(' ')[0])
        expect(names.length).toBe(HOSTILE_NAMES.length ** 2)
      },
    },
    {
      title: 'reads during replacements see one generation each, and none fails',
      async run(client) {
        const { id } = await makeSource(client)
        const importOf = async (version: number) => {
          const { id: file } = await upload(client, id, `v\n${`${version}\n`.repeat(1_000 + version)}`)
          const json = { upload: file, table: 't', mode: 'replace' }
          await good(client.request('POST', `/dataSources/${id}/import`, { json }))
        }
        await importOf(0)
        const aggregates = [
          { fn: 'COUNT', expr: '*', as: 'n' },
          { fn: 'MIN', column: 'v', as: 'least' },
          { fn: 'MAX', column: 'v', as: 'most' },
        ]
        const seen = new Set<unknown>()
        let isLoading = true
        const read = async () => {
          while (isLoading) {
            const [row] = (await selectFrom(client, id, 't', { aggregates })).rows
            const [count, least, most] = row as number[]
            expect([count, most]).toEqual([1_000 + Number(least), least])
            seen.add(least)
          }
        }
        const load = async () => {
          for (let version = 1; version <= REPLACEMENTS; version++) await importOf(version)
        }
        await Promise.all([load().finally(() => (isLoading = false)), read(), read()])
        expect(seen.size).toBeGreaterThan(1)
      },
    },
    {
      title: 'a scope limits the rows and columns of an imported table',
      decidedAbovePorts: 'tables of files',
      async run(client) {
        const { id } = await makeSource(client)
        const { id: file } = await upload(client, id, ORDERS)
        await good(
          client.request('POST', `/dataSources/${id}/import`, { json: { upload: file, table: 'orders' } }),
        )
        const scope = {
          name: 'north',
          tables: ['orders'],
          subjects: { roles: ['Data_Editor'] },
          filter: { column: 'region', op: 'eq', value: 'nord' },
          hiddenColumns: ['note'],
        }
        await good(client.request('POST', `/dataSources/${id}/scopes`, { json: scope }))
        const select = (json: object) =>
          client.request('POST', `/dataSources/${id}/tables/orders/select`, { as: 'Data_Editor', json })
        const seen = await select({ orderBy: [{ column: 'id' }], total: 'exact' })
        expect([seen.body['rows'], seen.body['total']]).toEqual([
          [
            ['007', 'nord', 100_000, '2026-03-01T11:00:00+01:00'],
            ['009', 'nord', 12, '2026-03-03T11:00:00+01:00'],
          ],
          2,
        ])
        // Equal requests share their answer only within a scope.
        const ids = { columns: ['id'], orderBy: [{ column: 'id' }] }
        expect((await selectFrom(client, id, 'orders', ids)).rows).toEqual([['007'], ['008'], ['009']])
        expect((await select(ids)).body['rows']).toEqual([['007'], ['009']])
        const hidden = await select({ columns: ['note'] })
        expect([hidden.status, hidden.body['code']]).toEqual([422, 'invalid'])
        const outside = await select({ filter: { column: 'region', op: 'eq', value: 'süd' } })
        expect(outside.body['rows']).toEqual([])
        const path = `/dataSources/${id}/tables/orders/distinctValues`
        const distinct = (column: string) =>
          client.request('GET', `${path}?column=${column}`, { as: 'Data_Editor' })
        expect((await distinct('region')).body['items']).toEqual([{ values: ['nord'], count: 2 }])
        expect((await distinct('note')).body['code']).toBe('invalid')
        const histogram = (column: string) =>
          client.request('GET', `/dataSources/${id}/tables/orders/columns/${column}/histogram?bins=2`, {
            as: 'Data_Editor',
          })
        expect((await histogram('amount')).body).toEqual({
          min: 12,
          max: 100_000,
          count: 2,
          nullCount: 0,
          bins: [
            { from: 12, to: 50_006, count: 1 },
            { from: 50_006, to: 100_000, count: 1 },
          ],
        })
        expect((await histogram('note')).body['code']).toBe('not_found')
      },
    },
    {
      title: 'an import replaces no table whose scopes would hide less',
      decidedAbovePorts: 'tables of files',
      async run(client) {
        const { id } = await makeSource(client)
        const given = async (text: string, json: object) => {
          const { id: file } = await upload(client, id, text)
          const body = { upload: file, table: 'orders', ...json }
          return client.request('POST', `/dataSources/${id}/import`, { json: body })
        }
        const replace = (text: string, json: object = {}) => given(text, { mode: 'replace', ...json })
        expect((await given('id,region,amount,note\n1,nord,2,x\n', {})).status).toBe(201)
        const scope = {
          name: 'some orders',
          tables: ['orders'],
          subjects: { roles: ['Data_Editor'] },
          filter: { column: 'amount', op: 'gt', value: 1 },
          hiddenColumns: ['note'],
        }
        await good(client.request('POST', `/dataSources/${id}/scopes`, { json: scope }))
        const refused = async (answer: Awaited<ReturnType<typeof given>>) => {
          expectAnswer(answer, { answers: 'conflict' })
          expect(answer.body['detail']).toContain('some orders')
        }
        // The hidden column under another name, without it; the column of the filter without it, with another type.
        await refused(await replace('id,region,amount,remark\n3,süd,4,secret\n'))
        await refused(await replace('id,region,amount\n3,süd,4\n'))
        await refused(await replace('id,region,note\n3,süd,x\n'))
        await refused(await replace('id,region,amount,note\n3,süd,many,x\n'))
        const seen = async () =>
          (
            await client.request('POST', `/dataSources/${id}/tables/orders/select`, {
              as: 'Data_Editor',
              json: {},
            })
          ).body['rows']
        expect(await seen()).toEqual([[1, 'nord', 2]])
        const columns = ['id', 'region', 'amount', 'remark'].map((source) => ({
          source,
          ...(source === 'remark' && { name: 'note' }),
        }))
        expect((await replace('id,region,amount,remark\n3,süd,4.5,secret\n', { columns })).status).toBe(200)
        expect(await seen()).toEqual([[3, 'süd', 4.5]])
        // The scope stays when the table goes, and counts for the next one of its name.
        await good(client.request('DELETE', `/dataSources/${id}/tables/orders`))
        await refused(await given('id,amount,remark\n5,6,secret\n', {}))
        expect((await given('id,amount,note\n5,6,secret\n', {})).status).toBe(201)
        expect(await seen()).toEqual([[5, 6]])
      },
    },
    {
      title: 'an import is an operation with a result when the caller does not wait',
      async run(client) {
        const { id } = await makeSource(client)
        const { id: file } = await upload(client, id, ORDERS)
        const preview = `/dataSources/${id}/uploads/${file}/preview?wait=PT0S`
        const begun = await client.request('POST', preview, { json: {} })
        expect([begun.status, begun.body['kind']]).toEqual([202, 'preview'])
        const { status, body, headers } = await client.request(
          'POST',
          `/dataSources/${id}/import?wait=PT0S`,
          {
            json: { upload: file, table: 'orders' },
          },
        )
        expect([status, body['kind'], body['subject']]).toEqual([202, 'import', `/dataSources/${id}`])
        const path = headers.get('location') ?? ''
        await until(async () => (await good(client.request('GET', path)))['state'] === 'succeeded')
        expect((await client.request('GET', `${path}/result`)).body).toMatchObject({
          table: 'orders',
          rows: 3,
        })
      },
    },
    {
      title: 'a cancelled import leaves the rows of before, and the next one runs',
      async run(client) {
        const { id } = await makeSource(client)
        const begin = async (text: string, wait = '') => {
          const { id: file } = await upload(client, id, text)
          const json = { upload: file, table: 't', mode: 'replace' }
          return client.request('POST', `/dataSources/${id}/import${wait}`, { json })
        }
        expect((await begin('a\n1\n')).status).toBe(201)
        const begun = await begin(`a\n${'2\n'.repeat(4_000_000)}`, '?wait=PT0S')
        expect(begun.status).toBe(202)
        const path = begun.headers.get('location') ?? ''
        expect((await client.request('DELETE', path)).status).toBe(204)
        await until(async () => (await good(client.request('GET', path)))['state'] === 'cancelled')
        expect((await client.request('DELETE', path)).status).toBe(204)
        expect((await selectFrom(client, id, 't')).rows).toEqual([[1]])
        expect((await begin('a\n3\n')).status).toBe(200)
        expect((await selectFrom(client, id, 't')).rows).toEqual([[3]])
      },
    },
    {
      title: 'a data source has at most 20 uploads, and goes with its tables',
      async run(client) {
        const { id } = await makeSource(client)
        for (let count = 0; count < 20; count++) await upload(client, id, 'a\n1\n')
        const more = await client.request('POST', `/dataSources/${id}/uploads`, {
          text: 'a\n1\n',
          headers: CSV_TYPE,
        })
        expect([more.status, more.body['code']]).toEqual([409, 'conflict'])
        expect((await client.request('DELETE', `/dataSources/${id}`)).status).toBe(204)
        expect((await client.request('GET', `/dataSources/${id}/columns`)).status).toBe(404)
      },
    },
  ],
}
