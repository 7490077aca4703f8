import { describe, expect, test, beforeAll, beforeEach, afterAll } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import {
  builtOnce,
  commit,
  isForeignKeyViolation,
  isNotNullViolation,
  isUniqueViolation,
  type Database,
} from '../../src/ports/database.ts'
import { rejection } from './rejection.ts'

const boats = sqliteTable(
  'contract_boats',
  {
    id: integer().primaryKey(),
    name: text().notNull().unique(),
    harbour: text(),
    berth: integer(),
    afloat: integer({ mode: 'boolean' }),
  },
  (table) => [uniqueIndex('contract_boats_berth').on(table.harbour, table.berth)],
)

const voyages = sqliteTable('contract_voyages', {
  boatId: integer().notNull(),
  name: text().notNull(),
})

const TABLES = [
  sql`create table contract_boats (id integer primary key, name text not null unique, harbour text, berth integer,
    afloat integer)`,
  sql`create unique index contract_boats_berth on contract_boats (harbour, berth)`,
  sql`create table contract_voyages (boatId integer not null references contract_boats (id), name text not null)`,
]

/** What every host's `Database` does, whatever the engine. `open` gives an empty database. */
export function databaseContract(
  name: string,
  open: () => Promise<{ database: Database; close: () => Promise<void> }>,
): void {
  describe(name, () => {
    let database: Database
    let close: () => Promise<void>

    beforeAll(async () => {
      ;({ database, close } = await open())
      await commit(
        database,
        TABLES.map((table) => database.run(table)),
      )
    })

    beforeEach(() => commit(database, [database.delete(voyages), database.delete(boats)]))

    afterAll(() => close())

    const current = () => database
    atomicity(current)
    constraints(current)
    values(current)
    queries(current)
  })
}

function atomicity(database: () => Database): void {
  test('a batch whose last statement fails leaves nothing of the first', async () => {
    const failing = commit(database(), [
      database().insert(boats).values({ id: 1, name: 'Ada' }),
      database().insert(boats).values({ id: 2, name: 'Bea' }),
      database().insert(boats).values({ id: 3, name: 'Ada' }),
    ])
    expect(await rejection(failing)).toBeInstanceOf(Error)
    expect(await count(database())).toBe(0)
    await commit(database(), [database().insert(boats).values({ id: 4, name: 'Dora' })])
    expect(await count(database())).toBe(1)
  })

  test('a batch answers each statement in order, and returning() shows what changed', async () => {
    const [inserted, updated, found, deleted] = await database().batch([
      database()
        .insert(boats)
        .values([{ name: 'Ada' }, { name: 'Bea' }])
        .returning({ name: boats.name }),
      database()
        .update(boats)
        .set({ berth: 7 })
        .where(eq(boats.name, 'Bea'))
        .returning({ berth: boats.berth }),
      database().select({ name: boats.name }).from(boats).orderBy(boats.name),
      database().delete(boats).where(eq(boats.name, 'nobody')).returning({ id: boats.id }),
    ])
    expect(inserted).toEqual([{ name: 'Ada' }, { name: 'Bea' }])
    expect(updated).toEqual([{ berth: 7 }])
    expect(found).toEqual([{ name: 'Ada' }, { name: 'Bea' }])
    expect(deleted).toEqual([])
  })

  test('nothing to commit is no error', async () => {
    await commit(database(), [])
    expect(await count(database())).toBe(0)
  })

  test('100 batches sent at once all land, each of them whole', async () => {
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        commit(database(), [
          database()
            .insert(boats)
            .values({ id: index + 1, name: `boat ${index}` }),
          database()
            .insert(voyages)
            .values({ boatId: index + 1, name: 'maiden' }),
        ]),
      ),
    )
    const [row] = await database().all<{ boats: number; voyages: number }>(
      sql`select count(distinct b.id) as boats, count(*) as voyages from ${boats} b
        join ${voyages} v on v.boatId = b.id`,
    )
    expect(row).toEqual({ boats: 100, voyages: 100 })
  })

  test('of 20 simultaneous conditional updates exactly one wins', async () => {
    await database().insert(boats).values({ id: 1, name: 'Ada', berth: 0 })
    const wins = await Promise.all(
      Array.from({ length: 20 }, () =>
        database()
          .update(boats)
          .set({ berth: 1 })
          .where(sql`${boats.id} = 1 and ${boats.berth} = 0`)
          .returning({ id: boats.id }),
      ),
    )
    expect(wins.flat()).toEqual([{ id: 1 }])
  })
}

