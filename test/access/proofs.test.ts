import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { audited } from '../../src/access/audit/service.ts'
import { beginMfa, confirmMfa } from '../../src/access/session/mfa/service.ts'
import { codeOf, stepAt } from '../../src/access/session/mfa/totp.ts'
import { createPersonalToken, deletePersonalToken } from '../../src/access/session/personal/service.ts'
import { logIn, logOut, refreshSession } from '../../src/access/session/service.ts'
import {
  callerOfCredentials,
  callerOfPersonalToken,
  callerOfSession,
  callerOfToken,
} from '../../src/access/session/service/callers.ts'
import { prepareFirstStart } from '../../src/access/session/service/first-start.ts'
import { changePassword } from '../../src/access/session/service/password.ts'
import { createUser } from '../../src/access/users/service.ts'
import type { Caller, Context } from '../../src/context.ts'
import { commit } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import { secretsOf } from '../../workers/secrets.ts'
import { rejection } from '../contract/rejection.ts'
import { lightHash } from '../hosts/light-hash.ts'
import { openPorts } from '../hosts/ports.ts'
import { fromBase32 } from './base32.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const ADA = { username: 'ada', password: 'countess of lovelace' }

let opened: Awaited<ReturnType<typeof openPorts>>
let userId = 0

beforeEach(async () => {
  opened = await openPorts()
  userId = (await createUser(contextOf(opened.ports), { ...ADA, role: 'collector' })).id
})

afterEach(() => opened.close())

function contextOf(ports: Ports, caller: Caller = { kind: 'anonymous' }): Context {
  return { ports, caller, requestId: 'test', request: new Request('http://localhost/') }
}

/** The ports with every slow hash counted. */
function counting(ports: Ports) {
  const count = { hashes: 0 }
  const scrypt: Ports['secrets']['scrypt'] = (...input) => {
    count.hashes++
    return ports.secrets.scrypt(...input)
  }
  return { count, ports: { ...ports, secrets: { ...ports.secrets, scrypt } } }
}

/** The ports with a hash that costs nothing and fits nothing. */
function guessing(ports: Ports): Ports {
  return { ...ports, secrets: { ...ports.secrets, scrypt: () => Promise.resolve(new Uint8Array(32)) } }
}

test('a wrong password costs one slow hash whether there is a user or not, and a locked account none', async () => {
  const { sessionId } = await logIn(contextOf(opened.ports), ADA)
  const { count, ports } = counting(guessing(opened.ports))
  const costOf = async (login: typeof ADA) => {
    const before = count.hashes
    const refusal = (await rejection(logIn(contextOf(ports), login))) as { code: string; detail: string }
    return { cost: count.hashes - before, code: refusal.code, detail: refusal.detail }
  }
  for (let tried = 0; tried < 11; tried++) {
    const known = await costOf({ ...ADA, password: 'wrong' })
    expect(known.cost).toBe(tried < 10 ? 1 : 0)
    expect(await costOf({ username: 'nobody', password: 'wrong' })).toEqual(known)
  }
  expect(await callerOfSession(opened.ports, sessionId)).toMatchObject({ userId })
  opened.clock.at += 15 * MINUTE_MS - 1
  expect(await costOf(ADA)).toMatchObject({ cost: 0, code: 'too_many_attempts' })
  opened.clock.at += 1
  expect(await logIn(contextOf(opened.ports), ADA)).toMatchObject({ owed: null })
})

test('a good login forgets the wrong ones, tries at the same time count, and so do those from one network', async () => {
  const { ports, clock } = opened
  const wrong = (username: string) =>
    rejection(logIn(contextOf(guessing(ports)), { username, password: 'wrong' }))
  for (let round = 0; round < 2; round++) {
    for (let tried = 0; tried < 9; tried++)
      expect(await wrong('ada')).toMatchObject({ code: 'unauthenticated' })
    await logIn(contextOf(ports), ADA)
  }
  const codes = (await Promise.all(Array.from({ length: 15 }, () => wrong('bob')))) as { code: string }[]
  expect(codes.filter(({ code }) => code === 'too_many_attempts').length).toBe(5)

  clock.at += 15 * MINUTE_MS
  for (let tried = 0; tried < 100; tried++)
    expect(await wrong(`somebody ${tried}`)).toMatchObject({ code: 'unauthenticated' })
  expect(await wrong('somebody else')).toMatchObject({ code: 'too_many_attempts' })
  expect(await rejection(logIn(contextOf(ports), ADA))).toMatchObject({ code: 'too_many_attempts' })
  const elsewhere = { ...ports, network: { ...ports.network, addressOf: () => '198.51.100.1' } }
  expect(await logIn(contextOf(elsewhere), ADA)).toMatchObject({ owed: null })
}, 180_000)

