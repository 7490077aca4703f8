import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import { startBun } from '../hosts/bun.ts'
import { startEdge } from '../hosts/edge.ts'
import { ADMIN } from '../hosts/host.ts'
import type { Host } from '../hosts/host.ts'
import { codeOf, stepAt } from '../../src/access/session/mfa/totp.ts'
import { fromBase32 } from '../access/base32.ts'
import { connectAdministrator, speakTo } from './client.ts'
import type { Answer, Speaker } from './client.ts'
import { good } from './suite.ts'

/** Secrets that were sent or answered, by what they are. */
type Secrets = Map<string, string>

const START_MAX_MS = 180_000
const JSON_TYPE = { 'content-type': 'application/json' }
const ADMIN_AS_EDITOR = { username: 'admin', role: 'editor' }
const canary = (what: string) => `canary-${what}-${crypto.randomUUID()}`

const HOSTS = {
  bun: (dataDir: string) => startBun({ TIDEMARK_DATA_DIR: dataDir }),
  edge: (dataDir: string) => startEdge({ dataDir }),
}

describe.each(['bun', 'edge'] as const)('secrets on %s', (name) => {
  const secrets: Secrets = new Map()
  const refusals: Answer[] = []
  let dataDir = ''
  let host: Host

  beforeAll(async () => {
    dataDir = await mkdtemp(join(FAST_DIR, 'tidemark-secrets-'))
    host = await HOSTS[name](dataDir)
    const client = await connectAdministrator(host)
    secrets.set("the administrator's session", client.sessionId)
    await signInEveryWay(client, secrets)
    await pingEveryWay(client, secrets)
    const apiKey = canaryOf(secrets, 'key of a provider')
    await good(client.request('PATCH', '/settings.json', { json: { translation: { apiKey } } }))
    const password = canaryOf(secrets, 'password of a data source')
    const source = { host: 'db.example.org', database: 'd', user: 'u', password }
    await good(
      client.request('POST', '/dataSources', {
        json: { name: 'kept', type: 'postgresql', connection: source },
      }),
    )
    refusals.push(...(await failEveryWay(client, secrets)))
  }, START_MAX_MS)
  afterAll(async () => {
    await host.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('were sent in every way there is, and refused in many', () => {
    expect(secrets.size).toBeGreaterThanOrEqual(29)
    expect(new Set(refusals.map(({ status }) => status))).toEqual(
      new Set([400, 401, 403, 404, 409, 413, 415, 422]),
    )
  })

  test('are in no problem document', () => {
    expect(
      found(
        secrets,
        refusals.map(({ text, headers }) => text + JSON.stringify([...headers])),
      ),
    ).toEqual([])
  })

  test('of a token for one thing are good for nothing else, and listed nowhere', async () => {
    const { request } = await connectAdministrator(host)
    const ping = String(secrets.get('ping token'))
    for (const headers of [
      { authorization: `Bearer ${ping}` },
      { authorization: `Bearer tidemark_${ping}` },
      { authorization: `Basic ${btoa(`admin:${ping}`)}` },
      { 'x-session-id': ping },
      { 'x-session-id': String(secrets.get('personal token')) },
      { 'x-session-id': String(secrets.get('refresh token')) },
    ])
      expect((await request('GET', '/users', { as: null, headers })).status).toBe(401)
    const lists = [
      '/audit?limit=1000',
      '/dataSources',
      '/sessions?userId=2',
      '/session/personal-tokens?userId=2',
      '/users/2/mfa',
    ]
    const texts = await Promise.all(lists.map(async (path) => (await request('GET', path)).text))
    for (const text of texts) expect(text.length).toBeGreaterThan(10)
    expect(found(secrets, texts)).toEqual([])
  })

  test('are on no disk as they are, while what stands beside them is', async () => {
    const texts = await contentsOf(dataDir)
    expect(
      found(
        new Map([
          ['user name', 'canary-user'],
          ['kind of hash', 'scrypt$16384$8$5$'],
        ]),
        texts,
      ),
    ).toEqual(['user name', 'kind of hash'])
    expect(found(secrets, texts)).toEqual([])
  })

  test('are in no log line and no answer when the database fails beneath a login', async () => {
    await breakSessions(dataDir)
    const { request } = await speakTo(host)
    const password = String(secrets.get('password'))
    const answers = [
      await request('POST', '/session/login', {
        json: { username: 'canary-user', password, code: secrets.get('recovery code 1') },
      }),
      await request(
        'GET',
        `/session/login?username=canary-user&password=${password}&code=${secrets.get('recovery code 2')}`,
      ),
      await request('GET', '/users', { headers: { 'x-session-id': canaryOf(secrets, 'ended session') } }),
      await request('GET', `/users?sessionId=${canaryOf(secrets, 'queried session')}`),
      await request('POST', `/webcollector/ping/${canaryToken(secrets, 'ping token unseen')}/fail`, {
        as: null,
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
    expect(
      found(
        secrets,
        answers.map(({ text }) => text),
      ),
    ).toEqual([])
    await Bun.sleep(200)
    const failures = host.logs.filter((line) => line.includes('"http: request failed"'))
    expect(failures.length).toBe(5)
    for (const line of failures) expect(line).toContain('no such table')
  })

  test('are in no log line at all, though lines there are', () => {
    expect(host.logs.filter((line) => line.includes('"signed in"')).length).toBeGreaterThan(2)
    expect(found(secrets, host.logs)).toEqual([])
    for (const line of host.logs.filter((one) => one !== ''))
      expect(() => JSON.parse(line) as unknown).not.toThrow()
  })
})

async function signInEveryWay({ request }: Speaker, secrets: Secrets): Promise<void> {
  const username = 'canary-user'
  const password = canaryOf(secrets, 'password')
  const user = { username, password, role: 'editor' }
  const { id } = await good<{ id: number }>(request('POST', '/users', { json: user }))
  const remember = async (what: string, answer: Promise<Answer>) => {
    const { sessionId } = await good<{ sessionId: string }>(answer)
    secrets.set(what, sessionId)
    return sessionId
  }
  const session = await remember(
    'session by POST',
    request('POST', '/session/login', { as: null, json: { username, password } }),
  )
  await remember(
    'session by GET',
    request('GET', `/session/login?username=${username}&password=${password}`, { as: null }),
  )
  const basic = btoa(`${username}:${password}`)
  secrets.set('Basic', basic)
  for (const headers of [{ authorization: `Basic ${basic}` }, { 'x-session-id': session }]) {
    const { accessToken } = await good<{ accessToken: string }>(
      request('POST', '/session/token', { as: null, headers }),
    )
    secrets.set(`token ${secrets.size}`, accessToken)
    await good(request('GET', '/users', { as: null, headers: { authorization: `Baerer ${accessToken}` } }))
  }
  await good(request('GET', `/users?sessionId=${session}`, { as: null }))
  await provideEveryProof({ request }, secrets, { 'x-session-id': session })
  await good(request('GET', `/session/logout?sessionId=${session}`, { as: null }))
  await good(
    request('PUT', `/users/${id}`, { json: { ...user, password: canaryOf(secrets, 'next password') } }),
  )
  await good(request('PUT', `/users/${id}`, { json: user }))
}

/** Refresh tokens, personal tokens, MFA and a new password, each as its owner gets it. */
async function provideEveryProof(
  { request }: Pick<Speaker, 'request'>,
  secrets: Secrets,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const own = { as: null, headers }
  const username = 'canary-user'
  const password = String(secrets.get('password'))
  const login = await good<{ refreshToken: string; accessToken: string }>(
    request('POST', '/session/login', { as: null, json: { username, password } }),
  )
  secrets.set('refresh token', login.refreshToken)
  secrets.set('access token of a login', login.accessToken)
  const json = { refreshToken: login.refreshToken }
  const next = await good<{ refreshToken: string }>(request('POST', '/session/refresh', { as: null, json }))
  secrets.set('second refresh token', next.refreshToken)
  expect((await request('POST', '/session/refresh', { as: null, json })).status).toBe(401)

  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const token = { name: 'a script', scopes: ['read'], expiresAt }
  const personal = await good<{ token: string }>(
    request('POST', '/session/personal-tokens', { ...own, json: token }),
  )
  secrets.set('personal token', personal.token)
  await good(request('GET', '/users', { as: null, headers: { authorization: `Bearer ${personal.token}` } }))
  const { secret } = await good<{ secret: string }>(request('POST', '/session/mfa', own))
  secrets.set('MFA secret', secret)
  const code = await codeOf(fromBase32(secret), stepAt(Date.now()))
  const { recoveryCodes } = await good<{ recoveryCodes: string[] }>(
    request('POST', '/session/mfa/confirmation', { ...own, json: { code } }),
  )
  for (const [index, recovery] of recoveryCodes.entries()) secrets.set(`recovery code ${index}`, recovery)
  const chosen = { currentPassword: password, newPassword: canaryOf(secrets, 'chosen password') }
  await good(request('POST', '/session/password', { ...own, json: chosen }))
  await good(
    request('POST', '/session/login', {
      as: null,
      json: { username, password: chosen.newPassword, code: recoveryCodes[0] },
    }),
  )
  await good(request('GET', '/audit?limit=1000'))
}

async function pingEveryWay({ request }: Speaker, secrets: Secrets): Promise<void> {
  const device = await good<{ id: number }>(
    request('POST', '/devices?parentType=group&parentId=1', { json: { name: 'a device' } }),
  )
  const job = await good<{ id: number }>(
    request('POST', `/jobs?parentType=device&parentId=${device.id}`, { json: { name: 'a job' } }),
  )
  const created = await good<{ token: string; path: string }>(
    request('POST', `/jobs/${job.id}/pings`, { json: { name: 'cron' } }),
  )
  secrets.set('ping token', created.token)
  await good(request('GET', created.path, { as: null }))
  await good(request('POST', `${created.path}/log`, { as: null, text: 'a line' }))
  await good(request('GET', `/jobs/${job.id}/pings`))
}

/** Sends secrets where they are wrong, malformed or too much. */
async function failEveryWay({ request }: Speaker, secrets: Secrets): Promise<Answer[]> {
  const wrong = canaryOf(secrets, 'wrong password')
  const session = canaryOf(secrets, 'unknown session')
  const login = '/session/login'
  const nobody = { as: null } as const
  const basic = btoa(`canary-user:${wrong}`)
  secrets.set('wrong Basic', basic)
  const editor = btoa(`canary-user:${canaryOf(secrets, 'password')}`)
  return [
    await request('GET', `${login}?username=canary-user&password=${wrong}`, nobody),
    await request('GET', `${login}?username=${wrong}&password=${wrong}&password=${wrong}`, nobody),
    await request('GET', `${login}?username=canary-user&password=${wrong}`, {
      as: null,
      headers: { 'sec-fetch-site': 'cross-site' },
    }),
    await request('POST', login, { as: null, json: { username: 'canary-user', password: wrong } }),
    await request('POST', login, {
      as: null,
      json: { username: wrong, password: [wrong], [wrong]: undefined },
    }),
    await request('POST', login, { as: null, text: `{"password":"${wrong}"`, headers: JSON_TYPE }),
    await request('POST', login, {
      as: null,
      text: `password=${wrong}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    await request('POST', login, { as: null, text: `"${wrong}"`.padEnd(10_000), headers: JSON_TYPE }),
    await request('POST', '/users', { json: { username: 'x:y', password: wrong, role: wrong } }),
    await request('POST', '/session/setup', {
      as: null,
      json: { token: canaryOf(secrets, 'set-up token'), username: 'x', password: wrong },
    }),
    await request('GET', '/users', { as: null, headers: { authorization: `Basic ${basic}` } }),
    await request('GET', '/users', { as: null, headers: { authorization: `Basic ${wrong}` } }),
    await request('GET', '/users', {
      as: null,
      headers: { authorization: `Bearer ${canaryOf(secrets, 'token').replaceAll('-', '.')}` },
    }),
    await request('GET', '/users', { as: null, headers: { 'x-session-id': session } }),
    await request('GET', `/users?sessionId=${canaryOf(secrets, 'unknown session in the query')}`, nobody),
    await request('POST', '/session/logout', { json: { sessionId: { session } } }),
    await request(
      'GET',
      `/webcollector/ping/${canaryToken(secrets, 'ping token with a fault')}?value=1`,
      nobody,
    ),
    await request('GET', `/webcollector/ping/${canaryToken(secrets, 'unknown ping token')}/start`, nobody),
    await request('PUT', '/users/1', {
      json: { ...ADMIN_AS_EDITOR, password: wrong, currentPassword: ADMIN.password },
    }),
    await request('POST', '/users', {
      as: null,
      headers: { authorization: `Basic ${editor}` },
      json: { password: wrong },
    }),
  ]
}

function canaryOf(secrets: Secrets, what: string): string {
  const known = secrets.get(what)
  if (known !== undefined) return known
  const secret = canary(what.replaceAll(' ', '-'))
  secrets.set(what, secret)
  return secret
}

/** A secret of the form of a ping token. */
function canaryToken(secrets: Secrets, what: string): string {
  const token = `canary-${crypto.randomUUID()}`
  secrets.set(what, token)
  return token
}

/** Which of the secrets are in the texts. */
function found(secrets: Secrets, texts: readonly string[]): string[] {
  return [...secrets]
    .filter(([, secret]) => texts.some((text) => text.includes(secret)))
    .map(([what]) => what)
}

/** Every file below a folder, read byte by byte as Latin letters. */
async function contentsOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(1)
  return Promise.all(
    files.map(async (file) =>
      Buffer.from(await Bun.file(join(file.parentPath, file.name)).bytes()).toString('latin1'),
    ),
  )
}

const BREAK = `
  const { Database } = require('bun:sqlite')
  const database = new Database(process.argv[1])
  for (const table of ['sessions', 'pings'])
    if (database.query("select 1 from sqlite_master where name = ?").get(table)) database.run('drop table ' + table)
`

/** Takes sessions and ping tokens away beneath the service; from another process, as SQLite's locks end at the process. */
async function breakSessions(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  for (const file of names.filter((name) => /\.(db|sqlite)$/.test(name))) {
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', BREAK, join(folder, file)])
    expect(exitCode, stderr.toString()).toBe(0)
  }
}
