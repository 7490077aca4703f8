import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { Attribute, Change, Client } from 'ldapts'

import { callerOfCredentials, callerOfSession } from '../../src/access/session/service/callers.ts'
import { changePassword } from '../../src/access/session/service/password.ts'
import { logIn } from '../../src/access/session/service.ts'
import { createUser, updateUser } from '../../src/access/users/service.ts'
import { rejection } from '../contract/rejection.ts'
import { ADMIN_DN, ADMIN_PASSWORD, BASE_DN, hasSlapd, startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import { dnOf, openStage, PASSWORD, person } from './ldap-stage.ts'

const ADA = { username: 'ada', password: PASSWORD }
const NO = { code: 'unauthenticated' }
const AWAY = { code: 'unavailable', retryAfterS: 5 }

/** A name that is a filter when it is not taken for a name, and a person who is called so. */
const ODD = String.raw`o(d)*d\2a`

/** What people write who hope that a name becomes a part of a filter. Each finds somebody where it does. */
const INJECTIONS = [
  '*',
  'a*',
  '*a',
  'ad*a',
  'ada)(uid=*',
  'x)(|(uid=*',
  '*)(objectClass=*',
  'ada)(objectClass=*',
  'x)(uid=ada',
  String.raw`\61da`,
  String.raw`ad\61`,
  String.raw`\2a`,
  'ada)',
  '(ada',
  'ada)(&',
  'ada))(|(uid=*',
  'ada=*',
  'cn=*',
  'uid=ada,dc=example,dc=org',
  'ada ',
  ' ada',
  'ADA)(uid=*)',
  '*)(uid=*))(|(uid=*',
  'admin)(!(uid=x)',
]

let slapd: Slapd
let stage: Awaited<ReturnType<typeof openStage>>

beforeAll(async () => {
  if (!hasSlapd) return
  slapd = await startSlapd(
    `${person('ada')}${person('ben')}
dn: cn=odd,${BASE_DN}
objectClass: inetOrgPerson
uid: ${ODD}
cn: odd
sn: odd
userPassword: ${PASSWORD}
`,
  )
})
afterAll(async () => {
  if (hasSlapd) await slapd.close()
})
beforeEach(async () => {
  if (!hasSlapd) return
  stage = await openStage(slapd)
  await stage.sync()
})
afterEach(async () => {
  if (hasSlapd) await stage.close()
})

describe.skipIf(!hasSlapd)('a login of who is in OpenLDAP', () => {
  test('takes the password of the directory, and keeps none', async () => {
    expect(await logIn(stage.context, ADA)).toMatchObject({ owed: null })
    for (const password of ['wrong', `${PASSWORD} `, PASSWORD.toUpperCase(), ' '])
      expect(await rejection(logIn(stage.context, { ...ADA, password }))).toMatchObject(NO)
    const { ports } = stage
    const kept = await ports.database.all<{ hash: string }>(
      `select password_hash as hash from users where type = 'LDAP_MANAGED' union all
       select hash from passwords where user_id in (select id from users where type = 'LDAP_MANAGED')`,
    )
    expect(kept.filter(({ hash }) => hash !== '')).toEqual([])
    expect(stage.logs.join('\n')).not.toContain(PASSWORD)
  })

  test('is no more than a name and a password: an empty one is refused before anybody is asked', async () => {
    const { directory } = stage.ports
    let asked = 0
    const watched = { ...stage.ports, directory: directory && { connected: countedBy(directory) } }
    function countedBy(one: NonNullable<typeof directory>): typeof one.connected {
      return (task) => {
        asked++
        return one.connected(task)
      }
    }
    expect(await callerOfCredentials(watched, { ...ADA, password: '' })).toBeNull()
    expect(asked).toBe(0)
    expect(await callerOfCredentials(watched, ADA)).toMatchObject({ username: 'ada' })
    expect(asked).toBe(1)

    // Control: this server takes a name without a password for nobody's, and says yes.
    const client = new Client({ url: slapd.url })
    await client.bind(dnOf('ada'), '')
    await client.unbind()
  })

  test('takes a name that is a filter for the name of who is called so', async () => {
    expect(await logIn(stage.context, { username: ODD, password: PASSWORD })).toMatchObject({ owed: null })
  })

  test('takes a name in another case for the same user', async () => {
    const { sessionId } = await logIn(stage.context, { ...ADA, username: 'ADA' })
    expect(await callerOfSession(stage.ports, sessionId)).toMatchObject({ username: 'ada' })
  })

  test.each(INJECTIONS)('does not take %p for anybody', async (username) => {
    const entered = { username, role: 'administrator', type: 'LDAP_MANAGED' } as const
    await createUser(stage.context, entered)
    expect(await rejection(logIn(stage.context, { username, password: PASSWORD }))).toMatchObject(NO)
  })

  test('would take many of these names for somebody, were they a part of the filter', async () => {
    const client = new Client({ url: slapd.url })
    await client.bind(ADMIN_DN, ADMIN_PASSWORD)
    const found: string[] = []
    for (const name of INJECTIONS) {
      const filter = `(&(objectClass=inetOrgPerson)(uid=${name}))`
      const answer = await client.search(BASE_DN, { filter }).catch(() => ({ searchEntries: [] }))
      if (answer.searchEntries.length > 0) found.push(name)
    }
    await client.unbind()
    expect(found.length).toBeGreaterThan(10)
  })

  test('is not that of another person who has the name now', async () => {
    await stage.ports.database.run(`update users set directory_id = 'another' where username = 'ada'`)
    expect(await rejection(logIn(stage.context, ADA))).toMatchObject(NO)
  })

  test('is locked after ten wrong passwords, and costs a hash each as that of a name that nobody has', async () => {
    const { secrets } = stage.ports
    const scrypt = secrets.scrypt.bind(secrets)
    let hashes = 0
    secrets.scrypt = (...input) => {
      hashes++
      return scrypt(...input)
    }
    for (const username of ['ada', 'nobody']) {
      hashes = 0
      for (let tried = 0; tried < 10; tried++)
        expect(await rejection(logIn(stage.context, { username, password: 'wrong' }))).toMatchObject(NO)
      expect(hashes).toBe(10)
      expect(await rejection(logIn(stage.context, { username, password: PASSWORD }))).toMatchObject({
        code: 'too_many_attempts',
      })
      expect(hashes).toBe(10)
    }
    stage.clock.at += 15 * 60_000
    expect(await logIn(stage.context, ADA)).toMatchObject({ owed: null })
  })

  test('is refused while the directory is away, which counts for nothing, and sessions go on', async () => {
    const { sessionId } = await logIn(stage.context, ADA)
    expect(await callerOfCredentials(stage.ports, ADA)).toMatchObject({ username: 'ada' })
    await slapd.stop()
    try {
      for (let tried = 0; tried < 12; tried++)
        expect(await rejection(logIn(stage.context, ADA))).toMatchObject(AWAY)
      expect(await logIn(stage.context, { username: 'admin', password: PASSWORD })).toMatchObject({
        owed: null,
      })
      stage.clock.at += 30 * 60_000
      expect(await callerOfSession(stage.ports, sessionId)).toMatchObject({ username: 'ada' })
      expect(await callerOfCredentials(stage.ports, ADA)).toMatchObject({ username: 'ada' })
      expect(await rejection(stage.sync())).toMatchObject(AWAY)
      expect((await stage.users())['ada']).toMatchObject({ disabled: false })
    } finally {
      await slapd.start()
    }
    expect(await logIn(stage.context, ADA)).toMatchObject({ owed: null })
  })

  test('needs our code where MFA is active, and owes it where it is a duty', async () => {
    const { database } = stage.ports
    const { ada, ben } = await stage.users()
    const insert = (userId: number, isConfirmed: number) =>
      database.run(`insert into mfa values (${userId}, 1, '', ${isConfirmed}, 0)`)
    await insert(ada?.id ?? 0, 1)
    await insert(ben?.id ?? 0, 0)
    expect(await rejection(logIn(stage.context, ADA))).toMatchObject({ code: 'mfa_code_required' })
    expect(await rejection(logIn(stage.context, { ...ADA, password: 'wrong' }))).toMatchObject(NO)
    expect(await logIn(stage.context, { ...ADA, username: 'ben' })).toMatchObject({ owed: 'mfa' })
  })

  test('owes no password however old, and can neither change nor be given one', async () => {
    const { ports, context } = stage
    const settings = { ...ports.settings, passwords: { lengthMin: 128, history: 5, maxAgeMs: 1 } }
    const strict = { ...context, ports: { ...ports, settings } }
    stage.clock.at += 86_400_000
    expect(await logIn(strict, { username: 'admin', password: PASSWORD })).toMatchObject({ owed: 'password' })
    expect(await logIn(strict, ADA)).toMatchObject({ owed: null })
    const caller = await callerOfCredentials(ports, ADA)
    if (!caller) throw new Error('Ada cannot sign in.')
    const change = { currentPassword: PASSWORD, newPassword: 'a password of my own' }
    expect(await rejection(changePassword({ ...context, caller }, change))).toMatchObject({
      code: 'forbidden',
    })
    const reset = { body: { password: 'a password of my own' }, ifMatch: null }
    expect(await rejection(updateUser(context, caller.userId, reset))).toMatchObject({
      code: 'invalid',
      errors: [{ pointer: '/password' }],
    })
  })

  test('follows a new password at once', async () => {
    const next = new Change({
      operation: 'replace',
      modification: new Attribute({ type: 'userPassword', values: ['another password'] }),
    })
    await slapd.change((client) => client.modify(dnOf('ben'), next))
    expect(await rejection(logIn(stage.context, { username: 'ben', password: PASSWORD }))).toMatchObject(NO)
    const login = { username: 'ben', password: 'another password' }
    expect(await logIn(stage.context, login)).toMatchObject({ owed: null })
  })
})
