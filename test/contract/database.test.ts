import { afterAll, describe, expect, test } from 'bun:test'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { createClient, LibsqlError } from '@libsql/client'
import { sql } from 'drizzle-orm'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import { refusalIn } from '../../src/lib/errors.ts'
import { isUniqueViolation, type Database } from '../../src/ports/database.ts'
import { migrate, openLibsql } from '../../workers/server/libsql.ts'
import { openD1 } from '../../workers/edge/d1.ts'
import { startHrana } from '../hosts/hrana.ts'
import { startStorage } from '../hosts/storage.ts'
import { databaseContract } from './database.contract.ts'
import { rejection } from './rejection.ts'

const folder = await mkdtemp(join(FAST_DIR, 'tidemark-database-'))
afterAll(() => rm(folder, { recursive: true }))

let files = 0
const newFile = () => join(folder, `${(files += 1)}.db`)

databaseContract('libSQL in a file', () => openLibsql(`file:${newFile()}`))

databaseContract('libSQL over HTTP', async () => {
  const server = startHrana(newFile())
  // On a busy machine 100 batches at once take longer than the patience of the service.
  const { database, close } = await openLibsql(server.url, { authToken: 'a token', patienceMs: 60_000 })
  return { database, close: () => close().then(server.close) }
})

databaseContract('D1', async () => {
  const { database, close } = await startStorage()
  return { database: openD1(database), close }
})

describe('the count of writes', () => {
  test('of a file grows with each statement or batch that may write, and with no select', async () => {
    const { database, client, writeCount, close } = await openLibsql(`file:${newFile()}`)
    const counts = [writeCount?.()]
    const note = async (statement: Promise<unknown>) => {
      await statement.catch(() => null)
      counts.push(writeCount?.())
    }
    await note(client.execute('create table boats (name text not null)'))
    await note(client.execute("insert into boats (name) values ('Ada')"))
    await note(client.execute('select name from boats'))
    await note(database.all(sql`select name from boats`))
    await note(
      client.execute("with other as (select 'Bob' as name) update boats set name = other.name from other"),
    )
    await note(
      client.batch(["insert into boats (name) values ('Eve')", 'insert into boats (name) values (null)']),
    )
    expect(counts.map((count) => (count ?? -1) - (counts[0] ?? 0))).toEqual([0, 1, 2, 2, 2, 3, 4])
    await close()
  })

  test('of a server is unknown, as other processes write to it', async () => {
    const server = startHrana(newFile())
    const { writeCount, close } = await openLibsql(server.url, { authToken: 'a token' })
    expect(writeCount).toBeNull()
    await close().then(server.close)
  })
})

describe('libSQL in a file, beside another process', () => {
  test('the connection that writes flushes each commit and enforces foreign keys, after a reconnect too', async () => {
    const { client, close, path } = await openBoats()
    const promises = async () => {
      const pragmas = ['journal_mode', 'synchronous', 'foreign_keys']
      const results = await Promise.all(pragmas.map((pragma) => client.execute(`pragma ${pragma}`)))
      return results.map(({ rows }) => rows[0]?.[0])
    }
    expect(await promises()).toEqual(['wal', 2, 1])
    const lock = await holdLock(path, 50)
    await client.batch(["insert into boats (name) values ('Ada')"])
    await lock.exited
    expect(await promises()).toEqual(['wal', 2, 1])
    await close()
  })

  test('control: a bare client keeps failing after the lock is gone', async () => {
    let broken = 0
    // Garbage collection may mend a connection at any moment, so one round proves nothing.
    for (let round = 0; round < 5 && broken === 0; round += 1) {
      const { close, path } = await openBoats()
      await close()
      const bare = createClient({ url: `file:${path}` })
      const insert = () => bare.batch(["insert into boats (name) values ('Ada')"], 'write').catch(codeOf)
      const lock = await holdLock(path, 30)
      expect(await insert()).toBe('SQLITE_BUSY')
      await lock.exited
      if ((await insert()) === 'SQLITE_BUSY') broken += 1
      bare.close()
    }
    expect(broken).toBe(1)
  })

  test('batches and statements wait for a lock of 300 ms, then land, and so do later ones', async () => {
    const { database, close, path } = await openBoats()
    const lock = await holdLock(path, 300)
    const start = performance.now()
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => insertTwice(database, `batch ${index}`)),
      ...Array.from({ length: 20 }, (_, index) =>
        database.run(sql`insert into boats (name) values (${`statement ${index}`})`),
      ),
    ])
    expect(performance.now() - start).toBeGreaterThan(200)
    expect(await lock.exited).toBe(0)
    for (let index = 0; index < 20; index += 1) await insertTwice(database, `later ${index}`)
    expect(await database.get(sql`select count(*) as total from boats`)).toEqual({ total: 100 })
    await close()
  })

  test('reading goes on and timers fire while batches wait', async () => {
    const { database, close, path } = await openBoats()
    const lock = await holdLock(path, 300)
    const waiting = Promise.all(
      Array.from({ length: 50 }, (_, index) => insertTwice(database, `batch ${index}`)),
    )
    let ticks = 0
    const timer = setInterval(() => void (ticks += 1), 10)
    for (let reads = 0; reads < 10; reads += 1) {
      expect(await database.get(sql`select count(*) as total from boats`)).toEqual({ total: 0 })
    }
    await waiting
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(10)
    await lock.exited
    await close()
  })

  test('a lock that stays is reported when patience ends, and harms nothing afterwards', async () => {
    const { database, close, path } = await openBoats(50)
    const lock = await holdLock(path, 400)
    expect(await insertTwice(database, 'early').catch(codeOf)).toBe('unavailable')
    await lock.exited
    await insertTwice(database, 'late')
    expect(await database.get(sql`select count(*) as total from boats`)).toEqual({ total: 2 })
    await close()
  })

  test('a long loop of statements lets timers run', async () => {
    const { client, close } = await openBoats()
    let ticks = 0
    const timer = setInterval(() => void (ticks += 1), 1)
    for (let reads = 0; reads < 2000; reads += 1) await client.execute('select count(*) from boats')
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(2)
    await close()
  })

  test('closing waits for batches under way', async () => {
    const { database, close, path } = await openBoats()
    const writes = Array.from({ length: 50 }, (_, index) => insertTwice(database, `boat ${index}`))
    await close()
    await Promise.all(writes)
    const again = await openLibsql(`file:${path}`)
    expect(await again.database.get(sql`select count(*) as total from boats`)).toEqual({ total: 100 })
    await again.close()
  })

  test('a file that was closed holds everything by itself', async () => {
    const { database, close, path } = await openBoats()
    await insertTwice(database, 'boat')
    await close()
    const copied = newFile()
    await copyFile(path, copied)
    const alone = await openLibsql(`file:${copied}`)
    expect(await alone.database.get(sql`select count(*) as total from boats`)).toEqual({ total: 2 })
    await alone.close()
  })
})

