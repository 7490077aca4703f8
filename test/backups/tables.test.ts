import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { getTableName, is } from 'drizzle-orm'
import { integer, SQLiteTable, sqliteTable } from 'drizzle-orm/sqlite-core'

import { DECIDED, TABLES } from '../../src/content/backups/store/tables.ts'

/** A restore fills new generations, and names them in the rows of tables. */
const MADE_ANEW = 'data_generations'
const FOLDER = join(import.meta.dir, '../../db/tables')

/** The tables of which it is undecided whether backups hold them. */
function undecided(tables: readonly SQLiteTable[]): readonly string[] {
  return tables.map((table) => getTableName(table)).filter((name) => !DECIDED.includes(name))
}

async function allTables(): Promise<readonly SQLiteTable[]> {
  const modules = await Promise.all(
    readdirSync(FOLDER).map((file) => import(join(FOLDER, file)) as Promise<Record<string, unknown>>),
  )
  return modules.flatMap((one) => Object.values(one)).filter((value) => is(value, SQLiteTable))
}

test('of every table it is decided whether backups hold it: say so in store/tables.ts', async () => {
  const tables = await allTables()
  expect(tables.length).toBeGreaterThan(40)
  expect(undecided(tables)).toEqual([])
  expect(undecided([...tables, sqliteTable('newcomers', { id: integer() })])).toEqual(['newcomers'])
  expect(DECIDED).toHaveLength(new Set(DECIDED).size)
})

test('a table comes after those that it refers to, and has as many columns as one function of D1 takes', () => {
  const names = TABLES.map(({ name }) => name)
  for (const { name, references, columns } of TABLES) {
    expect(columns.length).toBeLessThanOrEqual(32)
    for (const { table } of references) {
      if (table !== name && table !== MADE_ANEW) expect(names.slice(0, names.indexOf(name))).toContain(table)
    }
  }
})