function constraints(database: () => Database): void {
  const insert = (boat: typeof boats.$inferInsert) => database().insert(boats).values(boat)

  test('a unique violation is recognised by its column, alone and in a batch', async () => {
    await insert({ id: 1, name: 'Ada' })
    const alone = await rejection(insert({ id: 2, name: 'Ada' }))
    const batched = await rejection(
      commit(database(), [insert({ id: 3, name: 'Cleo' }), insert({ id: 4, name: 'Ada' })]),
    )
    for (const error of [alone, batched]) {
      expect(isUniqueViolation(error, 'contract_boats.name')).toBe(true)
      expect(isUniqueViolation(error, 'contract_boats.id')).toBe(false)
      expect(isUniqueViolation(error, 'boats.name')).toBe(false)
    }
  })

  test('a primary key and a key over two columns are unique columns too', async () => {
    await insert({ id: 1, name: 'Ada', harbour: 'Kiel', berth: 1 })
    const sameId = await rejection(insert({ id: 1, name: 'Bea' }))
    expect(isUniqueViolation(sameId, 'contract_boats.id')).toBe(true)
    const sameBerth = await rejection(insert({ id: 2, name: 'Bea', harbour: 'Kiel', berth: 1 }))
    expect(isUniqueViolation(sameBerth, 'contract_boats.harbour')).toBe(true)
    expect(isUniqueViolation(sameBerth, 'contract_boats.berth')).toBe(true)
    expect(isUniqueViolation(sameBerth, 'contract_boats.name')).toBe(false)
  })

  test('an empty column and a missing reference are recognised, and not taken for each other', async () => {
    const empty = await rejection(
      commit(database(), [
        database().insert(boats).values({ id: 1, name: 'Ada' }),
        database()
          .update(boats)
          .set({ name: sql`case when ${boats.berth} = 2 then 'Bea' end` })
          .where(eq(boats.id, 1)),
      ]),
    )
    const orphan = await rejection(
      commit(database(), [database().insert(voyages).values({ boatId: 9, name: 'none' })]),
    )
    expect(isNotNullViolation(empty, 'contract_boats.name')).toBe(true)
    expect(isNotNullViolation(empty, 'contract_boats.id')).toBe(false)
    expect(isForeignKeyViolation(empty)).toBe(false)
    expect(isForeignKeyViolation(orphan)).toBe(true)
    expect(isNotNullViolation(orphan, 'contract_voyages.boatId')).toBe(false)
    expect(await count(database())).toBe(0)
  })

  test('another failure is no unique violation, even when a value spells one out', async () => {
    const spelled = 'UNIQUE constraint failed: contract_boats.name'
    const missing = await rejection(
      database().run(sql`insert into contract_boats (id, name) values (${spelled}, null)`),
    )
    const path = await rejection(database().run(sql`select json_extract('{}', ${spelled})`))
    const orphan = await rejection(database().insert(voyages).values({ boatId: 99, name: spelled }))
    for (const error of [missing, path, orphan]) {
      expect(error).toBeInstanceOf(Error)
      expect(isUniqueViolation(error, 'contract_boats.name')).toBe(false)
    }
  })

  test('foreign keys are enforced, for inserts and for deletes, alone and in a batch', async () => {
    await insert({ id: 1, name: 'Ada' })
    await database().insert(voyages).values({ boatId: 1, name: 'maiden' })
    const orphan = database().insert(voyages).values({ boatId: 2, name: 'ghost' })
    expect(String(await rejection(commit(database(), [orphan])))).toContain('FOREIGN KEY')
    const removal = database().delete(boats).where(eq(boats.id, 1))
    expect(await rejection(removal)).toBeInstanceOf(Error)
    expect(await count(database())).toBe(1)
  })
}

