import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import { TIME_ZONE } from '../hosts/host.ts'
import { startHost } from '../hosts/start.ts'
import { PASSWORD, connectAdministrator } from './client.ts'
import type { Answer, Client, Speaker } from './client.ts'
import { createDashboard } from './objects.ts'
import { expectAnswer, good, once, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type User = Readonly<Record<string, unknown>> & { readonly id: number; readonly username: string }

const NEW = { username: 'new', password: PASSWORD, role: 'editor' }
const twice = [{ key: 'region', value: 'north' }]
const manyProperties = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `property ${index}`, value: String(index) }))
const OTHERS = ROLES.filter((role) => role !== 'administrator')

const stage = once(async (client) => {
  const { id } = await makeUser(client, 'somebody')
  return { user: id, editor: client.userIds.editor, admin: client.userIds.administrator }
})

const refusals: readonly Row[] = [
  ...['GET /users', 'POST /users', 'GET /users/{user}', 'PUT /users/{user}', 'DELETE /users/{user}'].map(
    (line): Row => ({
      title: 'a request without credentials',
      call: line,
      as: null,
      answers: 'unauthenticated',
    }),
  ),
  ...OTHERS.flatMap((as): Row[] => [
    { title: as, call: 'POST /users', as, json: NEW, answers: 'forbidden' },
    { title: `${as} on somebody else`, call: 'PUT /users/{user}', as, json: {}, answers: 'forbidden' },
    { title: as, call: 'DELETE /users/{user}', as, answers: 'forbidden' },
  ]),
  {
    title: 'an editor on himself',
    call: 'PUT /users/{editor}',
    as: 'editor',
    json: { ...NEW, role: 'administrator' },
    answers: 'forbidden',
    pointers: ['/role', '/username'],
  },
  ...['GET', 'PUT', 'DELETE'].flatMap((method) =>
    ['999999', '0', '-1', '1.5', '1e3', 'abc', '%20', '9999999999999999'].map((id): Row => ({
      title: 'no such user',
      call: `${method} /users/${id}`,
      json: method === 'PUT' ? NEW : undefined,
      answers: 'not_found',
    })),
  ),
  {
    title: 'a name that is taken',
    call: 'POST /users',
    json: { ...NEW, username: 'somebody' },
    answers: 'name_taken',
    pointers: ['/username'],
  },
  ...['SOMEBODY', '\uff53omebody', 'someBody'].map((username): Row => ({
    title: `a name that is compared as one that is taken: ${username}`,
    call: 'POST /users',
    json: { ...NEW, username },
    answers: 'name_taken',
    pointers: ['/username'],
  })),
  {
    title: 'a name that is compared as one that is taken',
    call: 'PUT /users/{user}',
    json: { username: 'EDITOR' },
    answers: 'name_taken',
    pointers: ['/username'],
  },
  {
    title: 'a name that is taken',
    call: 'PUT /users/{user}',
    json: { ...NEW, username: 'editor' },
    answers: 'name_taken',
    pointers: ['/username'],
  },
  {
    title: 'the last administrator as an editor',
    call: 'PUT /users/{admin}',
    json: { role: 'editor' },
    answers: 'last_administrator',
  },
  { title: 'the last administrator', call: 'DELETE /users/{admin}', answers: 'last_administrator' },
  {
    title: 'the last administrator, disabled',
    call: 'PUT /users/{admin}',
    json: { disabled: true },
    answers: 'last_administrator',
  },
  {
    title: 'the last administrator, disabled by a patch',
    call: 'PATCH /users/{admin}',
    json: { disabled: true },
    answers: 'last_administrator',
  },
  {
    title: 'an editor who disables himself',
    call: 'PUT /users/{editor}',
    as: 'editor',
    json: { disabled: true },
    answers: 'forbidden',
    pointers: ['/disabled'],
  },
  {
    title: 'an editor who disables somebody else',
    call: 'PATCH /users/{user}',
    as: 'editor',
    json: { disabled: true },
    answers: 'forbidden',
  },
  ...['yes', 1, null].map((disabled): Row => ({
    title: `disabled as ${disabled}`,
    call: 'PUT /users/{user}',
    json: { disabled },
    answers: 'invalid',
    pointers: ['/disabled'],
  })),
  { title: 'no page', call: 'GET /users?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the smallest page', call: 'GET /users?limit=1', answers: 200 },
  { title: 'the largest page', call: 'GET /users?limit=1000', answers: 200 },
  { title: 'a larger page', call: 'GET /users?limit=1001', answers: 'invalid', pointers: ['?limit'] },
  { title: 'a foreign cursor', call: 'GET /users?cursor=x', answers: 'invalid', pointers: ['?cursor'] },
  {
    title: 'a stale tag',
    call: 'PUT /users/{user}',
    json: NEW,
    headers: { 'if-match': '"999"' },
    answers: 'precondition_failed',
  },
  {
    title: 'a tag of somebody else',
    call: 'PUT /users/{user}',
    json: NEW,
    headers: { 'if-match': '"abc"' },
    answers: 'precondition_failed',
  },
]

