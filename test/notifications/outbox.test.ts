import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { readAlarm } from '../../src/monitoring/alarm-inbox/service.ts'
import { listNotifications, resendNotification } from '../../src/monitoring/notifications/outbox/service.ts'
import { notificationsQuery } from '../../src/monitoring/notifications/outbox/schema.ts'
import { rejection } from '../contract/rejection.ts'
import { Receiver } from './receiver.ts'
import type { Got } from './receiver.ts'
import { ALARMS_FROM, DEVICE, JOB, openStage, SECRET } from './stage.ts'
import type { Stage } from './stage.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const receiver = new Receiver()
let stage: Stage

beforeAll(async () => {
  stage = await openStage({ jobs: 60 })
})
beforeEach(async () => {
  receiver.take()
  receiver.answer = () => new Response('ok')
  await stage.reset()
})
afterAll(() => Promise.all([stage.close(), receiver.close()]))

const webhook = (more: object = {}) =>
  stage.recipient({ type: 'webhook', target: { url: `${receiver.url}/hook`, secret: SECRET }, ...more })

/** The events of the messages that came, each message a list. */
function eventsOf(got: readonly Got[]): string[][] {
  return got.map(({ json }) => {
    const { alarms } = json['data'] as { alarms: { event: string }[] }
    return alarms.map(({ event }) => event)
  })
}

function textOf({ json }: Got): string {
  return (json['data'] as { text: string }).text
}

const list = async (query: object = {}) =>
  (await listNotifications(stage.context, notificationsQuery.parse(query))).items

/** What its alarm shows of what was told of a job. */
const shownOf = async (job = 0) => (await readAlarm(stage.context, ALARMS_FROM + job)).notifications

