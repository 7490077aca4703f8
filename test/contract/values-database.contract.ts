import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import { rejection } from './rejection.ts'

export type Opened = { readonly values: ValuesDatabase; close(): Promise<void> }

/** What every `ValuesDatabase` promises. Each test has a row of its own in one small table. */
export function valuesDatabaseContract(name: string, open: () => Promise<Opened>): void {
  describe(`values database: ${name}`, () => {
    let opened: Opened

    beforeAll(async () => {
      opened = await open()
      await opened.values.commit([
        {
          sql: 'create table cells (id integer primary key, whole integer, part real, name text, body blob) strict',
          cells: [],
        },
      ])
    })
    afterAll(() => opened.close())

    const insert = (
      id: number,
      ...cells: readonly [number | null, number | null, string | null, Uint8Array | null]
    ) => ({
      sql: 'insert into cells values (?, ?, ?, ?, ?)',
      cells: [id, ...cells],
    })
    const readRow = async (id: number) =>
      (await opened.values.read({ sql: 'select * from cells where id = ?', cells: [id] }))[0]

    test('numbers, texts, bytes and null come back as they went in', async () => {
      const body = Uint8Array.from({ length: 300 }, (_, index) => index % 256)
      await opened.values.commit([insert(1, Number.MAX_SAFE_INTEGER, 0.1, 'é \u{1f30a} "', body)])
      expect(await readRow(1)).toEqual({
        id: 1,
        whole: Number.MAX_SAFE_INTEGER,
        part: 0.1,
        name: 'é \u{1f30a} "',
        body,
      })
      await opened.values.commit([insert(2, null, null, null, null)])
      expect(await readRow(2)).toEqual({ id: 2, whole: null, part: null, name: null, body: null })
    })

    test('statements of one commit see each other, in order', async () => {
      await opened.values.commit([
        insert(3, 1, null, null, null),
        { sql: 'update cells set whole = whole + 1 where id = 3', cells: [] },
        {
          sql: 'insert into cells select 4, whole * 10, null, null, null from cells where id = 3',
          cells: [],
        },
      ])
      expect([(await readRow(3))?.['whole'], (await readRow(4))?.['whole']]).toEqual([2, 20])
    })

    test('a commit that fails leaves nothing, and the next one works', async () => {
      const failing = opened.values.commit([insert(5, 1, null, null, null), insert(5, 2, null, null, null)])
      expect(await rejection(failing)).toBeInstanceOf(Error)
      expect(await readRow(5)).toBeUndefined()
      await opened.values.commit([insert(5, 3, null, null, null)])
      expect((await readRow(5))?.['whole']).toBe(3)
    })

    test('numbered parameters may be used more than once, and lists travel as one', async () => {
      const rows = await opened.values.read({
        sql: 'select value from json_each(?1) where value <> ?2 and value + ?2 < 10 order by value',
        cells: [JSON.stringify([9, 4, 3, 2]), 3],
      })
      expect(rows.map((row) => row['value'])).toEqual([2, 4])
    })

    test('a thousand commits at once all land', async () => {
      const commits = Array.from({ length: 1_000 }, (_, index) =>
        opened.values.commit([insert(1_000 + index, index, null, null, null)]),
      )
      await Promise.all(commits)
      const [row] = await opened.values.read({
        sql: 'select count(*) as total from cells where id >= 1000',
        cells: [],
      })
      expect(row?.['total']).toBe(1_000)
    })

    test('no statement is a commit too', async () => {
      expect(await rejection(opened.values.commit([]))).toBeUndefined()
    })
  })
}