test('a refused try counts neither for the account nor for the network that was not full', async () => {
  const { ports } = opened
  const from = (address: string, login = ADA, own = ports) =>
    logIn(contextOf({ ...own, network: { ...ports.network, addressOf: () => address } }), login)
  const wrongFrom = (address: string, username: string) =>
    rejection(from(address, { username, password: 'wrong' }, guessing(ports)))
  const full = { code: 'too_many_attempts' }
  for (let tried = 0; tried < 110; tried++) await wrongFrom('192.0.2.1', 'bad')
  expect(await wrongFrom('192.0.2.1', 'bad')).toMatchObject(full)
  // Ten of these tries were checked, so 90 are left to the network.
  expect(await from('192.0.2.1')).toMatchObject({ owed: null })
  for (let tried = 0; tried < 90; tried++)
    expect(await wrongFrom('192.0.2.1', `somebody ${tried}`)).toMatchObject({ code: 'unauthenticated' })
  for (let tried = 0; tried < 20; tried++) expect(await rejection(from('192.0.2.1'))).toMatchObject(full)
  expect(await from('198.51.100.1')).toMatchObject({ owed: null })
}, 180_000)

test('guesses do not lock out Basic credentials that were proven here before', async () => {
  const { ports, clock } = opened
  const request = new Request('http://localhost/')
  expect(await callerOfCredentials(ports, ADA, request)).toMatchObject({ userId })
  for (let tried = 0; tried < 20; tried++)
    await rejection(logIn(contextOf(guessing(ports)), { ...ADA, password: 'wrong' }))
  clock.at += 2 * MINUTE_MS
  expect(await callerOfCredentials(ports, ADA, request)).toMatchObject({ userId })
  const restarted = { ...ports }
  expect(await rejection(Promise.resolve(callerOfCredentials(restarted, ADA, request)))).toMatchObject({
    code: 'too_many_attempts',
  })
}, 180_000)

test('of 500 logins at once one is hashed, 32 wait, and the others are refused before any of them ends', async () => {
  const { ports } = opened
  const { sessionId } = await logIn(contextOf(ports), ADA)
  const attempts = async () =>
    (await ports.database.get<{ n: number }>(`select coalesce(sum(count), 0) as n from attempts`)).n
  const gate = Promise.withResolvers<void>()
  const running = { now: 0, most: 0, total: 0 }
  const scrypt = async () => {
    running.most = Math.max(running.most, ++running.now)
    running.total++
    await gate.promise
    running.now--
    return new Uint8Array(32)
  }
  // From everywhere, so that no network has tried too often.
  const network = { ...ports.network, addressOf: () => '' }
  let asked = 0
  const database = new Proxy(ports.database, {
    get: (target, verb, receiver) => {
      if (verb === 'select') asked++
      return Reflect.get(target, verb, receiver) as unknown
    },
  })
  const slow = { ...ports, database, network, secrets: { ...ports.secrets, scrypt } }
  const refused: string[] = []
  let allRefused = () => {}
  const refusals = new Promise<void>((resolve) => (allRefused = resolve))
  const logins = Array.from({ length: 500 }, async (_, at) => {
    const refusal = await rejection(logIn(contextOf(slow), { username: `somebody ${at}`, password: 'wrong' }))
    refused.push((refusal as { code: string }).code)
    if (refused.length === 500 - 1 - 32) allRefused()
  })
  await refusals
  expect(new Set(refused)).toEqual(new Set(['overloaded']))
  while (running.now === 0) await Bun.sleep(1)
  expect(await attempts()).toBe(1)
  expect(running).toEqual({ now: 1, most: 1, total: 1 })
  // Of whoever is refused the database hears nothing.
  expect(asked).toBeGreaterThanOrEqual(1)
  expect(asked).toBeLessThanOrEqual(1 + 32)
  // Whoever is signed in goes on meanwhile.
  opened.clock.at += 2_000
  expect(await callerOfSession(slow, sessionId)).toMatchObject({ userId })

  gate.resolve()
  await Promise.all(logins)
  expect(refused.filter((code) => code === 'unauthenticated').length).toBe(1 + 32)
  expect(running).toEqual({ now: 0, most: 1, total: 1 + 32 })
  // Who was refused for want of time has not guessed, and has written nothing.
  expect(await attempts()).toBe(1 + 32)
}, 180_000)

