import { expect } from 'bun:test'

import { logIn, PASSWORD } from './client.ts'
import type { Answer, Client, Request } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Suite } from './suite.ts'

type Made = { readonly id: number }

const ROWS_MAX = 1_000
const BODY_MAX_BYTES = 1024 * 1024
const WRITERS = 5
const COLUMNS = [
  ...['id', 'region', 'amount', 'at', 'paid'].map((source) => ({ source })),
  { source: 'more', type: 'json' },
]
const ORDERS = [
  'id,region,amount,at,paid,more',
  '1,north,1.5,2026-03-01T10:00:00Z,true,{}',
  '2,south,2.5,2026-03-01T10:00:00Z,false,{}',
  '3,north,3.5,,,',
].join('\n')

let made = 0

async function makeTable(client: Client): Promise<number> {
  const json = { name: `edited files ${++made}`, type: 'csv' }
  const { id } = await good<Made>(client.request('POST', '/dataSources', { json }))
  const sent = { text: ORDERS, headers: { 'content-type': 'text/csv' } }
  const upload = await good<{ id: string }>(client.request('POST', `/dataSources/${id}/uploads`, sent))
  await good(
    client.request('POST', `/dataSources/${id}/import`, {
      json: { upload: upload.id, table: 'orders', columns: COLUMNS },
    }),
  )
  return id
}

const edit = (client: Client, [method, id]: readonly [string, number], json: object, request: Request = {}) =>
  client.request(method, `/dataSources/${id}/tables/orders/rows`, { json, ...request })

/** The rows by id. */
async function rowsOf(client: Client, id: number, columns: readonly string[] = ['id', 'region', 'amount']) {
  const json = { columns, orderBy: [{ column: 'id' }] }
  return (
    await good<{ rows: readonly unknown[] }>(
      client.request('POST', `/dataSources/${id}/tables/orders/select`, { json }),
    )
  ).rows
}

async function makeUser(client: Client, region?: string) {
  const username = `row editor ${++made}`
  const properties = region === undefined ? [] : [{ key: 'region', value: region }]
  const json = { username, password: PASSWORD, role: 'Data_Editor', properties }
  await good(client.request('POST', '/users', { json }))
  const session = await logIn(client, { username, password: PASSWORD })
  return { as: null, headers: { 'x-session-id': session } }
}

const makeScope = (client: Client, source: number, json: object) =>
  good(
    client.request('POST', `/dataSources/${source}/scopes`, {
      json: { name: `edits ${++made}`, tables: ['orders'], subjects: { roles: ['Data_Editor'] }, ...json },
    }),
  )

const OWN = { column: 'region', op: 'eq', value: '${user.properties.region}' }
const BEFORE = [
  [1, 'north', 1.5],
  [2, 'south', 2.5],
  [3, 'north', 3.5],
]

const stage = once(async (client) => {
  const connection = { host: 'db.example.org', database: 'sales', user: 'reader' }
  const json = { name: 'no rows to edit', type: 'postgresql', connection }
  const database = await good<Made>(client.request('POST', '/dataSources', { json }))
  return { source: await makeTable(client), database: database.id }
})

const METHODS = ['POST', 'PATCH', 'DELETE'] as const
const CALL = '/dataSources/{source}/tables/orders/rows'
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ id: 1_000 + at }))

const bad = (title: string, method: (typeof METHODS)[number], json: object, ...pointers: string[]): Row => ({
  title: `${method}: ${title}`,
  call: `${method} ${CALL}`,
  json,
  answers: 'invalid',
  pointers,
})