/** Bodies that no user can have, and the fields that are wrong. */
const FAULTS: readonly (readonly [title: string, json: object, pointers: readonly string[]])[] = [
  ['nothing', {}, ['/username', '/password', '/role']],
  ['no password', { ...NEW, password: undefined }, ['/password']],
  ['a short password', { ...NEW, password: '1234567' }, ['/password']],
  ['a long password', { ...NEW, password: 'x'.repeat(1025) }, ['/password']],
  ['an empty name', { ...NEW, username: '' }, ['/username']],
  ['a name of spaces', { ...NEW, username: '   ' }, ['/username']],
  ['a long name', { ...NEW, username: 'x'.repeat(256) }, ['/username']],
  ['a colon, which Basic cannot send', { ...NEW, username: 'a:b' }, ['/username']],
  ['a control character', { ...NEW, username: 'a\nb' }, ['/username']],
  ['an invisible character', { ...NEW, username: 'edi\u200btor' }, ['/username']],
  ['letters of two scripts', { ...NEW, username: '\u0430dmin' }, ['/username']],
  ['an unknown role', { ...NEW, role: 'root' }, ['/role']],
  ['a role of prototypes', { ...NEW, role: 'constructor' }, ['/role']],
  ['a language that is none', { ...NEW, language: 'English!' }, ['/language']],
  ['a zone that is none', { ...NEW, timeZone: 'Mars/Olympus' }, ['/timeZone']],
  ['a dashboard that is none', { ...NEW, startDashboardId: 0 }, ['/startDashboardId']],
  ['an unknown dashboard', { ...NEW, startDashboardId: 999_999 }, ['/startDashboardId']],
  ['a mail address with a line break', { ...NEW, email: 'a@b.example\r\nBcc: c@d.example' }, ['/email']],
  ['two mail addresses', { ...NEW, email: 'a@b.example, c@d.example' }, ['/email']],
  ['a mail that is no address', { ...NEW, email: 'ada' }, ['/email']],
  ['a name that is not the username', { ...NEW, name: 'Ada' }, ['/name']],
  ['a long fullname', { ...NEW, fullname: 'x'.repeat(256) }, ['/fullname']],
  ['a field that is gone', { ...NEW, visuallyImpaired: true }, ['/visuallyImpaired']],
  ['a field that is gone, though it is null', { ...NEW, visuallyImpaired: null }, ['/visuallyImpaired']],
  ['a type that is none', { ...NEW, type: 'ldap' }, ['/type']],
  ['dark mode that is no boolean', { ...NEW, darkMode: 'yes' }, ['/darkMode']],
  ['a property without a key', { ...NEW, properties: [{ key: '', value: 'x' }] }, ['/properties/0/key']],
  ['a property without a value', { ...NEW, properties: [{ key: 'a', value: '' }] }, ['/properties/0/value']],
  [
    'a property with a long key and a long value',
    { ...NEW, properties: [{ key: 'x'.repeat(256), value: 'x'.repeat(1_001) }] },
    ['/properties/0/key', '/properties/0/value'],
  ],
  ['the same property twice', { ...NEW, properties: [...twice, ...twice] }, ['/properties/1/key']],
  ['101 properties', { ...NEW, properties: manyProperties(101) }, ['/properties']],
  ['a password of somebody of a directory', { ...NEW, type: 'LDAP_MANAGED' }, ['/password']],
  ['a shared user without a password', { ...NEW, type: 'shared', password: undefined }, ['/password']],
  ['a user who is disabled from the start', { ...NEW, disabled: true }, ['/disabled']],
  ['two unknown fields', { ...NEW, passwordHash: 'x', version: 9 }, ['/passwordHash', '/version']],
]