test('a password that is too old is good for another password only, which may not be one of the latest', async () => {
  const maxAgeMs = 90 * DAY_MS
  const ports = {
    ...opened.ports,
    settings: { ...opened.ports.settings, passwords: { lengthMin: 10, history: 2, maxAgeMs } },
  }
  const { clock } = opened
  clock.at += maxAgeMs - 1
  expect((await logIn(contextOf(ports), ADA)).owed).toBeNull()
  clock.at += 1
  const login = await logIn(contextOf(ports), ADA)
  expect(login.owed).toBe('password')
  expect(await callerOfCredentials(ports, ADA)).toBeNull()
  const caller = await callerOfSession(ports, login.sessionId)
  expect(caller?.scopes).toEqual(['account'])

  const change = (currentPassword: string, newPassword: string) =>
    changePassword(contextOf(ports, caller ?? { kind: 'anonymous' }), { currentPassword, newPassword })
  expect(await rejection(change(ADA.password, 'g7#kQ2!zx'))).toMatchObject({ code: 'invalid' })
  expect(await rejection(change(ADA.password, ADA.password))).toMatchObject({ code: 'invalid' })
  await change(ADA.password, 'a second one of hers')
  expect((await callerOfSession(ports, login.sessionId))?.scopes).toBeUndefined()
  await change('a second one of hers', 'a third one of hers')
  expect(await rejection(change('a third one of hers', 'a second one of hers'))).toMatchObject({
    code: 'invalid',
  })
  await change('a third one of hers', ADA.password)
  expect((await logIn(contextOf(ports), ADA)).owed).toBeNull()
}, 180_000)

describe('under a new key', () => {
  const newKey = crypto.getRandomValues(new Uint8Array(32))

  /** What a process has that starts with the new key, and knows the former one or not. */
  function restarted({ ports }: typeof opened, knowsFormer: boolean): Ports {
    return {
      ...ports,
      secrets: secretsOf(newKey, knowsFormer ? [ports.secrets.key] : [], lightHash),
    }
  }

  test('nobody is logged out as long as the former key is known: sessions, tokens, refreshes and MFA go on', async () => {
    const { ports, clock } = opened
    const login = await logIn(contextOf(ports), ADA)
    const caller = await callerOfToken(ports, login.accessToken)
    const { secret } = await beginMfa(contextOf(ports, caller ?? { kind: 'anonymous' }))
    const bytes = fromBase32(secret)
    await confirmMfa(contextOf(ports, caller ?? { kind: 'anonymous' }), await codeOf(bytes, stepAt(clock.at)))
    const personal = await createPersonalToken(contextOf(ports, caller ?? { kind: 'anonymous' }), {
      name: 'a script',
      scopes: ['read'],
      expiresAt: new Date(clock.at + DAY_MS).toISOString(),
    })
    clock.at += MINUTE_MS

    const after = restarted(opened, true)
    expect(await callerOfSession(after, login.sessionId)).toMatchObject({ userId })
    expect(await callerOfToken(after, login.accessToken)).toMatchObject({ userId })
    expect(await callerOfPersonalToken(after, personal.token)).toMatchObject({ userId, scopes: ['read'] })
    const refreshed = await refreshSession(contextOf(after), login.refreshToken)
    const code = await codeOf(bytes, stepAt(clock.at))
    expect(await logIn(contextOf(after), { ...ADA, code })).toMatchObject({ owed: null })

    const later = restarted(opened, false)
    expect(await callerOfToken(later, login.accessToken)).toBeNull()
    expect(await callerOfToken(later, refreshed.accessToken)).toMatchObject({ userId })
    expect(await callerOfSession(later, login.sessionId)).toMatchObject({ userId })
  })
})

