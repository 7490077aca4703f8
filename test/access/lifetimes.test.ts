import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { issueToken, listSessions, logIn } from '../../src/access/session/service.ts'
import {
  callerOfCredentials,
  callerOfSession,
  callerOfToken,
} from '../../src/access/session/service/callers.ts'
import { prepareFirstStart, setUp } from '../../src/access/session/service/first-start.ts'
import { setupHooks } from '../../src/app.ts'
import { countUsers, createUser, updateUser } from '../../src/access/users/service.ts'
import { userBody } from '../../src/access/users/schema.ts'
import type { Caller, Context } from '../../src/context.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Ports } from '../../src/ports/index.ts'
import { rejection } from '../contract/rejection.ts'
import { precededBy } from '../hosts/interleaved.ts'
import { openPorts } from '../hosts/ports.ts'

const DAY_MS = 86_400_000
const ADA = { username: 'ada', password: 'countess of lovelace' }

let opened: Awaited<ReturnType<typeof openPorts>>
let userId = 0

beforeEach(async () => {
  opened = await openPorts()
  userId = (await createUser(contextOf({ kind: 'anonymous' }), { ...ADA, role: 'collector' })).id
})

afterEach(() => opened.close())

test('a session is open for exactly 24 hours', async () => {
  const { sessionId } = await logIn(contextOf({ kind: 'anonymous' }), ADA)

  opened.clock.at += DAY_MS - 1
  expect(await callerOfSession(opened.ports, sessionId)).toMatchObject({ userId, role: 'collector' })
  opened.clock.at += 1
  // What was proven a moment ago is believed for a second.
  opened.clock.at += 1_000
  expect(await callerOfSession(opened.ports, sessionId)).toBeNull()
})

