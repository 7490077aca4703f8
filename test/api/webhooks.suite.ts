import { createHmac } from 'node:crypto'

import { expect } from 'bun:test'

import type { Client, Request } from './client.ts'
import { routes } from './roles.suite.ts'
import { anyText, expectAnswer, good, once, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Made = {
  readonly id: number
  readonly token: string
  readonly path: string
  readonly signingKey: string | null
}
type Job = {
  readonly id: string
  readonly runConfigurationId: number | null
  readonly trigger: string
  readonly userId: number
}

const CALL_MAX_BYTES = 64 * 1024

/** A script with a run configuration, of which no runner takes a run. */
async function fresh(client: Client, name: string) {
  const { id } = await good<{ id: number }>(client.request('POST', '/scripts', { json: { name } }))
  const at = `/scripts/${id}`
  await good(client.request('PUT', `${at}/files/run.sh`, { text: 'true' }))
  const run = await good<{ id: number }>(
    client.request('POST', `${at}/runConfigurations`, { json: { name: 'only', runnerLabels: ['nobody'] } }),
  )
  return {
    at,
    script: id,
    run: run.id,
    make: (json: object) => good<Made>(client.request('POST', `${at}/webhookTokens`, { json })),
    jobs: () => good<Job[]>(client.request('GET', `${at}/jobs`)),
    end: () => good(client.request('DELETE', at)),
  }
}

const stage = once(async (client) => {
  const { script, run, make } = await fresh(client, 'webhook stage')
  const { id, token } = await make({ name: 'staged' })
  const other = await fresh(client, 'other webhook stage')
  return { script, run, webhook: id, token, other: other.script, foreign: other.run }
})

const CALLS: readonly (readonly [call: string, json?: object])[] = [
  ['GET /scripts/{script}/webhookTokens'],
  ['GET /scripts/{script}/webhookTokens/{webhook}'],
  ['POST /scripts/{script}/webhookTokens', { name: 'not made' }],
  ['POST /scripts/{script}/webhookTokens/{webhook}/rotate', {}],
  ['DELETE /scripts/{script}/webhookTokens/{webhook}'],
]

const NOBODYS = `tmw_${'x'.repeat(43)}`

const rows: readonly Row[] = [
  ...CALLS.flatMap(([call, json]): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...(['editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      json,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...(
    [
      ['no name', {}, '/name'],
      ['a name that is too long', { name: 'x'.repeat(256) }, '/name'],
      ['a past expiry', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
      ['no instant', { name: 'x', expiresAt: 'tomorrow' }, '/expiresAt'],
      [
        'a configuration that is not there',
        { name: 'x', runConfigurationId: 999_999 },
        '/runConfigurationId',
      ],
      ['an unknown field', { name: 'x', token: NOBODYS }, '/token'],
    ] as const
  ).map(([title, json, pointer]): Row => ({
    title,
    call: 'POST /scripts/{script}/webhookTokens',
    json,
    answers: 'invalid',
    pointers: [pointer],
  })),
  {
    title: 'a name that is taken',
    call: 'POST /scripts/{script}/webhookTokens',
    json: { name: 'STAGED' },
    answers: 'name_taken',
  },
  ...[-1, 7 * 86_400 + 1, 0.5].map((graceSeconds): Row => ({
    title: `a grace of ${graceSeconds}`,
    call: 'POST /scripts/{script}/webhookTokens/{webhook}/rotate',
    json: { graceSeconds },
    answers: 'invalid',
    pointers: ['/graceSeconds'],
  })),
  ...[
    'GET /scripts/{script}/webhookTokens/999999',
    'DELETE /scripts/{script}/webhookTokens/999999',
    'GET /scripts/{other}/webhookTokens/{webhook}',
    'DELETE /scripts/{other}/webhookTokens/{webhook}',
    'GET /scripts/999999/webhookTokens',
  ].map((call): Row => ({ title: 'a token that is not there', call, answers: 'not_found' })),
  { title: 'no token', call: 'POST /scripts/webhook', as: null, answers: 'bad_request' },
  { title: 'a session in place of a token', call: 'POST /scripts/webhook', answers: 'bad_request' },
  {
    title: 'a token of nobody',
    call: 'POST /scripts/webhook',
    as: null,
    headers: { 'x-tidemark-webhook-token': NOBODYS },
    answers: 'not_found',
  },
  {
    title: 'a token of nobody',
    call: 'POST /scripts/webhook',
    as: null,
    headers: { authorization: `Bearer ${NOBODYS}` },
    answers: 'not_found',
  },
  { title: 'a token of nobody', call: `POST /scripts/webhook/${NOBODYS}`, as: null, answers: 'not_found' },
  { title: 'what is no token', call: 'POST /scripts/webhook/x', as: null, answers: 'not_found' },
  {
    title: 'an encoding',
    call: 'POST /scripts/webhook/{token}',
    as: null,
    headers: { 'content-encoding': 'gzip' },
    text: 'x',
    answers: 'unsupported_media_type',
  },
  {
    title: 'no text',
    call: 'POST /scripts/webhook/{token}',
    as: null,
    bytes: new Uint8Array([0xff]),
    answers: 'bad_request',
  },
  {
    title: 'the largest body',
    call: 'POST /scripts/webhook/{token}',
    as: null,
    text: ' '.repeat(CALL_MAX_BYTES),
    answers: 202,
  },
  {
    title: 'a larger body',
    call: 'POST /scripts/webhook/{token}',
    as: null,
    text: ' '.repeat(CALL_MAX_BYTES + 1),
    answers: 'too_large',
  },
  {
    title: 'a body that is too much for a run',
    call: 'POST /scripts/webhook/{token}',
    as: null,
    text: 'x'.repeat(CALL_MAX_BYTES),
    answers: 'invalid',
    pointers: [''],
  },
  {
    title: 'no key',
    call: 'POST /scripts/webhook/{token}',
    as: null,
    headers: { 'idempotency-key': 'a b' },
    answers: 'bad_request',
  },
]

const post = (client: Client, path: string, request: Request = {}) =>
  client.request('POST', path, { as: null, ...request })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function signed(key: string | null, body: string, at = Math.floor(Date.now() / 1_000)) {
  const digest = createHmac('sha256', key ?? '')
    .update(`${at}.${body}`)
    .digest('hex')
  return { 'x-tidemark-signature': `t=${at},v1=${digest}` }
}

const scenarios: Scenario[] = [
  {
    title:
      'a token runs its script with its configuration in the name of who made it, however it is sent, and is shown once',
    async run(client) {
      const { at, run, make, jobs, end } = await fresh(client, 'triggered')
      const made = await make({ name: 'x', runConfigurationId: run, expiresAt: '2040-01-01T00:00:00Z' })
      expect(made).toEqual({
        id: made.id,
        name: 'x',
        runConfigurationId: run,
        hmac: false,
        userId: client.userIds.administrator,
        problem: null,
        createdAt: anyText,
        expiresAt: '2040-01-01T01:00:00+01:00',
        lastUsedAt: null,
        formerUntil: null,
        token: expect.stringMatching(/^tmw_[\w-]{43}$/) as string,
        path: `/scripts/webhook/${made.token}`,
        signingKey: null,
      } as never)
      const answers = [
        await post(client, made.path),
        await post(client, '/scripts/webhook', { headers: bearer(made.token), json: { a: 1 } }),
        await post(client, '/scripts/webhook', {
          headers: { 'x-tidemark-webhook-token': made.token },
          text: 'a=1',
        }),
      ]
      for (const answer of answers) {
        expectAnswer(answer, { answers: 202 })
        expect(answer.body).toMatchObject({
          trigger: 'webhook',
          runConfigurationId: run,
          userId: client.userIds.administrator,
          state: 'queued',
        })
      }
      expect(await jobs()).toHaveLength(3)
      const listed = await client.request('GET', `${at}/webhookTokens`)
      const audit = await client.request('GET', '/audit?limit=1000')
      for (const { text } of [listed, audit, await client.request('GET', `${at}/webhookTokens/${made.id}`)])
        expect(text).not.toContain(made.token.slice(4))
      expect((listed.body as unknown as { lastUsedAt: unknown }[])[0]?.lastUsedAt).toEqual(anyText)
      expect((await client.request('DELETE', `${at}/webhookTokens/${made.id}`)).status).toBe(204)
      expectAnswer(await post(client, made.path), { answers: 'not_found' })
      await end()
      expectAnswer(await post(client, made.path), { answers: 'not_found' })
    },
  },
  {
    title: 'a token opens no other route',
    decidedAbovePorts: 'webhooks',
    async run(client) {
      const { make, end } = await fresh(client, 'nothing else')
      const { token } = await make({ name: 'x' })
      const closed = routes.filter(({ policy }) => policy.roles !== 'anyone')
      expect(closed.length).toBeGreaterThan(150)
      const ways = [
        bearer(token),
        { authorization: `Baerer ${token}` },
        { 'x-session-id': token },
        { 'x-tidemark-webhook-token': token },
      ]
      const open: string[] = []
      for (const [index, { method, path }] of closed.entries()) {
        const reached = path.replaceAll(
          /:(\w+)(?:\{([^}]*)\})?/g,
          (_, _name: string, kinds?: string) => kinds?.split('|')[0] ?? '1',
        )
        const { status } = await client.request(method, reached, {
          as: null,
          headers: ways[index % ways.length] ?? {},
        })
        if (status !== 401) open.push(`${method} ${path}: ${status}`)
      }
      for (const headers of ways) {
        const { status } = await client.request('GET', '/scripts', { as: null, headers })
        if (status !== 401) open.push(`${Object.keys(headers).join()}: ${status}`)
      }
      expect(open).toEqual([])
      await end()
    },
  },
  {
    title:
      'a call that is to be signed is refused unless its signature fits, and runs once however often it is sent',
    async run(client) {
      const { at, make, jobs, end } = await fresh(client, 'signed')
      const made = await make({ name: 'x', hmac: true })
      expect(made.signingKey).toMatch(/^tmk_[\w-]{43}$/)
      expect((await client.request('GET', `${at}/webhookTokens`)).text).not.toContain(made.signingKey ?? '')
      const text = '{"a":1}'
      const now = Math.floor(Date.now() / 1_000)
      for (const headers of [
        {},
        signed('another', text),
        signed(made.signingKey, `${text} `),
        signed(made.signingKey, text, now - 400),
      ])
        expectAnswer(await post(client, made.path, { text, headers }), { answers: 'unauthenticated' })
      const headers = signed(made.signingKey, text)
      const first = await post(client, made.path, { text, headers })
      expectAnswer(first, { answers: 202 })
      const again = await post(client, made.path, {
        text,
        headers: { ...headers, 'idempotency-key': 'another' },
      })
      expect([again.status, again.body['id'], again.headers.get('idempotency-replayed')]).toEqual([
        202,
        first.body['id'],
        'true',
      ])
      expect(await jobs()).toHaveLength(1)
      await end()
    },
  },
  {
    title: 'what is sent under a key runs once, and other keys of other tokens are other keys',
    decidedAbovePorts: 'webhooks',
    async run(client) {
      const { make, jobs, end } = await fresh(client, 'repeated')
      const [a, b] = [await make({ name: 'a' }), await make({ name: 'b' })]
      const headers = { 'idempotency-key': 'same' }
      const answers = [
        await post(client, a.path, { headers }),
        await post(client, a.path, { headers }),
        await post(client, b.path, { headers }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
      expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(2)
      expectAnswer(await post(client, a.path, { headers, text: 'other' }), {
        answers: 'idempotency_conflict',
      })
      expect(await jobs()).toHaveLength(2)
      await end()
    },
  },
  {
    title: 'a token that was rotated works on as long as it was given, with the signatures of its time',
    async run(client) {
      const { at, make, end } = await fresh(client, 'rotated')
      const plain = await make({ name: 'plain' })
      const rotate = (id: number, graceSeconds: number) =>
        good<Made>(client.request('POST', `${at}/webhookTokens/${id}/rotate`, { json: { graceSeconds } }))
      const second = await rotate(plain.id, 7 * 86_400)
      for (const { path } of [plain, second]) expectAnswer(await post(client, path), { answers: 202 })
      const third = await rotate(plain.id, 0)
      expectAnswer(await post(client, third.path), { answers: 202 })
      for (const { path } of [plain, second]) expectAnswer(await post(client, path), { answers: 'not_found' })
      const before = await make({ name: 'signed', hmac: true })
      const after = await rotate(before.id, 60)
      expect(after.signingKey).not.toBe(before.signingKey)
      expectAnswer(await post(client, before.path, { headers: signed(before.signingKey, '') }), {
        answers: 202,
      })
      expectAnswer(await post(client, after.path, { headers: signed(after.signingKey, '') }), {
        answers: 202,
      })
      expectAnswer(await post(client, before.path, { headers: signed(after.signingKey, '') }), {
        answers: 'unauthenticated',
      })
      await end()
    },
  },
  {
    title: '20 tokens of a script are taken, and no more at the same time',
    async run(client) {
      const { at, make, end } = await fresh(client, 'many tokens')
      for (let count = 0; count < 15; count++) await make({ name: `t${count}` })
      const together = Array.from({ length: 15 }, (_, count) =>
        client.request('POST', `${at}/webhookTokens`, { json: { name: `together ${count}` } }),
      )
      expect(statusesOf(await Promise.all(together))).toEqual([
        ...Array<number>(5).fill(201),
        ...Array<number>(10).fill(409),
      ])
      expectAnswer(await client.request('POST', `${at}/webhookTokens`, { json: { name: 'one too many' } }), {
        answers: 'conflict',
      })
      await end()
    },
  },
]

export const webhooksSuite: Suite = { name: 'webhooks', scenarios: [...table(stage, rows), ...scenarios] }