describe('a libSQL server', () => {
  test('a lock on the server is waited for', async () => {
    const path = newFile()
    const server = startHrana(path)
    const { database, close } = await openLibsql(server.url)
    await database.run(sql`create table boats (name text)`)
    const lock = await holdLock(path, 200)
    await insertTwice(database, 'Ada')
    expect(await lock.exited).toBe(0)
    expect(await database.get(sql`select count(*) as total from boats`)).toEqual({ total: 2 })
    await close()
    await server.close()
  })

  test('one that is not there is an error at the start', async () => {
    const server = startHrana(newFile())
    await server.close()
    expect(await rejection(openLibsql(server.url))).toBeInstanceOf(Error)
  })
})

test.each(['', 'database.db', ':memory:', 'file::memory:', 'ws://127.0.0.1', 'postgres://127.0.0.1'])(
  'the URL %p is refused',
  async (url) => {
    expect(await rejection(openLibsql(url))).toBeInstanceOf(RangeError)
  },
)

test('a file whose folder is missing is an error at the start', async () => {
  expect(await rejection(openLibsql(`file:${join(folder, 'missing', 'config.db')}`))).toBeInstanceOf(Error)
})

describe('migrations', () => {
  test.each(['file', 'server'])('are applied once to a %s, all or nothing', async (kind) => {
    const server = kind === 'server' ? startHrana(newFile()) : undefined
    const { database, close } = await openLibsql(server?.url ?? `file:${newFile()}`)
    const migrations = await mkdtemp(join(folder, 'migrations-'))
    await writeMigrations(migrations, [
      'create table boats (name text);',
      'create table voyages (name text);',
    ])
    await migrate(database, migrations)
    await migrate(database, migrations)
    await database.run(sql`insert into voyages (name) values ('maiden')`)

    await writeMigrations(migrations, [
      '',
      '',
      'create table ports (name text);',
      'create table boats (name text);',
    ])
    expect(String(await rejection(migrate(database, migrations)))).toContain('boats')
    const tables = await database.values(
      sql`select name from sqlite_master where name in ('boats', 'voyages', 'ports')`,
    )
    expect(tables.map((row) => String(row[0])).toSorted()).toEqual(['boats', 'voyages'])
    await close()
    await server?.close()
  })
})

test('a statement that is no error, or no failure of the engine, is no unique violation', () => {
  for (const error of [
    undefined,
    null,
    'UNIQUE constraint failed: a.b',
    new Error('x UNIQUE constraint failed: a.b'),
  ]) {
    expect(isUniqueViolation(error, 'a.b')).toBe(false)
  }
})

async function openBoats(patienceMs?: number) {
  const path = newFile()
  const opened = await openLibsql(`file:${path}`, patienceMs === undefined ? {} : { patienceMs })
  await opened.database.run(sql`create table boats (name text)`)
  return { ...opened, path }
}

async function insertTwice(database: Database, name: string): Promise<void> {
  const insert = () => database.run(sql`insert into boats (name) values (${name})`)
  await database.batch([insert(), insert()])
}

async function holdLock(path: string, holdMs: number): Promise<Bun.Subprocess> {
  const script = join(import.meta.dirname, '../hosts/hold-lock.ts')
  const child = Bun.spawn([process.execPath, script, path, String(holdMs)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('locked\n')
  return child
}

function codeOf(error: unknown): string {
  return error instanceof LibsqlError ? error.code : (refusalIn(error)?.code ?? String(error))
}

async function writeMigrations(path: string, texts: readonly string[]): Promise<void> {
  const entries = texts.map((_, index) => ({
    idx: index,
    version: '6',
    when: index + 1,
    tag: `000${index}`,
    breakpoints: true,
  }))
  await Bun.write(
    join(path, 'meta/_journal.json'),
    JSON.stringify({ version: '7', dialect: 'sqlite', entries }),
  )
  await Promise.all(texts.map((text, index) => Bun.write(join(path, `000${index}.sql`), text)))
}
