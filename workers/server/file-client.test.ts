import { afterAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Database from 'libsql'

import { rejection } from '../../test/contract/rejection.ts'
import { FileClient } from './file-client.ts'

const folder = await mkdtemp(join(tmpdir(), 'tidemark-file-client-'))
afterAll(() => rm(folder, { recursive: true }))

let files = 0
let file: FileClient
beforeEach(async () => {
  file = new FileClient(join(folder, `${++files}.db`))
  await file.execute('create table gauges (id integer primary key, name text) strict')
})

const ADD = 'insert into gauges values (?, ?)'

test('a text that was asked before a table changed answers the columns of after', async () => {
  const ask = async () => (await file.execute('select * from gauges')).columns
  expect(await ask()).toEqual(['id', 'name'])
  await file.execute('alter table gauges add unit text')
  expect(await ask()).toEqual(['id', 'name', 'unit'])
})

test('two columns of one name are both there by their place', async () => {
  await file.execute(ADD, [1, 'a'])
  const { rows } = await file.execute('select id as same, name as same from gauges')
  expect([rows[0]?.[0], rows[0]?.[1], rows[0]?.['same'], rows[0]?.length]).toEqual([1, 'a', 1, 2])
  expect(Object.keys(rows[0] ?? {})).toEqual(['same'])
})

test('a column called by a number or length does not hide a place', async () => {
  const { rows } = await file.execute('select 7 as "1", 8 as "length", 9 as "2"')
  const [row] = rows
  expect([row?.length, row?.[0], row?.[1], row?.[2]]).toEqual([3, 7, 8, 9])
  expect(Array.prototype.slice.call(row)).toEqual([7, 8, 9])
})

test('what changes rows says how many, or answers them', async () => {
  expect((await file.execute(ADD, [1, 'a'])).rowsAffected).toBe(1)
  const { rows } = await file.execute('update gauges set name = ? returning id, name', ['b'])
  expect(rows.map(({ id, name }) => [id, name])).toEqual([[1, 'b']])
})

test('a single value is bound as it is, also bytes and nothing', async () => {
  const typed = async (value: Uint8Array | null | string) => {
    const { rows } = await file.execute('select typeof(?1) as type, ?1 as value', [value])
    return [rows[0]?.['type'], rows[0]?.['value']]
  }
  expect(await typed(null)).toEqual(['null', null])
  expect(await typed('text')).toEqual(['text', 'text'])
  expect(await typed(Uint8Array.of(1, 2, 3))).toEqual(['blob', Uint8Array.of(1, 2, 3).buffer])
  expect(file.read('select typeof(?) as type', [Uint8Array.of(7)])).toEqual([{ type: 'blob' }])
})

test('a batch of which one statement fails leaves nothing, and the next one works', async () => {
  const bad = file.batch([
    [ADD, [1, 'a']],
    [ADD, [1, 'again']],
  ])
  expect(String(await rejection(bad))).toContain('UNIQUE constraint failed: gauges.id')
  expect(file.read('select id from gauges', [])).toEqual([])
  await file.batch([{ sql: ADD, args: [2, 'b'] }])
  expect(file.read('select id, name from gauges', [])).toEqual([{ id: 2, name: 'b' }])
})

test('a batch fails by its first error where it cannot be undone, and the next one works', async () => {
  type Prepare = (this: Database.Database, sql: string) => Database.Statement
  const prepare = Reflect.get(Database.prototype, 'prepare') as Prepare
  const prepared = spyOn(Database.prototype, 'prepare')
  prepared.mockImplementation(function prepareButRollback(this: Database.Database, sql: string) {
    if (sql === 'rollback') throw new Error('The disk is away.')
    return prepare.call(this, sql)
  } as typeof Database.prototype.prepare)
  try {
    const bad = file.batch([
      [ADD, [1, 'a']],
      [ADD, [1, 'again']],
    ])
    expect(String(await rejection(bad))).toContain('UNIQUE constraint failed: gauges.id')
    expect(String(await rejection(file.batch([[ADD, [2, 'b']]])))).toContain('The disk is away.')
  } finally {
    prepared.mockRestore()
  }
  await file.batch([[ADD, [2, 'b']]])
  expect(file.read('select id, name from gauges', [])).toEqual([{ id: 2, name: 'b' }])
})

test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [undefined]])('%p is not bound', async (value) => {
  const failed = await rejection(file.execute('select ?', [value as never]))
  expect(String(failed)).toContain(`${value} cannot be bound.`)
})

test('more texts than are kept are all answered', async () => {
  const texts = Array.from({ length: 1_100 }, (_, index) => `select ${index} as number`)
  const answers = [...texts, ...texts].map((text) => file.read(text, [])[0]?.['number'])
  expect(answers).toEqual([...texts, ...texts].map((_, index) => index % texts.length))
})

test('after a reconnect everything is asked of a new connection, and after its end of none', async () => {
  await file.execute(ADD, [1, 'a'])
  const ask = () => file.read('select name from gauges where id = ?', [1])
  expect(ask()).toEqual([{ name: 'a' }])
  file.reconnect()
  expect(ask()).toEqual([{ name: 'a' }])
  file.close()
  expect(ask).toThrow('The database file has been closed.')
})

test('a failure says in its stack what happened, so that a log does, and carries the code', async () => {
  const failures = [
    await rejection(file.execute('select * from nowhere')),
    await rejection(Promise.try(() => file.read('select * from nowhere', []))),
    await rejection(file.execute('insert into gauges values (1, 2, 3)')),
  ] as (Error & { code: string })[]
  for (const { stack, code } of failures) {
    expect(stack).toMatch(/no such table: nowhere|has 2 columns but 3 values/)
    expect(code).toBe('SQLITE_ERROR')
  }
})
