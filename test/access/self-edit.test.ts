import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { USER_TYPES } from '../../src/access/users/changes.ts'
import type { UserType } from '../../src/access/users/changes.ts'
import { createDashboard } from '../../src/analytics/dashboards/service.ts'
import { dashboardBody } from '../../src/analytics/dashboards/schema.ts'
import { userBody } from '../../src/access/users/schema.ts'
import { beginMfa, confirmMfa, enforceMfa } from '../../src/access/session/mfa/service.ts'
import { createUser, readUser, updateUser } from '../../src/access/users/service.ts'
import { ROLES } from '../../src/context.ts'
import type { Context, Role } from '../../src/context.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { rejection } from '../contract/rejection.ts'
import { openPorts } from '../hosts/ports.ts'

/** A change of each field, from what a new user has. */
const CHANGES = {
  username: 'somebody else',
  role: 'Data_Editor',
  type: 'shared',
  fullname: 'Ada Lovelace',
  email: 'ada@example.org',
  phone: '+44 1',
  startDashboardId: 1,
  language: 'de',
  timeZone: 'Europe/London',
  darkMode: true,
  properties: [{ key: 'region', value: 'north' }],
  password: 'the next password',
} as const
type Field = keyof typeof CHANGES

/** The specification's words, not the code's. */
const ON_THEMSELVES: Readonly<Record<UserType, readonly Field[]>> = {
  local: ['fullname', 'email', 'phone', 'startDashboardId', 'language', 'timeZone', 'password'],
  LDAP_MANAGED: ['startDashboardId', 'language', 'timeZone'],
  shared: [],
}

let opened: Awaited<ReturnType<typeof openPorts>>
let made = 0
beforeAll(async () => {
  opened = await openPorts()
  // Fast: what is tested is who may, not how slowly.
  opened.ports.secrets.scrypt = async (password) =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(password)))
  const { view } = await createDashboard(
    contextOf(0, 'administrator'),
    dashboardBody.parse({ name: 'start' }),
  )
  expect(view.id).toBe(CHANGES.startDashboardId)
})
afterAll(() => opened.close())

async function makeUser(type: UserType, role: Role = 'editor') {
  const password = type === 'LDAP_MANAGED' ? {} : { password: 'a password' }
  return createUser(contextOf(0, 'administrator'), { username: `user ${made++}`, role, type, ...password })
}

function contextOf(userId: number, role: Role): Context {
  const caller = { kind: 'user', userId, username: '', role, sessionHash: null } as const
  return { ports: opened.ports, caller, requestId: 'test' }
}

/** The code of the refusal with its pointers, or `done`. */
async function change(context: Context, id: number, body: object): Promise<string> {
  try {
    await updateUser(context, id, {
      body: userBody.parse({ currentPassword: 'a password', ...body }),
      ifMatch: null,
    })
    return 'done'
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [error.code, ...error.errors.map(({ pointer }) => pointer)].join(' ')
  }
}

function expectedOf(asker: string, type: UserType, field: Field): string {
  if (asker === 'somebody else') return 'forbidden'
  const isOwn = ON_THEMSELVES[type].includes(field)
  // Who is shared already stays so.
  if (field === 'type' && type === 'shared') return 'done'
  if (asker === 'the user' && !isOwn) return `forbidden /${field}`
  if (field === 'type' && type === 'LDAP_MANAGED') return 'invalid /type'
  if (field === 'password' && type === 'LDAP_MANAGED') return 'invalid /password'
  return 'done'
}

