import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runCommand } from '../../workers/bun/commands/action.ts'
import type { Confirm, Environment } from '../../workers/bun/commands/action.ts'
import { backupCommand } from '../../workers/bun/commands/backup.ts'
import { defaultUrl } from '../../workers/bun/commands/client.ts'
import { restoreInto } from '../../workers/bun/commands/restore-into.ts'
import { restoreCommand } from '../../workers/bun/commands/restore.ts'
import { startServer } from '../../workers/bun/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { rejection } from '../contract/rejection.ts'
import { ADMIN } from '../hosts/host.ts'
import { startCommand } from '../start/command-line.ts'
import { until } from '../until.ts'
import { PASSPHRASE, startWorld } from './world.ts'
import type { World } from './world.ts'

setDefaultTimeout(180_000)
const ENVIRONMENT = {
  TIDEMARK_USERNAME: ADMIN.username,
  TIDEMARK_PASSWORD: ADMIN.password,
  TIDEMARK_BACKUP_PASSPHRASE: PASSPHRASE,
}
const ROOT = join(import.meta.dir, '../..')

let world: World
let folder = ''
let environment: Record<string, string> = {}
/** Fails requests whose method and path begin so. */
let fails = ''
/** Downloads end after their first bytes when it resolves; they are whole where it is null. */
let ending: PromiseWithResolvers<void> | null = null
/** Resolves when a backup is asked for. */
let making: PromiseWithResolvers<void> | null = null
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-command-'))
  world = await startWorld('bun', undefined, {
    variables: { TIDEMARK_BASE_PATH: '/monitor', TIDEMARK_BACKUP_DIR: join(folder, 'store') },
    // The command hashes the passphrase as in production.
    hashesInFull: true,
    fetch: (handle) => (request) => {
      const asked = `${request.method} ${new URL(request.url).pathname}`
      if (fails !== '' && asked.startsWith(fails)) return new Response('away', { status: 502 })
      if (making && asked === 'POST /monitor/backups') making.resolve()
      if (!ending || !asked.startsWith('GET /monitor/backups/')) return handle(request)
      const { promise } = ending
      async function* cut() {
        yield new Uint8Array(1_000)
        await promise
        yield new Uint8Array(1_000)
        throw new Error('cut')
      }
      return new Response(cut())
    },
  })
  const { hostname, port } = new URL(world.host.url)
  environment = {
    ...ENVIRONMENT,
    TIDEMARK_HOST: hostname,
    TIDEMARK_PORT: port,
    TIDEMARK_BASE_PATH: '/monitor',
  }
})
afterEach(() => {
  fails = ''
  ending = null
  making = null
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

const backup = async (args: readonly string[], variables: Environment) =>
  (await runCommand(backupCommand, args, { environment: variables })).text
const restore = async (args: readonly string[], variables: Environment, confirm: Confirm) =>
  (await runCommand(restoreCommand, args, { environment: variables, confirm })).text

const messageOf = async (promise: Promise<unknown>) => {
  const error = await rejection(promise)
  expect(error).toBeInstanceOf(RangeError)
  return (error as Error).message
}
const group = async (name: string) =>
  (await world.good<{ id: number }>('POST', '/groups?parentId=1', { json: { name } })).id
const file = (name: string) => join(folder, name)

describe('a backup', () => {
  test('has histories and files unless it is told otherwise, and no copy stays in the service', async () => {
    expect(await backup([file('all.gz')], environment)).toMatch(
      /all\.gz: [\d,]+ bytes, the configuration, histories, uploaded files as of 20/,
    )
    const json = JSON.parse(
      await backup([file('less.gz'), '--configuration-only', '--json'], environment),
    ) as object
    expect(json).toMatchObject({ file: file('less.gz'), histories: false, files: false })
    expect(await world.good<unknown[]>('GET', '/backups')).toEqual([])
    await backup([file('kept.gz'), '--keep'], environment)
    const kept = await world.good<{ id: number }[]>('GET', '/backups')
    expect(kept).toHaveLength(1)
    const stored = await readdir(file('store/backups'))
    expect(stored.filter((name) => /^\d{8}T\d{6}Z-[\w-]+\.gz@$/.test(name)).length).toBeGreaterThan(0)
    await world.good('DELETE', `/backups/${kept[0]?.id}`)
  })

  test('overwrites a file only with --force', async () => {
    await writeFile(file('monday.gz'), 'of last week')
    expect(await messageOf(backup([file('monday.gz')], environment))).toContain('--force')
    expect(await readFile(file('monday.gz'), 'utf8')).toBe('of last week')
    expect(await world.good<unknown[]>('GET', '/backups')).toEqual([])
    await backup([file('monday.gz'), '--force'], environment)
    expect((await readFile(file('monday.gz')))[0]).toBe(0x1f)
  })

  test('that cannot be downloaded leaves nothing anywhere, and the message names that request', async () => {
    fails = 'GET /monitor/backups/'
    const before = await readdir(folder)
    const message = await messageOf(backup([file('lost.gz')], environment))
    expect(message).toMatch(/^GET \/backups\/\d+ failed with status 502/)
    expect(await readdir(folder)).toEqual(before)
    fails = ''
    expect(await world.good<unknown[]>('GET', '/backups')).toEqual([])
  })

  test('whose file cannot be written ends with 73, and leaves nothing', async () => {
    expect(await rejection(backup([file('no/folder.gz')], environment))).toMatchObject({
      exitCode: 73,
      message: expect.stringContaining('no/folder.gz cannot be written: ENOENT') as unknown,
    })
    expect(await world.good<unknown[]>('GET', '/backups')).toEqual([])
  })

  test('is whole beside another into the same file, whose download ends early with 69', async () => {
    const before = await readdir(folder)
    ending = Promise.withResolvers()
    const cut = rejection(backup([file('both.gz'), '--force'], environment))
    await until(async () => (await readdir(folder)).some((name) => name.startsWith('both.gz')))
    const { resolve } = ending
    ending = null
    await backup([file('both.gz'), '--force'], environment)
    resolve()
    expect(await cut).toMatchObject({
      exitCode: 69,
      message: expect.stringMatching(/^The connection was closed within GET \/backups\/\d+\.$/) as unknown,
    })
    expect(await restore([file('both.gz'), '--dry-run'], environment, null)).toMatch(/objects +\d/)
    await rm(file('both.gz'))
    expect(await readdir(folder)).toEqual(before)
    expect(await world.good<unknown[]>('GET', '/backups')).toEqual([])
  })

  test('that Ctrl-C ends leaves nothing anywhere', async () => {
    const before = await readdir(folder)
    ending = Promise.withResolvers()
    const words = ['bun', join(ROOT, 'workers/bun/main.ts'), 'backup', file('half.gz')]
    const child = startCommand(words, environment)
    await until(async () => (await readdir(folder)).some((name) => name.startsWith('half.gz')))
    child.kill('SIGINT')
    expect(await child.ended).toMatchObject({ code: 130, stderr: 'SIGINT ended the command.\n' })
    expect(await readdir(folder)).toEqual(before)
    expect(await world.good<unknown[]>('GET', '/backups')).toEqual([])
  })

  test('that Ctrl-C ends while the service makes it leaves nothing anywhere', async () => {
    const before = await readdir(folder)
    making = Promise.withResolvers()
    const child = startCommand(
      ['bun', join(ROOT, 'workers/bun/main.ts'), 'backup', file('half.gz')],
      environment,
    )
    await making.promise
    child.kill('SIGINT')
    expect(await child.ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(
        /^The service ends the backup [^]*\nSIGINT ended the command\.\n$/,
      ) as unknown,
    })
    expect(await readdir(folder)).toEqual(before)
    expect(await world.good<unknown[]>('GET', '/backups')).toEqual([])
  })

  test('is written where npm was called from', async () => {
    const child = Bun.spawn(['sh', join(ROOT, 'workers/run.sh'), 'backup', 'second.gz'], {
      cwd: folder,
      env: { ...process.env, ...environment, INIT_CWD: folder },
      stderr: 'pipe',
    })
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
    expect(await readdir(folder)).toContain('second.gz')
  })
})

describe('a restore', () => {
  test('brings deleted objects back, and fails where there is nothing to bring back', async () => {
    const id = await group('kept')
    await backup([file('objects.gz')], environment)
    await backup([file('bare.gz'), '--configuration-only'], environment)
    const objects = (name: string, ...more: string[]) =>
      restore([file(name), '--objects', String(id), ...more], environment, null)
    expect(await messageOf(objects('objects.gz'))).toContain('Nothing to restore')
    await world.good('DELETE', `/groups/${id}`)
    expect(await messageOf(objects('bare.gz'))).toContain('no histories')
    expect((await world.ask('GET', `/groups/${id}`)).status).toBe(404)
    expect(await objects('objects.gz', '--dry-run')).toStartWith('Would restore 1 objects')
    expect((await world.ask('GET', `/groups/${id}`)).status).toBe(404)
    expect(await objects('objects.gz')).toContain(`group ${id} kept`)
    expect((await world.ask('GET', `/groups/${id}`)).status).toBe(200)
    await world.good('DELETE', `/groups/${id}`)
    expect(JSON.parse(await objects('bare.gz', '--without-histories', '--json'))).toMatchObject({
      restored: true,
      objects: [{ id }],
    })
    const unknown = restore([file('objects.gz'), '--objects', '999'], environment, null)
    expect(await messageOf(unknown)).toContain('  /objects/0 must be the id of an object in the backup.')
  })

  test('of everything says what is lost and goes on only with --replace and a consent', async () => {
    const id = await group('goes')
    const restored = () => world.ask('GET', `/groups/${id}`).then(({ status }) => status !== 200)
    const asked: string[] = []
    const answer = (yes: boolean) => (question: string) => {
      asked.push(question)
      return Promise.resolve(yes)
    }
    const all = (args: readonly string[], confirm: Parameters<typeof restore>[2]) =>
      restore([file('all.gz'), ...args], environment, confirm)
    expect(await all(['--dry-run'], null)).toMatch(/objects +\d+ +\d+\n/)
    expect(await messageOf(all([], answer(true)))).toContain('--replace')
    expect(await messageOf(all(['--replace'], null))).toContain('Pass --yes')
    expect(await messageOf(all(['--replace'], answer(false)))).toBe('Nothing was restored.')
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('every change since')
    expect(await restored()).toBe(false)
    expect(await all(['--replace'], answer(true))).toContain('Notifications are paused')
    await world.signIn()
    expect(await restored()).toBe(true)
    expect(world.host.logs.join('\n')).toContain('backup restored')
  })

  test('takes --yes without a terminal, and tells what a backup without histories loses', async () => {
    await group('in the way')
    expect(await restore([file('less.gz'), '--dry-run'], environment, null)).toContain('the backup has none')
    await restore([file('less.gz'), '--replace', '--yes'], environment, null)
    await world.signIn()
  })

  test('goes into an empty directory without a service, and into no other', async () => {
    const into = file('data')
    await mkdir(into)
    await writeFile(join(into, 'notes'), 'of somebody')
    expect(await messageOf(restore([file('all.gz'), '--into', into], environment, null))).toContain(
      'not empty',
    )
    await rm(join(into, 'notes'))
    const wrong = { ...environment, TIDEMARK_BACKUP_PASSPHRASE: 'another passphrase' }
    expect(await messageOf(restore([file('all.gz'), '--into', into], wrong, null))).toContain(
      'another passphrase',
    )
    expect(await readdir(into)).toEqual([])
    expect(
      await restore([file('all.gz'), '--into', into], { TIDEMARK_BACKUP_PASSPHRASE: PASSPHRASE }, null),
    ).toContain('Restored')
    const settings = readServerSettings({
      TIDEMARK_DATA_DIR: into,
      TIDEMARK_PORT: '0',
      TIDEMARK_RUNNER: 'off',
    })
    const server = await startServer(settings, { log: jsonLog(() => undefined) })
    const health = (await (await fetch(`${server.url}/readyz`)).json()) as { warnings: { code: string }[] }
    expect(health.warnings.map(({ code }) => code)).toContain('notifications_paused')
    const headers = { authorization: `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}` }
    expect((await fetch(`${server.url}/users`, { headers })).status).toBe(200)
    expect(server.setupLink).toBeNull()
    await server.close()
  })

  test('that fails reports why, also where its directory cannot be closed or emptied', async () => {
    const wrong = { passphrase: 'another passphrase', replace: false, dryRun: false, withoutHistories: false }
    const into = file('unclosed')
    // A directory in place of the file with the holder of the lock: it cannot be deleted as a file.
    await mkdir(join(into, 'holder'), { recursive: true })
    await writeFile(join(into, 'restoring'), '')
    expect(await messageOf(restoreInto(into, file('less.gz'), { asked: wrong, environment }))).toContain(
      'another passphrase',
    )
    const asked = {
      ...wrong,
      get passphrase() {
        rmSync(into, { recursive: true })
        return wrong.passphrase
      },
    }
    expect(await messageOf(restoreInto(into, file('less.gz'), { asked, environment }))).toContain(
      'another passphrase',
    )
  })

  test('that Ctrl-C ends leaves a directory that no service takes, and that the next restore fills', async () => {
    const into = file('half')
    const words = ['bun', join(ROOT, 'workers/bun/main.ts')]
    const variables = { TIDEMARK_BACKUP_PASSPHRASE: PASSPHRASE, TIDEMARK_DATA_DIR: into, TIDEMARK_PORT: '0' }
    const child = startCommand([...words, 'restore', file('less.gz'), '--into', into], variables)
    await until(async () => (await readdir(into).catch((): string[] => [])).includes('config.db'))
    child.kill('SIGINT')
    expect((await child.ended).code).toBe(130)
    expect(await startCommand(words, variables).ended).toMatchObject({
      code: 65,
      stderr: `${into} has a part of a backup, because tidemark restore --into has not ended. Run it again: it begins anew.\n`,
    })
    await writeFile(join(into, 'half'), 'of the first')
    expect(await restore([file('less.gz'), '--into', into], variables, null)).toContain('Restored')
    expect(await readdir(into)).not.toContain('half')
    expect(await readdir(into)).not.toContain('restoring')
  })

  test('that finds another one in its directory fails, and leaves the data of the other', async () => {
    const into = file('raced')
    const one = () => restore([file('less.gz'), '--into', into], environment, null)
    const ends = await Promise.allSettled([one(), one()])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
    expect(reasons[0]).toContain('Another Tidemark')
    expect(await readdir(into)).toEqual(expect.arrayContaining(['config.db', 'lock']) as never)
  })

  test.each(['--dry-run', '--replace', '--without-histories', '--objects=7'])(
    'into a directory refuses %s, which it would not obey',
    async (option) => {
      const into = file('refused')
      expect(
        await rejection(restore([file('less.gz'), '--into', into, option], environment, null)),
      ).toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(`${option.split('=')[0]} has no effect with --into`) as unknown,
      })
      expect(await readdir(folder)).not.toContain('refused')
    },
  )
})