/** The answer to a read, sent back as it was read and with changes. */
const rereads: readonly Row[] = [
  ['a name that is not the username', { name: 'Ada' }, 'invalid', ['/name']],
  ['a name that is not the new username', { name: 'Ada', username: 'somebody' }, 'invalid', ['/name']],
  ['the name as it was read', { name: 'somebody' }, 200],
  ['two mail addresses', { email: 'a@b.example,c@d.example' }, 'invalid', ['/email']],
  ['no mail address', { email: '' }, 200],
  ['an unknown dashboard', { startDashboardId: 999_999 }, 'invalid', ['/startDashboardId']],
].map(
  ([title, json, answers, pointers]) =>
    ({ title, call: 'PUT /users/{user}', json, answers, pointers }) as Row,
)

const views: Scenario[] = [
  {
    title: 'everyone signed in sees all users as a bare array, in the order of their ids',
    decidedAbovePorts: 'users',
    async run(client) {
      const names = await stage(client)
      for (const as of ROLES) {
        const users = await good<User[]>(client.request('GET', '/users', { as }))
        expect(users.map(({ id }) => id)).toEqual(users.map(({ id }) => id).sort((a, b) => a - b))
        expect(users.find(({ id }) => id === names['user'])).toMatchObject({
          name: 'somebody',
          username: 'somebody',
          role: 'editor',
          type: 'local',
        })
      }
    },
  },
  {
    title: 'how to reach somebody is for administrators and for oneself',
    decidedAbovePorts: 'users',
    async run(client) {
      const { user } = await stage(client)
      const properties = [{ key: 'region', value: 'north' }]
      const contacts = { email: 'user@example.org', phone: '+41 00 000 00 00', properties }
      await good(
        client.request('PUT', `/users/${user}`, { json: { ...NEW, username: 'somebody', ...contacts } }),
      )
      const session = await logIn(client, 'somebody', PASSWORD)
      const own = { as: null, headers: { 'x-session-id': session } }
      for (const request of [{}, own]) {
        expect(await good(client.request('GET', `/users/${user}`, request))).toMatchObject(contacts)
        expect(await find(client, user, request)).toMatchObject(contacts)
      }
      for (const as of OTHERS) {
        for (const view of [
          await good(client.request('GET', `/users/${user}`, { as })),
          await find(client, user, { as }),
        ]) {
          expect(Object.keys(view)).not.toContain('email')
          expect(Object.keys(view)).not.toContain('phone')
          expect(Object.keys(view)).not.toContain('properties')
        }
      }
    },
  },
  {
    title: 'no answer about users holds a password or its hash',
    decidedAbovePorts: 'users',
    async run(client) {
      const { user } = await stage(client)
      const answers = [await client.request('GET', '/users'), await client.request('GET', `/users/${user}`)]
      for (const { text } of answers) {
        expect(text).not.toContain('scrypt')
        expect(text.toLowerCase()).not.toContain('password')
      }
    },
  },
]

const FIELDS = {
  role: 'Data_Editor',
  fullname: 'Ada Lovelace',
  email: 'ada@example.org',
  phone: '+44 1',
  language: 'en-GB',
  timeZone: 'Europe/London',
  darkMode: true,
  properties: [
    { key: 'region', value: 'north' },
    { key: 'cost centre', value: '7' },
  ],
}

