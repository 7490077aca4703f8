import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { linksBody } from '../../src/monitoring/alarm-inbox/schema.ts'
import { replaceLinks } from '../../src/monitoring/alarm-inbox/service.ts'
import { newRecipientBody } from '../../src/monitoring/notifications/recipients/schema.ts'
import {
  createRecipient,
  deleteRecipient,
  listRecipients,
} from '../../src/monitoring/notifications/recipients/service.ts'
import { rejection } from '../contract/rejection.ts'
import { Receiver } from './receiver.ts'
import { ALARMS_FROM, JOB, openStage, SECRET } from './stage.ts'
import type { Stage } from './stage.ts'

const DAY_MS = 86_400_000

const receiver = new Receiver()
let stage: Stage
/** Happens right before the next commit, once. */
let meanwhile: (() => Promise<unknown>) | null = null

beforeAll(async () => {
  stage = await openStage({
    database: (database) =>
      new Proxy(database, {
        get(target, name, self) {
          if (name !== 'batch') return Reflect.get(target, name, self) as unknown
          return async (writes: Parameters<typeof database.batch>[0]) => {
            const before = meanwhile
            meanwhile = null
            await before?.()
            return target.batch(writes)
          }
        },
      }),
  })
})
beforeEach(async () => {
  receiver.take()
  meanwhile = null
  await stage.reset()
})
afterAll(() => Promise.all([stage.close(), receiver.close()]))

const webhook = (more: object = {}) => ({
  type: 'webhook',
  target: { url: `${receiver.url}/hook`, secret: SECRET },
  ...more,
})
const create = (name: string) =>
  createRecipient(stage.context, newRecipientBody.parse({ ...webhook(), name }))

test('there are 1,000 recipients at most', async () => {
  await create('the first')
  await stage.ports.database.run(sql`
    insert into alarm_recipients (name, type, target, shown_target, rules, handed_out, version, created_at)
    select 'copy ' || value, type, target, shown_target, rules, 0, 1, 0
    from alarm_recipients, generate_series(1, 998)`)
  const { recipient } = await create('the last')
  expect(await rejection(create('one more'))).toMatchObject({ code: 'conflict' })
  expect(await listRecipients(stage.context)).toHaveLength(1_000)
  await deleteRecipient(stage.context, recipient.id)
  await create('in its place')
})

test.each([
  [1_000, [1_000]],
  [1_001, [1_000, 1]],
])('%i notices become messages of at most 1,000', async (count, told) => {
  const recipientId = await stage.recipient(webhook({ grouping: 'PT0S' }))
  const facts = {
    alarmId: ALARMS_FROM,
    objectId: JOB,
    objectType: 'job',
    objectName: 'my job',
    objectPath: '/root/my device/my job',
    state: 'major',
    worstState: 'major',
    message: '',
    beginAt: 0,
    endAt: null,
    silentSinceAt: null,
    timeoutMs: null,
  }
  await stage.ports.database.run(sql`
    insert into notices (change_id, alarm_id, object_id, recipient_id, user_id, kind, step, due_at, facts)
    select value, ${ALARMS_FROM}, ${JOB}, ${recipientId}, 0, 'opened', 0, ${stage.clock.at}, ${JSON.stringify(facts)}
    from generate_series(1, ${count})`)
  await stage.pass(1)
  const alarms = receiver.take().map(({ json }) => (json['data'] as { alarms: readonly unknown[] }).alarms)
  expect(alarms.map(({ length }) => length)).toEqual([...told])
})

test('results of messages are kept for 400 days, and waiting notices as long as they wait', async () => {
  const recipientId = await stage.recipient(webhook({ onVacation: true }))
  const { database } = stage.ports
  const plant = (key: string, finishedAt: number | null, nextAt: number | null) =>
    database.run(sql`insert into notifications (key, recipient_id, user_id, status, attempts, created_at, next_at, give_up_at,
      finished_at, detail) values (${key}, ${recipientId}, 0, ${nextAt === null ? 'sent' : 'waiting'}, 1, 0, ${nextAt}, 0,
      ${finishedAt}, '')`)
  const kept = async () =>
    (await stage.rows<{ key: string }>('select key from notifications order by key')).map(({ key }) => key)
  const edge = stage.clock.at - 400 * DAY_MS
  await plant('at the edge', edge, null)
  await plant('older', edge - 1, null)
  await plant('waits', null, stage.clock.at + 2 * DAY_MS)
  await database.run(sql`
    insert into notices (change_id, alarm_id, object_id, recipient_id, user_id, kind, step, due_at, facts, notification_id)
    select id, ${ALARMS_FROM}, ${JOB}, recipient_id, 0, 'opened', 0, 0, '{}', id from notifications`)
  await stage.notifier.runDue()
  expect(await kept()).toEqual(['at the edge', 'waits'])
  expect(await stage.rows('select id from notices')).toHaveLength(2)
  stage.clock.at += DAY_MS
  await stage.notifier.runDue()
  expect(await kept()).toEqual(['waits'])
})

test('a new link and the deletion of its recipient cannot both succeed', async () => {
  const linking = (recipientId: number) =>
    replaceLinks(
      stage.context,
      { parentType: 'group', parentId: 1 },
      { body: linksBody.parse({ links: [{ recipientId }] }), ifMatch: null },
    )
  const { recipient } = await create('linked')
  meanwhile = () => linking(recipient.id)
  expect(await rejection(deleteRecipient(stage.context, recipient.id))).toMatchObject({ code: 'conflict' })
  const other = (await create('deleted')).recipient
  meanwhile = () => deleteRecipient(stage.context, other.id)
  expect(await rejection(linking(other.id))).toMatchObject({
    code: 'invalid',
    errors: [{ pointer: '/links/0/recipientId' }],
  })
  expect(await stage.rows('select recipient_id as id from alarm_links')).toEqual([{ id: recipient.id }])
})
