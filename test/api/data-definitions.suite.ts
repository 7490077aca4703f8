import { expect } from 'bun:test'

import type { Client, Request } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Suite } from './suite.ts'

type Made = { readonly id: number }

const COLUMNS_MAX = 100
const FILE = [
  'id,amount,at,paid,note',
  '1,1.5,2026-03-01T10:00:00Z,true,"a ""b"""',
  '2,1e300,,false,12',
  '9007199254740993,,2026-03-29T01:30:00.25Z,,',
].join('\n')

let made = 0

const makeSource = (client: Client) =>
  good<Made>(client.request('POST', '/dataSources', { json: { name: `defined ${++made}`, type: 'csv' } }))

async function makeTable(client: Client): Promise<number> {
  const { id } = await makeSource(client)
  const sent = { text: FILE, headers: { 'content-type': 'text/csv' } }
  const upload = await good<{ id: string }>(client.request('POST', `/dataSources/${id}/uploads`, sent))
  const columns = ['id', 'amount', 'at', 'paid'].map((source) => ({ source }))
  const json = {
    upload: upload.id,
    table: 'orders',
    columns: [...columns, { source: 'note', type: 'string' }],
  }
  await good(client.request('POST', `/dataSources/${id}/import`, { json }))
  return id
}

const change = (client: Client, id: number, json: object, request: Request = {}) =>
  client.request('PATCH', `/dataSources/${id}/tables/orders`, { json, ...request })

const select = (client: Client, id: number, name = 'orders') =>
  good<{ columns: readonly { name: string; type: string }[]; rows: readonly (readonly unknown[])[] }>(
    client.request('POST', `/dataSources/${id}/tables/${name}/select`, { json: {} }),
  )

const stage = once(async (client) => {
  const connection = { host: 'db.example.org', database: 'sales', user: 'reader' }
  const json = { name: 'no tables to define', type: 'postgresql', connection }
  const database = await good<Made>(client.request('POST', '/dataSources', { json }))
  return { source: await makeTable(client), database: database.id }
})

const ONE = { name: 'other', columns: [{ name: 'a', type: 'integer' }] }
const CREATE = 'POST /dataSources/{source}/tables'
const CHANGE = 'PATCH /dataSources/{source}/tables/orders'
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `c${at}`, type: 'integer' }))

const bad = (call: string, title: string, json: object, pointer: string): Row => ({
  title: `${call.slice(0, call.indexOf(' '))} with ${title}`,
  call,
  json,
  answers: 'invalid',
  pointers: [pointer],
})

