import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { copyFile, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { requireReady, signIn } from '../../workers/deploy/checks.ts'
import { deploy, rehearse } from '../../workers/deploy/deploy.ts'
import { DeployFailure } from '../../workers/deploy/wrangler.ts'
import { rejection } from '../contract/rejection.ts'
import { recordedWrangler } from '../hosts/recorded-wrangler.ts'
import type { Account } from '../hosts/recorded-wrangler.ts'
import { startServer } from '../../workers/bun/server.ts'
import type { Server } from '../../workers/server/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { lightHash } from '../hosts/light-hash.ts'
import { Directories, startCommand } from './command-line.ts'

const ROOT = join(import.meta.dir, '../..')
const PASSWORD = 'correct horse battery'
const START_MAX_MS = 180_000

type Options = Partial<Parameters<typeof deploy>[0]>

const directories = new Directories()
afterAll(() => directories.remove())

describe('npm run deploy with the recorded answers of wrangler', () => {
  let server: Server
  let directory = ''
  let account: Account

  beforeAll(async () => {
    const data = await directories.make()
    const settings = readServerSettings({ TIDEMARK_PORT: '0', TIDEMARK_DATA_DIR: data })
    server = await startServer(settings, { log: jsonLog(() => undefined), scrypt: lightHash })
  }, START_MAX_MS)
  afterAll(() => server.close())
  beforeEach(async () => {
    directory = await directories.make()
    await copyFile(join(ROOT, 'wrangler.toml'), join(directory, 'wrangler.toml'))
    account = {
      isLoggedIn: true,
      url: server.url,
      rows: (statement) => server.ports.database.all(sql.raw(statement)),
      databases: [],
      buckets: [],
      secrets: {},
      calls: [],
    }
  })

  /** Runs a deployment; returns what it prints. */
  async function run(options: Options = {}, command = deploy): Promise<string> {
    let printed = ''
    const print = (line: string) => (printed += `${line}\n`)
    const wrangler = recordedWrangler(account)
    await command({
      directory,
      target: 'production',
      url: undefined,
      environment: {},
      wrangler,
      print,
      ...options,
    })
    return printed
  }

  const keyPath = () => join(directory, '.env.tidemark-production.key')

  test('creates what is missing, prints a set-up link that works, and creates nothing the second time', async () => {
    const first = await run()
    expect(first).toContain('created  D1 database tidemark-production (id-of-tidemark-production)\n')
    expect(first).toContain('created  R2 bucket tidemark-production-files\n')
    expect(first).toContain('created  secret TIDEMARK_SECRET')
    expect(first).toContain(`Tidemark serves ${server.url}/\n`)
    expect((await readdir(directory)).toSorted()).toEqual(['.env.tidemark-production.key', 'wrangler.toml'])

    // The key of the Worker is kept here, for its owner alone.
    const { TIDEMARK_SECRET: secret = '' } = account.secrets
    expect((await readFile(keyPath(), 'utf8')).trim()).toBe(secret)
    expect(Buffer.from(secret, 'base64').length).toBe(32)
    expect((await stat(keyPath())).mode & 0o777).toBe(0o600)

    const link = new URL(/30 minutes: (\S+)/.exec(first)?.[1] ?? '')
    expect(link.href).toStartWith(`${server.url}/session/setup?token=`)
    const setUp = await fetch(`${server.url}/session/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        token: link.searchParams.get('token'),
        username: 'admin',
        password: PASSWORD,
      }),
    })
    expect(setUp.status).toBe(201)

    account.calls.length = 0
    const login = { TIDEMARK_USERNAME: 'admin', TIDEMARK_PASSWORD: PASSWORD }
    const second = await run({ environment: login })
    expect(second).toContain('found    D1 database tidemark-production')
    expect(second).toContain('checked  admin can sign in\n')
    expect(second).not.toContain('created')
    expect(second).not.toContain('30 minutes')
    expect(account.calls.filter((call) => /create|put/.test(call))).toEqual([])
    expect(account.calls.some((call) => call.startsWith('d1 migrations apply DB --remote'))).toBe(true)

    const wrong = await rejection(run({ environment: { ...login, TIDEMARK_PASSWORD: 'not this one' } }))
    expect(wrong).toMatchObject({ message: expect.stringContaining('admin cannot sign in: 401') as unknown })

    // Without its key an installation with users is not deployed; with the kept one it is.
    account.secrets = {}
    account.calls.length = 0
    const kept = await readFile(keyPath(), 'utf8')
    await rm(keyPath())
    const lost = await rejection(run())
    expect(lost).toMatchObject({
      message: expect.stringContaining(
        'has no secret TIDEMARK_SECRET, but its database has users',
      ) as unknown,
    })
    expect(account.calls.some((call) => call.startsWith('deploy'))).toBe(false)
    await writeFile(keyPath(), kept)
    expect(await run()).toContain('checked  an unknown user cannot sign in')
    expect(account.secrets['TIDEMARK_SECRET']).toBe(kept.trim())
  })

  test('puts the password of the first administrator, and takes a bucket that no list has', async () => {
    // No table: a database that was never migrated.
    account.rows = () => Promise.resolve([])
    const paths: string[] = []
    using front = Bun.serve({
      port: 0,
      fetch: async (request) => {
        const { pathname } = new URL(request.url)
        const answer = await fetch(server.url + pathname, request)
        paths.push(`${pathname} ${answer.status}`)
        return answer
      },
    })
    const url = front.url.href
    const list = recordedWrangler({ ...account, buckets: [] })
    const create = recordedWrangler({ ...account, buckets: ['tidemark-staging-files'] })
    const printed = await run({
      target: 'staging',
      url: url.slice(0, -1),
      environment: { TIDEMARK_ADMIN_PASSWORD: PASSWORD },
      wrangler: (args, input) => (args[2] === 'create' ? create : list)(args, input),
    })
    expect(account.secrets['TIDEMARK_ADMIN_PASSWORD']).toBe(PASSWORD)
    expect(printed).toContain('checked  admin can sign in\n')
    expect(printed).not.toContain('30 minutes')
    expect(paths).toEqual(['/readyz 200', '/session/login 200', '/session/logout 204'])
  })

  test('a service that is not ready ends it with the answer of the service', async () => {
    using unready = Bun.serve({ port: 0, fetch: () => new Response('no disk', { status: 503 }) })
    const url = unready.url.href.slice(0, -1)
    expect(String(await rejection(requireReady(url, 'tidemark-staging', 0)))).toContain(
      `${url}/readyz is not ready: 503 no disk. The log: npx wrangler tail tidemark-staging`,
    )
  })

  test('a deployment whose wrangler fails in any step names the step, and the next one goes on', async () => {
    // A database that was never migrated.
    account.rows = () => Promise.resolve([])
    const recorded = recordedWrangler(account)
    await run()
    const steps = [...new Set(account.calls.map((call) => call.split(' --')[0] ?? ''))]
    expect(steps.length).toBeGreaterThan(8)
    for (const step of steps) {
      Object.assign(account, { databases: [], buckets: [], secrets: {} })
      await rm(keyPath(), { force: true })
      const failing: typeof recorded = (args, input) =>
        args.join(' ').startsWith(step)
          ? Promise.resolve({ code: 1, stdout: '', stderr: 'no way to the platform\n' })
          : recorded(args, input)
      const failure = await rejection(run({ wrangler: failing }))
      expect(failure).toBeInstanceOf(DeployFailure)
      expect(String(failure)).toMatch(/no way to the platform/)
      expect(String(failure)).toContain(step === 'whoami' ? 'npx wrangler login' : `wrangler ${step}`)
      const kept = await readFile(keyPath(), 'utf8').catch(() => null)
      expect(await run()).toContain(`Tidemark serves ${server.url}/`)
      expect(account).toMatchObject({
        databases: ['tidemark-production'],
        buckets: ['tidemark-production-files'],
      })
      // A key that was kept before the fault is the key of the Worker.
      if (kept !== null) expect(account.secrets['TIDEMARK_SECRET']).toBe(kept.trim())
    }
  })

  test('a text of wrangler in the place of JSON ends it with the text', async () => {
    const recorded = recordedWrangler(account)
    const chatty: typeof recorded = async (args, input) => {
      const answer = await recorded(args, input)
      return args[1] === 'list' ? { ...answer, stdout: `A new version is there.\n${answer.stdout}` } : answer
    }
    const failure = await rejection(run({ wrangler: chatty }))
    expect(failure).toBeInstanceOf(DeployFailure)
    expect(String(failure)).toContain(
      'wrangler d1 list --json printed another text than JSON.\nA new version',
    )
  })

  test('a login or a logout that is not answered in time ends it', async () => {
    const hanging = (path: string) =>
      Bun.serve({
        port: 0,
        idleTimeout: 0,
        fetch: ({ url }) =>
          url.endsWith(path) ? new Promise<never>(() => {}) : Response.json({ sessionId: 's' }),
      })
    for (const path of ['/session/login', '/session/logout']) {
      using service = hanging(path)
      const url = service.url.href.slice(0, -1)
      const failure = await rejection(signIn(url, { username: 'u', password: 'p' }, 200))
      expect(String(failure)).toContain(`${url}${path} does not answer: TimeoutError`)
    }
  })

  test('--dry-run names what would be created, and changes nothing', async () => {
    account.buckets.push('tidemark-staging-files')
    expect(await run({ target: 'staging' }, rehearse)).toBe(
      [
        'checked  settings of staging in wrangler.toml',
        'create   D1 database tidemark-staging',
        'found    R2 bucket tidemark-staging-files',
        'create   secret TIDEMARK_SECRET',
        '--dry-run: exiting now.',
        'built    tidemark-staging; nothing was changed',
        '',
      ].join('\n'),
    )
    expect(account).toMatchObject({ databases: [], secrets: {} })
    expect(account.calls).not.toContainEqual(expect.stringMatching(/create|put|apply/))
    account.isLoggedIn = false
    expect(await run({}, rehearse)).toContain('skipped  D1, R2 and secrets')
    const refused = await rejection(run())
    expect(refused).toMatchObject({ message: expect.stringContaining('npx wrangler login') as unknown })
  })

  test('a wrong setting ends it before wrangler runs', async () => {
    const file = join(directory, 'wrangler.toml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replaceAll('TIDEMARK_TIME_ZONE = "UTC"', 'TIDEMARK_TIME_ZONE = "Mars"'))
    const refused = await rejection(run())
    expect(refused).toMatchObject({
      message: expect.stringContaining('TIDEMARK_TIME_ZONE=Mars is not a time zone') as unknown,
    })
    expect(account.calls).toEqual([])
  })

  test.each([
    ['absent', () => null, 'wrangler.toml cannot be read: ENOENT'],
    ['not TOML', (text: string) => `${text}\n[[`, 'wrangler.toml cannot be read: '],
    [
      'written with other quotes',
      (text: string) => text.replace('"tidemark-production"\nmig', "'tidemark-production'\nmig"),
      'has no line database_name = "tidemark-production"',
    ],
  ])('a wrangler.toml that is %s ends it with the reason', async (_, changed, message) => {
    const file = join(directory, 'wrangler.toml')
    const text = changed(await readFile(file, 'utf8'))
    await (text === null ? rm(file) : writeFile(file, text))
    const refused = await rejection(run())
    expect(refused).toBeInstanceOf(DeployFailure)
    expect(String(refused)).toContain(message)
  })

  test.each([
    ['--url', 'monitoring.example.com'],
    ['--env', 'stagin'],
  ])('%s %s is refused with the usage before anything is done', async (option, value) => {
    const words = ['bun', 'workers/deploy/main.ts', option, value]
    const { code, stdout, stderr } = await startCommand(words, {}, ROOT).ended
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^--(?:url|env) must be .* "(?:monitoring.example.com|stagin)" is not.\n\nUsage: /)
  })
})