const changes: Scenario[] = [
  {
    title: 'POST /users keeps every field, answers where the user is, and fills in the rest',
    async run(client) {
      const fields = { ...FIELDS, startDashboardId: await createDashboard(client) }
      const answer = await client.request('POST', '/users', {
        json: { username: '  Ada ', name: 'Ada', password: PASSWORD, ...fields },
      })
      expectAnswer(answer, { answers: 201 })
      const { id } = answer.body
      expect(answer.body).toEqual({
        id,
        name: 'Ada',
        username: 'Ada',
        type: 'local',
        ...fields,
        disabled: false,
      })
      expect(await good(client.request('GET', String(answer.headers.get('location'))))).toEqual(answer.body)
      const plain = await makeUser(client, 'plain')
      expect(plain).toEqual({
        ...plain,
        role: 'editor',
        fullname: '',
        email: '',
        phone: '',
        startDashboardId: null,
        language: 'en',
        timeZone: TIME_ZONE,
        darkMode: false,
        properties: [],
        disabled: false,
      })
    },
  },
  {
    title: 'the longest name and the shortest password are taken',
    decidedAbovePorts: 'users',
    async run(client) {
      const username = 'é'.repeat(255)
      await good(client.request('POST', '/users', { json: { ...NEW, username, password: 'g7#kQ2!z' } }))
      await logIn(client, username, 'g7#kQ2!z')
    },
  },
  {
    title:
      '100 properties are taken, as long as they may be; other users change none, not even of themselves',
    decidedAbovePorts: 'users',
    async run(client) {
      const { id } = await makeUser(client, 'with properties')
      const properties = [{ key: 'k'.repeat(255), value: 'v'.repeat(1_000) }, ...manyProperties(99)]
      const path = `/users/${id}`
      expect(await good(client.request('PUT', path, { json: { properties } }))).toMatchObject({ properties })
      const session = await logIn(client, 'with properties', PASSWORD)
      const own = { as: null, headers: { 'x-session-id': session } }
      expect(await good(client.request('PUT', path, { ...own, json: { properties } }))).toMatchObject({
        properties,
      })
      expectAnswer(await client.request('PUT', path, { ...own, json: { properties: [] } }), {
        answers: 'forbidden',
        pointers: ['/properties'],
      })
      await good(client.request('DELETE', path))
    },
  },
  {
    title: 'a read that is sent back changes nothing but its tag, and leaves the sessions open',
    decidedAbovePorts: 'users',
    async run(client) {
      const { id } = await makeUser(client, 'unchanged', FIELDS)
      const session = await logIn(client, 'unchanged', PASSWORD)
      const read = await client.request('GET', `/users/${id}`)
      const written = await client.request('PUT', `/users/${id}`, {
        json: read.body,
        headers: { 'if-match': String(read.headers.get('etag')) },
      })
      expectAnswer(written, { answers: 200 })
      expect(written.body).toEqual(read.body)
      expect(await isOpen(client, session)).toBe(true)
      const stale = await client.request('PUT', `/users/${id}`, {
        json: read.body,
        headers: { 'if-match': String(read.headers.get('etag')) },
      })
      expectAnswer(stale, { answers: 'precondition_failed' })
      await good(client.request('PUT', `/users/${id}`, { json: read.body, headers: { 'if-match': '*' } }))
    },
  },
  {
    title: 'of two changes that both want the version that was read, one is refused',
    async run(client) {
      const { id, ...user } = await makeUser(client, 'contested')
      const etag = String((await client.request('GET', `/users/${id}`)).headers.get('etag'))
      const change = (fullname: string) =>
        client.request('PUT', `/users/${id}`, {
          json: { ...user, fullname, password: PASSWORD },
          headers: { 'if-match': etag },
        })
      const answers = await Promise.all(['first', 'second', 'third'].map(change))
      expect(statusesOf(answers)).toEqual([200, 412, 412])
      const winner = answers.find(({ status }) => status === 200)
      expect(await good(client.request('GET', `/users/${id}`))).toEqual({ ...winner?.body })
    },
  },
  ...[
    ['another password', { password: 'another password' }, false],
    ['another role', { role: 'collector' }, false],
    ['another phone', { phone: '1' }, true],
    ['another name', { username: 'signed in and renamed' }, true],
  ].map(([title, change, staysOpen], index) => ({
    title: `${title as string} ${staysOpen ? 'leaves the user signed in' : 'signs the user out'}`,
    decidedAbovePorts: 'users',
    async run(client: Client) {
      const username = `signed in ${index}`
      const user = await makeUser(client, username)
      const session = await logIn(client, username, PASSWORD)
      expect(await isOpen(client, session)).toBe(true)
      await good(client.request('PUT', `/users/${user.id}`, { json: { ...user, ...(change as object) } }))
      expect(await isOpen(client, session)).toBe(staysOpen as boolean)
    },
  })),
  {
    title: 'users change of themselves what they may, of each type as the specification says',
    decidedAbovePorts: 'users',
    async run(client) {
      const own = {
        fullname: 'Ada',
        email: 'ada@example.org',
        phone: '1',
        startDashboardId: await createDashboard(client),
        language: 'de',
        timeZone: 'Europe/London',
      }
      for (const [type, answers] of [
        ['local', 200],
        ['shared', 'forbidden'],
      ] as const) {
        const { id } = await makeUser(client, `self ${type}`, { type, role: 'dashboard_viewer' })
        const as = { as: null, headers: { 'x-session-id': await logIn(client, `self ${type}`, PASSWORD) } }
        const pointers = Object.keys(own).map((field) => `/${field}`)
        const changed = await client.request('PUT', `/users/${id}`, { ...as, json: own })
        expectAnswer(changed, answers === 200 ? { answers } : { answers, pointers })
        expectAnswer(await client.request('PUT', `/users/${id}`, { ...as, json: { darkMode: true } }), {
          answers: 'forbidden',
          pointers: ['/darkMode'],
        })
        const { role, ...rest } = await good<User>(client.request('GET', `/users/${id}`, as))
        expect(role).toBe('dashboard_viewer')
        expect(rest).toMatchObject(answers === 200 ? own : { fullname: '', language: 'en' })
      }
    },
  },
  {
    title: 'who is LDAP_MANAGED has no password here, cannot be given one, and stays LDAP_MANAGED',
    decidedAbovePorts: 'users',
    async run(client) {
      const json = { username: 'managed', role: 'editor', type: 'LDAP_MANAGED' }
      const { id } = await good<User>(client.request('POST', '/users', { json }))
      for (const password of ['', 'x', PASSWORD, 'undefined']) {
        const login = { json: { username: 'managed', password: password || ' ' }, as: null }
        expectAnswer(await client.request('POST', '/session/login', login), { answers: 'unauthenticated' })
      }
      const change = (body: object) => client.request('PUT', `/users/${id}`, { json: body })
      expectAnswer(await change({ password: PASSWORD }), { answers: 'invalid', pointers: ['/password'] })
      expectAnswer(await change({ type: 'local' }), { answers: 'invalid', pointers: ['/type'] })
      expectAnswer(await change({ role: 'collector', language: 'fr' }), { answers: 200 })
    },
  },
  {
    title: 'a change of password ends the old one, also for Basic, and takes the new one at once',
    async run(client) {
      const user = await makeUser(client, 'changing')
      const withPassword = (password: string) => ({
        as: null,
        headers: { authorization: `Basic ${btoa(`changing:${password}`)}` },
      })
      expect((await client.request('GET', '/users', withPassword(PASSWORD))).status).toBe(200)
      await good(
        client.request('PUT', `/users/${user.id}`, { json: { ...user, password: 'the next password' } }),
      )
      expect((await client.request('GET', '/users', withPassword(PASSWORD))).status).toBe(401)
      expect((await client.request('GET', '/users', withPassword('the next password'))).status).toBe(200)
      await good(client.request('PUT', `/users/${user.id}`, { json: user }))
      expect((await client.request('GET', '/users', withPassword('the next password'))).status).toBe(200)
    },
  },
  {
    title: 'whoever changes their own password says the present one, and guesses at it are counted',
    decidedAbovePorts: 'users',
    async run(client) {
      const { id } = await makeUser(client, 'own password', { role: 'administrator' })
      const own = async () => ({
        as: null,
        headers: { 'x-session-id': await logIn(client, 'own password', PASSWORD) },
      })
      const [first, other] = [await own(), await own()]
      const put = (json: object, as: object = first) => client.request('PUT', `/users/${id}`, { ...as, json })
      const password = 'a wholly different thing'
      const missing = { answers: 'invalid', pointers: ['/currentPassword'] } as const
      expectAnswer(await put({ password }), missing)
      expectAnswer(await put({ password, currentPassword: password }), missing)
      expectAnswer(await put({ password: PASSWORD, currentPassword: PASSWORD }), {
        answers: 'invalid',
        pointers: ['/password'],
      })
      expectAnswer(await put({ phone: '1' }), { answers: 200 })
      expectAnswer(await put({ phone: '2', currentPassword: 'ignored' }), { answers: 200 })
      expectAnswer(await put({ password, currentPassword: PASSWORD }), { answers: 200 })
      expectAnswer(await client.request('GET', '/users', other), { answers: 'unauthenticated' })
      expectAnswer(await client.request('PUT', `/users/${id}`, { json: { password: PASSWORD } }), {
        answers: 200,
      })

      const again = await own()
      for (let tried = 0; tried < 10; tried++)
        expectAnswer(await put({ password, currentPassword: `wrong ${tried}` }, again), missing)
      expectAnswer(await put({ password, currentPassword: PASSWORD }, again), {
        answers: 'too_many_attempts',
      })
    },
  },
  {
    title: 'users come in pages, in the order of their ids, without gap or repetition',
    decidedAbovePorts: 'users',
    async run(client) {
      const all = (await good<User[]>(client.request('GET', '/users'))).map(({ id }) => id)
      expect(all.length).toBeGreaterThan(7)
      const seen: number[] = []
      for (let next: string | null = '/users?limit=3'; next !== null;) {
        const { headers, body } = await client.request('GET', next)
        const page = body as unknown as User[]
        expect(page.length).toBeLessThanOrEqual(3)
        seen.push(...page.map(({ id }) => id))
        next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? null
      }
      expect(seen).toEqual(all)
    },
  },
  {
    title: 'a deleted user is gone, signed out, and leaves the name to others',
    async run(client) {
      const { id } = await makeUser(client, 'leaving')
      const session = await logIn(client, 'leaving', PASSWORD)
      expectAnswer(await client.request('DELETE', `/users/${id}`), { answers: 204 })
      expect(await isOpen(client, session)).toBe(false)
      expectAnswer(await client.request('GET', `/users/${id}`), { answers: 'not_found' })
      expectAnswer(await client.request('DELETE', `/users/${id}`), { answers: 'not_found' })
      const login = { username: 'leaving', password: PASSWORD }
      expectAnswer(await client.request('POST', '/session/login', { json: login, as: null }), {
        answers: 'unauthenticated',
      })
      expect((await makeUser(client, 'leaving')).id).toBeGreaterThan(id)
    },
  },
  {
    title: 'a disabled user is refused at once in every way, and signs in anew once enabled',
    run: refuseDisabled,
  },
  {
    title: 'one administrator may go while there is another, but two at once may not both',
    decidedAbovePorts: 'users',
    run: (client) => onFreshHost(client, keepOneAdministrator),
  },
]

