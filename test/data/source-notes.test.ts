import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { listAudit } from '../../src/access/audit/service.ts'
import { auditQuery } from '../../src/access/audit/schema.ts'
import type { Context } from '../../src/context.ts'
import { dataSourceBody } from '../../src/data/sources/schema.ts'
import { createDataSource } from '../../src/data/sources/service.ts'
import { patchAnnotations, writeComment } from '../../src/data/sources/service/notes.ts'
import type { Databases } from '../../src/ports/databases.ts'
import type { Ports } from '../../src/ports/index.ts'
import { rejection } from '../contract/rejection.ts'
import { startD1 } from '../hosts/d1-database.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const NOTES_MAX = 2_000

let opened: Awaited<ReturnType<typeof openPorts>>
beforeEach(async () => {
  opened = await openPorts()
})
afterEach(() => opened.close())

describe.each(['libSQL', 'D1'])('on %s', (engine) => {
  let context: Context
  let end = () => Promise.resolve()
  beforeEach(async () => {
    if (engine === 'libSQL') {
      context = administratorOf(opened.ports)
      return
    }
    const { database, close } = await startD1()
    end = close
    context = administratorOf({ ...opened.ports, database })
  })
  afterEach(() => end())

  test('2,000 tables and columns of a data source have notes, and no more', async () => {
    const { database } = context.ports
    const { view: dataSource } = await createDataSource(
      context,
      dataSourceBody.parse({ name: 'full', type: 'csv' }),
    )
    const { id } = dataSource
    await database.run(`insert into data_generations (id, data_source_id) values (1, ${id})`)
    await database.run(
      `insert into data_tables (data_source_id, name, columns, generation_id, rows, version, created_at, updated_at)
       values (${id}, 't', '[{"name":"a","type":"string"},{"name":"b","type":"string"}]', 1, 0, 1, 0, 0)`,
    )
    await database.run(
      `insert into data_source_notes (data_source_id, table_name, column_name, comment, annotations, created_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${NOTES_MAX - 1})
       select ${id}, 'gone', 'c' || i, 'x', '{}', 0 from n`,
    )
    const on = (column: string, comment: string | null) =>
      writeComment(context, { id, table: 't', column }, { comment, target: 'overlay' })
    const kept = async () => {
      const [row] = await database.all<{ n: number }>('select count(*) as n from data_source_notes')
      return row?.n
    }
    await on('a', 'the last one')
    const annotate = () => patchAnnotations(context, { id, table: 't', column: 'b' }, { unit: 'kg' })
    for (const change of [() => on('b', 'one too many'), annotate])
      expect(await rejection(change())).toMatchObject({
        code: 'conflict',
        detail:
          'A data source has comments and annotations on at most 2000 tables and columns. Remove some first.',
      })
    expect(await kept()).toBe(NOTES_MAX)
    // Notes that are there change, others are removed, and the data source has a note of its own.
    await on('a', 'another')
    await patchAnnotations(context, { id, table: 't', column: 'a' }, { unit: 'kg' })
    await on('b', null)
    await writeComment(context, { id }, { comment: 'full', target: 'overlay' })
    expect(await kept()).toBe(NOTES_MAX)
    await writeComment(context, { id, table: 'gone', column: 'c1' }, { comment: null, target: 'overlay' })
    expect(await annotate()).toEqual({ comment: null, annotations: { unit: 'kg' } })
    expect(await kept()).toBe(NOTES_MAX)
  })
})

/** Ports with a PostgreSQL that takes comments, and a system database that refuses commits once it has taken one, until `mend`. */
function portsWith(comments: string[]): { readonly ports: Ports; readonly mend: () => void } {
  let refuses = false
  const databases: Databases = {
    ...opened.ports.databases,
    schema: () =>
      Promise.resolve([
        {
          table: 't',
          kind: 'table',
          tableComment: comments.at(-1) ?? null,
          tableRows: null,
          name: 'a',
          type: 'string',
          nativeType: 'text',
          isNullable: true,
          position: 1,
          comment: null,
        },
      ]),
    query: (_target, { statement }) =>
      Promise.resolve({
        columns: [],
        rows: new ReadableStream({
          start(controller) {
            controller.enqueue([[String(statement.binds[0]?.value)]])
            controller.close()
          },
        }),
      }),
    write(_target, [statement]) {
      comments.push(statement?.text ?? '')
      refuses = comments.length === 1
      return Promise.resolve([0])
    },
  }
  const database = new Proxy(opened.ports.database, {
    get(target, name): unknown {
      const found: unknown = Reflect.get(target, name)
      if (name === 'batch' && refuses) return () => Promise.reject(new Error('the disk is full'))
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  const mend = () => {
    refuses = false
  }
  return { ports: { ...opened.ports, databases, database }, mend }
}

test('a comment that PostgreSQL took is on record though the commit after it fails, and another try completes it', async () => {
  const comments: string[] = []
  const { ports, mend } = portsWith(comments)
  const context = administratorOf(ports)
  const connection = { host: 'db', database: 'd', user: 'u' }
  const body = dataSourceBody.parse({ name: 'x', type: 'postgresql', readOnly: false, connection })
  const { id } = (await createDataSource(context, body)).view
  const place = { id, table: 't' }
  await writeComment(context, place, { comment: 'hides it', target: 'overlay' })
  const write = () => writeComment(context, place, { comment: 'written', target: 'source' })
  const notes = () => opened.ports.database.all('select comment from data_source_notes')
  expect(String(await rejection(write()))).toContain('the disk is full')
  expect(comments).toEqual(['written'])
  expect(await notes()).toMatchObject([{ comment: 'hides it' }])
  const recorded = await listAudit(administratorOf(opened.ports), auditQuery.parse({ action: 'annotate' }))
  expect(recorded.items[0]).toMatchObject({ after: { comment: 'written', target: 'source', table: 't' } })
  // Without an entry nothing is written.
  expect(String(await rejection(write()))).toContain('the disk is full')
  expect(comments).toEqual(['written'])
  mend()
  expect(await write()).toEqual({ comment: 'written', annotations: {} })
  expect(await notes()).toEqual([])
})
