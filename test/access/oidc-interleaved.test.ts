import { afterEach, beforeEach, expect, test } from 'bun:test'

import { profileOf } from '../../src/access/oidc/mapping.ts'
import { accountFor } from '../../src/access/oidc/service/accounts.ts'
import { createUser, listUsers, readUser } from '../../src/access/users/service.ts'
import type { Context } from '../../src/context.ts'
import { parseEnvironment } from '../../src/ports/environment.ts'
import type { Ports } from '../../src/ports/index.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import { precededBy } from '../hosts/interleaved.ts'
import { variablesOf } from '../hosts/oidc-provider.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const VARIABLES = variablesOf('https://provider.example')
const ADA = { sub: 'ada', preferred_username: 'ada', email: 'ada@example.org', email_verified: true }

let opened: Awaited<ReturnType<typeof openPorts>>
beforeEach(async () => {
  opened = await openPorts()
})
afterEach(() => opened.close())

/** The user of a login of Ada, who is in these groups at the provider. */
function logIn(groups: readonly string[], ports: Ports = opened.ports): Promise<number> {
  const { oidc } = settingsOf(parseEnvironment(settingsSchema, VARIABLES))
  if (!oidc) throw new Error('The settings have no provider.')
  const context: Context = { ports, caller: { kind: 'anonymous' }, requestId: 'test' }
  return accountFor(context, oidc, { subject: ADA.sub, profile: profileOf({ ...ADA, groups }, oidc) })
}

/** The users of two logins, the first of which runs before the first commit of the second. */
async function logInTwice(groups: readonly string[]): Promise<readonly number[]> {
  const users: number[] = []
  const first = async () => users.push(await logIn(groups))
  users.push(await logIn(groups, precededBy(opened.ports, first)))
  return users
}

test('two first logins of one person at the same time create one user', async () => {
  const [first, second] = await logInTwice(['view'])
  expect(second).toBe(first ?? 0)
  expect((await listUsers(administratorOf(opened.ports), { limit: 10 })).items).toHaveLength(1)
})

test('two logins that link a user by the mail address at the same time sign in as that user', async () => {
  const ada = await createUser(administratorOf(opened.ports), {
    username: 'lady',
    password: 'countess of lovelace',
    email: ADA.email,
    role: 'editor',
  })
  expect(await logInTwice(['ops'])).toEqual([ada.id, ada.id])
})

test('two logins that change the role of a user at the same time both succeed', async () => {
  const id = await logIn(['view'])
  expect(await logInTwice(['ops'])).toEqual([id, id])
  expect((await readUser(administratorOf(opened.ports), id)).view.role).toBe('editor')
})
