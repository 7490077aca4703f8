import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { Webhook } from 'standardwebhooks'

import { testRecipient } from '../../src/monitoring/notifications/recipients/service.ts'
import { fetchAt, openNetwork } from '../../workers/bun/network.ts'
import { expectSnapshot } from '../api/snapshot.ts'
import { rejection } from '../contract/rejection.ts'
import { SELF_SIGNED } from '../hosts/self-signed.ts'
import { Receiver } from './receiver.ts'
import { openStage, SECRET } from './stage.ts'
import type { Stage } from './stage.ts'

const receiver = new Receiver()
const elsewhere = new Receiver()
let stage: Stage
let settings: { notificationTimeoutMs: number }

beforeAll(async () => {
  stage = await openStage()
  settings = stage.ports.settings
})
beforeEach(async () => {
  settings.notificationTimeoutMs = 10_000
  receiver.take()
  elsewhere.take()
  receiver.answer = () => new Response('ok')
  await stage.reset()
  await stage.ports.database.run('delete from attempts')
})
afterAll(() => Promise.all([stage.close(), receiver.close(), elsewhere.close()]))

const TYPES = {
  webhook: { type: 'webhook', target: { url: `${receiver.url}/hook`, secret: SECRET } },
  slack: { type: 'slack', target: { url: `${receiver.url}/slack` } },
  teams: { type: 'teams', target: { url: `${receiver.url}/teams` } },
  telegram: { type: 'telegram', target: { token: '12:ab', chatId: '-34', apiUrl: `${receiver.url}/api/` } },
  ntfy: { type: 'ntfy', target: { url: receiver.url, topic: 'alarms', token: 'tk_x' } },
} as const

type Type = keyof typeof TYPES

const HANGING: ReadonlySet<string> = new Set(['nothing for ever', 'a 500 and then nothing'])

const UNREACHABLE =
  'The receiver could not be reached: check the host and port of its URL, its certificate, and that it accepts connections from here.'

const tried = async (type: Type) => testRecipient(stage.context, await stage.recipient(TYPES[type]))

/** What each way of telling takes for a good answer. */
const GOOD: Readonly<Record<Type, () => Response>> = {
  webhook: () => new Response(null, { status: 204 }),
  slack: () => new Response('ok'),
  teams: () => new Response(null, { status: 202 }),
  telegram: () => Response.json({ ok: true, result: {} }),
  ntfy: () => Response.json({ id: 'x', event: 'message' }),
}

const NASTY = `<!channel> *b* [x](https://evil.example) {{state}} & "q"\r\nBcc: x`

describe.each(Object.keys(TYPES) as Type[])('%s', (type) => {
  test('has the form of its receiver', async () => {
    receiver.answer = GOOD[type]
    await stage.ports.database.run(`update objects set name = '${NASTY}' where type = 'job'`)
    await stage.recipient({ ...TYPES[type], language: 'de', timeZone: 'Europe/Berlin' })
    await stage.happen({ kind: 'opened', state: 'minor' })
    await stage.pass(10_000)
    const [got, ...others] = receiver.take()
    expect(others).toEqual([])
    expect(got?.headers.get('idempotency-key')).toMatch(/^ntf_[\w-]{24}$/)
    const json = got?.json ?? {}
    const path = got?.path
    const authorization = got?.headers.get('authorization') ?? null
    const stable = type === 'webhook' ? { type: json['type'], data: json['data'] } : json
    const told = { path, authorization, ...stable }
    await expectSnapshot(`notifications/${type}.json`, `${JSON.stringify(told, null, 2)}\n`)
    expect(await stage.rows('select status from notifications')).toEqual([{ status: 'sent' }])
  })

  test.each([
    ['500', () => new Response('boom', { status: 500 })],
    ['429', () => new Response('', { status: 429, headers: { 'retry-after': '1' } })],
    ['a redirect', () => Response.redirect(`${elsewhere.url}/`, 307)],
    ['a redirect that changes the method', () => Response.redirect(`${elsewhere.url}/`, 302)],
    ['an endless 500', () => new Response(endless(), { status: 500 })],
    ['nothing for ever', () => new Promise<Response>(() => {})],
    ['a 500 and then nothing', () => new Response(silent(), { status: 500 })],
  ] as const)('that answers %s has failed, and nobody else is told', async (name, answer) => {
    receiver.answer = answer
    settings.notificationTimeoutMs = HANGING.has(name) ? 300 : 10_000
    expect(await tried(type)).toMatchObject({ status: 'failed' })
    expect(receiver.take()).toHaveLength(1)
    expect(elsewhere.take()).toEqual([])
  })

  test.each([
    ['does not end', () => new Response(endless())],
    ['stops in the middle', () => new Response(silent())],
    ['is one byte too long', () => new Response('x'.repeat(16 * 1024 + 1))],
  ] as const)('whose good answer %s has been told: the status says so', async (_, answer) => {
    receiver.answer = answer
    settings.notificationTimeoutMs = 300
    expect(await tried(type)).toEqual({ status: 'ok', detail: 'The receiver answered 200.' })
    expect(receiver.take()).toHaveLength(1)
  })

  test('that answers 400 at length is final, with the beginning of what it says', async () => {
    receiver.answer = () => new Response('no such room. '.repeat(10_000), { status: 400 })
    await stage.recipient(TYPES[type])
    await stage.happen({ kind: 'opened' })
    await stage.pass(60_000)
    const [row, ...others] = await stage.rows<{ status: string; attempts: number; detail: string }>(
      'select status, attempts, detail from notifications',
    )
    expect(others).toEqual([])
    expect(row).toMatchObject({ status: 'dead', attempts: 1 })
    expect(row?.detail).toStartWith('The receiver answered 400: no such room. ')
  })

  test('whose receiver is not there has failed', async () => {
    const gone = new Receiver()
    const { url } = gone
    await gone.close()
    const target = JSON.parse(JSON.stringify(TYPES[type].target).replaceAll(receiver.url, url)) as object
    const id = await stage.recipient({ type, target })
    const result = await testRecipient(stage.context, id)
    expect(result).toEqual({ status: 'failed', detail: UNREACHABLE })
    expect(stage.logs.at(-1)).toContain('"cause":"')
    expect(stage.logs.join()).not.toContain(JSON.stringify(TYPES[type].target))
  })
})