test('sessions come in pages, the latest first, also those that began in the same millisecond', async () => {
  const anonymous = contextOf({ kind: 'anonymous' })
  for (const together of [2, 3]) {
    for (let session = 0; session < together; session++) await logIn(anonymous, ADA)
    opened.clock.at += 1
  }
  const ada = contextOf({ kind: 'user', userId, username: 'ada', role: 'collector', sessionHash: null })
  const whole = await listSessions(ada, { limit: 5 })
  expect(whole.next).toBeNull()
  const firstAt = whole.items.at(-1)?.createdAt
  expect(whole.items.map(({ createdAt }) => createdAt === firstAt)).toEqual([false, false, false, true, true])
  const ids: string[] = []
  const sizes: number[] = []
  let cursor: string | undefined
  do {
    const page = await listSessions(ada, { limit: 2, cursor })
    sizes.push(page.items.length)
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  expect(sizes).toEqual([2, 2, 1])
  expect(ids).toEqual(whole.items.map(({ id }) => id))
})

test('an access token is good for five minutes', async () => {
  const { sessionId } = await logIn(contextOf({ kind: 'anonymous' }), ADA)
  const caller = await callerOfSession(opened.ports, sessionId)
  if (!caller) throw new Error('The session is not open.')
  const { accessToken, expiresIn } = await issueToken(contextOf(caller))

  expect(expiresIn).toBe(300)
  opened.clock.at += 299_000
  expect(await callerOfToken(opened.ports, accessToken)).toMatchObject({ userId })
  opened.clock.at += 2_000
  expect(await callerOfToken(opened.ports, accessToken)).toBeNull()
})

test('Basic credentials cost one slow hash, whoever comes at the same time and however long after, and a new password counts at once', async () => {
  const { ports } = opened
  let hashes = 0
  const counting = {
    ...ports,
    secrets: {
      ...ports.secrets,
      scrypt: (...input: Parameters<typeof ports.secrets.scrypt>) => (
        hashes++,
        ports.secrets.scrypt(...input)
      ),
    },
  }
  const callers = await Promise.all(
    Array.from({ length: 1_000 }, async () => callerOfCredentials(counting, ADA)),
  )
  for (const caller of callers) expect(caller).toMatchObject({ userId })
  for (let call = 0; call < 1_000; call++)
    expect(await callerOfCredentials(counting, ADA)).toMatchObject({ userId })
  opened.clock.at += 24 * 3_600_000
  await callerOfCredentials(counting, ADA)
  expect(hashes).toBe(1)

  // Another isolate, which heard nothing of the change, believes its own proof only as long as the hash is the same.
  const elsewhere = { ...opened.ports }
  expect(await callerOfCredentials(elsewhere, ADA)).toMatchObject({ userId })
  const body = userBody.parse({ password: 'enchantress of number', currentPassword: ADA.password })
  const ada = { kind: 'user', userId, username: 'ada', role: 'collector', sessionHash: null } as const
  await updateUser({ ...contextOf(ada), ports: counting }, userId, { body, ifMatch: null })
  expect(await callerOfCredentials(counting, ADA)).toBeNull()
  opened.clock.at += 1_000
  expect(await callerOfCredentials(elsewhere, ADA)).toBeNull()
})

test('a set-up link is good for 30 minutes and only while there is no user', async () => {
  const fresh = await openPorts()
  try {
    const context = { ports: fresh.ports, caller: { kind: 'anonymous' as const }, requestId: 'test' }
    const { setupToken: late } = await prepareFirstStart(fresh.ports)
    fresh.clock.at += 30 * 60_000
    expect(
      await rejection(setUp(context, { ...ADA, token: late ?? '', content: 'empty' }, setupHooks)),
    ).toMatchObject({
      code: 'forbidden',
    })

    const { setupToken } = await prepareFirstStart(fresh.ports)
    const { setupToken: second } = await prepareFirstStart(fresh.ports)
    fresh.clock.at += 30 * 60_000 - 1
    expect(
      await setUp(context, { ...ADA, token: setupToken ?? '', content: 'empty' }, setupHooks),
    ).toMatchObject({
      role: 'administrator',
    })
    const again = setUp(
      context,
      { ...ADA, username: 'eve', token: second ?? '', content: 'empty' },
      setupHooks,
    )
    expect(await rejection(again)).toMatchObject({ code: 'forbidden' })
    expect(await prepareFirstStart(fresh.ports)).toEqual({ isFirstStart: false, setupToken: null })
  } finally {
    await fresh.close()
  }
})

describe('a set-up link', () => {
  const setup = { ...ADA, content: 'empty' } as const

  test('stays open for a set-up that is refused while its password is hashed', async () => {
    await withFresh(async (ports) => {
      const { setupToken } = await prepareFirstStart(ports)
      const body = { ...setup, token: setupToken ?? '' }
      const scrypt = () => Promise.reject(new Refusal('overloaded', 'Try again later.'))
      const busy = { ...ports, secrets: { ...ports.secrets, scrypt } }
      expect(await rejection(setUp(visitorOf(busy), body, setupHooks))).toMatchObject({ code: 'overloaded' })
      expect(await setUp(visitorOf(ports), body, setupHooks)).toMatchObject({ role: 'administrator' })
    })
  })

  test('creates no second administrator beside a set-up by another link at the same time', async () => {
    await withFresh(async (ports) => {
      const { setupToken: first } = await prepareFirstStart(ports)
      const { setupToken: second } = await prepareFirstStart(ports)
      const ada = () => setUp(visitorOf(ports), { ...setup, token: first ?? '' }, setupHooks)
      const eve = { ...setup, username: 'eve', token: second ?? '' }
      expect(await rejection(setUp(visitorOf(precededBy(ports, ada)), eve, setupHooks))).toMatchObject({
        code: 'forbidden',
      })
      expect(await countUsers(ports)).toBe(1)
    })
  })
})

/** Runs a part of a test on an installation without users. */
async function withFresh(run: (ports: Ports) => Promise<void>): Promise<void> {
  const fresh = await openPorts()
  try {
    await run(fresh.ports)
  } finally {
    await fresh.close()
  }
}

function visitorOf(ports: Ports): Context {
  return { ports, caller: { kind: 'anonymous' }, requestId: 'test' }
}

function contextOf(caller: Caller): Context {
  return { ports: opened.ports, caller, requestId: 'test' }
}