describe('an alarm', () => {
  test('is notified after the grouping time, and its end with begin, end and duration', async () => {
    await webhook()
    await stage.happen({ kind: 'opened', state: 'minor' })
    await stage.pass(9_999)
    expect(receiver.take()).toEqual([])
    await stage.pass(1)
    const [opened, ...others] = receiver.take()
    expect(others).toEqual([])
    expect(opened?.json).toMatchObject({
      type: 'alarm.opened',
      data: {
        recipient: 'ops',
        alarms: [
          {
            event: 'opened',
            object: { id: JOB, type: 'job', name: 'my job', path: '/root/my device/my job' },
            state: 'minor',
            message: 'too hot',
            end: null,
          },
        ],
      },
    })
    await stage.pass(HOUR_MS)
    await stage.happen({ kind: 'closed' })
    await stage.pass(MINUTE_MS)
    const [closed] = receiver.take()
    expect(closed?.json).toMatchObject({
      type: 'alarm.closed',
      data: {
        alarms: [
          {
            state: 'ok',
            begin: '2026-03-02T10:00:00+01:00',
            end: '2026-03-02T11:00:10+01:00',
            durationMs: HOUR_MS + 10_000,
          },
        ],
      },
    })
    expect(await list()).toMatchObject([
      { status: 'sent', attempts: 1, notices: 1 },
      { status: 'sent', attempts: 1, notices: 1 },
    ])
    expect(await shownOf()).toEqual({ sent: 2, failed: 0 })
  })

  test('is notified while thousands of notices of another recipient wait for its rate limit', async () => {
    const slow = await webhook({ name: 'slow', messagesPerHour: 1 })
    await stage.happen({ kind: 'opened' })
    await stage.pass(MINUTE_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened']])
    await stage.ports.database.run(sql`
      with recursive n(id) as (select 1000000 union all select id + 1 from n where id < 1005000)
      insert into notices (change_id, alarm_id, object_id, recipient_id, user_id, kind, step, due_at, facts)
      select n.id, t.alarm_id, t.object_id, t.recipient_id, t.user_id, t.kind, 0, ${stage.clock.at}, t.facts
      from n, (select * from notices where recipient_id = ${slow} limit 1) t`)
    await webhook({ name: 'quick' })
    await stage.happen({ kind: 'opened', job: 1 })
    await stage.pass(10_000)
    expect(receiver.take().map(({ json }) => (json['data'] as { recipient: string }).recipient)).toEqual([
      'quick',
    ])
  })

  test('that is dated ahead of the clock is notified at once, and its reminder and its end come in time', async () => {
    await webhook({ reminder: { every: 'PT30M', times: 1 } })
    await stage.happen({ kind: 'opened', aheadMs: 24 * HOUR_MS })
    await stage.pass(10_000)
    expect(eventsOf(receiver.take())).toEqual([['opened']])
    await stage.pass(30 * MINUTE_MS)
    expect(eventsOf(receiver.take())).toEqual([['reminder']])
    await stage.happen({ kind: 'closed', aheadMs: 24 * HOUR_MS })
    await stage.pass(10_000)
    expect(eventsOf(receiver.take())).toEqual([['closed']])
  })

  test.each([
    ['held', { kind: 'held', heldReason: 'maintenance' }],
    ['assigned', { kind: 'assigned' }],
    ['suppressed', { kind: 'suppressed' }],
  ])('that is %s is not notified, and notified again when that ends', async (_, change) => {
    const [released] = { held: ['unheld'], assigned: ['assignment_expired'], suppressed: ['released'] }[
      change.kind as 'held' | 'assigned' | 'suppressed'
    ]
    await webhook({ reminder: { every: 'PT30M', times: 2 } })
    await stage.happen({ kind: 'opened' })
    await stage.happen(change)
    await stage.pass(5 * HOUR_MS)
    expect(receiver.take()).toEqual([])
    await stage.happen({ kind: released ?? '' })
    await stage.pass(MINUTE_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened']])
    await stage.happen(change)
    await stage.pass(5 * HOUR_MS)
    expect(receiver.take()).toEqual([])
    await stage.happen({ kind: released ?? '' })
    await stage.pass(MINUTE_MS)
    expect(eventsOf(receiver.take())).toEqual([['again']])
  })

  test('that flaps is notified as flapping, once', async () => {
    await webhook()
    await stage.happen({ kind: 'opened' })
    await stage.pass(MINUTE_MS)
    await stage.happen({ kind: 'held', heldReason: 'flapping' })
    await stage.happen({ kind: 'worsened', heldReason: 'flapping' })
    await stage.pass(HOUR_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened'], ['flapping']])
  })

  test('is not notified while the filter excludes it, and notified once it does not', async () => {
    await webhook({ minState: 'major', objectIds: [DEVICE] })
    await stage.happen({ kind: 'opened', state: 'warning' })
    await stage.pass(HOUR_MS)
    expect(receiver.take()).toEqual([])
    await stage.happen({ kind: 'worsened', state: 'major' })
    await stage.pass(HOUR_MS)
    expect(eventsOf(receiver.take())).toEqual([['worsened']])
  })

  test('of another object is not notified', async () => {
    await webhook({ objectIds: [JOB + 1] })
    await stage.happen({ kind: 'opened' }, { kind: 'opened', job: 1 })
    await stage.pass(HOUR_MS)
    const [only] = receiver.take()
    expect(only?.json['data']).toMatchObject({ alarms: [{ object: { id: JOB + 1 } }] })
  })

  test('has its reminders as often as configured, and none after its end', async () => {
    await webhook({ reminder: { every: 'PT1H', times: 2 } })
    await stage.happen({ kind: 'opened' })
    await stage.pass(10 * HOUR_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened'], ['reminder'], ['reminder']])
    await stage.happen({ kind: 'opened', job: 1 })
    await stage.pass(HOUR_MS / 2)
    await stage.happen({ kind: 'closed', job: 1 })
    await stage.pass(10 * HOUR_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened'], ['closed']])
  })

  test('is escalated if it is not acknowledged, and its end reaches all who were notified', async () => {
    const boss = new Receiver()
    try {
      const bossId = await stage.recipient({
        name: 'boss',
        type: 'webhook',
        target: { url: boss.url, secret: SECRET },
      })
      await webhook({ escalation: [{ after: 'PT15M', recipientId: bossId }] })
      await stage.happen({ kind: 'opened' }, { kind: 'opened', job: 1 })
      await stage.pass(14 * MINUTE_MS)
      await stage.happen({ kind: 'assigned' })
      expect(boss.take()).toEqual([])
      await stage.pass(2 * MINUTE_MS)
      expect(boss.take().map(({ json }) => json['data'])).toMatchObject([
        { alarms: [{ event: 'escalation', object: { id: JOB + 1 } }] },
      ])
      await stage.happen({ kind: 'closed', job: 1 })
      await stage.pass(MINUTE_MS)
      expect(eventsOf(boss.take())).toEqual([['closed']])
    } finally {
      await boss.close()
    }
  })

  test('of a deleted object is notified as no longer monitored', async () => {
    await webhook()
    await stage.happen({ kind: 'opened' })
    await stage.pass(MINUTE_MS)
    await stage.happen({ kind: 'closed', reason: 'deleted' })
    await stage.pass(MINUTE_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened'], ['gone']])
  })
})

test.each([
  ['opened', [['opened']]],
  ['worsened', [['worsened'], ['closed']]],
  ['flapping', [['flapping'], ['closed']]],
  ['closed', []],
] as const)('a link that tells %s besides ends tells no more than that', async (event, told) => {
  const events = event === 'opened' ? [event] : [event, 'closed']
  await stage.recipient({ type: 'webhook', target: { url: receiver.url, secret: SECRET } }, events)
  for (const change of [
    { kind: 'opened', state: 'minor' },
    { kind: 'worsened' },
    { kind: 'held', heldReason: 'flapping' },
    { kind: 'closed' },
  ] as const) {
    await stage.happen(change)
    await stage.pass(MINUTE_MS)
  }
  expect(eventsOf(receiver.take())).toEqual(told.map((one) => [...one]))
})

describe('many alarms', () => {
  test('of one broken router are one message, and their ends another', async () => {
    await webhook()
    const jobs = Array.from({ length: 60 }, (_, job) => ({ job }))
    await stage.happen(...jobs.slice(0, 30).map((one) => ({ kind: 'opened', ...one })))
    await stage.pass(5 * SECOND_MS)
    await stage.happen(...jobs.slice(30).map((one) => ({ kind: 'opened', ...one })))
    await stage.pass(MINUTE_MS)
    const [message, ...others] = receiver.take()
    expect(others).toEqual([])
    expect(message?.json).toMatchObject({ type: 'alarm.opened', data: { subject: '60 alarms' } })
    expect(eventsOf(message ? [message] : [])[0]).toHaveLength(60)
    const lines = (message ? textOf(message) : '').split('\n')
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('… and 40 more.')
    await stage.happen(...jobs.map((one) => ({ kind: 'closed', ...one })))
    await stage.pass(MINUTE_MS)
    expect(receiver.take().map(({ json }) => json['data'])).toMatchObject([{ subject: '60 recovered' }])
    expect([await shownOf(0), await shownOf(59)]).toEqual([
      { sent: 2, failed: 0 },
      { sent: 2, failed: 0 },
    ])
  })

  test('are no more messages an hour than the recipient takes; none is lost', async () => {
    await webhook({ grouping: 'PT0S', messagesPerHour: 3 })
    for (let job = 0; job < 10; job++) {
      await stage.happen({ kind: 'opened', job })
      await stage.pass(MINUTE_MS)
    }
    expect(eventsOf(receiver.take()).map(({ length }) => length)).toEqual([1, 1, 1])
    await stage.pass(49 * MINUTE_MS)
    expect(receiver.take()).toEqual([])
    await stage.pass(MINUTE_MS)
    expect(eventsOf(receiver.take()).map(({ length }) => length)).toEqual([7])
  })
})

describe('a message that is not taken', () => {
  test('is tried for 24 hours under its key, then given up, and can be sent again', async () => {
    receiver.answer = () => new Response('away', { status: 503 })
    await webhook()
    await stage.happen({ kind: 'opened' })
    await stage.pass(12 * HOUR_MS)
    expect(await shownOf()).toEqual({ sent: 0, failed: 0 })
    await stage.pass(12 * HOUR_MS + MINUTE_MS)
    expect(await shownOf()).toEqual({ sent: 0, failed: 1 })
    const tries = receiver.take()
    expect(tries.length).toBeGreaterThan(24)
    expect(tries.length).toBeLessThan(48)
    const keys = new Set(tries.map(({ headers }) => headers.get('idempotency-key')))
    expect(keys.size).toBe(1)
    expect(new Set(tries.map(({ text }) => text)).size).toBe(1)
    const [dead] = await list({ status: 'dead' })
    expect(dead).toMatchObject({ status: 'dead', next: null, detail: 'The receiver answered 503: away' })
    expect(keys.has(dead?.key ?? '')).toBe(true)
    receiver.answer = () => new Response('ok')
    expect(await resendNotification(stage.context, dead?.id ?? 0)).toMatchObject({ status: 'waiting' })
    await stage.pass(0)
    expect(receiver.take().map(({ headers }) => headers.get('idempotency-key'))).toEqual([...keys])
    expect(await list()).toMatchObject([{ status: 'sent' }])
    expect(await shownOf()).toEqual({ sent: 1, failed: 0 })
    expect(await rejection(resendNotification(stage.context, dead?.id ?? 0))).toMatchObject({
      code: 'conflict',
    })
  })

  test('goes before what comes after it, which is then told together', async () => {
    receiver.answer = () => new Response('', { status: 500 })
    await webhook()
    await stage.happen({ kind: 'opened' })
    await stage.pass(MINUTE_MS)
    await stage.happen({ kind: 'closed' }, { kind: 'opened', job: 1 })
    await stage.pass(3 * HOUR_MS)
    expect(new Set(eventsOf(receiver.take()).map(String))).toEqual(new Set(['opened']))
    receiver.answer = () => new Response('ok')
    await stage.pass(2 * HOUR_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened'], ['closed', 'opened']])
  })

  test.each([
    ['in seconds', () => '1800'],
    ['as a date', (now: number) => new Date(now + HOUR_MS / 2).toUTCString()],
  ])('waits as long as Retry-After says: %s', async (_, header) => {
    receiver.answer = () =>
      new Response('', { status: 429, headers: { 'retry-after': header(stage.clock.at) } })
    await webhook()
    await stage.happen({ kind: 'opened' })
    await stage.pass(10 * SECOND_MS)
    await stage.pass(HOUR_MS / 2 - 2 * SECOND_MS)
    expect(receiver.take()).toHaveLength(1)
    await stage.pass(2 * SECOND_MS)
    expect(receiver.take()).toHaveLength(1)
  })

  test.each(['90000', '999999999999', 'Thu, 01 Jan 2099 00:00:00 GMT'])(
    'waits at most an hour, and for at most 24 hours, if Retry-After says %s',
    async (header) => {
      receiver.answer = () => new Response('', { status: 503, headers: { 'retry-after': header } })
      await webhook()
      await stage.happen({ kind: 'opened' })
      await stage.pass(10 * SECOND_MS)
      expect(await list()).toMatchObject([{ status: 'waiting', attempts: 1 }])
      await stage.pass(24 * HOUR_MS - SECOND_MS)
      expect(await list()).toMatchObject([{ status: 'waiting' }])
      await stage.pass(SECOND_MS)
      expect(await list()).toMatchObject([{ status: 'dead' }])
      const { length } = receiver.take()
      expect([length > 23, length < 27]).toEqual([true, true])
    },
  )

  test('delays only its own addressee, and retries take at most half of the room', async () => {
    let hanging = 0
    let most = 0
    const recipients: number[] = []
    for (let one = 0; one < 60; one++)
      recipients.push(
        await stage.recipient({
          name: `hangs ${one}`,
          type: 'webhook',
          target: { url: `${receiver.url}/hang`, secret: SECRET },
          grouping: 'PT0S',
        }),
      )
    const { database } = stage.ports
    await database.run(sql`
      insert into notifications (key, recipient_id, user_id, status, attempts, created_at, next_at, give_up_at, detail)
      select 'h' || value, value, 0, 'waiting', 1, 0, 0, ${stage.clock.at + HOUR_MS}, ''
      from json_each(${JSON.stringify(recipients)})`)
    const release = Promise.withResolvers<void>()
    receiver.answer = async ({ path }) => {
      if (path === '/hang') {
        most = Math.max(most, ++hanging)
        await release.promise
        hanging--
      }
      return new Response('ok')
    }
    await stage.notifier.runDue()
    await webhook({ grouping: 'PT0S' })
    await stage.happen({ kind: 'opened' })
    await stage.notifier.runDue()
    while (!receiver.got.some(({ path }) => path === '/hook')) await Bun.sleep(5)
    await Bun.sleep(50)
    expect(hanging).toBe(25)
    release.resolve()
    await stage.pass(0)
    expect(receiver.take()).toHaveLength(61)
    expect(most).toBe(25)
    expect(await stage.rows(`select id from notifications where status <> 'sent'`)).toEqual([])
  })

  test('fails at once if the receiver rejects it for good', async () => {
    receiver.answer = () => new Response('', { status: 410 })
    await webhook()
    await stage.happen({ kind: 'opened' })
    await stage.pass(MINUTE_MS)
    expect(receiver.take()).toHaveLength(1)
    expect(await list({ status: 'dead' })).toHaveLength(1)
  })
})

describe('the time of a notification', () => {
  test('is within the recipient’s times: open alarms are notified then, closed ones are not', async () => {
    const night = { type: 'daily', timezone: 'Europe/Zurich', times: [{ begin: '22:00', duration: 'PT8H' }] }
    await webhook({ times: [night] })
    // It is 10:00 in Zurich.
    await stage.happen({ kind: 'opened' }, { kind: 'opened', job: 1 })
    await stage.pass(HOUR_MS)
    await stage.happen({ kind: 'closed', job: 1 })
    await stage.pass(11 * HOUR_MS - SECOND_MS)
    expect(receiver.take()).toEqual([])
    await stage.pass(MINUTE_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened']])
  })

  test('is after a vacation', async () => {
    await webhook({ vacations: [{ begin: '2026-03-01T00:00:00Z', end: '2026-03-04T09:00:00Z' }] })
    await stage.happen({ kind: 'opened' })
    await stage.pass(48 * HOUR_MS - SECOND_MS)
    expect(receiver.take()).toEqual([])
    await stage.pass(MINUTE_MS)
    expect(eventsOf(receiver.take())).toEqual([['opened']])
  })
})