test.each([
  ['teams', 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429'],
  ['telegram', JSON.stringify({ ok: false, error_code: 429, description: 'Too Many Requests' })],
  ['telegram', 'fine'],
  ['ntfy', JSON.stringify({ error: 'limit reached' })],
  ['ntfy', '<html>Welcome</html>'],
] as const)('%s that answers 200 and %s lies', async (type, body) => {
  receiver.answer = () => new Response(body)
  expect(await tried(type)).toMatchObject({ status: 'failed' })
})

test.each(['ok', '{"success":true}', '{"ok":true}', ''])(
  'a Slack-compatible receiver that answers 200 and %p has accepted the message',
  async (body) => {
    receiver.answer = () => new Response(body)
    expect(await tried('slack')).toMatchObject({ status: 'ok' })
  },
)

test('a webhook is signed as in Standard Webhooks at each attempt', async () => {
  receiver.answer = () => new Response('', { status: 500 })
  await stage.recipient(TYPES.webhook)
  // Its verifier knows the wall clock only.
  stage.clock.at = Date.now()
  await stage.happen({ kind: 'opened' })
  await stage.pass(60_000)
  const sent = receiver.take()
  expect(sent.length).toBeGreaterThan(1)
  for (const { text, headers } of sent) {
    const signed = Object.fromEntries(headers)
    expect(new Webhook(SECRET).verify(text, signed)).toBeTruthy()
    expect(() => new Webhook(SECRET).verify(`${text} `, signed)).toThrow()
  }
  expect(new Set(sent.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
  expect(new Set(sent.map(({ headers }) => headers.get('webhook-timestamp'))).size).toBe(sent.length)
})

test('a connection that is closed without an answer is a failure', async () => {
  const rude = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => void socket.end() } })
  try {
    const url = `http://127.0.0.1:${rude.port}/`
    const id = await stage.recipient({ type: 'slack', target: { url } })
    expect(await testRecipient(stage.context, id)).toMatchObject({ status: 'failed' })
  } finally {
    rude.stop(true)
  }
})

test('a target that cannot be decrypted is not notified, and the log names it', async () => {
  const id = await stage.recipient(TYPES.slack)
  await stage.ports.database.run(`update alarm_recipients set type = 'teams'`)
  const detail =
    'The target cannot be decrypted: the installation key has changed or is missing. Enter the target again.'
  expect(await testRecipient(stage.context, id)).toEqual({ status: 'failed', detail })
  expect(receiver.take()).toEqual([])
  expect(stage.logs.at(-1)).toContain(`"recipientId":${id}`)
  await stage.happen({ kind: 'opened' })
  await stage.pass(10_000)
  expect(await stage.rows('select status, detail from notifications')).toEqual([
    { status: 'waiting', detail },
  ])
})

describe('no notification goes to', () => {
  const network = (addresses: readonly string[], outboundAllow = new Set<string>()) =>
    openNetwork({ trustedProxies: 0, outboundAllow, addressesOf: () => Promise.resolve(addresses) })
  const post = (url: string) => new Request(url, { method: 'POST', body: 'x' })

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['169.254.169.254']],
    [['10.0.0.1']],
    [['172.16.0.1']],
    [['192.168.1.1']],
    [['100.64.0.1']],
    [['0.0.0.0']],
    [['fe80::1']],
    [['fe80::1%eth0']],
    [['fd00::1']],
    [['::ffff:10.0.0.1']],
    [['64:ff9b::a00:1']],
    [['2002:a00:1::']],
    [['224.0.0.1']],
    // One of them is enough: the connection might take it.
    [['93.184.216.34', '10.0.0.1']],
    [[]],
  ])('a name that resolves to %p', async (addresses) => {
    expect(
      await rejection(network(addresses).fetchOutside(post('https://hooks.example.org/'))),
    ).toMatchObject({ code: 'forbidden' })
  })

  test('another address than the one that was checked; host and certificate are those of the name', async () => {
    expect(
      await (
        await fetchAt(post(`${receiver.url.replace('localhost', 'hooks.example.org')}/x`), '127.0.0.1')
      ).text(),
    ).toBe('ok')
    const [got] = receiver.take()
    expect(got?.headers.get('host')).toMatch(/^hooks\.example\.org:/)
    expect(got?.text).toBe('x')
    const trap = Bun.serve({ port: 0, tls: SELF_SIGNED, fetch: () => new Response('told') })
    try {
      const error = await rejection(fetchAt(post(`https://hooks.example.org:${trap.port}/`), '127.0.0.1'))
      expect(String(error)).toContain('certificate')
    } finally {
      await trap.stop(true)
    }
  })
})

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })
}

function silent(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"ok": tr'))
    },
  })
}
