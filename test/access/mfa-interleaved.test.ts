import { afterEach, beforeEach, expect, test } from 'bun:test'

import {
  beginMfa,
  confirmMfa,
  enforceMfa,
  leaveMfa,
  readMfa,
  resetMfa,
} from '../../src/access/session/mfa/service.ts'
import { codeOf, stepAt } from '../../src/access/session/mfa/totp.ts'
import { logIn } from '../../src/access/session/service.ts'
import { callerOfSession } from '../../src/access/session/service/callers.ts'
import { createUser } from '../../src/access/users/service.ts'
import type { Context } from '../../src/context.ts'
import type { Ports } from '../../src/ports/index.ts'
import { rejection } from '../contract/rejection.ts'
import { followedBy, precededBy } from '../hosts/interleaved.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { fromBase32 } from './base32.ts'

const ADA = { username: 'ada', password: 'countess of lovelace' }
/** The commits of a call with a code: the attempt is counted, forgotten, and then the change is made. */
const CHANGE = 3

let opened: Awaited<ReturnType<typeof openPorts>>
let userId = 0
let sessionId = ''
beforeEach(async () => {
  opened = await openPorts()
  const administrator = administratorOf(opened.ports)
  userId = (await createUser(administrator, { ...ADA, role: 'editor' })).id
  ;({ sessionId } = await logIn(administrator, ADA))
})
afterEach(() => opened.close())

const asAda = (ports: Ports = opened.ports): Context => ({
  ...administratorOf(ports),
  caller: { kind: 'user', userId, username: 'ada', role: 'editor', sessionHash: null },
})

/** The code of the next step, which no call has used yet. */
async function nextCode(secret: string): Promise<string> {
  opened.clock.at += 30_000
  return codeOf(fromBase32(secret), stepAt(opened.clock.at))
}

test('a set-up that begins while another one is confirmed leaves MFA active', async () => {
  const { secret } = await beginMfa(asAda())
  const other = async () => confirmMfa(asAda(), await nextCode(secret))
  expect(await rejection(beginMfa(asAda(precededBy(opened.ports, other))))).toMatchObject({
    code: 'conflict',
  })
  expect(await readMfa(asAda(), userId)).toMatchObject({ isActive: true, recoveryCodesLeft: 10 })
  await leaveMfa(asAda(), await nextCode(secret))
})

test('a code does not confirm the secret that another set-up has made meanwhile', async () => {
  const { secret } = await beginMfa(asAda())
  const ports = precededBy(opened.ports, () => beginMfa(asAda()), CHANGE)
  expect(await rejection(confirmMfa(asAda(ports), await nextCode(secret)))).toMatchObject({
    code: 'conflict',
  })
  expect(await readMfa(asAda(), userId)).toMatchObject({ isActive: false, recoveryCodesLeft: 0 })
})

test('MFA that is enforced meanwhile is not turned off', async () => {
  const { secret } = await beginMfa(asAda())
  await confirmMfa(asAda(), await nextCode(secret))
  const enforce = () => enforceMfa(administratorOf(opened.ports), userId, true)
  const ports = precededBy(opened.ports, enforce, CHANGE)
  expect(await rejection(leaveMfa(asAda(ports), await nextCode(secret)))).toMatchObject({ code: 'conflict' })
  expect(await readMfa(asAda(), userId)).toMatchObject({ isActive: true, isEnforced: true })
})

test('the answer to an enforcement is what its commit wrote, although another one follows at once', async () => {
  const end = () => enforceMfa(administratorOf(opened.ports), userId, false)
  expect(await enforceMfa(administratorOf(followedBy(opened.ports, end)), userId, true)).toEqual({
    isActive: false,
    isEnforced: true,
    recoveryCodesLeft: 0,
  })
})

test('MFA that is turned off while it is enforced ends the sessions', async () => {
  const { secret } = await beginMfa(asAda())
  await confirmMfa(asAda(), await nextCode(secret))
  expect(await callerOfSession(opened.ports, sessionId)).toMatchObject({ userId })
  const leave = async () => leaveMfa(asAda(), await nextCode(secret))
  await enforceMfa(administratorOf(precededBy(opened.ports, leave)), userId, true)
  opened.clock.at += 2_000
  expect(await callerOfSession(opened.ports, sessionId)).toBeNull()
})

test('a code of a new secret is accepted in the step in which a code of the former secret was used', async () => {
  const former = await beginMfa(asAda())
  await confirmMfa(asAda(), await nextCode(former.secret))
  await leaveMfa(asAda(), await nextCode(former.secret))
  const { secret } = await beginMfa(asAda())
  const code = await codeOf(fromBase32(secret), stepAt(opened.clock.at))
  expect(await confirmMfa(asAda(), code)).toHaveLength(10)
  expect(await rejection(leaveMfa(asAda(), code))).toMatchObject({ code: 'invalid' })
})

test('wrong codes of a secret that an administrator removed do not count against the next one', async () => {
  const former = await beginMfa(asAda())
  await confirmMfa(asAda(), await nextCode(former.secret))
  const logInWrong = () => rejection(logIn(asAda(), { ...ADA, code: 'no such code' }))
  for (let count = 0; count < 5; count++)
    expect(await logInWrong()).toMatchObject({ code: 'unauthenticated' })
  expect(await logInWrong()).toMatchObject({ code: 'too_many_attempts' })
  await resetMfa(administratorOf(opened.ports), userId)
  const { secret } = await beginMfa(asAda())
  expect(await confirmMfa(asAda(), await nextCode(secret))).toHaveLength(10)
})

test('a code of a secret whose key is lost is a conflict that does not count, and a recovery code is accepted', async () => {
  const { secret } = await beginMfa(asAda())
  const [recovery = ''] = await confirmMfa(asAda(), await nextCode(secret))
  const secrets = { ...opened.ports.secrets, key: crypto.getRandomValues(new Uint8Array(32)) }
  const as = asAda({ ...opened.ports, secrets })
  const code = await nextCode(secret)
  for (let count = 0; count < 6; count++)
    expect(await rejection(logIn(as, { ...ADA, code }))).toMatchObject({ code: 'conflict' })
  expect(await logIn(as, { ...ADA, code: recovery })).toMatchObject({ owed: null })
})