function values(database: () => Database): void {
  test.each<[string, { harbour?: string | null; berth?: number | null; afloat?: boolean | null }]>([
    ['true', { afloat: true }],
    ['false', { afloat: false }],
    ['null', { afloat: null, berth: null, harbour: null }],
    ['the largest whole number', { berth: 2 ** 53 - 1 }],
    ['the smallest whole number', { berth: -(2 ** 53 - 1) }],
    ['zero', { berth: 0 }],
    ['empty text', { harbour: '' }],
    ['text beyond ASCII, with quotes and lines', { harbour: 'Tönning 🌊 \'"`\\\n\t%_ 漢字' }],
    ['text that looks like a number', { harbour: '007' }],
  ])('%s comes back as it went in, alone and in a batch', async (_, boat) => {
    await database()
      .insert(boats)
      .values({ id: 1, name: 'Ada', ...boat })
    const alone = await database().select().from(boats)
    await database().delete(boats)
    const [, batched] = await database().batch([
      database()
        .insert(boats)
        .values({ id: 1, name: 'Ada', ...boat }),
      database().select().from(boats),
    ])
    const expected = { id: 1, name: 'Ada', harbour: null, berth: null, afloat: null, ...boat }
    expect(alone).toEqual([expected])
    expect(batched).toEqual([expected])
  })

  test('a whole number in an INTEGER column is stored as an integer', async () => {
    await database().insert(boats).values({ id: 1, name: 'Ada', berth: 1_767_225_600_000 })
    const [row] = await database().all(sql`select typeof(berth) as type, berth / 2 as half from ${boats}`)
    expect(row).toEqual({ type: 'integer', half: 883_612_800_000 })
  })

  test('a number without a column is exact when cast', async () => {
    const [row] = await database().all(
      sql`select cast(${7} as integer) / 2 as half, 'n' || cast(${7} as integer) as text`,
    )
    expect(row).toEqual({ half: 3, text: 'n7' })
  })
}

