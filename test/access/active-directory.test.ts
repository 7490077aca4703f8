import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { Attribute, Change } from 'ldapts'

import { logIn } from '../../src/access/session/service.ts'
import type { Directory } from '../../src/ports/directory.ts'
import { rejection } from '../contract/rejection.ts'
import { BASE_DN, hasSlapd, startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import { openStage, PASSWORD } from './ldap-stage.ts'

const VARIABLES = { TIDEMARK_LDAP_SCHEMA: 'active-directory' }
const NO = { code: 'unauthenticated' }
const ENABLED = '512'
const DISABLED = '514'

/** Bytes that are no text, and would be others if they were taken for characters. */
const GUIDS = [
  [0xab, 0xff, 0x80, 0x00, 0x2a, 0x28, 0x29, 0x5c, 1, 2, 3, 4, 5, 6, 7, 8],
  [0xc3, 0xa9, 0xc2, 0xab, 0, 0, 0, 0, 0xe2, 0x82, 0xac, 0xfe, 1, 2, 3, 4],
  [0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50],
]

/** A user as Active Directory shows one. */
function user(name: string, guid: readonly number[], control: string): string {
  return `
dn: CN=${name} Lovelace,${BASE_DN}
objectClass: user
objectCategory: person
cn: ${name} Lovelace
sn: Lovelace
displayName: ${name} L.
sAMAccountName: ${name}
userPrincipalName: ${name}@example.org
objectGUID:: ${btoa(String.fromCharCode(...guid))}
userAccountControl: ${control}
userPassword: ${PASSWORD}
`
}

const control = (value: string) =>
  new Change({
    operation: 'replace',
    modification: new Attribute({ type: 'userAccountControl', values: [value] }),
  })

let slapd: Slapd
beforeAll(async () => {
  if (!hasSlapd) return
  const [ada = [], ben = [], eve = []] = GUIDS
  slapd = await startSlapd(user('ada', ada, ENABLED) + user('ben', ben, ENABLED) + user('eve', eve, DISABLED))
})
afterAll(async () => {
  if (hasSlapd) await slapd.close()
})

/** The directory with a list that ends early without a word, as it may where a page in the middle is empty. */
function forgetful(directory: Directory): Directory {
  return {
    connected: (task) =>
      directory.connected((connection) =>
        task({
          ...connection,
          async *search(query) {
            for await (const page of connection.search(query)) yield query.oneOf ? page : page.slice(1)
          },
        }),
      ),
  }
}

describe.skipIf(!hasSlapd)('a directory like Active Directory', () => {
  test('names people by sAMAccountName and keeps them by objectGUID; who is disabled there does not come', async () => {
    const stage = await openStage(slapd, VARIABLES)
    expect(await stage.sync()).toMatchObject({ created: 2, failed: 0 })
    expect(await stage.users()).toMatchObject({ ada: { fullname: 'ada L.' }, ben: { fullname: 'ben L.' } })
    expect((await stage.users())['eve']).toBeUndefined()
    const ids = await stage.ports.database.all<{ id: string }>(
      `select directory_id as id from users where directory_id is not null order by id`,
    )
    expect(ids.map(({ id }) => id)).toEqual(
      GUIDS.slice(0, 2).map((guid) => Buffer.from(guid).toString('hex')),
    )
    expect(await logIn(stage.context, { username: 'ada', password: PASSWORD })).toMatchObject({ owed: null })
    expect(await stage.sync()).toMatchObject({ created: 0, unchanged: 3 })
    await stage.close()
  })

  test('may name them by userPrincipalName', async () => {
    const variables = { ...VARIABLES, TIDEMARK_LDAP_ATTRIBUTES: 'username=userPrincipalName' }
    const stage = await openStage(slapd, variables)
    await stage.sync()
    const login = { username: 'ada@example.org', password: PASSWORD }
    expect(await logIn(stage.context, login)).toMatchObject({ owed: null })
    expect(await rejection(logIn(stage.context, { ...login, username: 'ada' }))).toMatchObject(NO)
    await stage.close()
  })

  test('keeps out who is disabled there at the next login, disables them at the next sync, and lets them back', async () => {
    const stage = await openStage(slapd, VARIABLES)
    await stage.sync()
    const { ben } = await stage.users()
    const login = { username: 'ben', password: PASSWORD }
    const set = (value: string) =>
      slapd.change((one) => one.modify(`cn=ben Lovelace,${BASE_DN}`, control(value)))
    expect(await logIn(stage.context, login)).toMatchObject({ owed: null })
    await set(DISABLED)
    try {
      expect(await rejection(logIn(stage.context, login))).toMatchObject(NO)
      expect((await stage.users())['ben']).toMatchObject({ disabled: false })
      expect(await stage.sync()).toMatchObject({ disabled: 1, unchanged: 2 })
      expect((await stage.users())['ben']).toMatchObject({ id: ben?.id, disabled: true })
    } finally {
      await set(ENABLED)
    }
    expect(await stage.sync()).toMatchObject({ updated: 1 })
    expect(await logIn(stage.context, login)).toMatchObject({ owed: null })
    await stage.close()
  })

  test('is asked for each who seems to be gone: half a list disables nobody', async () => {
    const stage = await openStage(slapd, VARIABLES)
    await stage.sync()
    const { ports } = stage
    const { directory } = ports
    if (!directory) throw new Error('There is no directory.')
    Object.assign(ports, { directory: forgetful(directory) })
    expect(await rejection(stage.sync())).toMatchObject({
      code: 'unavailable',
      detail: 'The directory sent an incomplete list of users. Start the sync again.',
    })
    expect(await stage.users()).toMatchObject({ ada: { disabled: false }, ben: { disabled: false } })
    Object.assign(ports, { directory })
    expect(await stage.sync()).toMatchObject({ unchanged: 3 })
    await stage.close()
  })
})
