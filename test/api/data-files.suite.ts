import { connect } from 'node:net'
import { join } from 'node:path'

import { expect } from 'bun:test'

import { XLSX_TYPE } from '../../src/data/selection/formats.ts'
import { numberRow, textRow, workbook } from '../data/workbook.ts'
import { compoundFile } from '../data/xls.ts'
import type { Client } from './client.ts'
import { good } from './suite.ts'
import type { Suite } from './suite.ts'

type Made = { readonly id: number }
type Upload = { readonly id: string }
type Selected = {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
}

/** The sheet of `openpyxl.xlsx` as CSV. */
const CSV = [
  'id,qty,day,at,ok,err,note',
  '007,1,2026-03-01,2026-03-01T10:30:00,true,#N/A,x',
  '008,2.5,2026-03-02,2026-03-02T00:00:00,false,#DIV/0!,',
].join('\r\n')
const VALUES = { nulls: ['', '#N/A', '#DIV/0!'], timeZone: 'Europe/Zurich' }

let made = 0

const fixture = async (name: string) =>
  new Uint8Array(await Bun.file(join(import.meta.dir, '../data/workbooks', name)).arrayBuffer())

const makeSource = (client: Client) =>
  good<Made>(client.request('POST', '/dataSources', { json: { name: `workbooks ${++made}`, type: 'csv' } }))

async function upload(client: Client, id: number, content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
  const headers = { 'content-type': 'application/octet-stream' }
  return (await good<Upload>(client.request('POST', `/dataSources/${id}/uploads`, { bytes, headers }))).id
}

async function importInto(client: Client, id: number, content: string | Uint8Array, json: object) {
  const file = await upload(client, id, content)
  return client.request('POST', `/dataSources/${id}/import`, { json: { upload: file, ...json } })
}

const selectFrom = (client: Client, id: number, table: string) =>
  good<Selected>(client.request('POST', `/dataSources/${id}/tables/${table}/select`, { json: {} }))