async function refuseDisabled(client: Client): Promise<void> {
  const { id } = await makeUser(client, 'shut out')
  const session = await logIn(client, 'shut out', PASSWORD)
  const bySession = { 'x-session-id': session }
  const ask = async (headers: Readonly<Record<string, string>>) =>
    (await client.request('GET', '/users', { as: null, headers })).status
  const signedIn = await good<{ accessToken: string; refreshToken: string }>(
    client.request('POST', '/session/login', {
      as: null,
      json: { username: 'shut out', password: PASSWORD },
    }),
  )
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const { token } = await good<{ token: string }>(
    client.request('POST', '/session/personal-tokens', {
      as: null,
      headers: bySession,
      json: { name: 'a program', scopes: ['read'], expiresAt },
    }),
  )
  const ways = [
    bySession,
    { authorization: `Bearer ${signedIn.accessToken}` },
    { authorization: `Bearer ${token}` },
    { authorization: `Basic ${btoa(`shut out:${PASSWORD}`)}` },
  ]
  const each = () => Promise.all(ways.map(ask))
  // Each is remembered from here on.
  expect(await each()).toEqual([200, 200, 200, 200])
  const listed = async (list: string) =>
    (await good<{ items: object[] }>(client.request('GET', `${list}?userId=${id}`))).items.length
  expect([await listed('/sessions'), await listed('/session/personal-tokens')]).toEqual([2, 1])

  const disabled = await client.request('PATCH', `/users/${id}`, { json: { disabled: true } })
  expectAnswer(disabled, { answers: 200 })
  expect(disabled.body).toMatchObject({ disabled: true, username: 'shut out' })
  expect(await each()).toEqual([401, 401, 401, 401])
  const refresh = { as: null, json: { refreshToken: signedIn.refreshToken } }
  expectAnswer(await client.request('POST', '/session/refresh', refresh), { answers: 'unauthenticated' })
  const login = { as: null, json: { username: 'shut out', password: PASSWORD } }
  expectAnswer(await client.request('POST', '/session/login', login), { answers: 'unauthenticated' })
  expect([await listed('/sessions'), await listed('/session/personal-tokens')]).toEqual([0, 0])
  expect(await find(client, id, { as: 'editor' })).toMatchObject({ disabled: true })
  const entries = await good<{ items: object[] }>(
    client.request('GET', `/audit?objectType=user&objectId=${id}&limit=1`),
  )
  expect(entries.items).toMatchObject([
    { action: 'update', before: { disabled: false }, after: { disabled: true } },
  ])
  // Another change leaves the user disabled.
  expectAnswer(await client.request('PUT', `/users/${id}`, { json: { phone: '1' } }), { answers: 200 })
  expect(await each()).toEqual([401, 401, 401, 401])

  await good(client.request('PATCH', `/users/${id}`, { json: { disabled: false } }))
  expect(await each()).toEqual([401, 401, 401, 200])
  expect(await isOpen(client, await logIn(client, 'shut out', PASSWORD))).toBe(true)
}

