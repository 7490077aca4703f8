import { Database } from 'bun:sqlite'
import { afterAll, afterEach, expect, test } from 'bun:test'
import { chmod, chown, cp, readdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { isRoot, startHost, Directories } from './command-line.ts'

const READY = 'Ctrl-C'
const ADMIN = { TIDEMARK_ADMIN_PASSWORD: 'secret of mine' }

const directories = new Directories()
afterEach(() => directories.remove())

type Failure = { readonly code: number; readonly line: string }

/** What a start that fails says: one line, after those of the log. */
async function failureOf(
  environment: Readonly<Record<string, string>>,
  as: 'us' | 'nobody' = 'us',
): Promise<Failure> {
  const { code, stdout, stderr } = await startHost(environment, [], as).ended
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  expect(stdout).toBe('')
  expect(lines).toHaveLength(1)
  return { code, line: lines[0] ?? '' }
}

function hasFailed(failure: Failure, code: number, text: string): void {
  expect(failure.line).toContain(text)
  expect(failure.code).toBe(code)
}

let used: Promise<string> | null = null
const shared = new Directories()
afterAll(() => shared.remove())

/** A data directory that a service has used: a copy of one, which is made once. */
async function usedDirectory(): Promise<string> {
  const dataDir = await directories.make()
  await cp(await (used ??= useOnce()), dataDir, { recursive: true })
  return dataDir
}

async function useOnce(): Promise<string> {
  const dataDir = await shared.make()
  const host = startHost({ ...ADMIN, TIDEMARK_DATA_DIR: dataDir })
  await host.until(READY)
  host.kill('SIGTERM')
  expect((await host.ended).code).toBe(0)
  return dataDir
}

function sqlIn(file: string, sql: string): void {
  const database = new Database(file)
  database.run(sql)
  database.close()
}

test('one process uses a data directory; the second names it, and its death ends the lock', async () => {
  const dataDir = await directories.make()
  const first = startHost({ ...ADMIN, TIDEMARK_DATA_DIR: dataDir })
  await first.until(READY)

  const failure = await failureOf({ TIDEMARK_DATA_DIR: dataDir })
  expect(failure.code).toBe(75)
  expect(failure.line).toMatch(
    new RegExp(`^Another Tidemark \\(pid ${first.pid} on \\S+, since \\S+\\) uses ${dataDir}\\. Stop it`),
  )

  first.kill('SIGKILL')
  await first.ended
  const third = startHost({ TIDEMARK_DATA_DIR: dataDir })
  await third.until(READY)
  third.kill('SIGTERM')
  expect((await third.ended).code).toBe(0)
}, 180_000)

test('two that start at once: one serves, the other is refused', async () => {
  const dataDir = await directories.make()
  const both = [1, 2].map(() => startHost({ ...ADMIN, TIDEMARK_DATA_DIR: dataDir }))
  await Promise.all(both.map((one) => one.until(READY)))
  const serving = both.filter((one) => one.stdout.includes(READY))
  expect(serving).toHaveLength(1)
  serving[0]?.kill('SIGTERM')
  const codes = await Promise.all(both.map(async (one) => (await one.ended).code))
  expect(codes.toSorted((a, b) => a - b)).toEqual([0, 75])
}, 180_000)

test('what is in an existing directory becomes readable for the user of the service alone', async () => {
  const dataDir = await usedDirectory()
  await chmod(dataDir, 0o755)
  for (const name of await readdir(dataDir))
    await chmod(join(dataDir, name), name === 'blobs' ? 0o755 : 0o644)
  // As a file of SQLite that goes while the directory is read.
  const gone = join(dataDir, 'config.db-journal')
  await symlink('nowhere', gone)
  const host = startHost({ TIDEMARK_DATA_DIR: dataDir })
  await host.until(READY)
  await rm(gone)
  const names = await readdir(dataDir)
  expect(names).toContain('config.db-wal')
  for (const name of names) expect([name, (await stat(join(dataDir, name))).mode & 0o077]).toEqual([name, 0])
  host.kill('SIGTERM')
  expect((await host.ended).stderr).toContain('data directory: other users can enter it')
}, 180_000)

test('what is made in a directory that others may enter is for the user of the service alone', async () => {
  const dataDir = await directories.make()
  await chmod(dataDir, 0o755)
  const host = startHost({ TIDEMARK_DATA_DIR: dataDir })
  await host.until(READY)
  const names = await readdir(dataDir)
  expect(names).toContain('values.db')
  for (const name of names) expect([name, (await stat(join(dataDir, name))).mode & 0o077]).toEqual([name, 0])
  host.kill('SIGTERM')
  await host.ended
}, 180_000)

test('a directory of our own making is closed to others, and there is no warning', async () => {
  const dataDir = join(await directories.make(), 'data')
  const host = startHost({ TIDEMARK_DATA_DIR: dataDir })
  await host.until(READY)
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  host.kill('SIGTERM')
  expect((await host.ended).stderr).not.toContain('other users')
}, 180_000)

test('a data directory that is a file', async () => {
  const file = join(await directories.make(), 'file')
  await Bun.write(file, '')
  for (const path of [file, join(file, 'below')]) {
    const failure = await failureOf({ TIDEMARK_DATA_DIR: path })
    hasFailed(failure, 73, `${path} cannot be used as a directory`)
  }
}, 180_000)

test("a data directory, and a file in it, that are somebody else's", async () => {
  const dataDir = await usedDirectory()
  await chmod(dataDir, 0o500)
  const closed = await failureOf({ TIDEMARK_DATA_DIR: dataDir }, 'nobody')
  hasFailed(closed, 73, `${dataDir} cannot be read and written by `)
  await chmod(dataDir, 0o700)
  if (!isRoot) return
  await chown(dataDir, 65_534, 65_534)
  const failure = await failureOf({ TIDEMARK_DATA_DIR: dataDir }, 'nobody')
  hasFailed(failure, 73, ' cannot be read and written by ')
  expect(failure.line).toContain('uid 65534')
}, 180_000)

test.skipIf(!isRoot)(
  'a data directory on a file system that is mounted read-only',
  async () => {
    const dataDir = await directories.make()
    expect(Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'ro', 'tmpfs', dataDir]).exitCode).toBe(0)
    try {
      const failure = await failureOf({ TIDEMARK_DATA_DIR: dataDir })
      hasFailed(failure, 73, `${dataDir} is on a file system that is mounted read-only`)
    } finally {
      Bun.spawnSync(['umount', dataDir])
    }
  },
  180_000,
)