describe('who may change what on whom', () => {
  for (const type of USER_TYPES) {
    for (const field of Object.keys(CHANGES) as Field[]) {
      for (const asker of ['an administrator', 'the user', 'somebody else']) {
        const expected = expectedOf(asker, type, field)
        test(`${asker} changes the ${field} of a user of type ${type}: ${expected}`, async () => {
          const user = await makeUser(type)
          const before = (await readUser(contextOf(user.id, 'administrator'), user.id)).view
          const contexts: Record<string, Context> = {
            'an administrator': contextOf(0, 'administrator'),
            'the user': contextOf(user.id, 'editor'),
            'somebody else': contextOf(user.id + 1_000_000, 'editor'),
          }
          const context = contexts[asker] ?? contextOf(0, 'collector')
          // Each of them in a name of its own: names are taken once.
          const value = field === 'username' ? `${CHANGES.username} ${user.id}` : CHANGES[field]
          expect(await change(context, user.id, { [field]: value })).toBe(expected)
          const { view: after } = await readUser(contextOf(user.id, 'administrator'), user.id)
          const shown = field === 'password' ? {} : { [field]: value }
          const renamed = field === 'username' ? { name: value } : {}
          expect(after as object).toEqual(expected === 'done' ? { ...before, ...shown, ...renamed } : before)
        })
      }
    }
  }

  for (const [from, to] of [
    ['local', 'LDAP_MANAGED'],
    ['shared', 'LDAP_MANAGED'],
    ['LDAP_MANAGED', 'local'],
    ['LDAP_MANAGED', 'shared'],
  ] as const) {
    test(`nobody makes ${to} of a user of type ${from}`, async () => {
      const { id } = await makeUser(from)
      expect(await change(contextOf(0, 'administrator'), id, { type: to })).toBe('invalid /type')
    })
  }

  for (const [from, to] of [
    ['local', 'shared'],
    ['shared', 'local'],
  ] as const) {
    test(`an administrator makes ${to} of a user of type ${from}`, async () => {
      const { id } = await makeUser(from)
      expect(await change(contextOf(0, 'administrator'), id, { type: to })).toBe('done')
    })
  }

  for (const type of USER_TYPES) {
    test(`a user of type ${type} sends back what a read of himself answers`, async () => {
      const { id } = await makeUser(type)
      const { view: user } = await readUser(contextOf(id, 'editor'), id)
      expect(await change(contextOf(id, 'editor'), id, user)).toBe('done')
    })
  }

  for (const type of USER_TYPES) {
    test(`a user of type ${type} begins with MFA ${type === 'local' ? 'at will' : 'only where it is demanded'}`, async () => {
      const { id } = await makeUser(type)
      const forbidden = { code: 'forbidden' }
      const begin = () => beginMfa(contextOf(id, 'editor'))
      if (type === 'local') expect((await begin()).secret).not.toBe('')
      else {
        expect(await rejection(begin())).toMatchObject(forbidden)
        expect(await rejection(confirmMfa(contextOf(id, 'editor'), '123456'))).toMatchObject(forbidden)
      }
      await enforceMfa(contextOf(0, 'administrator'), id, true)
      expect((await begin()).secret).not.toBe('')
    })
  }

  test('an administrator of whom the type is shared changes himself as an administrator', async () => {
    await makeUser('local', 'administrator')
    const { id } = await makeUser('shared', 'administrator')
    expect(await change(contextOf(id, 'administrator'), id, { phone: '1', role: 'editor' })).toBe('done')
  })

  test('whatever else is sent along, what a user may not change stays', async () => {
    const fields = Object.entries(CHANGES).map(
      ([name, value]) => [name, fc.constant<unknown>(value)] as const,
    )
    const values = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
    const types = fc.constantFrom(...USER_TYPES)
    const roles = fc.constantFrom(...ROLES.filter((role) => role !== 'administrator'))
    await fc.assert(
      fc.asyncProperty(values, types, roles, async (body, type, role) => {
        const { id } = await makeUser(type, role)
        const administrator = contextOf(0, 'administrator')
        const before = (await readUser(administrator, id)).view
        await change(contextOf(id, role), id, body)
        const after: Record<string, unknown> = { ...(await readUser(administrator, id)).view }
        const own = new Set<string>(ON_THEMSELVES[type])
        for (const [name, value] of Object.entries(before))
          if (!own.has(name)) expect(after[name]).toEqual(value)
      }),
      { numRuns: 200 },
    )
  })
})

test('what no longer exists is said to be gone, of users and of new users', () => {
  const { error } = userBody.safeParse({ visuallyImpaired: false })
  expect(error?.issues).toMatchObject([
    { path: ['visuallyImpaired'], message: 'was removed from the interface' },
  ])
})
