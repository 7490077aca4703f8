import { expect } from 'bun:test'

import { must } from '../runs/fake-runner.ts'
import type { Client } from './client.ts'
import { createDevice, createJob } from './objects.ts'
import { bareStage, expectAnswer, good, once, statusesOf, table } from './suite.ts'
import { configurationOf, scriptOf, stageOf } from './runs-stage.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const WEBHOOK = {
  type: 'webhook',
  target: { url: 'https://hooks.example.org/a/very/secret/path', secret: SECRET },
}

type Recipient = { readonly id: number; readonly name: string; readonly target: string }

const post = (client: Client, json: object) =>
  good<Recipient>(client.request('POST', '/alarmrecipients', { json }))

const stage = once(async (client) => {
  const { id: staged } = await post(client, { name: 'staged', ...WEBHOOK })
  return { staged, user: client.userIds.editor }
})

/** Makes a recipient beside the first, which gets the alarms of all objects and so cannot be deleted. */
async function make(client: Client, json: object): Promise<Recipient> {
  await stage(client)
  return post(client, json)
}

const CALLS: readonly (readonly [call: string, json?: object])[] = [
  ['GET /alarmrecipients'],
  ['GET /alarmrecipients/{staged}'],
  ['POST /alarmrecipients', { name: 'not made', ...WEBHOOK }],
  ['PUT /alarmrecipients/{staged}', { name: 'not changed', ...WEBHOOK }],
  ['DELETE /alarmrecipients/{staged}'],
  ['POST /alarmrecipients/{staged}/test'],
  ['GET /notifications'],
  ['POST /notifications/1/resend'],
  ['GET /notifications/pause'],
  ['POST /notifications/resume'],
]