function queries(database: () => Database): void {
  test('a statement that is built once reads with the values of each run', async () => {
    let builds = 0
    const named = builtOnce((one) => {
      builds++
      return one
        .select({ id: boats.id, afloat: boats.afloat })
        .from(boats)
        .where(eq(boats.name, sql.placeholder('name')))
        .prepare()
    })
    await commit(database(), [
      database()
        .insert(boats)
        .values([
          { id: 1, name: 'Ada', afloat: true },
          { id: 2, name: 'Bea' },
        ]),
    ])
    const read = (name: string) => named(database()).all({ name })
    expect(await Promise.all(['Bea', 'Ada', 'Dora'].map(read))).toEqual([
      [{ id: 2, afloat: null }],
      [{ id: 1, afloat: true }],
      [],
    ])
    expect(builds).toBe(1)
  })

  test('json_each inserts 5,000 rows with one parameter', async () => {
    const fleet = Array.from({ length: 5000 }, (_, index) => ({
      id: index + 1,
      name: `boat "${index}"`,
      afloat: index % 2,
    }))
    await commit(database(), [
      database().run(sql`insert into ${boats} (id, name, afloat)
        select value ->> 'id', value ->> 'name', value ->> 'afloat' from json_each(${JSON.stringify(fleet)})`),
    ])
    expect(await count(database())).toBe(5000)
    const [last] = await database().select().from(boats).where(eq(boats.id, 5000))
    expect(last).toEqual({ id: 5000, name: 'boat "4999"', harbour: null, berth: null, afloat: true })
  })

  test('json_each selects by a list of 2,000 ids with one parameter', async () => {
    await database().run(sql`insert into ${boats} (id, name)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000) select i, 'boat ' || i from n`)
    const ids = JSON.stringify(Array.from({ length: 2000 }, (_, index) => index * 2))
    const found = await database()
      .select({ id: boats.id })
      .from(boats)
      .where(sql`${boats.id} in (select value from json_each(${ids}))`)
    expect(found).toHaveLength(1500)
  })

  test('100 bound parameters are accepted', async () => {
    const fleet = Array.from({ length: 50 }, (_, index) => ({ id: index + 1, name: `boat ${index}` }))
    await database().run(
      sql`insert into ${boats} (id, name) values ${sql.join(
        fleet.map(({ id, name }) => sql`(${id}, ${name})`),
        sql`, `,
      )}`,
    )
    expect(await count(database())).toBe(50)
  })

  test('raw SQL answers with rows, a single row, and arrays', async () => {
    const query = sql`select ${'Ada'} as name, 1 as berth union all select 'Bea', 2`
    expect(await database().all(query)).toEqual([
      { name: 'Ada', berth: 1 },
      { name: 'Bea', berth: 2 },
    ])
    expect(await database().get(query)).toEqual({ name: 'Ada', berth: 1 })
    const rows = await database().values(query)
    expect(rows.map((row) => Array.from(row))).toEqual([
      ['Ada', 1],
      ['Bea', 2],
    ])
  })

  test('raw SQL with parameters takes part in a batch, and answers there too', async () => {
    const [, all, one, rows] = await database().batch([
      database().run(sql`insert into ${boats} (id, name) values (${1}, ${'Ada'})`),
      database().all(sql`select name from ${boats} where id = ${1}`),
      database().get(sql`select name from ${boats} where id = ${1}`),
      database().values(sql`select name, id from ${boats} where id = ${1}`),
    ])
    expect(all).toEqual([{ name: 'Ada' }])
    expect(one).toEqual({ name: 'Ada' })
    expect(rows.map((row) => Array.from(row))).toEqual([['Ada', 1]])
  })

  test('a recursive query walks a tree', async () => {
    await commit(database(), [
      database()
        .insert(boats)
        .values([
          { id: 1, name: 'fleet', berth: null },
          { id: 2, name: 'ferries', berth: 1 },
          { id: 3, name: 'Ada', berth: 2 },
          { id: 4, name: 'elsewhere', berth: null },
        ]),
    ])
    const rows = await database().all(sql`
      with recursive below (id, name, depth) as (
        select id, name, 0 from ${boats} where id = 1
        union all
        select b.id, b.name, depth + 1 from ${boats} b join below on b.berth = below.id
      )
      select name, depth from below order by depth`)
    expect(rows).toEqual([
      { name: 'fleet', depth: 0 },
      { name: 'ferries', depth: 1 },
      { name: 'Ada', depth: 2 },
    ])
  })

  test('a join keeps columns of the same name apart, outside a batch', async () => {
    await database().insert(boats).values({ id: 1, name: 'Ada' })
    await database().insert(voyages).values({ boatId: 1, name: 'maiden' })
    const rows = await database()
      .select({ boat: boats.name, voyage: voyages.name })
      .from(boats)
      .innerJoin(voyages, eq(voyages.boatId, boats.id))
    expect(rows).toEqual([{ boat: 'Ada', voyage: 'maiden' }])
  })

  test('a query without a row answers with nothing', async () => {
    const nobody = eq(boats.name, 'nobody')
    expect(await database().select().from(boats).where(nobody).get()).toBeUndefined()
    expect(await database().update(boats).set({ berth: 1 }).where(nobody).returning()).toEqual([])
    expect(await database().all(sql`select * from ${boats}`)).toEqual([])
  })

  test('an upsert inserts once and updates afterwards', async () => {
    const upsert = (berth: number) =>
      database()
        .insert(boats)
        .values({ id: 1, name: 'Ada', berth })
        .onConflictDoUpdate({ target: boats.id, set: { berth } })
    await upsert(1)
    await upsert(2)
    expect(await database().select({ berth: boats.berth }).from(boats)).toEqual([{ berth: 2 }])
  })
}

async function count(database: Database): Promise<number> {
  const row = await database.get<{ total: number }>(sql`select count(*) as total from ${boats}`)
  return row.total
}