export const dataFilesSuite: Suite = {
  name: 'files of data',
  scenarios: [
    {
      title: 'a sheet of a workbook has the rows that CSV of it has',
      decidedAbovePorts: 'kinds of files',
      async run(client) {
        const { id } = await makeSource(client)
        const bytes = await fixture('openpyxl.xlsx')
        const file = await upload(client, id, bytes)
        const preview = await client.request('POST', `/dataSources/${id}/uploads/${file}/preview`, {
          json: { file: { kind: 'xlsx' } },
        })
        expect(preview.body).toMatchObject({
          delimiter: null,
          sheets: ['Data', 'Second'],
          sheet: 'Data',
          records: 0,
          faults: [
            { code: 'cell_error', line: 2, sheet: 'Data', column: 'err' },
            { code: 'cell_error', line: 3, sheet: 'Data', column: 'err' },
          ],
        })
        const both = { values: VALUES }
        await good(importInto(client, id, CSV, { table: 'csv', ...both }))
        await good(importInto(client, id, bytes, { table: 'xlsx', file: { kind: 'xlsx' }, ...both }))
        const [csv, xlsx] = [await selectFrom(client, id, 'csv'), await selectFrom(client, id, 'xlsx')]
        expect(xlsx.rows.length).toBe(2)
        expect([xlsx.columns, xlsx.rows]).toEqual([csv.columns, csv.rows])
      },
    },
    {
      title: 'a sheet of an XLS workbook has the rows that CSV of it has',
      decidedAbovePorts: 'kinds of files',
      async run(client) {
        const { id } = await makeSource(client)
        const bytes = await fixture('sheetjs.xls')
        const csv = [
          'id,sum,text,ok,err,day,last,h',
          '007,3,aü€b,true,1,2026-03-01T00:00:00,,12:00:00',
          '008,1.5,plain,false,#N/A,2026-03-02T12:00:00,-1e300,',
        ].join('\r\n')
        const both = { values: VALUES }
        await good(importInto(client, id, csv, { table: 'csv', ...both }))
        await good(importInto(client, id, bytes, { table: 'xls', file: { kind: 'xls' }, ...both }))
        const [text, typed] = [await selectFrom(client, id, 'csv'), await selectFrom(client, id, 'xls')]
        expect(typed.rows.length).toBe(2)
        expect([typed.columns, typed.rows]).toEqual([text.columns, text.rows])
        const second = { table: 'second', file: { kind: 'xls', sheet: 'Zwei' } }
        await good(importInto(client, id, bytes, second))
        expect((await selectFrom(client, id, 'second')).rows).toEqual([[5]])
      },
    },
    {
      title: 'a Parquet file has the rows that CSV of it has',
      decidedAbovePorts: 'kinds of files',
      async run(client) {
        const { id } = await makeSource(client)
        const bytes = await fixture('../parquet/snappy.parquet')
        const columns = ['id', 'qty', 'long', 'price', 'cents', 'ok', 'day', 'at', 'local', 'time', 'text']
        const csv = [
          columns.join(','),
          '007,1,123456789012345,0.1,0.05,true,2026-03-01,2026-03-01T10:30:15.00025Z,2026-03-01 10:30,07:05,"Zürich ""x"""',
          '008,-2,-1,1e25,-1.1,false,1900-02-28,1969-12-31T23:59:59.999999Z,2026-07-01 00:00,23:59:59.5,"line\nbreak"',
          ',,0,,,,,,,,',
        ].join('\r\n')
        const both = { values: VALUES, columns: columns.map((source) => ({ source })) }
        await good(importInto(client, id, csv, { table: 'csv', ...both }))
        await good(importInto(client, id, bytes, { table: 'parquet', file: { kind: 'parquet' }, ...both }))
        const [text, typed] = [await selectFrom(client, id, 'csv'), await selectFrom(client, id, 'parquet')]
        expect(typed.rows.length).toBe(3)
        expect([typed.columns, typed.rows]).toEqual([text.columns, text.rows])
        const nested = await fixture('../parquet/list.parquet')
        const { body } = await importInto(client, id, nested, { table: 'l', file: { kind: 'parquet' } })
        expect(body).toMatchObject({ code: 'import_failed', errors: [{ pointer: '/file' }] })
        expect(body['detail']).toMatch(/column tags is nested/)
      },
    },
    {
      title: 'a table is exported as a workbook, which has the same rows when it is imported',
      async run(client) {
        const { id } = await makeSource(client)
        const csv = 'id,amount,day,ok\r\n007,1.5,2026-03-01,true\r\n=1+1,,,false\r\nx,-2,1899-12-31,\r\n'
        await good(importInto(client, id, csv, { table: 'first' }))
        const headers = { accept: XLSX_TYPE }
        const select = (json: object) =>
          client.request('POST', `/dataSources/${id}/tables/first/select`, { json, headers })
        const { status, headers: sent, bytes } = await select({})
        expect([status, sent.get('content-type')]).toEqual([200, XLSX_TYPE])
        await good(importInto(client, id, bytes, { table: 'second', file: { kind: 'xlsx' } }))
        const [first, second] = [
          await selectFrom(client, id, 'first'),
          await selectFrom(client, id, 'second'),
        ]
        expect(second.rows.length).toBe(3)
        expect([second.columns, second.rows]).toEqual([first.columns, first.rows])
        expect((await select({ limit: 1_048_575 })).status).toBe(200)
        const { body } = await select({ limit: 1_048_576 })
        expect([body['code'], body['errors']]).toMatchObject(['invalid', [{ pointer: '/limit' }]])
        await good(importInto(client, id, `a\n${'x'.repeat(32_768)}\n`, { table: 'first', mode: 'replace' }))
        expect((await select({})).body['code']).toBe('query_too_large')
      },
    },
    {
      title: 'an upload that is cut off half way changes nothing, and the next ones are taken',
      async run(client) {
        const { id } = await makeSource(client)
        const entries = async () =>
          (await client.request('GET', '/audit?objectType=dataSource&action=upload&limit=1')).body['items']
        const before = await entries()
        const { hostname, port } = new URL(client.host.url)
        // More than are taken at once.
        for (let count = 0; count < 3; count += 1) {
          const socket = connect(Number(port), hostname)
          socket.on('error', () => undefined)
          socket.write(
            `POST /dataSources/${id}/uploads HTTP/1.1\r\nhost: localhost\r\nx-session-id: ${client.sessionIds.administrator}\r\n` +
              `content-type: text/csv\r\ncontent-length: 2000000\r\n\r\na\n${'1\n'.repeat(500_000)}`,
          )
          await Bun.sleep(100)
          socket.destroy()
        }
        await upload(client, id, 'a\n7\n')
        const after = await entries()
        expect(after).not.toEqual(before)
        expect(after).toMatchObject([{ after: { sizeBytes: 4 } }])
      },
    },
    {
      title: 'a file that says to have more than 1 GiB is refused before it is sent',
      decidedAbovePorts: 'kinds of files',
      async run(client) {
        const { id } = await makeSource(client)
        const { hostname, port } = new URL(client.host.url)
        const socket = connect(Number(port), hostname)
        socket.write(
          `POST /dataSources/${id}/uploads HTTP/1.1\r\nhost: localhost\r\nx-session-id: ${client.sessionIds.administrator}\r\n` +
            `content-type: text/csv\r\ncontent-length: ${1024 ** 3 + 1}\r\n\r\na\n`,
        )
        const answer = await new Promise<string>((resolve, reject) => {
          socket.once('data', (bytes) => resolve(String(bytes)))
          socket.once('error', reject)
        })
        socket.destroy()
        expect(answer).toStartWith('HTTP/1.1 413')
      },
    },
    {
      title: 'a file that is not of its kind, or has a fault, is refused and changes nothing',
      async run(client) {
        const { id } = await makeSource(client)
        const bytes = await fixture('openpyxl.xlsx')
        const rows = textRow(1, ['a']) + numberRow(2, [1]) + textRow(5, ['x'])
        const columns = [{ source: 'a', type: 'integer' }]
        const [xlsx, xls] = [{ file: { kind: 'xlsx' } }, { file: { kind: 'xls' } }]
        const xlsBytes = await fixture('1904.xls')
        const cases = [
          [bytes, {}, '/file/kind', /not CSV\. Set kind to xlsx/],
          [bytes, { file: { kind: 'ndjson' } }, '/file/kind', /not NDJSON/],
          [bytes, { file: { kind: 'parquet' } }, '/file/kind', /not a Parquet file/],
          [CSV, xlsx, '/file', /not an XLSX workbook/],
          [CSV, xls, '/file', /not an XLS workbook/],
          [xlsBytes, xlsx, '/file/kind', /not an XLSX workbook\. Set kind to xls/],
          [bytes, xls, '/file/kind', /not an XLS workbook\. Set kind to xlsx/],
          [compoundFile(new Uint8Array(64), 'EncryptedPackage'), xls, '/file', /has a password/],
          [bytes.slice(0, 3_000), xlsx, '/file', /is truncated/],
          [bytes, { file: { kind: 'xlsx', sheet: 'Third' } }, '/file/sheet', /it has Data, Second/],
          [workbook({ sheet: '<!DOCTYPE x>' }), xlsx, '/file', /document type/],
          [workbook(), xlsx, '/file', /has no columns/],
          ['', {}, '/file', /is empty/],
          [workbook({ rows }), { ...xlsx, columns }, '/file/5/a', /^Sheet Data: .* type integer/],
        ] as const
        for (const [content, json, pointer, says] of cases) {
          const { status, body } = await importInto(client, id, content, { table: 't', ...json })
          expect([status, body['code']]).toEqual([422, 'import_failed'])
          expect(body['errors']).toMatchObject([{ pointer, message: expect.stringMatching(says) as string }])
        }
        expect((await client.request('GET', `/dataSources/${id}/tables`)).body).toEqual([] as never)
      },
    },
    {
      title: 'a file of 200 columns is refused, a cell of 2 MB is stored or refused, and the old rows stay',
      async run(client) {
        const { id } = await makeSource(client)
        const wide = (count: number) => {
          const names = Array.from({ length: count }, (_, at) => `c${at}`)
          return `${names.join(',')}\n${names.map(() => 1).join(',')}\n`
        }
        await good(importInto(client, id, wide(100), { table: 't' }))
        const rows = async () => (await selectFrom(client, id, 't')).rows
        const before = await rows()
        expect(before[0]).toHaveLength(100)
        const refused = async (content: string | Uint8Array, json: object, says: RegExp) => {
          const { status, body } = await importInto(client, id, content, {
            table: 't',
            mode: 'replace',
            ...json,
          })
          expect([status, body['code']]).toEqual([422, 'import_failed'])
          expect(body['errors']).toMatchObject([{ message: expect.stringMatching(says) as string }])
          expect(await rows()).toEqual(before)
        }
        const names = Array.from({ length: 200 }, (_, at) => `c${at}`)
        const xlsx = { file: { kind: 'xlsx' } }
        await refused(wide(200), {}, /has 200 columns; a table has at most 100/)
        await refused(workbook({ rows: textRow(1, names) + textRow(2, names) }), xlsx, /200 columns/)
        await refused(`a,b\nx,${'y'.repeat(5_000_000)}\n`, {}, /at most 4194304 characters/)
        for (const chars of [1_000_000, 2_000_000]) {
          const text = `${'z'.repeat(chars - 1)}.`
          const table = `cell${chars}`
          const { status, body } = await importInto(client, id, `a,b\nx,${text}\n`, { table })
          // An object of Workers has rows of 2 MB.
          if (chars > 1_000_000 && status === 422)
            expect(body['detail']).toBe('A row has at most 1048576 characters on this host.')
          else {
            expect(status).toBe(201)
            const [[a, b] = []] = (await selectFrom(client, id, table)).rows
            expect([a, b === text]).toEqual(['x', true])
          }
        }
      },
    },
  ],
}
