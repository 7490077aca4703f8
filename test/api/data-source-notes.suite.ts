import { expect } from 'bun:test'

import type { Client } from './client.ts'
import {
  connectionTo,
  hasSourceServer,
  mariadbServer,
  SOURCE_PASSWORD,
  sourceServer,
} from './source-server.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Made = { readonly id: number }
type Column = { readonly table: string; readonly name: string }
type Entry = { readonly before: object | null; readonly after: object | null }

const long = (length: number) => 'x'.repeat(length)
const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`
/** Annotations of this many bytes. */
const annotationsOf = (bytes: number) => ({ own: long(bytes - '{"own":""}'.length) })

let made = 0

const make = (client: Client, json: object) =>
  good<Made>(client.request('POST', '/dataSources', { json: { name: `noted ${++made}`, ...json } }))

const CONNECTION = { host: 'db.example.org', database: 'sales', user: 'reader' }

async function importTable(client: Client, id: number, { name, text }: { name: string; text: string }) {
  const headers = { 'content-type': 'text/csv' }
  const upload = await good<{ id: string }>(
    client.request('POST', `/dataSources/${id}/uploads`, { text, headers }),
  )
  const json = { upload: upload.id, table: name, mode: 'replace' }
  await good(client.request('POST', `/dataSources/${id}/import`, { json }))
}

/** A data source with a table that was imported. */
async function makeFiles(client: Client): Promise<Made> {
  const source = await make(client, { type: 'csv' })
  await importTable(client, source.id, { name: 'orders', text: 'id,region\n1,north\n' })
  return source
}

const stage = once(async (client) => {
  const { id: files } = await makeFiles(client)
  const { id: mysql } = await make(client, { type: 'mysql', readOnly: false, connection: CONNECTION })
  const { id: closed } = await make(client, { type: 'postgresql', connection: CONNECTION })
  return { files, mysql, closed }
})

const PLACES = [
  '/dataSources/{files}',
  '/dataSources/{files}/tables/orders',
  '/dataSources/{files}/tables/orders/columns/region',
]

/** Bodies that are no comment and no annotations, each with where it is wrong. */
const WRONG: readonly (readonly [what: string, json: object, pointer: string])[] = [
  ['comment', {}, '/comment'],
  ['comment', { comment: '' }, '/comment'],
  ['comment', { comment: long(4_001) }, '/comment'],
  ['comment', { comment: 'a\0b' }, '/comment'],
  ['comment', { comment: 'x', target: 'database' }, '/target'],
  ['comment', { comment: 'x', more: 1 }, '/more'],
  ['comment', { comment: 'x', target: 'source' }, '/target'],
  ['annotations', { displayName: 'Sales' }, '/displayName'],
  ['annotations', { displayName: { 'not a language': 'Sales' } }, '/displayName/not a language'],
  ['annotations', { displayName: { de: long(256) } }, '/displayName/de'],
  ['annotations', { unit: long(256) }, '/unit'],
  ['annotations', { format: '' }, '/format'],
  ['annotations', { semanticType: 'colour' }, '/semanticType'],
  ['annotations', { hidden: 'yes' }, '/hidden'],
  ['annotations', annotationsOf(4_097), ''],
]

const GONE = [
  '/dataSources/999999',
  '/dataSources/{files}/tables/none',
  '/dataSources/{files}/tables/Orders',
  `/dataSources/{files}/tables/${long(256)}`,
  '/dataSources/{files}/tables/orders/columns/none',
  '/dataSources/{files}/tables/none/columns/region',
]

const BODIES = [
  ['comment', { comment: 'not kept' }],
  ['annotations', { unit: 'not kept' }],
] as const

const rows: readonly Row[] = [
  ...PLACES.flatMap((place) =>
    BODIES.map(([what, json]) => ({ call: `PUT ${place}/${what}`, json })),
  ).flatMap(({ call, json }): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...(['editor', 'Data_Editor', 'collector', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      json,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...WRONG.flatMap(([what, json, pointer]) =>
    PLACES.map((place): Row => ({
      title: `${JSON.stringify(json).slice(0, 40)} for ${pointer}`,
      call: `PUT ${place}/${what}`,
      json,
      answers: 'invalid',
      pointers: [pointer],
    })),
  ),
  ...GONE.flatMap((place) =>
    BODIES.map(([what, json]): Row => ({
      title: 'no such place',
      call: `PUT ${place}/${what}`,
      json,
      answers: 'not_found',
    })),
  ),
  {
    title: 'the removal of what is not there',
    call: 'PUT /dataSources/{files}/tables/none/comment',
    json: { comment: null },
    answers: 'not_found',
  },
  // Its host is never asked: that would be refused in another way.
  ...['', '/tables/orders', '/tables/orders/columns/id'].flatMap((place): Row[] => [
    {
      title: 'a comment in MySQL',
      call: `PUT /dataSources/{mysql}${place}/comment`,
      json: { comment: 'x', target: 'source' },
      answers: 'invalid',
      pointers: ['/target'],
    },
    {
      title: 'a comment in a read-only database',
      call: `PUT /dataSources/{closed}${place}/comment`,
      json: { comment: 'x', target: 'source' },
      answers: 'conflict',
    },
  ]),
]

/** The functions that set a comment and change annotations below a data source, and answer the result. */
function noting(client: Client, id: number) {
  const put = (place: string, what: string, json: object) =>
    good<object>(client.request('PUT', `/dataSources/${id}${place}/${what}`, { json }))
  return {
    comment: (place: string, text: string | null) => put(place, 'comment', { comment: text }),
    annotate: (place: string, json: object) => put(place, 'annotations', json),
  }
}

const listOf = <Item>(client: Client, id: number, what: 'tables' | 'columns') =>
  good<Item[]>(client.request('GET', `/dataSources/${id}/${what}`, { as: 'Data_Editor' }))

const columnOf = async (client: Client, id: number, name: string) =>
  (await listOf<Column>(client, id, 'columns')).find((one) => one.table === 'orders' && one.name === name)

const sync = (client: Client, id: number) =>
  good<{ readonly unmatchedNotes: readonly object[] }>(
    client.request('POST', `/dataSources/${id}/syncSchema`),
  )

const entriesOf = async (client: Client, id: number) => {
  const record = await client.request('GET', `/audit?objectType=dataSource&objectId=${id}&action=annotate`)
  return (record.body as { items: Entry[] }).items
}

const kept: Scenario[] = [
  {
    title: 'a data source has a comment and annotations, up to their bounds, and a PUT of it leaves them',
    decidedAbovePorts: 'notes on data sources',
    async run(client) {
      const { id } = await make(client, { type: 'postgresql', connection: CONNECTION })
      const path = `/dataSources/${id}`
      const { comment, annotate } = noting(client, id)
      const own = annotationsOf(4_096)
      expect(await annotate('', own)).toEqual({ comment: null, annotations: own })
      expect(await comment('', long(4_000))).toMatchObject({ comment: long(4_000) })
      await annotate('', { own: null, displayName: { de: 'Verkauf', fr: 'Ventes' }, unit: long(255) })
      const more = { unit: null, displayName: { fr: null }, hidden: true, mine: { deep: [1, { a: null }] } }
      await annotate('', more)
      const note = {
        comment: 'Sales of Europe',
        annotations: { displayName: { de: 'Verkauf' }, hidden: true, mine: more.mine },
      }
      expect(await comment('', note.comment)).toEqual(note)
      const read = await client.request('GET', path)
      expect(read.body).toMatchObject(note)
      const list = await good<{ items: Made[] }>(client.request('GET', '/dataSources', { as: 'Data_Editor' }))
      expect(list.items.find((one) => one.id === id)).toMatchObject(note)
      const json = { ...read.body, comment: 'is not changed here', annotations: {} }
      const headers = { 'if-match': read.headers.get('etag') ?? '' }
      expect((await client.request('PUT', path, { json, headers })).body).toMatchObject(note)
      await comment('', null)
      expectAnswer(await client.request('PUT', path, { json, headers }), { answers: 'precondition_failed' })
      expect((await entriesOf(client, id))[0]).toMatchObject({
        before: { comment: note.comment },
        after: { comment: null, target: 'overlay' },
      })
      await good(client.request('DELETE', path))
    },
  },
  {
    title: 'imported tables and columns have comments and annotations, which outlive another import',
    decidedAbovePorts: 'notes on data sources',
    async run(client) {
      const { id } = await makeFiles(client)
      const { comment, annotate } = noting(client, id)
      expect(await comment('/tables/orders', 'All orders')).toEqual({
        comment: 'All orders',
        annotations: {},
      })
      const annotations = { semanticType: 'category', displayName: { de: 'Region' } }
      await annotate('/tables/orders/columns/region', annotations)
      await comment('/tables/orders/columns/region', 'Where')
      await annotate('/tables/orders', { unit: 'kg' })
      await importTable(client, id, { name: 'orders', text: 'region,more\nsouth,1\n' })
      expect(await listOf(client, id, 'tables')).toMatchObject([
        { name: 'orders', comment: 'All orders', annotations: { unit: 'kg' } },
      ])
      const tableComment = 'All orders'
      expect(await columnOf(client, id, 'region')).toMatchObject({
        tableComment,
        comment: 'Where',
        annotations,
      })
      expect(await columnOf(client, id, 'more')).toMatchObject({
        tableComment,
        comment: null,
        annotations: {},
      })
      expect(await entriesOf(client, id)).toMatchObject([
        { before: { annotations: {} }, after: { annotations: { unit: 'kg' }, table: 'orders' } },
        { before: { comment: null }, after: { comment: 'Where', table: 'orders', column: 'region' } },
        { after: { annotations, table: 'orders', column: 'region' } },
        { before: { comment: null }, after: { comment: 'All orders', target: 'overlay', table: 'orders' } },
      ])
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
  {
    title: 'notes on what is gone are in the answer of a sync, can be removed alone, and apply again',
    decidedAbovePorts: 'notes on data sources',
    async run(client) {
      const { id } = await makeFiles(client)
      const { comment, annotate } = noting(client, id)
      await comment('/tables/orders', 'All orders')
      await annotate('/tables/orders/columns/region', { unit: 'kg' })
      await annotate('/tables/orders/columns/id', { unit: 'kg' })
      expect(await sync(client, id)).toMatchObject({ unmatchedNotes: [] })
      await importTable(client, id, { name: 'orders', text: 'id\n1\n' })
      const region = { table: 'orders', column: 'region' }
      expect((await sync(client, id)).unmatchedNotes).toEqual([region])
      await good(client.request('DELETE', `/dataSources/${id}/tables/orders`))
      const all = [
        { table: 'orders', column: null },
        { table: 'orders', column: 'id' },
      ]
      expect((await sync(client, id)).unmatchedNotes).toEqual([...all, region])
      const put = (place: string, json: object) =>
        client.request('PUT', `/dataSources/${id}/tables/orders${place}`, { json })
      for (const [place, json] of [
        ['/comment', { comment: 'lost' }],
        ['/annotations', { unit: 'kg', format: null }],
        ['/columns/region/annotations', { unit: 'lost' }],
      ] as const)
        expectAnswer(await put(place, json), { answers: 'not_found' })
      expect((await put('/columns/region/annotations', { unit: null })).body).toEqual({
        comment: null,
        annotations: {},
      })
      expect((await sync(client, id)).unmatchedNotes).toEqual(all)
      expectAnswer(await put('/columns/region/annotations', { unit: null }), { answers: 'not_found' })
      await importTable(client, id, { name: 'orders', text: 'id\n1\n' })
      expect(await columnOf(client, id, 'id')).toMatchObject({
        tableComment: 'All orders',
        annotations: { unit: 'kg' },
      })
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
  {
    title: 'annotations are nested as deep as a body may be, and no deeper',
    decidedAbovePorts: 'notes on data sources',
    async run(client) {
      const { id } = await makeFiles(client)
      const annotate = (text: string) =>
        client.request('PUT', `/dataSources/${id}/tables/orders/annotations`, {
          text,
          headers: { 'content-type': 'application/json' },
        })
      for (const text of [
        nested(101, '{"a":', '}'),
        nested(9_000, '{"a":', '}'),
        `{"own":${nested(30_000, '[', ']')}}`,
      ])
        expectAnswer(await annotate(text), { answers: 'invalid', pointers: [''] })
      const deepest = `{"own":${nested(99, '[', ']')}}`
      expect((await annotate(deepest)).text).toContain(deepest)
      expect((await client.request('GET', `/dataSources/${id}/tables`)).text).toContain(deepest)
      expectAnswer(await annotate('{"own":null}'), { answers: 200 })
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
  {
    title: 'changes of annotations at the same time are all kept, and stay within the bound together',
    async run(client) {
      const { id } = await makeFiles(client)
      for (const place of ['', '/tables/orders', '/tables/orders/columns/id']) {
        const path = `/dataSources/${id}${place}`
        const change = (json: object) => client.request('PUT', `${path}/annotations`, { json })
        const keys = Array.from({ length: 6 }, (_, index) => `own${index}`)
        const small = await Promise.all(keys.map((key) => change({ [key]: 1 })))
        expect(small.map(({ status }) => status)).toEqual(keys.map(() => 200))
        expect((await change({})).body['annotations']).toEqual(
          Object.fromEntries(keys.map((key) => [key, 1])),
        )
        const large = await Promise.all(keys.map((key) => change({ [key]: long(1_500) })))
        const taken = large.filter(({ status }) => status === 200)
        expect(taken).toHaveLength(2)
        for (const answer of large)
          if (!taken.includes(answer)) expectAnswer(answer, { answers: 'invalid', pointers: [''] })
        const { annotations } = (await change({})).body
        const texts = Object.values(annotations as object).filter((value) => value !== 1)
        expect(texts).toEqual([long(1_500), long(1_500)])
      }
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
]

const reachable = (change: object = {}) => connectionTo('eu', change)

const commented: Scenario[] = [
  {
    title: 'comments lie over those of PostgreSQL, which show again without them',
    async run(client) {
      const { id } = await make(client, { type: 'postgresql', connection: reachable() })
      const { comment, annotate } = noting(client, id)
      const region = '/tables/orders/columns/region'
      expect(await annotate(region, { semanticType: 'category' })).toEqual({
        comment: 'Where',
        annotations: { semanticType: 'category' },
      })
      await annotate('/tables/regions', { unit: 'kg' })
      await comment('/tables/orders', 'All orders')
      await comment(region, 'Region of the customer')
      expect(await listOf(client, id, 'tables')).toMatchObject([
        { name: 'orders', comment: 'All orders', annotations: {} },
        { name: 'regions', comment: null, annotations: { unit: 'kg' } },
      ])
      expect(await columnOf(client, id, 'region')).toMatchObject({
        tableComment: 'All orders',
        comment: 'Region of the customer',
        annotations: { semanticType: 'category' },
      })
      expect(await comment('/tables/orders', null)).toMatchObject({ comment: 'Orders' })
      expect(await comment(region, null)).toMatchObject({ comment: 'Where' })
      await annotate(region, { semanticType: null })
      expect(await columnOf(client, id, 'region')).toMatchObject({
        tableComment: 'Orders',
        comment: 'Where',
        annotations: {},
      })
      // Its user may not read this one.
      const json = { comment: 'x' }
      expectAnswer(await client.request('PUT', `/dataSources/${id}/tables/hidden/comment`, { json }), {
        answers: 'not_found',
      })
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
  {
    title: 'comments lie over those of MySQL',
    decidedAbovePorts: 'notes on data sources',
    async run(client) {
      const server = mariadbServer()
      if (!server) return
      await server.sql(`create database noted; create table noted.orders (id int comment 'Number') comment = 'Orders';
        create user 'noter'@'%' identified by '${SOURCE_PASSWORD}'; grant select on noted.* to 'noter'@'%';`)
      const connection = reachable({
        port: server.port,
        database: 'noted',
        schema: null,
        user: 'noter',
      })
      const { id } = await make(client, { type: 'mysql', readOnly: false, connection })
      const { comment, annotate } = noting(client, id)
      const column = '/tables/orders/columns/id'
      expect(await annotate(column, { unit: 'kg' })).toEqual({
        comment: 'Number',
        annotations: { unit: 'kg' },
      })
      await comment('/tables/orders', 'All orders')
      await comment(column, 'Key')
      expect(await columnOf(client, id, 'id')).toMatchObject({ tableComment: 'All orders', comment: 'Key' })
      expect(await comment(column, null)).toMatchObject({ comment: 'Number' })
      await good(client.request('DELETE', `/dataSources/${id}`))
      await server.sql(`drop database noted; drop user 'noter'@'%'`)
    },
  },
  {
    title:
      'a comment is written to tables, views and columns of PostgreSQL, whatever is in it, with an entry before',
    decidedAbovePorts: 'notes on data sources',
    async run(client) {
      await sourceServer().sql(`
        create schema described; create role commenter login password '${SOURCE_PASSWORD}';
        grant usage, create on schema described to commenter; set role commenter;
        create table described."o'rders" ("a ""b" int); create view described.seen as select 1 as one;
        create materialized view described.kept as select 1 as one;`)
      const connection = reachable({ schema: 'described', user: 'commenter' })
      const source = await make(client, { type: 'postgresql', connection, readOnly: false })
      const path = `/dataSources/${source.id}`
      const hostile = `it's $1 \\ "x"; drop table described.seen; --\n$$ ä`
      const put = (place: string, comment: string | null, target = 'source') =>
        client.request('PUT', `${path}/${place}comment`, { json: { comment, target } })
      const orders = `tables/${encodeURIComponent("o'rders")}/`
      const places = [
        orders,
        'tables/seen/',
        'tables/kept/',
        `${orders}columns/${encodeURIComponent('a "b')}/`,
      ]
      for (const place of places) {
        expectAnswer(await put(place, 'hides it', 'overlay'), { answers: 200 })
        expect((await put(place, hostile)).body).toEqual({ comment: hostile, annotations: {} })
      }
      const stored = async () =>
        (
          await sourceServer().sql(`select count(*) from pg_description d join pg_class c on c.oid = d.objoid
          where c.relnamespace = 'described'::regnamespace
            and d.description = 'it''s $1 \\ "x"; drop table described.seen; --' || chr(10) || '$$ ä'`)
        ).trim()
      expect(await stored()).toBe('4')
      const tables = await listOf<{ comment: string }>(client, source.id, 'tables')
      expect(tables.map(({ comment }) => comment)).toEqual([hostile, hostile, hostile])
      expect((await put(orders, null)).body).toMatchObject({ comment: null })
      expect(await stored()).toBe('3')
      // Only its owner comments on a database.
      expectAnswer(await put('', 'refused'), { answers: 'query_failed' })
      expect((await client.request('GET', path)).body).toMatchObject({ comment: null })
      const [failed, intent] = await entriesOf(client, source.id)
      const after = { comment: 'refused', target: 'source' }
      expect(intent?.after).toEqual(after)
      expect(failed?.after).toEqual({ ...after, failed: 'query_failed' })
      await good(client.request('PUT', path, { json: { ...source, readOnly: true } }))
      expectAnswer(await put('tables/seen/', 'x'), { answers: 'conflict' })
      await good(client.request('DELETE', path))
      await sourceServer().sql('drop schema described cascade; drop role commenter')
    },
  },
  {
    title: 'a comment for a table or column that has just gone from PostgreSQL is refused',
    async run(client) {
      await sourceServer().sql(`
        create schema going; create role goer login password '${SOURCE_PASSWORD}';
        grant usage, create on schema going to goer; set role goer;
        create table going.orders (id int, region text); create table going.people (id int)`)
      const connection = reachable({ schema: 'going', user: 'goer' })
      const { id } = await make(client, { type: 'postgresql', connection, readOnly: false })
      const put = (place: string) =>
        client.request('PUT', `/dataSources/${id}/tables/${place}/comment`, {
          json: { comment: 'lost', target: 'source' },
        })
      for (const [place, gone] of [
        ['orders/columns/region', 'alter table going.orders drop column region'],
        ['people', 'drop table going.people'],
      ] as const) {
        expectAnswer(await put(place), { answers: 200 })
        // The schema is known for a second.
        await listOf(client, id, 'tables')
        await sourceServer().sql(gone)
        expectAnswer(await put(place), { answers: 'not_found' })
        expectAnswer(await put(place), { answers: 'not_found' })
      }
      await good(client.request('DELETE', `/dataSources/${id}`))
      await sourceServer().sql('drop schema going cascade; drop role goer')
    },
  },
  {
    title: 'the owner of a database comments on it',
    decidedAbovePorts: 'notes on data sources',
    async run(client) {
      await sourceServer().sql(`create role keeper login password '${SOURCE_PASSWORD}'`)
      await sourceServer().sql('create database kept owner keeper')
      const connection = reachable({ database: 'kept', schema: null, user: 'keeper' })
      const { id } = await make(client, { type: 'postgresql', connection, readOnly: false })
      const json = { comment: `Kept by '${id}'`, target: 'source' }
      const path = `/dataSources/${id}`
      expect((await client.request('PUT', `${path}/comment`, { json })).body).toMatchObject({
        comment: json.comment,
      })
      expect((await client.request('GET', path)).body).toMatchObject({ comment: json.comment })
      const told = await sourceServer().sql(
        `select shobj_description(oid, 'pg_database') from pg_database where datname = 'kept'`,
      )
      expect(told.trim()).toBe(json.comment)
      await good(client.request('DELETE', path))
      await sourceServer().sql('drop database kept with (force)')
      await sourceServer().sql('drop role keeper')
    },
  },
]

export const dataSourceNotesSuite: Suite = {
  name: 'notes on data sources',
  scenarios: [...table(stage, rows), ...kept, ...(hasSourceServer ? commented : [])],
}
