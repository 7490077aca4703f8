import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { connectAdministrator } from '../api/client.ts'
import type { Speaker } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'
import { MailServer } from './mail-server.ts'
import { Receiver } from './receiver.ts'
import { SECRET } from './stage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const START_MAX_MS = 180_000

const mail = await MailServer.start('none')
const receiver = new Receiver()
afterAll(() => Promise.all([mail.close(), receiver.close()]))

describe.each(HOSTS_BY_HAND)('notifications of %s', (_, start) => {
  let hand: HostByHand
  let admin: Speaker
  let now: number

  beforeEach(async () => {
    hand = await start({
      TIDEMARK_SMTP_URL: `smtp://127.0.0.1:${mail.port}?tls=none`,
      TIDEMARK_MAIL_FROM: 'Tidemark <tidemark@example.org>',
      TIDEMARK_OUTBOUND_ALLOW: 'localhost',
    })
    admin = await connectAdministrator(hand.host)
    now = Date.now() + MINUTE_MS
    await hand.moveTo(now)
  }, START_MAX_MS)
  afterEach(() => hand.host.close())

  const make = (json: object) => good<{ id: number }>(admin.request('POST', '/alarmrecipients', { json }))
  const tried = async (id: number) => good(admin.request('POST', `/alarmrecipients/${id}/test`))

  /** An alarm of the root group opens, of a link to a recipient, and the host comes to see it. */
  const open = async (recipientId: number) => {
    await hand.meddle(`insert or replace into alarm_links (id, object_id, position, covers, min_state, recipient_id, delay_ms,
      recovery_delay_ms, events) values (1, 1, 0, 'object', 'warning', ${recipientId}, 0, 0, '["opened"]')`)
    await hand.meddle(`insert into alarms (id, object_id, link_id, opened_seq, status, state, worst_state, begin_at, reason,
      message, sticky, maintained, flapping, version) values (1, 1, 1, 1, 'open', 'major', 'major', ${now}, 'threshold',
      'too hot', 0, 0, 0, 1)`)
    await hand.meddle(`insert into alarm_changes (id, alarm_id, version, object_id, link_id, at, kind, state, details)
      values (1, 1, 1, 1, 1, ${now}, 'opened', 'major', '{"isSilent":false}')`)
    // A change of anything has the flow look.
    await good(admin.request('POST', '/groups?parentId=1', { json: { name: 'new' } }))
  }

  test(
    'reach a mail server and a webhook, and are retried in time',
    async () => {
      const { id: webhook } = await make({
        name: 'hook',
        type: 'webhook',
        target: { url: `${receiver.url}/`, secret: SECRET },
      })
      receiver.answer = () => new Response('no', { status: 500 })
      expect(await tried(webhook)).toEqual({ status: 'failed', detail: 'The receiver answered 500: no' })
      receiver.take()
      const { id: mails } = await make({
        name: 'mails',
        type: 'email',
        target: { addresses: ['anna@example.org'] },
        language: 'de',
      })
      expect(await tried(mails)).toMatchObject({ status: 'ok' })
      expect(mail.take()[0]?.text).toContain('Subject: Test: root (Warnung)')

      await open(webhook)
      await hand.moveTo(now + 9_000)
      expect(receiver.take()).toEqual([])
      await hand.moveTo(now + 11_000)
      expect(receiver.got).toHaveLength(1)
      receiver.answer = () => new Response('ok')
      await hand.moveTo(now + 5 * MINUTE_MS)
      const sent = receiver.take()
      expect(sent).toHaveLength(2)
      expect(new Set(sent.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
      expect(await good(admin.request('GET', '/notifications'))).toMatchObject({
        items: [{ status: 'sent', attempts: 2, notices: 1, recipient: { name: 'hook' } }],
      })
    },
    START_MAX_MS,
  )

  test(
    'run a script once',
    async () => {
      const { id: scriptId } = await good<{ id: number }>(
        admin.request('POST', '/scripts', { json: { name: 'told' } }),
      )
      await good(admin.request('PUT', `/scripts/${scriptId}/files/run.sh`, { text: 'true' }))
      const { id } = await make({ name: 'script', type: 'script', target: { scriptId } })
      await open(id)
      await hand.moveTo(now + 11_000)
      const jobs = await good<object[]>(admin.request('GET', `/scripts/${scriptId}/jobs`))
      expect(jobs).toMatchObject([{ trigger: 'alarm', state: 'queued', user: 'admin' }])
      expect(await good(admin.request('GET', '/notifications'))).toMatchObject({
        items: [{ status: 'sent', attempts: 1, recipient: { name: 'script' } }],
      })
    },
    START_MAX_MS,
  )

  test(
    'have the same texts on every host for an unreachable receiver',
    async () => {
      const { id } = await make({
        name: 'hook',
        type: 'webhook',
        target: { url: 'http://localhost:1/', secret: SECRET },
      })
      const detail =
        'The receiver could not be reached: check the host and port of its URL, its certificate, and that it accepts connections from here.'
      expect(await tried(id)).toEqual({ status: 'failed', detail })
      expect(await good(admin.request('GET', `/alarmrecipients/${id}`))).toMatchObject({
        lastResult: { status: 'failed', detail },
        warnings: [{ code: 'last_message_failed' }],
      })
    },
    START_MAX_MS,
  )

  test(
    'survive a host that is down, and can be sent again after they failed for good',
    async () => {
      const { id } = await make({ name: 'hook', type: 'slack', target: { url: receiver.url } })
      receiver.answer = () => new Response('gone', { status: 410 })
      await open(id)
      await hand.awayUntil(now + HOUR_MS)
      await hand.moveTo(now + HOUR_MS + MINUTE_MS)
      expect(receiver.take()).toHaveLength(1)
      const { items } = await good<{ items: { id: number; status: string }[] }>(
        admin.request('GET', '/notifications?status=dead'),
      )
      expect(items).toMatchObject([{ status: 'dead' }])
      const warned = async () =>
        (await good<{ warnings: { code: string }[] }>(admin.request('GET', '/readyz'))).warnings.some(
          ({ code }) => code === 'notifications_dead',
        )
      expect(await warned()).toBe(true)
      receiver.answer = () => new Response('ok')
      expect(await good(admin.request('POST', `/notifications/${items[0]?.id}/resend`))).toMatchObject({
        attempts: 0,
      })
      expect(await warned()).toBe(false)
      await hand.moveTo(now + HOUR_MS + 2 * MINUTE_MS)
      expect(receiver.take()).toHaveLength(1)
      expect(await good(admin.request('GET', '/notifications'))).toMatchObject({
        items: [{ status: 'sent' }],
      })
    },
    START_MAX_MS,
  )
})
