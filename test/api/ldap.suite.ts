import { expect } from 'bun:test'

import { syncReport } from '../../src/access/directory/schema.ts'
import { PASSWORD, person } from '../access/ldap-stage.ts'
import { logIn } from './client.ts'
import type { Client } from './client.ts'
import { createDashboard } from './objects.ts'
import { bareStage, expectAnswer, good, table } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type User = { readonly id: number; readonly username: string; readonly role: string }

/** The people of the directory that every host of these suites asks. */
export const DIRECTORY = ['lovelace', 'babbage'].map((uid) => person(uid)).join('')

const refusals = table(bareStage, [
  { title: 'a request without credentials', call: 'POST /ldap/sync', as: null, answers: 'unauthenticated' },
  { title: 'an editor', call: 'POST /ldap/sync', as: 'editor', answers: 'forbidden' },
  { title: 'an editor', call: 'GET /ldap/sync', as: 'editor', answers: 'forbidden' },
])

async function lovelace(client: Client): Promise<User & Record<string, unknown>> {
  const users = await good<User[]>(client.request('GET', '/users'))
  const user = users.find(({ username }) => username === 'lovelace')
  if (!user) throw new Error('Nobody is called lovelace.')
  return user
}

const scenarios: Scenario[] = [
  {
    title: 'a sync makes users of people, says so, and is what is read of it later',
    async run(client) {
      // Others may have synced before, and entered users whom the directory does not have.
      await good(client.request('POST', '/ldap/sync'))
      const report = syncReport.parse(await good(client.request('POST', '/ldap/sync')))
      expect(report).toMatchObject({ created: 0, disabled: 0, unchanged: 2, failed: 0, problem: null })
      expect(await good<object>(client.request('GET', '/ldap/sync'))).toEqual(report)
      const user = await lovelace(client)
      expect(user).toMatchObject({ type: 'LDAP_MANAGED', disabled: false })
      const { items } = await good<{ items: object[] }>(client.request('GET', `/users/${user.id}/identities`))
      expect(items).toEqual([{ kind: 'ldap', directoryId: expect.stringMatching(/./) as string }])
    },
  },
  {
    title: 'who is in the directory signs in, and changes of themselves what LDAP_MANAGED users may',
    async run(client) {
      const { id } = await lovelace(client)
      const sessionId = await logIn(client, { username: 'lovelace', password: PASSWORD })
      const as = { as: null, headers: { 'x-session-id': sessionId } }
      const own = {
        startDashboardId: await createDashboard(client),
        language: 'de',
        timeZone: 'Europe/Zurich',
      }
      expect(await good<object>(client.request('PUT', `/users/${id}`, { json: own, ...as }))).toMatchObject(
        own,
      )
      for (const [field, value] of Object.entries({
        fullname: 'Ada',
        email: 'ada@example.org',
        phone: '1',
        username: 'ada',
        role: 'administrator',
        darkMode: true,
        password: 'a password of my own',
      })) {
        const refused = await client.request('PUT', `/users/${id}`, { json: { [field]: value }, ...as })
        expectAnswer(refused, { answers: 'forbidden', pointers: [`/${field}`] })
      }
      const change = { currentPassword: PASSWORD, newPassword: 'a password of my own' }
      const password = await client.request('POST', '/session/password', { json: change, ...as })
      expectAnswer(password, { answers: 'forbidden' })
      expect(await good<object>(client.request('POST', '/ldap/sync'))).toMatchObject({ unchanged: 2 })
      expect(await lovelace(client)).toMatchObject(own)
    },
  },
  {
    title: 'whether somebody is disabled is read, sent back as it was, and not to be changed',
    decidedAbovePorts: 'directory users',
    async run(client) {
      const user = await lovelace(client)
      const change = (json: object) => client.request('PUT', `/users/${user.id}`, { json })
      expectAnswer(await change(user), { answers: 200 })
      expectAnswer(await change({ disabled: true }), { answers: 'invalid', pointers: ['/disabled'] })
      expectAnswer(await change({ type: 'local' }), { answers: 'invalid', pointers: ['/type'] })
      const made = { username: 'born disabled', role: 'editor', type: 'LDAP_MANAGED', disabled: true }
      expectAnswer(await client.request('POST', '/users', { json: made }), {
        answers: 'invalid',
        pointers: ['/disabled'],
      })
    },
  },
  {
    title: 'a wrong or empty password of somebody of the directory is one of nobody',
    async run(client) {
      for (const password of ['wrong', ' ']) {
        const json = { username: 'lovelace', password }
        expectAnswer(await client.request('POST', '/session/login', { json, as: null }), {
          answers: 'unauthenticated',
        })
      }
      const headers = { authorization: `Basic ${btoa('lovelace:')}` }
      expectAnswer(await client.request('GET', '/users', { as: null, headers }), {
        answers: 'unauthenticated',
      })
    },
  },
]

export const ldapSuite: Suite = { name: 'ldap', scenarios: [...refusals, ...scenarios] }
