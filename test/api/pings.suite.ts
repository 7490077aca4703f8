import { expect } from 'bun:test'

import type { Answer, Client } from './client.ts'
import { createDevice, createGroup, refusal, requestOf } from './objects.ts'
import { anyText, call, good, once, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

const PARAMETERS = {
  timeout: 'PT15M',
  grace: 'PT1M',
  returnValue: [{ valueName: 'number' }],
  stringValue: [{ valueName: 'text' }],
}
const MINUTE_MS = 60_000

type Created = {
  readonly id: number
  readonly token: string
  readonly path: string
  readonly url: string
}
type Answered = Readonly<Record<string, unknown>> & { readonly nextTimeoutAt: string }
type Job = Readonly<Record<string, unknown>> & {
  readonly values: Readonly<Record<string, { readonly rawValue: unknown }>>
}

const stage = once(async (client) => {
  const device = await makeDevice(client)
  const job = await makeJob(client, device, { parameters: PARAMETERS, collectorId: client.userIds.collector })
  const other = await makeJob(client, device, { parameters: PARAMETERS })
  const { token, id } = await create(client, job)
  return { device, job, other, token, id, unknown: 'x'.repeat(43) }
})

const create = (client: Client, job: number, json: object = { name: 'cron' }) =>
  good<Created>(client.request('POST', `/jobs/${job}/pings`, { json, as: 'editor' }))
const readJob = (client: Client, id: number) => good<Job>(client.request('GET', `/jobs/${id}?values=true`))

const LIST = 'GET /jobs/{job}/pings'
const CREATE = 'POST /jobs/{job}/pings'
const REVOKE = 'DELETE /jobs/{job}/pings/{id}'
const NAMED = { json: { name: 'cron' } }

const editors: readonly Row[] = [
  ...[LIST, CREATE, REVOKE].flatMap((line) => {
    const body = line === CREATE ? NAMED : {}
    return [
      {
        title: 'a request without credentials',
        call: line,
        as: null,
        answers: 'unauthenticated',
        ...body,
      } as const,
      { title: 'collector', call: line, as: 'collector', answers: 'forbidden', ...body } as const,
      { title: 'viewer', call: line, as: 'dashboard_viewer', answers: 'forbidden', ...body } as const,
      { title: 'no job', call: line.replace('{job}', '{device}'), answers: 'not_found', ...body } as const,
    ]
  }),
  { title: "another job's token", call: 'DELETE /jobs/{other}/pings/{id}', answers: 'not_found' },
  { title: 'no name', call: CREATE, json: {}, answers: 'invalid', pointers: ['/name'] },
  { title: 'an empty name', call: CREATE, json: { name: '' }, answers: 'invalid', pointers: ['/name'] },
  {
    title: '256 letters',
    call: CREATE,
    json: { name: 'x'.repeat(256) },
    answers: 'invalid',
    pointers: ['/name'],
  },
  {
    title: 'an unknown field',
    call: CREATE,
    json: { name: 'x', token: 'x' },
    answers: 'invalid',
    pointers: ['/token'],
  },
  {
    title: 'an end in the past',
    call: CREATE,
    json: { name: 'x', expiresAt: '2020-01-01T00:00:00Z' },
    answers: 'invalid',
    pointers: ['/expiresAt'],
  },
]

const PING = '/webcollector/ping/{token}'
const pings: readonly Row[] = [
  ...['GET', 'POST', 'HEAD'].flatMap((method) => [
    {
      title: 'an unknown token',
      call: `${method} /webcollector/ping/{unknown}`,
      as: null,
      answers: 404,
    } as const,
    { title: 'a short token', call: `${method} /webcollector/ping/x/start`, as: null, answers: 404 } as const,
  ]),
  {
    title: 'an unknown token for an administrator',
    call: 'GET /webcollector/ping/{unknown}/fail',
    answers: 'not_found',
  },
  ...['stop', '256', '-1', '1.5', '007', 'START', 'fail/fail', 'fail//', 'a%00'].map((signal): Row => ({
    title: 'no signal',
    call: `GET ${PING}/${signal}`,
    as: null,
    answers: 'not_found',
  })),
  {
    title: 'text for a number',
    call: `GET ${PING}?returnValue1=x`,
    as: null,
    answers: 'invalid',
    pointers: ['?returnValue1'],
  },
  {
    title: 'no finite number',
    call: `GET ${PING}?returnValue1=1e999`,
    as: null,
    answers: 'invalid',
    pointers: ['?returnValue1'],
  },
  ...['errorCode=1', 'message=x', 'timestamp=now', 'signal=log', 'returnValue=1', 'stringValue1=a%00'].map(
    (query): Row => ({
      title: 'a field that ping URLs do not accept',
      call: `GET ${PING}?${query}`,
      as: null,
      answers: 'invalid',
      pointers: [`?${query.split('=', 1)[0]}`],
    }),
  ),
  { title: 'an undefined value', call: `GET ${PING}?returnValue2=1`, as: null, answers: 'value_not_defined' },
  { title: 'a value twice', call: `GET ${PING}?returnValue1=1&returnValue1=2`, as: null, answers: 422 },
  {
    title: 'two run ids',
    call: `GET ${PING}?rid=1&rid=2`,
    as: null,
    answers: 'bad_request',
    pointers: ['?rid'],
  },
  {
    title: 'a start with a value',
    call: `GET ${PING}/start?returnValue1=1`,
    as: null,
    answers: 'invalid',
    pointers: ['?returnValue1'],
  },
  {
    title: 'an invalid time to live',
    call: `GET ${PING}?ttl=PT0S`,
    as: null,
    answers: 'invalid',
    pointers: ['?ttl'],
  },
  {
    title: 'an empty key',
    call: `POST ${PING}`,
    as: null,
    headers: { 'idempotency-key': 'two words' },
    answers: 'bad_request',
  },
]

async function expectUntouched(client: Client): Promise<void> {
  const { job } = await stage(client)
  expect((await readJob(client, job))['lastReceivedAt']).toBeNull()
  const { items } = await good<{ items: unknown[] }>(client.request('GET', `/jobs/${job}/pings`))
  expect(items).toHaveLength(1)
}

/** A job of its own with a token, and a way to ping it as nobody. */
async function scene(client: Client) {
  const { device } = await stage(client)
  const job = await makeJob(client, device, { parameters: PARAMETERS, collectorId: client.userIds.collector })
  const created = await create(client, job)
  const send = (method: string, rest = '', request: object = {}): Promise<Answer> =>
    client.request(method, created.path + rest, { as: null, ...request })
  const said = async (method: string, rest = '', request: object = {}) => {
    const { jobId, state, errorCode } = await good<Answered>(send(method, rest, request))
    const { message } = await readJob(client, job)
    return { isOwn: jobId === job, state, errorCode, message }
  }
  return { job, created, send, said }
}

const accepted: readonly Scenario[] = [
  {
    title: 'a token is shown once, listed without its secret, and revoked for good',
    async run(client) {
      const request = requestOf(client)
      const { job, created, send } = await scene(client)
      const expiresAt = '2999-01-01T00:00:00.000Z'
      const other = await create(client, job, { name: 'x'.repeat(255), expiresAt })
      expect(created).toMatchObject({ name: 'cron', expiresAt: null })
      expect(created.path).toContain(created.token)
      const list = await request('GET', `/jobs/${job}/pings`, { as: 'editor' })
      expect(list.body['items']).toEqual([
        { id: created.id, name: 'cron', createdAt: anyText, expiresAt: null },
        { id: other.id, name: 'x'.repeat(255), createdAt: anyText, expiresAt: anyText },
      ])
      expect(list.text).not.toContain(created.token)
      expect((await send('GET')).status).toBe(200)
      expect((await request('DELETE', `/jobs/${job}/pings/${created.id}`, { as: 'editor' })).status).toBe(204)
      expect((await send('GET')).status).toBe(404)
      expect(refusal(await request('DELETE', `/jobs/${job}/pings/${created.id}`))).toEqual([404, 'not_found'])
      expect((await request('GET', other.path, { as: null })).status).toBe(200)
    },
  },
  {
    title: 'a token ends at its expiry, and with its job',
    decidedAbovePorts: 'signals of pings',
    async run(client) {
      const { job, created, send } = await scene(client)
      const soon = await create(client, job, {
        name: 'x',
        expiresAt: new Date(Date.now() + 1_500).toISOString(),
      })
      expect((await client.request('GET', soon.path, { as: null })).status).toBe(200)
      await Bun.sleep(1_600)
      expect((await client.request('GET', soon.path, { as: null })).status).toBe(404)
      expect((await send('GET')).status).toBe(200)
      expect((await client.request('DELETE', `/jobs/${job}`)).status).toBe(204)
      expect((await send('GET')).status).toBe(404)
      expect(created.token).toMatch(/^[\w-]{43}$/)
    },
  },
  {
    title: 'each signal has its effect, by every method',
    decidedAbovePorts: 'signals of pings',
    async run(client) {
      const { said } = await scene(client)
      const isOwn = true
      expect(await said('GET', '/fail')).toEqual({ isOwn, state: 'warning', errorCode: 1, message: null })
      expect(await said('GET')).toEqual({ isOwn, state: 'ok', errorCode: 0, message: null })
      expect(await said('POST', '/255', { text: 'out of order\n' })).toEqual({
        isOwn,
        state: 'warning',
        errorCode: 255,
        message: 'out of order',
      })
      expect(await said('GET', '/log')).toMatchObject({ errorCode: 255, message: 'out of order' })
      expect(await said('POST', '/log', { text: 'half way' })).toMatchObject({
        errorCode: 255,
        message: 'half way',
      })
      expect(await said('POST', '/start', { text: 'again' })).toMatchObject({
        errorCode: 255,
        message: 'again',
      })
      expect(await said('POST', '/0')).toEqual({ isOwn, state: 'ok', errorCode: 0, message: null })
      expect(await said('GET', '/5')).toMatchObject({ errorCode: 5 })
      expect(await said('POST', '', { text: 'all is well' })).toMatchObject({
        errorCode: 0,
        message: 'all is well',
      })
    },
  },
  {
    title: 'HEAD is a ping without a body in the answer',
    async run(client) {
      const { job, send } = await scene(client)
      const { status, text } = await send('HEAD', '/7')
      expect({ status, text }).toEqual({ status: 200, text: '' })
      expect(await readJob(client, job)).toMatchObject({ errorCode: 7 })
    },
  },
  {
    title: 'values, run and time to live are in the query',
    async run(client) {
      const { job, send } = await scene(client)
      const dueIn = async (method: string, rest: string) => {
        const before = Date.now()
        const { nextTimeoutAt } = await good<Answered>(send(method, rest))
        return Math.round((Date.parse(nextTimeoutAt) - before) / MINUTE_MS)
      }
      expect(await dueIn('GET', '?returnValue1=-21.5e-1&stringValue1=a%20b')).toBe(15)
      const { values } = await readJob(client, job)
      expect(values['returnValue1']?.rawValue).toBe(-2.15)
      expect(values['stringValue1']?.rawValue).toBe('a b')
      expect(await dueIn('GET', '?ttl=PT1H')).toBe(60)
      expect(await dueIn('GET', '/start?rid=a')).toBe(1)
      expect(await dueIn('POST', '?runId=b')).toBe(1)
      expect(await dueIn('POST', '/0?rid=a')).toBe(15)
    },
  },
  {
    title: 'a long body is truncated to the length of a message',
    decidedAbovePorts: 'signals of pings',
    async run(client) {
      const { job, send } = await scene(client)
      const messageAfter = async (text: string) => {
        await good(send('POST', '/log', { text }))
        return (await readJob(client, job))['message']
      }
      expect(await messageAfter('x'.repeat(4_096))).toBe('x'.repeat(4_096))
      expect(await messageAfter('y'.repeat(64 * 1024))).toBe('y'.repeat(4_096))
      expect(await messageAfter(`${'z'.repeat(4_095)}😀`)).toBe('z'.repeat(4_095))
      expect(await messageAfter('a'.repeat(64 * 1024 + 1))).toBe('a'.repeat(4_096))
      expect(await messageAfter('disk\0 full')).toBe('disk\uFFFD full')
      await good(send('POST', '/fail', { text: 'b'.repeat(3 * 1024 * 1024) }))
      expect(await readJob(client, job)).toMatchObject({ errorCode: 1, message: 'b'.repeat(4_096) })
      await good(send('POST', '', { chunks: ['c'.repeat(64 * 1024), 'c'.repeat(1024 * 1024)] }))
      expect(await readJob(client, job)).toMatchObject({ errorCode: 0, message: 'c'.repeat(4_096) })
    },
  },
  {
    title: 'unknown parameters are ignored, a trailing slash is accepted, and a wrong signal is explained',
    decidedAbovePorts: 'signals of pings',
    async run(client) {
      const { job, created, said, send } = await scene(client)
      expect(await said('GET', '/3/?utm_source=x&_=1&status=up&a=1&a=2')).toMatchObject({ errorCode: 3 })
      expect(await said('GET', `/?msg=OK&long=${'x'.repeat(5_000)}&returnValue1=2`)).toMatchObject({
        errorCode: 0,
      })
      expect((await readJob(client, job)).values['returnValue1']?.rawValue).toBe(2)
      expect(created.url).toEndWith(created.path)
      expect(created.url).toMatch(/^http:\/\/[^/]+\//)
      expect((await send('POST', '/foo')).body['detail']).toContain('/start, /fail, /log or an exit status')
      const headers = { 'x-forwarded-proto': 'https' }
      const behind = await client.request('POST', `/jobs/${job}/pings`, { json: { name: 'x' }, headers })
      expect(behind.body['url']).toStartWith('https://')
    },
  },
  {
    title:
      'a token ends when its maker loses the right on the job, but not when that user is disabled or deleted',
    decidedAbovePorts: 'signals of pings',
    async run(client) {
      const request = requestOf(client)
      const own = await createGroup(client, 1, { name: 'reach' })
      const [device, elsewhere] = [
        await createDevice(client, own, { name: 'near' }),
        await makeDevice(client),
      ]
      const job = await makeJob(client, device, { parameters: PARAMETERS })
      const [username, password] = [`maker-${job}`, 'a-password-of-19-ch']
      const user = { username, password, role: 'editor' }
      const { id } = await good<{ id: number }>(request('POST', '/users', { json: user }))
      const everything = { write: true, execute: true, maintain: true }
      const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}` }
      const make = () =>
        good<Created>(request('POST', `/jobs/${job}/pings`, { as: null, headers, json: { name: 'mine' } }))
      const status = async ({ path }: Created) => (await request('GET', path, { as: null })).status
      expect((await request('DELETE', '/groups/1/permissions/everyone/0')).status).toBe(204)
      try {
        await good(request('PUT', `/groups/${own}/permissions/user/${id}`, { json: everything }))
        const [first, second, third] = [await make(), await make(), await make()]
        const fourth = await make()
        const byOther = await good<Created>(
          request('POST', `/jobs/${job}/pings`, { json: { name: 'by an administrator' } }),
        )
        expect(await status(first)).toBe(200)
        const now = await good<object>(request('GET', `/jobs/${job}`))
        await good(request('PUT', `/jobs/${job}`, { json: { ...now, deviceId: elsewhere } }))
        // The first is remembered for ten seconds.
        expect([await status(second), await status(byOther)]).toEqual([404, 200])
        await good(request('PUT', `/jobs/${job}`, { json: { ...now, deviceId: device } }))
        await good(request('PATCH', `/users/${id}`, { json: { disabled: true } }))
        expect(await status(fourth)).toBe(200)
        expect((await request('DELETE', `/users/${id}`)).status).toBe(204)
        expect(await status(third)).toBe(200)
      } finally {
        const granted = { write: true, execute: true }
        await good(request('PUT', '/groups/1/permissions/everyone/0', { json: granted }))
      }
    },
  },
  {
    title: 'a repetition with a key gets the first answer',
    async run(client) {
      const { job, send } = await scene(client)
      const key = { headers: { 'idempotency-key': 'x'.repeat(255) } }
      const first = await send('POST', '?returnValue1=1', key)
      const again = await send('POST', '?returnValue1=1', key)
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
      expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true'])
      expect(refusal(await send('POST', '?returnValue1=2', key))).toEqual([409, 'idempotency_conflict'])
      const other = await create(client, job)
      const elsewhere = await client.request('POST', `${other.path}?returnValue1=2`, { as: null, ...key })
      expect(elsewhere.headers.get('idempotency-replayed')).toBeNull()
    },
  },
  {
    title: 'a job has at most 20 tokens, also with concurrent requests',
    async run(client) {
      const { job } = await scene(client)
      for (let count = 1; count < 15; count++) await create(client, job)
      const make = () => client.request('POST', `/jobs/${job}/pings`, { ...NAMED, as: 'editor' })
      const answers = await Promise.all(Array.from({ length: 15 }, make))
      expect(statusesOf(answers)).toEqual([...Array<number>(5).fill(201), ...Array<number>(10).fill(409)])
      const one = await call(client, `POST /jobs/${job}/pings`, NAMED)
      expect(refusal(one)).toEqual([409, 'conflict'])
    },
  },
]

export const pingsSuite: Suite = {
  name: 'pings',
  scenarios: [
    ...table(stage, editors, expectUntouched),
    ...table(stage, pings, expectUntouched),
    ...accepted,
  ],
}