test('a damaged database', async () => {
  for (const name of ['config.db', 'values.db']) {
    const dataDir = await usedDirectory()
    const file = join(dataDir, name)
    await Bun.write(file, 'no database at all'.repeat(1000))
    const failure = await failureOf({ TIDEMARK_DATA_DIR: dataDir })
    hasFailed(failure, 65, `${file} is damaged. `)
  }
}, 180_000)

test('a libSQL server that is away', async () => {
  const failure = await failureOf({
    TIDEMARK_DATA_DIR: await directories.make(),
    TIDEMARK_DATABASE_URL: 'http://127.0.0.1:1',
    TIDEMARK_DATABASE_AUTH_TOKEN: 'a token that stays secret',
  })
  hasFailed(failure, 69, '127.0.0.1:1 does not answer as a libSQL server')
  expect(failure.line).not.toContain('stays secret')
}, 180_000)

test('data without their key, unless a new one is asked for', async () => {
  const dataDir = await usedDirectory()
  const key = join(dataDir, 'key')
  await rename(key, join(dataDir, 'elsewhere'))
  const missing = await failureOf({ TIDEMARK_DATA_DIR: dataDir })
  hasFailed(missing, 65, `${key} is missing`)
  expect(missing.line).toContain('TIDEMARK_NEW_KEY=yes')

  await Bun.write(key, 'cut')
  const cut = await failureOf({ TIDEMARK_DATA_DIR: dataDir, TIDEMARK_NEW_KEY: 'yes' })
  hasFailed(cut, 65, `${key} is damaged: it has 3 bytes instead of 32`)

  await rm(key)
  const host = startHost({ TIDEMARK_DATA_DIR: dataDir, TIDEMARK_NEW_KEY: 'yes' })
  await host.until(READY)
  host.kill('SIGTERM')
  expect((await host.ended).code).toBe(0)
  expect((await stat(key)).size).toBe(32)
}, 180_000)

test('a key that was renamed to make room for a new one is no lost key', async () => {
  const dataDir = await usedDirectory()
  await rename(join(dataDir, 'key'), join(dataDir, 'key-2026'))
  const host = startHost({ TIDEMARK_DATA_DIR: dataDir })
  await host.until(READY)
  host.kill('SIGTERM')
  expect((await host.ended).code).toBe(0)
}, 180_000)

test('data that a later release has written, which are left as they are', async () => {
  const dataDir = await usedDirectory()
  const before = await directories.make()
  await cp(dataDir, before, { recursive: true })

  sqlIn(join(dataDir, 'values.db'), 'pragma user_version = 3002001')
  const named = await failureOf({ TIDEMARK_DATA_DIR: dataDir })
  expect(named.code).toBe(65)
  expect(named.line).toMatch(
    /^The data were written by Tidemark 3\.2\.1, and this is Tidemark \d+\.\d+\.\d+\. Start/,
  )

  sqlIn(
    join(before, 'config.db'),
    `insert into __drizzle_migrations (hash, created_at) values ('x', 9999999999999)`,
  )
  const unnamed = await failureOf({ TIDEMARK_DATA_DIR: before })
  hasFailed(unnamed, 65, 'written by a later Tidemark')
}, 180_000)

test('data that an unreleased build has written', async () => {
  const dataDir = await usedDirectory()
  sqlIn(join(dataDir, 'config.db'), 'update __drizzle_migrations set created_at = created_at - 1')
  hasFailed(await failureOf({ TIDEMARK_DATA_DIR: dataDir }), 65, 'made by an unreleased build')
}, 180_000)

test('a port that was asked for and is taken', async () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = other
  const failure = await failureOf({
    TIDEMARK_DATA_DIR: await directories.make(),
    TIDEMARK_PORT: String(port),
  })
  await other.stop(true)
  hasFailed(failure, 68, `Port ${port} of 127.0.0.1 is in use (TIDEMARK_PORT)`)
}, 180_000)

test('a host that has no address, or one of another machine', async () => {
  const dataDir = await directories.make()
  const unknown = await failureOf({ TIDEMARK_DATA_DIR: dataDir, TIDEMARK_HOST: 'nohost.invalid' })
  hasFailed(unknown, 68, 'nohost.invalid has no known address')
  const foreign = await failureOf({ TIDEMARK_DATA_DIR: dataDir, TIDEMARK_HOST: '192.0.2.1' })
  hasFailed(foreign, 68, '192.0.2.1 is not an address of this machine')
}, 180_000)

test('a directory of backups that cannot be used ends the start', async () => {
  const dataDir = await directories.make()
  const failure = await failureOf({ TIDEMARK_DATA_DIR: dataDir, TIDEMARK_BACKUP_DIR: '/proc/none' })
  hasFailed(failure, 73, '/proc/none')
  expect(failure.line).toContain('TIDEMARK_BACKUP_DIR')
})
