import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Miniflare } from 'miniflare'

import { logIn } from '../../src/access/session/service.ts'
import { callerOfCredentials } from '../../src/access/session/service/callers.ts'
import { askAuthService } from '../../src/access/session/service/external.ts'
import { createUser } from '../../src/access/users/service.ts'
import type { Context } from '../../src/context.ts'
import { refusalIn } from '../../src/lib/errors.ts'
import { rejection } from '../contract/rejection.ts'
import { openPorts } from '../hosts/ports.ts'
import { SELF_SIGNED } from '../hosts/self-signed.ts'

const ADA = { username: 'ada', password: 'countess of lovelace' }
const TIMEOUT_MS = 5_000
const yes = { authenticated: true, username: ADA.username }

let asked: unknown[] = []
let stolen = 0

type Sent = typeof ADA | null

/** How the service answers under each path; under a number with that status. */
const ANSWERS: Readonly<Record<string, (sent: Sent) => Response | Promise<Response>>> = {
  checks: (sent) =>
    Response.json({ authenticated: sent?.password === ADA.password, username: sent?.username }),
  no: () => Response.json({ ...yes, authenticated: false }),
  redirects: () => new Response(null, { status: 307, headers: { location: '/elsewhere' } }),
  elsewhere: () => {
    stolen++
    return Response.json(yes)
  },
  html: () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }),
  somebody: () => Response.json({ ...yes, username: 'admin' }),
  text: () => Response.json({ ...yes, authenticated: 'true' }),
  list: () => Response.json([yes]),
  empty: () => new Response(null, { status: 200 }),
  huge: () => Response.json({ ...yes, more: 'x'.repeat(16 * 1024) }),
  large: () => Response.json({ ...yes, more: 'x'.repeat(16 * 1024 - 100) }),
  hangs: () => Bun.sleep(TIMEOUT_MS * 2).then(() => Response.json(yes)),
  dribbles: () => new Response(dribble()),
}

const service = Bun.serve({
  port: 0,
  idleTimeout: 30,
  async fetch(request) {
    const path = new URL(request.url).pathname.slice(1)
    const sent = request.method === 'POST' ? ((await request.json()) as Sent) : null
    asked.push(sent)
    return ANSWERS[path]?.(sent) ?? Response.json(yes, { status: Number(path) })
  },
})

const closed = Bun.serve({ port: 0, fetch: () => new Response() })
const closedUrl = closed.url.href
/** It would say yes, if anybody told it the password. */
const untrusted = Bun.serve({
  port: 0,
  tls: SELF_SIGNED,
  fetch: () => {
    stolen++
    return Response.json(yes)
  },
})

/** A yes whose end comes after the time limit. */
function dribble(): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(JSON.stringify(yes))
  let hasLeft = false
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.subarray(0, 1))
      await Bun.sleep(TIMEOUT_MS * 2)
      if (hasLeft) return
      controller.enqueue(bytes.subarray(1))
      controller.close()
    },
    cancel: () => {
      hasLeft = true
    },
  })
}

type Ask = (url: string) => Promise<unknown>

const here: Ask = async (url) => {
  const network = { fetch: (request: Request) => fetch(request) }
  try {
    return await askAuthService(network, url, ADA)
  } catch (error) {
    return refusalIn(error)?.code
  }
}

let miniflare: Miniflare
let inWorkerd: Ask

beforeAll(async () => {
  await closed.stop(true)
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, '../hosts/auth-worker.ts')],
    target: 'browser',
  })
  miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'main.mjs', contents: (await built.outputs[0]?.text()) ?? '' }],
    compatibilityDate: '2026-04-01',
    cf: false,
    // It says of every certificate that it does not trust.
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const stream of streams) stream.resume()
    },
  })
  const origin = await miniflare.ready
  inWorkerd = async (url) => {
    const response = await fetch(origin, { method: 'POST', body: JSON.stringify({ ...ADA, url }) })
    return ((await response.json()) as { answer: unknown }).answer
  }
}, 180_000)

afterAll(async () => {
  await miniflare.dispose()
  await service.stop(true)
  await untrusted.stop(true)
})

const CASES: readonly (readonly [path: string, answer: boolean | 'unavailable'])[] = [
  ['checks', true],
  ['large', true],
  ['no', false],
  ['401', false],
  ['403', false],
  ...[
    '201',
    '202',
    '400',
    '404',
    '500',
    '502',
    '503',
    'redirects',
    'html',
    'somebody',
    'text',
    'list',
    'empty',
    'huge',
  ].map((path) => [path, 'unavailable'] as const),
]