test('a personal token ends when it says, and a refresh token with its session', async () => {
  const { ports, clock } = opened
  const login = await logIn(contextOf(ports), ADA)
  const caller = (await callerOfSession(ports, login.sessionId)) ?? { kind: 'anonymous' as const }
  const expiresAt = new Date(clock.at + DAY_MS / 2).toISOString()
  const { token } = await createPersonalToken(contextOf(ports, caller), {
    name: 'a script',
    scopes: ['read', 'write'],
    expiresAt,
  })
  // What was proven a moment ago is believed for a second.
  clock.at += DAY_MS / 2 - 2_000
  expect(await callerOfPersonalToken(ports, token)).toMatchObject({ userId, scopes: ['read', 'write'] })
  clock.at += 2_000
  expect(await callerOfPersonalToken(ports, token)).toBeNull()

  clock.at += DAY_MS / 2 - 1_000
  const next = await refreshSession(contextOf(ports), login.refreshToken)
  clock.at += 1_000
  expect(await rejection(refreshSession(contextOf(ports), next.refreshToken))).toMatchObject({
    code: 'unauthenticated',
  })
})

test('a weak password of the first administrator stops the start, and says which variable it is', async () => {
  const fresh = await openPorts({ adminPassword: 'Welcome2026!' })
  try {
    expect(await rejection(prepareFirstStart(fresh.ports))).toMatchObject({
      message: 'TIDEMARK_ADMIN_PASSWORD must not be a commonly used password.',
    })
    const settings = { ...fresh.ports.settings, adminPassword: 'correct horse battery' }
    expect(await prepareFirstStart({ ...fresh.ports, settings })).toEqual({
      isFirstStart: true,
      setupToken: null,
    })
  } finally {
    await fresh.close()
  }
})

test('what was ended in one process or isolate is refused in every other within a second', async () => {
  const { ports, clock } = opened
  const elsewhere = { ...ports }
  const login = await logIn(contextOf(ports), ADA)
  const caller = (await callerOfSession(ports, login.sessionId)) ?? { kind: 'anonymous' as const }
  const expiresAt = new Date(clock.at + DAY_MS).toISOString()
  const body = { name: 'a script', scopes: ['read' as const], expiresAt }
  const { id, token } = await createPersonalToken(contextOf(ports, caller), body)
  const seen = async (by: Ports) =>
    Promise.all([
      callerOfSession(by, login.sessionId),
      callerOfToken(by, login.accessToken),
      callerOfPersonalToken(by, token),
    ])
  expect(await seen(elsewhere)).not.toContain(null)
  await deletePersonalToken(contextOf(ports, caller), id)
  await logOut(contextOf(ports), login.sessionId)
  expect(await seen(ports)).toEqual([null, null, null])
  clock.at += 1_000
  expect(await seen(elsewhere)).toEqual([null, null, null])
})

test('the record refuses to be changed or shortened, and is written with its change or not at all', async () => {
  const { database } = opened.ports
  const total = async () => (await database.get<{ n: number }>('select count(*) as n from audit')).n
  const before = await total()
  expect(before).toBeGreaterThan(0)
  for (const statement of [
    `update audit set username = 'somebody else'`,
    'delete from audit',
    'delete from audit where id = 1',
  ])
    expect(String(((await rejection(database.run(statement))) as Error).cause)).toContain('append-only')
  expect(await total()).toBe(before)

  const entry = audited(contextOf(opened.ports), { action: 'create', objectType: 'user', objectId: 1 })
  const failing = database.run(`insert into users (id) values (1)`)
  expect(await rejection(commit(database, [entry, failing]))).toBeInstanceOf(Error)
  expect(await total()).toBe(before)
})
