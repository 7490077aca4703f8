import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'

import {
  listNotifications,
  pausing,
  resumeNotifications,
} from '../../src/monitoring/notifications/outbox/service.ts'
import { notificationsQuery } from '../../src/monitoring/notifications/outbox/schema.ts'
import { commit } from '../../src/ports/database.ts'
import { Receiver } from './receiver.ts'
import { openStage, SECRET } from './stage.ts'
import type { Stage } from './stage.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const receiver = new Receiver()
let stage: Stage

beforeAll(async () => {
  stage = await openStage({ jobs: 3 })
})
beforeEach(async () => {
  receiver.take()
  receiver.answer = () => new Response('ok')
  await stage.reset()
  await resumeNotifications(stage.context)
  await stage.recipient({ type: 'webhook', target: { url: `${receiver.url}/hook`, secret: SECRET } })
})
afterAll(() => Promise.all([stage.close(), receiver.close()]))

async function pause(): Promise<void> {
  await commit(stage.ports.database, [pausing(stage.ports.database, stage.clock.at)])
  stage.reopen()
}

test('nothing is sent during a pause, and all of the last 24 hours after it', async () => {
  await pause()
  await stage.happen({ kind: 'opened' })
  await stage.pass(DAY_MS - MINUTE_MS)
  expect(receiver.take()).toEqual([])
  expect(await resumeNotifications(stage.context)).toMatchObject({ waiting: 1, givenUp: 0 })
  await stage.pass(MINUTE_MS)
  expect(receiver.take()).toHaveLength(1)
  expect(await resumeNotifications(stage.context)).toEqual({ pausedSince: null, waiting: 0, givenUp: 0 })
})

test('older notifications are given up, except those of open alarms', async () => {
  receiver.answer = () => new Response('away', { status: 503 })
  await stage.happen({ kind: 'opened', job: 0 })
  await stage.pass(MINUTE_MS)
  expect(receiver.take().length).toBeGreaterThan(0)
  receiver.answer = () => new Response('ok')
  await pause()
  await stage.happen({ kind: 'opened', job: 1 })
  await stage.happen({ kind: 'opened', job: 2 })
  await stage.happen({ kind: 'closed', job: 2 })
  await stage.pass(DAY_MS + 1)
  const { waiting, givenUp } = await resumeNotifications(stage.context)
  expect(waiting).toBe(1)
  expect(givenUp).toBeGreaterThan(1)
  await stage.pass(MINUTE_MS)
  const told = receiver.take().map(({ json }) => (json['data'] as { alarms: object[] }).alarms)
  expect(told).toMatchObject([[{ event: 'opened', object: { name: 'my job' } }]])
  const { items } = await listNotifications(stage.context, notificationsQuery.parse({ status: 'dead' }))
  expect(items.map(({ detail }) => detail)).toEqual([
    'Notifications were paused for longer than a message is tried.',
  ])
})