describe('failures', () => {
  test.each([
    [['--force'], 'An argument is missing: <file>.'],
    [['a', 'b'], 'Unknown argument b.'],
    [['a', '--unknown'], '--unknown'],
  ])('of usage are said with the usage: %p', async (args, text) => {
    const message = await messageOf(backup(args, environment))
    expect(message).toContain(text)
    expect(message).toContain('tidemark backup <file>')
  })

  test('name what is missing or cannot be reached', async () => {
    expect(await messageOf(backup([file('x.gz')], { TIDEMARK_BACKUP_PASSPHRASE: PASSPHRASE }))).toContain(
      'TIDEMARK_USERNAME',
    )
    expect(
      await messageOf(backup([file('x.gz')], { ...environment, TIDEMARK_BACKUP_PASSPHRASE: 'short' })),
    ).toContain('has 5 characters; it must have 12 to 256')
    expect(await messageOf(backup([file('x.gz'), '--url', 'http://127.0.0.1:1'], environment))).toBe(
      'No service answers at http://127.0.0.1:1: the connection was refused. Start it, or pass its address with --url.',
    )
    expect(await messageOf(restore([file('nowhere.gz')], environment, null))).toContain('cannot be read')
    const wrong = { ...environment, TIDEMARK_BACKUP_PASSPHRASE: 'another passphrase' }
    expect(await messageOf(restore([file('all.gz')], wrong, null))).toContain(
      'The backup was made with another passphrase.\n  /passphrase must be the passphrase of this backup.',
    )
    expect(await readdir(folder)).not.toContain('x.gz')
  })

  test('the default address is that of the service with the same environment', () => {
    expect(defaultUrl({})).toBe('http://127.0.0.1:8080')
    expect(defaultUrl({ TIDEMARK_PORT: '0', TIDEMARK_HOST: '0.0.0.0' })).toBe('http://127.0.0.1:8080')
    expect(defaultUrl({ TIDEMARK_PORT: '9000', TIDEMARK_HOST: '::1', TIDEMARK_BASE_PATH: '/m' })).toBe(
      'http://[::1]:9000/m',
    )
    expect(defaultUrl({ TIDEMARK_URL: 'https://example.org/m', TIDEMARK_PORT: '9000' })).toBe(
      'https://example.org/m',
    )
  })
})