const HOLIDAY = { begin: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' }
const NIGHT = { type: 'daily', times: [{ begin: '22:00', duration: 'PT8H' }] }

/** Bodies that no recipient is made of, each with where it is wrong. */
const WRONG: readonly (readonly [title: string, json: object, ...pointers: string[]])[] = [
  ['no name', { ...WEBHOOK, name: ' ' }, '/name'],
  ['an unknown type', { ...WEBHOOK, type: 'pigeon' }, '/type'],
  ['a script that is not there', { type: 'script', target: { scriptId: 999_999 } }, '/target/scriptId'],
  ['a script by its name', { type: 'script', target: { scriptId: 'hello' } }, '/target/scriptId'],
  [
    'a run configuration that is none',
    { type: 'script', target: { scriptId: 1, runConfigurationId: 0 } },
    '/target/runConfigurationId',
  ],
  ['somebody else in its name', { type: 'script', target: { scriptId: 1, userId: 1 } }, '/target/userId'],
  ['no target', { type: 'slack' }, '/target'],
  ['a target of another type', { ...WEBHOOK, target: { userId: 1 } }, '/target/url', '/target/userId'],
  [
    'a short secret',
    { ...WEBHOOK, target: { ...WEBHOOK.target, secret: 'whsec_c2hvcnQ=' } },
    '/target/secret',
  ],
  ['no mail address', { type: 'email', target: { addresses: [] } }, '/target/addresses'],
  [
    'a header in an address',
    { type: 'email', target: { addresses: ['a@b.example\r\nBcc: c@d.example'] } },
    '/target/addresses/0',
  ],
  [
    'two addresses in one',
    { type: 'email', target: { addresses: ['a@b.example, c@d.example'] } },
    '/target/addresses/0',
  ],
  [
    '21 addresses',
    { type: 'email', target: { addresses: Array.from({ length: 21 }, (_, i) => `a${i}@b.example`) } },
    '/target/addresses',
  ],
  ...[
    'http://hooks.example.org/',
    'ftp://hooks.example.org/',
    'https://user:pass@hooks.example.org/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.1.2.3/',
    'https://localhost/',
    'https://intranet/',
    'https://db.internal/',
    'not a url',
  ].map((url) => [`the URL ${url}`, { type: 'slack', target: { url } }, '/target/url'] as const),
  ['a user that is not there', { type: 'user', target: { userId: 999_999 } }, '/target/userId'],
  ['a group that is not there', { type: 'group', target: { userGroupId: 999_999 } }, '/target/userGroupId'],
  ['an object that is not there', { ...WEBHOOK, objectIds: [1, 999_999] }, '/objectIds/1'],
  ['101 objects', { ...WEBHOOK, objectIds: Array.from({ length: 101 }, () => 1) }, '/objectIds'],
  [
    'an escalation to nobody',
    { ...WEBHOOK, escalation: [{ after: 'PT1M', recipientId: 999_999 }] },
    '/escalation/0/recipientId',
  ],
  [
    'an escalation too soon',
    { ...WEBHOOK, escalation: [{ after: 'PT59S', recipientId: 1 }] },
    '/escalation/0/after',
  ],
  [
    'an escalation too late',
    { ...WEBHOOK, escalation: [{ after: 'P31D', recipientId: 1 }] },
    '/escalation/0/after',
  ],
  [
    '11 escalations',
    { ...WEBHOOK, escalation: Array.from({ length: 11 }, () => ({ after: 'PT1M', recipientId: 1 })) },
    '/escalation',
  ],
  ['101 vacations', { ...WEBHOOK, vacations: Array.from({ length: 101 }, () => HOLIDAY) }, '/vacations'],
  ['21 times', { ...WEBHOOK, times: Array.from({ length: 21 }, () => NIGHT) }, '/times'],
  ['reminders too often', { ...WEBHOOK, reminder: { every: 'PT4M59S' } }, '/reminder/every'],
  ['101 reminders', { ...WEBHOOK, reminder: { every: 'PT5M', times: 101 } }, '/reminder/times'],
  ['a rotation of one', { ...WEBHOOK, rotation: { by: 'turn' } }, '/rotation'],
  ['grouping for too long', { ...WEBHOOK, grouping: 'PT1H1S' }, '/grouping'],
  ['no messages', { ...WEBHOOK, messagesPerHour: 0 }, '/messagesPerHour'],
  ['too many messages', { ...WEBHOOK, messagesPerHour: 3_601 }, '/messagesPerHour'],
  [
    'a vacation that ends before it begins',
    { ...WEBHOOK, vacations: [{ begin: '2026-03-02T00:00:00Z', end: '2026-03-01T00:00:00Z' }] },
    '/vacations/0/end',
  ],
  [
    'an unknown field in a text',
    { ...WEBHOOK, templates: { en: { subject: '{{constructor}}', text: 'x' } } },
    '/templates/en/subject',
  ],
  [
    'a subject of two lines',
    { ...WEBHOOK, templates: { en: { subject: 'a\nb', text: 'x' } } },
    '/templates/en/subject',
  ],
  ['an unknown language', { ...WEBHOOK, templates: { it: { subject: 'a', text: 'x' } } }, '/templates/it'],
  ['an unknown zone', { ...WEBHOOK, timeZone: 'Mars/Olympus' }, '/timeZone'],
  ['no times', { ...WEBHOOK, times: [{ type: 'daily' }] }, '/times/0/times'],
  ['a field that is none', { ...WEBHOOK, colour: 'red' }, '/colour'],
]

const rows: Row[] = [
  ...CALLS.map(([line, json]): Row => ({
    title: 'a request without credentials',
    call: line,
    json,
    as: null,
    answers: 'unauthenticated',
  })),
  ...CALLS.map(([line, json]): Row => ({
    title: 'a collector',
    call: line,
    json,
    as: 'collector',
    answers: 'forbidden',
  })),
  ...CALLS.slice(2).map(([line, json]): Row => ({
    title: 'an editor',
    call: line,
    json,
    as: 'editor',
    answers: 'forbidden',
  })),
  { title: 'an editor', call: 'GET /alarmrecipients', as: 'editor', answers: 200 },
  { title: 'a query', call: 'GET /notifications/pause?since=1', answers: 'invalid', pointers: ['?since'] },
  ...WRONG.map(([title, json, ...pointers]): Row => ({
    title,
    call: 'POST /alarmrecipients',
    json: { name: 'wrong', ...json },
    answers: 'invalid',
    pointers,
  })),
  {
    title: 'a name that is taken',
    call: 'POST /alarmrecipients',
    json: { name: 'staged', ...WEBHOOK },
    answers: 'name_taken',
  },
  {
    title: 'another type without a target',
    call: 'PUT /alarmrecipients/{staged}',
    json: { name: 'staged', type: 'slack' },
    answers: 'invalid',
    pointers: ['/target'],
  },
  {
    title: 'a target that was never shown',
    call: 'PUT /alarmrecipients/{staged}',
    json: { name: 'staged', type: 'webhook', target: 'https://elsewhere.example/…' },
    answers: 'invalid',
    pointers: ['/target'],
  },
  {
    title: 'an old version',
    call: 'PUT /alarmrecipients/{staged}',
    json: { name: 'staged', type: 'webhook' },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  ...[
    'GET /alarmrecipients/999999',
    'DELETE /alarmrecipients/999999',
    'POST /alarmrecipients/999999/test',
    'POST /notifications/999999/resend',
  ].map((line): Row => ({ title: 'what is not there', call: line, answers: 'not_found' })),
]

const lists = table(bareStage, [
  { title: 'whether notifications are paused', call: 'GET /notifications/pause', answers: 200 },
  { title: 'notifications that go on', call: 'POST /notifications/resume', answers: 200 },
  { title: 'no page', call: 'GET /notifications?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the largest page', call: 'GET /notifications?limit=1000', answers: 200 },
  { title: 'a larger page', call: 'GET /notifications?limit=1001', answers: 'invalid', pointers: ['?limit'] },
  {
    title: 'a cursor of another list',
    call: 'GET /notifications?cursor=x',
    answers: 'invalid',
    pointers: ['?cursor'],
  },
  {
    title: 'an unknown status',
    call: 'GET /notifications?status=lost',
    answers: 'invalid',
    pointers: ['?status'],
  },
  ...['0', 'x', '-1'].map((id): Row => ({
    title: 'no id of an alarm',
    call: `GET /notifications?alarmId=${id}`,
    answers: 'invalid',
    pointers: ['?alarmId'],
  })),
  { title: 'an unknown alarm', call: 'GET /notifications?alarmId=999999', answers: 200 },
  { title: 'dead letters', call: 'GET /notifications?status=dead', answers: 200 },
])

const scenarios: Scenario[] = [
  {
    title: 'no answer and no audit record has an address or a secret',
    decidedAbovePorts: 'recipients',
    async run(client) {
      const made = await Promise.all([
        make(client, { name: 'hidden hook', ...WEBHOOK }),
        make(client, {
          name: 'hidden mail',
          type: 'email',
          target: { addresses: ['anna.secret@mail.example'] },
        }),
        make(client, {
          name: 'hidden bot',
          type: 'telegram',
          target: { token: '123:verysecret', chatId: '-100987654' },
        }),
        make(client, {
          name: 'hidden topic',
          type: 'ntfy',
          target: { topic: 'verysecrettopic', token: 'tk_verysecret' },
        }),
      ])
      expect(made.map(({ target }) => target)).toEqual([
        'https://hooks.example.org/…',
        'a…@mail.example',
        'https://api.telegram.org/… -1…',
        'https://ntfy.sh/v…',
      ])
      const texts = await Promise.all(
        ['/alarmrecipients', `/alarmrecipients/${made[0]?.id}`, '/audit?objectType=alarmRecipient'].map(
          async (path) => (await client.request('GET', path)).text,
        ),
      )
      for (const secret of [SECRET, 'secret', 'anna', '987654']) expect(texts.join()).not.toContain(secret)
    },
  },
  {
    title: 'a read can be sent back: the target stays, and other fields change',
    async run(client) {
      const { id } = await make(client, { name: 'chang\u00e9', ...WEBHOOK })
      const again = await client.request('POST', '/alarmrecipients', {
        json: { name: 'change\u0301', ...WEBHOOK },
      })
      expectAnswer(again, { answers: 'name_taken' })
      const read = await client.request('GET', `/alarmrecipients/${id}`)
      expect(read.headers.get('etag')).toBe('"1"')
      const put = await client.request('PUT', `/alarmrecipients/${id}`, {
        json: { ...read.body, minState: 'major', name: 'changed' },
        headers: { 'if-match': '"1"' },
      })
      expect(put.body).toEqual({ ...read.body, minState: 'major', name: 'changed' })
      const moved = await good(
        client.request('PUT', `/alarmrecipients/${id}`, {
          json: { name: 'changed', type: 'slack', target: { url: 'https://hooks.slack.example/x' } },
        }),
      )
      expect(moved).toMatchObject({
        type: 'slack',
        target: 'https://hooks.slack.example/…',
        minState: 'warning',
      })
      expect((await client.request('DELETE', `/alarmrecipients/${id}`)).status).toBe(204)
      expect((await client.request('GET', `/alarmrecipients/${id}`)).status).toBe(404)
    },
  },
  {
    title: 'a webhook without a secret gets one, which is shown once and stays',
    decidedAbovePorts: 'recipients',
    async run(client) {
      const url = 'https://hooks.example.org/a'
      const made = await client.request('POST', '/alarmrecipients', {
        json: { name: 'no secret', type: 'webhook', target: { url } },
      })
      expect(made.body['secret']).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      const at = made.headers.get('location') ?? ''
      expect((await client.request('GET', at)).body).not.toHaveProperty('secret')
      const put = async (json: object) =>
        (await good(client.request('PUT', at, { json: { name: 'no secret', ...json } })))['secret'] ?? null
      expect(await put({ type: 'webhook', target: { url } })).toBeNull()
      expect(await put({ type: 'slack', target: { url } })).toBeNull()
      expect(await put({ type: 'webhook', target: { url } })).toMatch(/^whsec_/)
      expect(await put({ type: 'webhook', target: { url, secret: SECRET } })).toBeNull()
    },
  },
  {
    title: 'the fault of a URL names the setting that would allow it',
    decidedAbovePorts: 'recipients',
    async run(client) {
      const faultOf = async (url: string) => {
        const json = { name: 'refused', type: 'slack', target: { url } }
        const { body } = await client.request('POST', '/alarmrecipients', { json })
        return (body['errors'] as { message: string }[])[0]?.message
      }
      for (const url of ['http://hooks.example.org/', 'https://10.1.2.3/'])
        expect(await faultOf(url)).toContain('TIDEMARK_OUTBOUND_ALLOW')
    },
  },
  {
    title: 'the bounds themselves are accepted',
    decidedAbovePorts: 'recipients',
    async run(client) {
      const { id: next } = await make(client, { name: 'next', ...WEBHOOK })
      await make(client, {
        name: 'bounds',
        ...WEBHOOK,
        objectIds: Array.from({ length: 100 }, () => 1),
        escalation: Array.from({ length: 10 }, (_, index) => ({
          after: index === 0 ? 'PT1M' : 'P30D',
          recipientId: next,
        })),
        vacations: Array.from({ length: 100 }, () => HOLIDAY),
        reminder: { every: 'PT5M', times: 100 },
        grouping: 'PT1H',
        messagesPerHour: 3_600,
        templates: { de: { subject: '{{ object.name }}', text: '{{message}} {{no' } },
        times: Array.from({ length: 20 }, () => NIGHT),
      })
      await make(client, {
        name: 'addresses',
        type: 'email',
        target: { addresses: Array.from({ length: 20 }, (_, i) => `a${i}@b.example`) },
        grouping: 'PT0S',
        messagesPerHour: 1,
      })
    },
  },
  {
    title: 'a group has a rotation, and a member has vacations',
    decidedAbovePorts: 'recipients',
    async run(client) {
      const group = await good<{ id: number }>(
        client.request('POST', '/userGroups', { json: { name: 'on call' } }),
      )
      const member = client.userIds.editor
      const made = await make(client, {
        name: 'on call',
        type: 'group',
        target: { userGroupId: group.id },
        rotation: { by: 'interval', interval: 'P7D', begin: '2026-03-02T09:00:00Z' },
        vacations: [{ begin: '2026-03-02T09:00:00Z', end: '2026-03-03T09:00:00Z', userId: member }],
      })
      expect(made).toMatchObject({ target: `userGroup ${group.id}`, timeZone: 'Europe/Zurich' })
    },
  },
  {
    title: 'the user or the group of a recipient cannot be deleted, and the refusal names the recipient',
    decidedAbovePorts: 'recipients',
    async run(client) {
      const group = await good<{ id: number }>(
        client.request('POST', '/userGroups', { json: { name: 'stands behind' } }),
      )
      const user = await good<{ id: number }>(
        client.request('POST', '/users', {
          json: { username: 'stands behind', password: 'A-Long-Password-1', role: 'editor' },
        }),
      )
      const bases = [
        [`/userGroups/${group.id}`, 'group', { userGroupId: group.id }],
        [`/users/${user.id}`, 'user', { userId: user.id }],
      ] as const
      for (const [path, type, target] of bases) {
        const { id } = await make(client, { name: `is a ${type}`, type, target })
        const refused = await client.request('DELETE', path)
        expectAnswer(refused, { answers: 'has_dependents', pointers: ['/dependents/0'] })
        expect(refused.text).toContain(`the alarm recipient ${id}, is a ${type}`)
        expect((await client.request('GET', path)).status).toBe(200)
        // The recipient reaches no user with a mail address.
        expect((await client.request('GET', `/alarmrecipients/${id}`)).body['warnings']).toMatchObject([
          { code: 'not_used' },
          { code: 'reaches_nobody' },
        ])
        expect((await client.request('DELETE', `/alarmrecipients/${id}`)).status).toBe(204)
      }
      const { id } = await make(client, {
        name: 'is reached',
        type: 'group',
        target: { userGroupId: group.id },
      })
      const { body } = await client.request('GET', `/users/${user.id}`)
      await good(
        client.request('PUT', `/users/${user.id}`, { json: { ...body, email: 'behind@example.org' } }),
      )
      await client.request('PUT', `/userGroups/${group.id}/users`, { json: { userIds: [user.id] } })
      const device = await createDevice(client, 1, { name: 'for a group' })
      await good(
        client.request('PUT', `/device/${device}/alarmLinks`, { json: { links: [{ recipientId: id }] } }),
      )
      const codes = async (path: string) =>
        (await good<{ warnings: { code: string }[] }>(client.request('GET', path))).warnings.map(
          ({ code }) => code,
        )
      expect(await codes(`/alarmrecipients/${id}`)).toEqual([])
      expect(await codes('/readyz')).not.toContain('recipients_unreachable')
      // A member who goes leaves an empty group.
      expect((await client.request('DELETE', `/users/${user.id}`)).status).toBe(204)
      expect(await codes(`/alarmrecipients/${id}`)).toEqual(['reaches_nobody'])
      expect(await codes('/readyz')).toContain('recipients_unreachable')
      await good(client.request('PUT', `/device/${device}/alarmLinks`, { json: { links: [] } }))
      for (const path of [`/alarmrecipients/${id}`, `/userGroups/${group.id}`])
        expect((await client.request('DELETE', path)).status).toBe(204)
    },
  },
  {
    title: 'a recipient that links or escalations use cannot be deleted until they are changed',
    async run(client) {
      const { id } = await make(client, { name: 'needed', ...WEBHOOK })
      const device = await createDevice(client, 1, { name: 'linked' })
      const remove = () => client.request('DELETE', `/alarmrecipients/${id}`)
      const link = (recipientId: number | null) =>
        good(client.request('PUT', `/device/${device}/alarmLinks`, { json: { links: [{ recipientId }] } }))
      await link(id)
      const refusal = await remove()
      expect([refusal.status, refusal.body['code']]).toEqual([409, 'conflict'])
      expect(refusal.body['detail']).toContain('alarm links (1) and escalations of other recipients (0)')
      await link(null)
      const escalation = [{ after: 'PT15M', recipientId: id }]
      const other = await make(client, { name: 'needs it', ...WEBHOOK, escalation })
      expect((await remove()).body['detail']).toContain(
        'alarm links (0) and escalations of other recipients (1)',
      )
      await good(
        client.request('PUT', `/alarmrecipients/${other.id}`, { json: { name: 'alone', type: 'webhook' } }),
      )
      // Its own is no reason to stay.
      const { body } = await client.request('GET', `/alarmrecipients/${id}`)
      await good(client.request('PUT', `/alarmrecipients/${id}`, { json: { ...body, escalation } }))
      expect((await remove()).status).toBe(204)
    },
  },
  {
    title: 'a test returns its result, and there are at most ten of them',
    async run(client) {
      const { id } = await make(client, {
        name: 'tried',
        type: 'email',
        target: { addresses: ['a@b.example'] },
      })
      const answers = []
      for (let tried = 0; tried < 11; tried++)
        answers.push(await client.request('POST', `/alarmrecipients/${id}/test`))
      expect(statusesOf(answers)).toEqual([...Array.from({ length: 10 }, () => 200), 429])
      const result = { status: 'failed', detail: 'There is no mail server: set TIDEMARK_SMTP_URL.' }
      expect(answers[0]?.body).toEqual(result)
      const { lastResult } = await good(client.request('GET', `/alarmrecipients/${id}`))
      expect(lastResult).toMatchObject(result)
    },
  },
]

type Items = {
  readonly items: readonly { readonly id: number; readonly object?: { readonly id: number } }[]
}
type Notifications = { readonly items: readonly { readonly id: number; readonly attempts: number }[] }

scenarios.push({
  title: 'a failed notification is listed with its result, waits for its next attempt, and can be sent now',
  async run(client) {
    const { id: recipientId } = await make(client, {
      name: 'never reached',
      type: 'email',
      target: { addresses: ['a@b.example'] },
      grouping: 'PT0S',
    })
    const device = await createDevice(client, 1, { name: 'with notifications' })
    const job = await createJob(client, device, {
      name: 'hot',
      subType: 'webcollector',
      interval: 'PT1M',
      parameters: { returnValue: [{ valueName: 'a' }] },
      thresholds: {
        minor: { mode: 'or', conditions: [{ key: 'returnValue1', operator: '>', value: 10 }] },
      },
    })
    await good(client.request('PUT', `/device/${device}/alarmLinks`, { json: { links: [{ recipientId }] } }))
    await good(
      client.request('POST', `/webcollector/jobs/${job}/values`, {
        json: { returnValue1: 99, errorCode: 0 },
        as: 'collector',
      }),
    )
    const listed = async () =>
      (await good<Notifications>(client.request('GET', `/notifications?recipientId=${recipientId}`))).items
    while (((await listed())[0]?.attempts ?? 0) === 0) await Bun.sleep(20)
    const [waiting] = await listed()
    expect(waiting).toMatchObject({
      status: 'waiting',
      notices: 1,
      recipient: { id: recipientId, name: 'never reached' },
    })
    expect((await client.request('DELETE', `/alarmrecipients/${recipientId}`)).body).toMatchObject({
      code: 'conflict',
    })
    await good(client.request('POST', `/notifications/${waiting?.id}/resend`))
    const alarms = await good<Items>(client.request('GET', '/alarms'))
    const alarmId = alarms.items.find(({ object }) => object?.id === job)?.id ?? 0
    const about = async (query: string) => {
      const { items } = await good<Items>(client.request('GET', `/notifications?${query}`))
      return items.map(({ id }) => id)
    }
    expect(await about(`alarmId=${alarmId}`)).toEqual([waiting?.id ?? 0])
    expect(await about(`alarmId=${alarmId}&recipientId=${recipientId}&limit=1`)).toEqual([waiting?.id ?? 0])
    expect(await about(`alarmId=${alarmId}&status=dead`)).toEqual([])
    expect(await about(`alarmId=${alarmId + 1}`)).toEqual([])
  },
})

scenarios.push(
  {
    title: 'a script runs with the rights of the user who set it, once for each test, with the payload',
    decidedAbovePorts: 'recipients',
    async run(client) {
      const { scriptId, configurationId, runner } = await stageOf(client)
      const target = { scriptId, runConfigurationId: configurationId }
      const made = await make(client, { name: 'script', type: 'script', target })
      expect(made.target).toStartWith(`script ${scriptId}, runConfiguration ${configurationId}, as user `)
      const tried = await good(client.request('POST', `/alarmrecipients/${made.id}/test`))
      const held = await runner.next()
      expect(tried).toEqual({ status: 'ok', detail: `The run ${held.id} was ordered.` })
      expect(JSON.parse(held.assignment.env['SVC_PARAMETERS'] ?? '')).toMatchObject({
        type: 'alarm.test',
        data: { recipient: 'script', alarms: [{ event: 'test', object: { path: '/root' } }], leftOut: 0 },
      })
      const { text } = await client.request('GET', `/scripts/${scriptId}/jobs`)
      expect(JSON.parse(text)).toMatchObject([{ id: held.id, trigger: 'alarm', user: 'admin' }])
      await good(
        client.request('PUT', `/alarmrecipients/${made.id}`, { json: { name: 's', type: 'script' } }),
      )
      expect((await client.request('POST', `/alarmrecipients/${made.id}/test`)).body['status']).toBe('ok')
      await held.begin()
      await must(held.finish())
      expect((await runner.next()).id).not.toBe(held.id)
    },
  },
  {
    title: 'the script of a recipient cannot be deleted, unless forced',
    decidedAbovePorts: 'recipients',
    async run(client) {
      const [scriptId, otherId] = [await scriptOf(client), await scriptOf(client)]
      const foreign = await configurationOf(client, otherId)
      const target = { scriptId, runConfigurationId: foreign }
      const refused = await client.request('POST', '/alarmrecipients', {
        json: { name: 'foreign', type: 'script', target },
      })
      expectAnswer(refused, { answers: 'invalid', pointers: ['/target/runConfigurationId'] })
      const own = await configurationOf(client, scriptId)
      const configured = await make(client, {
        name: 'configured',
        type: 'script',
        target: { scriptId, runConfigurationId: own },
      })
      const unconfigured = await client.request('DELETE', `/scripts/${scriptId}/runConfigurations/${own}`)
      expectAnswer(unconfigured, { answers: 'has_dependents', pointers: ['/dependents/0'] })
      const unset = await client.request('PUT', `/scripts/${scriptId}/settings`, {
        json: { name: `unset ${scriptId}`, runConfigurations: [] },
      })
      expectAnswer(unset, { answers: 'has_dependents', pointers: ['/dependents/0'] })
      for (const { text } of [unconfigured, unset])
        expect(text).toContain(`the alarm recipient ${configured.id}, configured`)
      expect((await client.request('DELETE', `/alarmrecipients/${configured.id}`)).status).toBe(204)
      const { id } = await make(client, { name: 'keeper', type: 'script', target: { scriptId } })
      const at = `/alarmrecipients/${id}`
      const remove = (scriptOfIt: number) => client.request('DELETE', `/scripts/${scriptOfIt}`)
      const dependentsOf = async (scriptOfIt: number) =>
        (await good(client.request('GET', `/scripts/${scriptOfIt}`)))['dependents']
      const kept = await remove(scriptId)
      expectAnswer(kept, { answers: 'has_dependents', pointers: ['/dependents/0'] })
      expect(kept.text).toContain(`the alarm recipient ${id}, keeper`)
      expect(await dependentsOf(scriptId)).toEqual({
        count: 1,
        widgets: [],
        dataSources: [],
        alarmRecipients: [{ recipientId: id, name: 'keeper' }],
      })
      await good(
        client.request('PUT', at, { json: { name: 'moved', type: 'script', target: { scriptId: otherId } } }),
      )
      expect((await remove(scriptId)).status).toBe(204)
      expect(await dependentsOf(otherId)).toMatchObject({ alarmRecipients: [{ name: 'moved' }] })
      expect((await client.request('DELETE', `/scripts/${otherId}?forceDelete=true`)).status).toBe(204)
      const tried = await good(client.request('POST', `${at}/test`))
      expect(tried).toEqual({ status: 'failed', detail: 'There is no such script.' })
      const lastId = await scriptOf(client)
      await good(
        client.request('PUT', at, { json: { name: 'moved', type: 'script', target: { scriptId: lastId } } }),
      )
      expect((await client.request('DELETE', at)).status).toBe(204)
      expect((await remove(lastId)).status).toBe(204)
    },
  },
)

export const recipientsSuite: Suite = {
  name: 'recipients of alarms',
  scenarios: [...table(stage, rows), ...lists, ...scenarios],
}