async function onFreshHost(client: Client, run: (fresh: Speaker) => Promise<void>): Promise<void> {
  const host = await startHost(client.host.name)
  try {
    await run(await connectAdministrator(host))
  } finally {
    await host.close()
  }
}

async function keepOneAdministrator(client: Speaker): Promise<void> {
  const names = ['second', 'third', 'fourth']
  const [second] = await Promise.all(names.map((name) => makeUser(client, name, { role: 'administrator' })))
  expectAnswer(await client.request('DELETE', `/users/${second?.id}`), { answers: 204 })
  await makeUser(client, 'witness')
  const witness = { as: null, headers: { authorization: `Basic ${btoa(`witness:${PASSWORD}`)}` } }
  const users = await good<User[]>(client.request('GET', '/users', witness))
  const administrators = users.filter(({ role }) => role === 'administrator')
  expect(administrators.length).toBe(3)
  // The signed-in user is deleted last, as all requests are made by that user.
  const [first, middle, last] = administrators.reverse().map(({ id }) => `/users/${id}`)
  const answers = await Promise.all([
    client.request('PUT', String(first), { json: { role: 'editor' } }),
    client.request('PATCH', String(middle), { json: { disabled: true } }),
    client.request('DELETE', String(last)),
  ])
  const successes = answers.filter(({ status }) => status < 300).length
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  const remaining = await good<User[]>(client.request('GET', '/users', witness))
  const left = remaining.filter(({ role, disabled }) => role === 'administrator' && disabled === false)
  expect(left.length).toBe(3 - successes)
  expect(successes).toBeLessThan(3)
}