const rows: readonly Row[] = [
  ...METHODS.flatMap((method): Row[] => {
    const json = { key: ['id'], rows: [{ id: 1, ...(method === 'DELETE' ? {} : { amount: 1 }) }] }
    return [
      { title: `${method} by nobody`, call: `${method} ${CALL}`, json, as: null, answers: 'unauthenticated' },
      {
        title: `${method} by a viewer`,
        call: `${method} ${CALL}`,
        json,
        as: 'dashboard_viewer',
        answers: 'forbidden',
      },
      {
        title: `${method} of an unknown table`,
        call: `${method} ${CALL.replace('orders', 'none')}`,
        json,
        answers: 'not_found',
      },
      {
        title: `${method} of a database`,
        call: `${method} ${CALL.replace('{source}', '{database}')}`,
        json,
        answers: 'conflict',
      },
    ]
  }),
  ...(['PATCH', 'DELETE'] as const).map((method): Row => ({
    title: `${method} of a key that no row has`,
    call: `${method} ${CALL}`,
    json: { key: ['id'], rows: [{ id: 99, ...(method === 'DELETE' ? {} : { amount: 1 }) }] },
    answers: 'not_found',
    pointers: ['/rows/0'],
  })),
  ...METHODS.map((method) =>
    bad(
      'an integer that JSON may have rounded',
      method,
      { key: ['id'], rows: [{ id: 2 ** 53, ...(method === 'DELETE' ? {} : { amount: 1 }) }] },
      '/rows/0/id',
    ),
  ),
  {
    title: 'an insert of a key that a row has',
    call: `POST ${CALL}`,
    json: { key: ['id'], rows: [{ id: 99 }, { id: 1 }] },
    answers: 'conflict',
    pointers: ['/rows/1'],
  },
  {
    title: 'a body over the bound',
    call: `POST ${CALL}`,
    json: { rows: [{ region: 'x'.repeat(BODY_MAX_BYTES) }] },
    answers: 'too_large',
  },
  {
    title: 'an unknown version',
    call: `POST ${CALL}`,
    json: { rows: [{ id: 9 }] },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  bad('no rows', 'POST', { rows: [] }, '/rows'),
  bad('too many rows', 'POST', { rows: many(ROWS_MAX + 1) }, '/rows'),
  bad('a conflict rule without a key', 'POST', { onConflict: 'update', rows: [{ id: 1 }] }, '/key'),
  bad('17 columns of a key', 'POST', { key: Array.from({ length: 17 }, String), rows: [{ id: 1 }] }, '/key'),
  bad('an unknown column', 'POST', { rows: [{ 'a/b': 1 }] }, '/rows/0/a~1b'),
  bad('an unknown column of the key', 'POST', { key: ['none'], rows: [{ id: 1 }] }, '/key/0'),
  bad('a row without the key', 'POST', { key: ['id'], rows: [{ region: 'x' }] }, '/rows/0'),
  bad('a row without a column', 'POST', { rows: [{}] }, '/rows/0'),
  bad('rows of several shapes', 'POST', { rows: [{ id: 1 }, { id: 2, region: 'x' }] }, '/rows/1'),
  bad('rows of several columns', 'POST', { rows: [{ id: 1 }, { region: 'x' }] }, '/rows/1'),
  bad('a null key', 'POST', { key: ['id'], rows: [{ id: null }] }, '/rows/0'),
  bad('a key twice', 'POST', { key: ['id'], rows: [{ id: 7 }, { id: '7' }] }, '/rows/1'),
  bad('no key of a change', 'PATCH', { key: [], rows: [{ id: 1 }] }, '/key'),
  bad('nothing to change', 'PATCH', { key: ['id'], rows: [{ id: 1 }] }, '/rows/0'),
  bad('more than the key', 'DELETE', { key: ['id'], rows: [{ id: 1, region: 'x' }] }, '/rows/0'),
  ...(
    [
      ['id', 1.5],
      ['id', '9223372036854775808'],
      ['id', true],
      ['amount', 'a'],
      ['region', 1],
      ['region', 'a\0b'],
      ['at', '2026-02-30T00:00:00Z'],
      ['paid', 'yes'],
      ['paid', 1],
      ['more', '{'],
    ] as const
  ).map(([column, value]) =>
    bad(`${column}: ${JSON.stringify(value)}`, 'POST', { rows: [{ [column]: value }] }, `/rows/0/${column}`),
  ),
]

const tagOf = async (client: Client, id: number) =>
  (await good<{ etag: string }[]>(client.request('GET', `/dataSources/${id}/tables`)))[0]?.etag ?? ''

const counts = ({ status, body }: Answer) => [
  status,
  body['inserted'],
  body['updated'],
  body['deleted'],
  body['rows'],
]

export const dataRowsSuite: Suite = {
  name: 'rows of imported tables',
  scenarios: [
    ...table(stage, rows),
    {
      title: 'rows are inserted, changed and deleted; the tag follows, and an old one is refused',
      async run(client) {
        const id = await makeTable(client)
        const etag = await tagOf(client, id)
        const inserted = await edit(client, ['POST', id], {
          rows: [
            { id: 4, region: 'east' },
            { id: 5, region: null },
          ],
        })
        expect(counts(inserted)).toEqual([200, 2, 0, 0, 5])
        expect(inserted.headers.get('etag')).toBe(await tagOf(client, id))
        const late = await edit(
          client,
          ['DELETE', id],
          { key: ['id'], rows: [{ id: 1 }] },
          { headers: { 'if-match': etag } },
        )
        expectAnswer(late, { answers: 'precondition_failed' })
        const changed = await edit(
          client,
          ['PATCH', id],
          {
            key: ['id'],
            rows: [
              { id: 4, amount: -1.5e-7 },
              { id: 2, amount: null },
            ],
          },
          { headers: { 'if-match': await tagOf(client, id) } },
        )
        expect(counts(changed)).toEqual([200, 0, 2, 0, 5])
        expect(
          counts(await edit(client, ['DELETE', id], { key: ['region'], rows: [{ region: 'north' }] })),
        ).toEqual([200, 0, 0, 2, 3])
        const upsert = {
          key: ['id'],
          onConflict: 'update',
          rows: [
            { id: 2, region: 'west' },
            { id: 6, region: 'west' },
          ],
        }
        expect(counts(await edit(client, ['POST', id], upsert))).toEqual([200, 1, 1, 0, 4])
        const ignoring = {
          key: ['id'],
          onConflict: 'ignore',
          rows: [
            { id: 2, region: 'none' },
            { id: 7, region: 'west' },
          ],
        }
        expect(counts(await edit(client, ['POST', id], ignoring))).toEqual([200, 1, 0, 0, 5])
        expect(await rowsOf(client, id)).toEqual([
          [2, 'west', null],
          [4, 'east', -1.5e-7],
          [5, null, null],
          [6, 'west', null],
          [7, 'west', null],
        ])
        const entry = await client.request('GET', '/audit?objectType=dataTable&action=update&limit=1')
        expect(entry.body['items']).toMatchObject([
          { before: { rows: 4 }, after: { rows: 5, name: 'orders' } },
        ])
      },
    },
    {
      title: 'values of each type are as if they were imported',
      async run(client) {
        const id = await makeTable(client)
        const one = {
          id: '9007199254740993',
          region: 'a\'b"c',
          amount: 1,
          at: '2026-03-29T03:30:00.25+02:00',
          paid: true,
          more: '{"a": [1]}',
        }
        await good(edit(client, ['POST', id], { rows: [one] }))
        await good(
          edit(client, ['PATCH', id], {
            key: ['at'],
            rows: [{ at: '2026-03-29T01:30:00.250Z', paid: false }],
          }),
        )
        const columns = ['id', 'region', 'amount', 'at', 'paid', 'more']
        expect((await rowsOf(client, id, columns)).at(-1)).toEqual([
          '9007199254740993',
          'a\'b"c',
          1,
          '2026-03-29T03:30:00.25+02:00',
          false,
          '{"a": [1]}',
        ])
        expect(counts(await edit(client, ['POST', id], { rows: many(ROWS_MAX) }))).toEqual([
          200,
          ROWS_MAX,
          0,
          0,
          ROWS_MAX + 4,
        ])
      },
    },
    {
      title: 'users edit rows within their scope alone, all of a request or nothing',
      async run(client) {
        const id = await makeTable(client)
        const [north, bare] = [await makeUser(client, 'north'), await makeUser(client)]
        const change = { key: ['id'], rows: [{ id: 1, amount: 10 }] }
        expectAnswer(await edit(client, ['PATCH', id], change, north), { answers: 'forbidden' })
        await makeScope(client, id, { access: 'read' })
        expectAnswer(await edit(client, ['PATCH', id], change, north), { answers: 'forbidden' })
        await makeScope(client, id, { access: 'edit', filter: OWN, hiddenColumns: ['paid'] })
        const refused: readonly (readonly [string, object, string])[] = [
          [
            'POST',
            {
              rows: [
                { id: 4, region: 'north' },
                { id: 5, region: 'south' },
              ],
            },
            '/rows/1',
          ],
          ['POST', { rows: [{ id: 4, region: null }] }, '/rows/0'],
          ['POST', { key: ['id'], onConflict: 'update', rows: [{ id: 2, region: 'north' }] }, '/rows/0'],
          [
            'PATCH',
            {
              key: ['id'],
              rows: [
                { id: 1, amount: 9 },
                { id: 2, amount: 9 },
              ],
            },
            '/rows/1',
          ],
          ['PATCH', { key: ['id'], rows: [{ id: 1, region: 'south' }] }, '/rows/0'],
          ['PATCH', { key: ['id'], rows: [{ id: 99, amount: 1 }] }, '/rows/0'],
          ['DELETE', { key: ['id'], rows: [{ id: 3 }, { id: 2 }] }, '/rows/1'],
        ]
        for (const [method, json, pointer] of refused)
          expectAnswer(await edit(client, [method, id], json, north), {
            answers: 'forbidden',
            pointers: [pointer],
          })
        const hidden = await edit(
          client,
          ['PATCH', id],
          { key: ['id'], rows: [{ id: 1, paid: true }] },
          north,
        )
        expectAnswer(hidden, { answers: 'invalid', pointers: ['/rows/0/paid'] })
        expectAnswer(await edit(client, ['PATCH', id], change, bare), {
          answers: 'forbidden',
          pointers: ['/rows/0'],
        })
        expect(await rowsOf(client, id)).toEqual(BEFORE)

        expect(counts(await edit(client, ['PATCH', id], change, north))).toEqual([200, 0, 1, 0, null])
        expect(
          counts(await edit(client, ['POST', id], { rows: [{ id: 4, region: 'north' }] }, north)).slice(0, 2),
        ).toEqual([200, 1])
        expect(
          counts(await edit(client, ['DELETE', id], { key: ['id'], rows: [{ id: 3 }] }, north)).slice(0, 4),
        ).toEqual([200, 0, 0, 1])
        expect(await rowsOf(client, id, ['id', 'region', 'amount', 'paid'])).toEqual([
          [1, 'north', 10, true],
          [2, 'south', 2.5, false],
          [4, 'north', null, null],
        ])
      },
    },
    {
      title: 'none of many edits at once is lost',
      async run(client) {
        const id = await makeTable(client)
        const answers = await Promise.all(
          Array.from({ length: WRITERS }, (_, at) => edit(client, ['POST', id], { rows: [{ id: 10 + at }] })),
        )
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
        expect(await rowsOf(client, id)).toHaveLength(BEFORE.length + WRITERS)
      },
    },
  ],
}