const HOSTS = ['bun', 'workerd'] as const

function askOf(host: (typeof HOSTS)[number]): Ask {
  return (url) => (host === 'bun' ? here(url) : inWorkerd(url))
}

describe.each(HOSTS)('the authentication service as %s sees it', (host) => {
  const ask = askOf(host)

  test.each(CASES)('that answers as /%s is taken for %p', async (path, answer) => {
    asked = []
    stolen = 0
    expect(await ask(service.url.href + path)).toBe(answer)
    expect(asked).toEqual([ADA])
    expect(stolen).toBe(0)
  })

  test('that is not there is away', async () => {
    expect(await ask(closedUrl)).toBe('unavailable')
  })

  test('whose certificate nobody trusts is away, and is not told the password', async () => {
    stolen = 0
    expect(await ask(untrusted.url.href)).toBe('unavailable')
    expect(stolen).toBe(0)
  })
})

// They wait, and do it together.
test.concurrent.each(
  HOSTS.flatMap((host) => (['hangs', 'dribbles'] as const).map((path) => ({ host, path }))),
)(
  'the authentication service that $path is away after 5 seconds as $host sees it',
  async ({ host, path }) => {
    const before = performance.now()
    expect(await askOf(host)(service.url.href + path)).toBe('unavailable')
    const tookMs = performance.now() - before
    expect(tookMs).toBeGreaterThan(TIMEOUT_MS - 500)
    expect(tookMs).toBeLessThan(4 * TIMEOUT_MS)
  },
  180_000,
)

test('an LDAP_MANAGED user signs in by the service, ten wrong passwords lock, and being away counts for nothing', async () => {
  const opened = await openPorts({ authServiceUrl: `${service.url.href}checks` })
  try {
    const context: Context = { ports: opened.ports, caller: { kind: 'anonymous' }, requestId: 'test' }
    await createUser(context, { ...ADA, role: 'collector', password: 'a password that is not used' })
    await opened.ports.database.run(`update users set type = 'LDAP_MANAGED', password_hash = ''`)
    expect(await logIn(context, ADA)).toMatchObject({ owed: null })
    expect(await rejection(logIn(context, { ...ADA, password: 'wrong' }))).toMatchObject({
      code: 'unauthenticated',
    })

    const away = {
      ...context,
      ports: { ...opened.ports, settings: { ...opened.ports.settings, authServiceUrl: closedUrl } },
    }
    for (let tried = 0; tried < 12; tried++)
      expect(await rejection(logIn(away, ADA))).toMatchObject({ code: 'unavailable', retryAfterS: 5 })
    expect(await logIn(context, ADA)).toMatchObject({ owed: null })

    for (let tried = 0; tried < 10; tried++)
      expect(await rejection(logIn(context, { ...ADA, password: 'wrong' }))).toMatchObject({
        code: 'unauthenticated',
      })
    expect(await rejection(logIn(context, ADA))).toMatchObject({ code: 'too_many_attempts' })

    const none = { ...opened.ports, settings: { ...opened.ports.settings, authServiceUrl: null } }
    opened.clock.at += 15 * 60_000
    expect(await callerOfCredentials(none, ADA)).toBeNull()
  } finally {
    await opened.close()
  }
}, 180_000)

test('who called by Basic goes on for an hour while the service is away, asked once a minute while it is there', async () => {
  const opened = await openPorts({ authServiceUrl: `${service.url.href}checks` })
  try {
    const { ports, clock } = opened
    const context: Context = { ports, caller: { kind: 'anonymous' }, requestId: 'test' }
    await createUser(context, { ...ADA, role: 'collector', password: 'a password that is not used' })
    await ports.database.run(`update users set type = 'LDAP_MANAGED', password_hash = ''`)
    asked = []
    for (let call = 0; call < 59; call++) {
      expect(await callerOfCredentials(ports, ADA)).toMatchObject({ username: 'ada' })
      clock.at += 1_000
    }
    expect(asked.length).toBe(1)
    clock.at += 1_000
    const settings = ports.settings as { authServiceUrl: string }
    settings.authServiceUrl = closedUrl
    expect(await callerOfCredentials(ports, ADA)).toMatchObject({ username: 'ada' })
    clock.at += 3_600_000
    expect(await rejection(Promise.resolve(callerOfCredentials(ports, ADA)))).toMatchObject({
      code: 'unavailable',
    })
  } finally {
    await opened.close()
  }
})