const rows: readonly Row[] = [
  ...(
    [
      [CREATE, ONE],
      [CHANGE, { drop: ['note'] }],
    ] as const
  ).flatMap(([call, json]): Row[] => [
    { title: `${call} by nobody`, call, json, as: null, answers: 'unauthenticated' },
    { title: `${call} by a Data_Editor`, call, json, as: 'Data_Editor', answers: 'forbidden' },
    {
      title: `${call} of a database`,
      call: call.replace('{source}', '{database}'),
      json,
      answers: 'conflict',
    },
  ]),
  {
    title: 'a table of a taken name',
    call: CREATE,
    json: { ...ONE, name: 'ORDERS' },
    answers: 'name_taken',
    pointers: ['/name'],
  },
  {
    title: 'a change of an unknown table',
    call: CHANGE.replace('orders', 'none'),
    json: {},
    answers: 'not_found',
  },
  {
    title: 'a change of another version',
    call: CHANGE,
    json: { drop: ['note'] },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  bad(CREATE, 'no columns', { ...ONE, columns: [] }, '/columns'),
  bad(CREATE, '101 columns', { ...ONE, columns: many(COLUMNS_MAX + 1) }, '/columns'),
  bad(
    CREATE,
    'two columns of a name',
    { ...ONE, columns: [...ONE.columns, { name: 'A', type: 'string' }] },
    '/columns/1/name',
  ),
  bad(CREATE, 'an unknown type', { ...ONE, columns: [{ name: 'a', type: 'binary' }] }, '/columns/0/type'),
  bad(CHANGE, 'an unknown column to drop', { drop: ['none'] }, '/drop/0'),
  bad(CHANGE, 'an unknown column to alter', { alter: [{ name: 'none' }] }, '/alter/0/name'),
  bad(CHANGE, 'a dropped column to alter', { drop: ['id'], alter: [{ name: 'id' }] }, '/alter/0/name'),
  bad(CHANGE, 'a column altered twice', { alter: [{ name: 'id' }, { name: 'id' }] }, '/alter/1/name'),
  bad(CHANGE, 'a taken name of a new column', { add: [{ name: 'ID', type: 'string' }] }, '/add/0/name'),
  bad(CHANGE, 'a taken name of a column', { alter: [{ name: 'at', rename: 'id' }] }, '/alter/0/rename'),
  bad(CHANGE, 'no column left', { drop: ['id', 'amount', 'at', 'paid', 'note'] }, '/drop'),
  bad(CHANGE, 'too many columns', { add: many(COLUMNS_MAX - 4) }, '/add'),
]

export const dataDefinitionsSuite: Suite = {
  name: 'definitions of imported tables',
  scenarios: [
    ...table(stage, rows),
    {
      title: 'a table is created with 100 columns and no rows, and takes rows',
      async run(client) {
        const { id } = await makeSource(client)
        const json = { name: 'empty', columns: many(COLUMNS_MAX) }
        const answer = await client.request('POST', `/dataSources/${id}/tables`, { json })
        expect([answer.status, answer.body['rows']]).toEqual([201, 0])
        const [listed] = await good<{ etag: string }[]>(client.request('GET', `/dataSources/${id}/tables`))
        expect(answer.headers.get('etag')).toBe(listed?.etag ?? '')
        await good(
          client.request('POST', `/dataSources/${id}/tables/empty/rows`, { json: { rows: [{ c99: 7 }] } }),
        )
        expect((await select(client, id, 'empty')).rows.map((row) => row[99])).toEqual([7])
      },
    },
    {
      title: 'columns are added, dropped, renamed and retyped at once, and values stay exact',
      async run(client) {
        const id = await makeTable(client)
        const answer = await change(client, id, {
          rename: 'sales',
          drop: ['paid'],
          add: [{ name: 'paid', type: 'json' }],
          alter: [
            { name: 'id', rename: 'number', type: 'string' },
            { name: 'amount', type: 'string' },
            { name: 'at', rename: 'id', type: 'string' },
          ],
        })
        expect([answer.status, answer.body['name'], answer.body['rows']]).toEqual([200, 'sales', 3])
        const { columns, rows: found } = await select(client, id, 'sales')
        expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
          'number string',
          'amount string',
          'id string',
          'note string',
          'paid json',
        ])
        expect(found).toEqual([
          ['1', '1.5', '2026-03-01T10:00:00Z', 'a "b"', null],
          ['2', '1e+300', null, '12', null],
          ['9007199254740993', null, '2026-03-29T01:30:00.25Z', null, null],
        ])
        const back = await client.request('PATCH', `/dataSources/${id}/tables/sales`, {
          json: {
            rename: 'orders',
            alter: [
              { name: 'number', type: 'integer' },
              { name: 'amount', type: 'number' },
              { name: 'id', rename: 'at', type: 'datetime' },
            ],
          },
          headers: { 'if-match': answer.headers.get('etag') ?? '' },
        })
        expect(back.status).toBe(200)
        expect((await select(client, id)).rows).toEqual([
          [1, 1.5, '2026-03-01T11:00:00+01:00', 'a "b"', null],
          [2, 1e300, null, '12', null],
          ['9007199254740993', null, '2026-03-29T03:30:00.25+02:00', null, null],
        ])
      },
    },
    {
      title: 'a value that has none of the new type, and a taken name, leave the table as it is',
      async run(client) {
        const id = await makeTable(client)
        await good(client.request('POST', `/dataSources/${id}/tables`, { json: ONE }))
        const before = await select(client, id)
        const unfitting = await change(client, id, { alter: [{ name: 'note', type: 'integer' }] })
        expectAnswer(unfitting, { answers: 'invalid', pointers: ['/alter'] })
        expect(unfitting.body['detail']).toContain(String.raw`"a \"b\""`)
        expectAnswer(await change(client, id, { rename: 'Other' }), {
          answers: 'name_taken',
          pointers: ['/rename'],
        })
        expect(await select(client, id)).toMatchObject({ columns: before.columns, rows: before.rows })
      },
    },
    {
      title: 'what a scope names keeps its name and its type, so that nothing hidden is seen',
      async run(client) {
        const id = await makeTable(client)
        const filter = { column: 'amount', op: 'gt', value: '${user.properties.least}' }
        const scope = {
          name: 'some orders',
          tables: ['orders'],
          subjects: { roles: ['Data_Editor'] },
          filter,
          hiddenColumns: ['note'],
        }
        await good(client.request('POST', `/dataSources/${id}/scopes`, { json: scope }))
        const refused = [
          { rename: 'free' },
          { drop: ['note'] },
          { alter: [{ name: 'note', rename: 'seen' }] },
          { drop: ['amount'] },
          { alter: [{ name: 'amount', type: 'json' }] },
        ]
        for (const json of refused) {
          const answer = await change(client, id, json)
          expectAnswer(answer, { answers: 'conflict' })
          expect(answer.body['detail']).toContain('some orders')
        }
        expect(
          (await change(client, id, { drop: ['paid'], alter: [{ name: 'at', rename: 'when' }] })).status,
        ).toBe(200)
      },
    },
  ],
}