export const usersSuite: Suite = {
  name: 'users',
  scenarios: [
    ...table(stage, [...refusals, ...rereads]),
    ...table(
      stage,
      FAULTS.map(([title, json, pointers]) => ({
        title,
        call: 'POST /users',
        json,
        answers: 'invalid',
        pointers,
      })),
    ),
    ...views,
    ...changes,
  ],
}

function makeUser(client: Pick<Client, 'request'>, username: string, fields: object = {}): Promise<User> {
  return good<User>(client.request('POST', '/users', { json: { ...NEW, username, ...fields } }))
}

async function find(client: Client, id: unknown, request: object): Promise<User> {
  const users = await good<User[]>(client.request('GET', '/users', request))
  const found = users.find((user) => user.id === id)
  if (!found) throw new Error('The user is not in the list.')
  return found
}

async function logIn(client: Client, username: string, password: string): Promise<string> {
  const answer: Promise<Answer> = client.request('POST', '/session/login', {
    json: { username, password },
    as: null,
  })
  return (await good<{ sessionId: string }>(answer)).sessionId
}

async function isOpen(client: Client, sessionId: string): Promise<boolean> {
  const { status } = await client.request('GET', '/users', {
    as: null,
    headers: { 'x-session-id': sessionId },
  })
  return status === 200
}
