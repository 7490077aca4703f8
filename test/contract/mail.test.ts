import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Miniflare } from 'miniflare'

import type { Letter, MailReply } from '../../src/ports/mail.ts'
import type { MailSettings } from '../../src/ports/notification-settings.ts'
import { openMail } from '../../workers/mail.ts'
import { bundleWorker } from '../hosts/bundle.ts'
import type { MailOrder } from '../hosts/mail-worker.ts'
import { SELF_SIGNED } from '../hosts/self-signed.ts'
import { MAIL_USER, MailServer } from '../notifications/mail-server.ts'
import type { Way } from '../notifications/mail-server.ts'

const LONG_MS = 20_000
const LETTER: Letter = {
  to: ['anna@example.org'],
  subject: 'Alarm: Zürich',
  text: 'first\n.\n..second\n',
  id: 'ntf_1',
}

type Send = (order: MailOrder) => Promise<MailReply>

const servers = {} as Record<Way, MailServer>
const sends = {} as Record<'bun' | 'workerd' | 'bun without trust' | 'workerd without trust', Send>
const workers: Miniflare[] = []

beforeAll(async () => {
  for (const way of ['always', 'starttls', 'none'] as const) servers[way] = await MailServer.start(way)
  const contents = await bundleWorker(join(import.meta.dirname, '../hosts/mail-worker.ts'))
  const inWorkerd = async (trusted: readonly string[]): Promise<Send> => {
    const miniflare = new Miniflare({
      modules: [{ type: 'ESModule', path: 'main.mjs', contents }],
      compatibilityDate: '2026-04-01',
      compatibilityFlags: ['nodejs_compat'],
      cf: false,
      outboundService: {
        network: {
          allow: ['public', 'private'],
          tlsOptions: { trustBrowserCas: true, trustedCertificates: [...trusted] },
        },
      },
      // It says of every certificate that it does not trust.
      handleRuntimeStdio: (...streams: Readable[]) => {
        for (const stream of streams) stream.resume()
      },
    })
    workers.push(miniflare)
    const url = await miniflare.ready
    return async (order) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(order) })
      return (await response.json()) as MailReply
    }
  }
  const onBun =
    (trust: { ca?: string }): Send =>
    ({ settings, letter, timeoutMs }) =>
      openMail(settings, trust).send(letter, AbortSignal.timeout(timeoutMs))
  sends.bun = onBun({ ca: SELF_SIGNED.cert })
  sends['bun without trust'] = onBun({})
  sends.workerd = await inWorkerd([SELF_SIGNED.cert])
  sends['workerd without trust'] = await inWorkerd([])
}, 180_000)

afterAll(async () => {
  await Promise.all([
    ...Object.values(servers).map((one) => one.close()),
    ...workers.map((one) => one.dispose()),
  ])
})

function settingsOf(way: Way, change: Partial<MailSettings> = {}): MailSettings {
  const { port } = servers[way]
  const from = 'Tidemark <tidemark@example.org>'
  return {
    host: '127.0.0.1',
    port,
    tls: way,
    ...MAIL_USER,
    from,
    ...(way === 'none' && { user: '' }),
    ...change,
  }
}

const order = (settings: MailSettings | null, letter: Partial<Letter> = {}): MailOrder => {
  return { settings, letter: { ...LETTER, ...letter }, timeoutMs: LONG_MS }
}

describe.each(['bun', 'workerd'] as const)('mail on %s', (host) => {
  test.each(['always', 'starttls', 'none'] as const)('arrives, TLS %s', async (way) => {
    expect(await sends[host](order(settingsOf(way)))).toMatchObject({ code: 250 })
    const [mail, ...others] = servers[way].take()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ from: 'tidemark@example.org', to: ['anna@example.org'] })
    const [head = '', body] = mail?.text.split('\r\n\r\n') ?? []
    expect(head).toContain('Message-ID: <ntf_1@example.org>')
    expect(head).toContain('Auto-Submitted: auto-generated')
    expect(body).toBe('first\r\n.\r\n..second\r\n')
  })

  test('arrives with files', async () => {
    const attachments = [
      { name: 'w1.svg\r\nBcc: eve@example.org', mediaType: 'image/svg+xml', content: '<svg>ü</svg>' },
    ]
    expect(await sends[host](order(settingsOf('none'), { attachments }))).toMatchObject({ code: 250 })
    const [{ text } = { text: '' }] = servers.none.take()
    expect(text).not.toMatch(/^bcc:/im)
    const [head = '', first = '', file = ''] = text.split(/\r\n--[^\r]+\r\n/)
    expect(head).toContain('Content-Type: multipart/mixed')
    expect(first).toContain('first\r\n')
    expect(file).toContain('Content-Type: image/svg+xml')
    expect(file).toContain('Content-Disposition: attachment')
    expect(atob((file.split('\r\n\r\n')[1] ?? '').trim())).toBe('<svg>Ã¼</svg>')
  })

  test.each(['always', 'starttls'] as const)(
    'tells no password to a server whose certificate nobody trusts, TLS %s',
    async (way) => {
      expect(await sends[`${host} without trust`](order(settingsOf(way)))).toMatchObject({ code: 0 })
      expect(servers[way].take()).toEqual([])
    },
  )

  test('is not sent without TLS where TLS is wanted', async () => {
    const { port } = servers.none
    expect((await sends[host](order(settingsOf('starttls', { port })))).code).not.toBe(250)
    expect(servers.none.take()).toEqual([])
  })

  test('is refused with the code of the server', async () => {
    expect(await sends[host](order(settingsOf('always', { password: 'wrong' })))).toMatchObject({ code: 535 })
    const server = servers.none
    server.refuses = (address) => (address.startsWith('anna') ? { code: 550, text: 'No such user' } : null)
    expect(await sends[host](order(settingsOf('none')))).toMatchObject({ code: 550 })
    const both = await sends[host](order(settingsOf('none'), { to: ['anna@example.org', 'ben@example.org'] }))
    expect(both).toMatchObject({ code: 250 })
    expect(both.text).toContain('Not taken for 1 of 2.')
    expect(server.take().map(({ to }) => to)).toEqual([['ben@example.org']])
    server.refuses = () => ({ code: 451, text: 'Later' })
    expect(await sends[host](order(settingsOf('none')))).toMatchObject({ code: 451 })
    server.refuses = () => null
  })

  test('has no header and no address but its own, whatever is in it', async () => {
    const evil = 'x\r\nBcc: eve@example.org\r\n\r\nbody'
    const letter = { subject: evil, text: evil, id: evil.replaceAll(/\s/g, '') }
    expect(await sends[host](order(settingsOf('none'), letter))).toMatchObject({ code: 250 })
    await sends[host](order(settingsOf('none'), { to: ['anna@example.org\r\nRCPT TO:<eve@example.org>'] }))
    await sends[host](order(settingsOf('none'), { to: ['anna@example.org, eve@example.org'] }))
    for (const { to, text } of servers.none.take()) {
      expect(to.filter((one) => one.startsWith('eve'))).toEqual([])
      const [head = ''] = text.split('\r\n\r\n')
      expect(head).not.toMatch(/^bcc:/im)
    }
  })

  test('is given up when it takes too long', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    try {
      const settings = settingsOf('none', { port: silent.port })
      expect(await sends[host]({ ...order(settings), timeoutMs: 200 })).toMatchObject({ code: 0 })
    } finally {
      silent.stop(true)
    }
  })

  test('has nowhere to go without a server', async () => {
    expect(await sends[host](order(null))).toEqual({
      code: 0,
      text: 'There is no mail server: set TIDEMARK_SMTP_URL.',
    })
    expect(await sends[host](order(settingsOf('none', { port: 1 })))).toMatchObject({ code: 0 })
  })
})
