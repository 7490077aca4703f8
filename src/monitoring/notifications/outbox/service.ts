import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { decodeNumber, pageOf } from '../../../lib/paging.ts'
import { timeFormat } from '../../../lib/time.ts'
import { commit } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { TRIED_MS } from './backoff.ts'
import type { NotificationsQuery, NotificationView, PauseView, ResumeView } from './schema.ts'
import * as store from './store.ts'
import type { ListedRow } from './store.ts'
import { countWaiting, endPause, findPause, insertPause } from './store/pauses.ts'

export { countDead, countWaiting } from './store.ts'
export { makeNotices } from './service/notices.ts'
export { openNotifier } from './service/notifier.ts'
export type { Notifier } from './service/notifier.ts'

/** The number of sent and failed messages about each of these alarms. One message may be about many alarms. Alarms
 * without messages may be missing. */
export async function notificationsOf(
  database: Ports['database'],
  alarmIds: readonly number[],
): Promise<ReadonlyMap<number, { readonly sent: number; readonly failed: number }>> {
  const rows = await store.countOfAlarms(database, alarmIds)
  return new Map(rows.map(({ alarmId, ...counts }) => [alarmId, counts]))
}

/** Messages to recipients, latest first. @throws {Refusal} invalid for a cursor of another list */
export async function listNotifications(
  { ports }: Context,
  { limit, cursor, ...filter }: NotificationsQuery,
): Promise<{ items: NotificationView[]; next: string | null }> {
  const belowId = cursor === undefined ? undefined : decodeNumber(cursor)
  const rows = await store.listNotifications(ports.database, { ...filter, belowId }, limit + 1)
  const { shown, next } = pageOf(rows, limit, ({ id }) => id)
  return {
    items: shown.map((row) => viewOf(ports, row)),
    next,
  }
}

/** Retries a failed or waiting message now and for a day from now, with the same key.
 * @throws {Refusal} not_found, conflict if it was sent */
export async function resendNotification(context: Context, id: number): Promise<NotificationView> {
  const { ports } = context
  const { database, clock } = ports
  const before = await requireNotification(ports, id)
  if (before.status === 'sent') throw new Refusal('conflict', 'The notification was already sent.')
  const now = clock.now()
  await commit(database, [
    store.reviveNotification(database, id, { now, giveUpAt: now + TRIED_MS }),
    audited(context, { action: 'resend', objectType: 'notification', objectId: id }),
  ])
  // Before the message is sent: the answer has the state that the request made.
  const revived = await requireNotification(ports, id)
  await ports.flow.runDue()
  return viewOf(ports, revived)
}

/** Since when notifications are paused, epoch ms; null if they are not. */
export function notificationsPausedSince({ database }: Ports): Promise<number | null> {
  return findPause(database)
}

/** The pause of notifications, and what waits for its end or for its time. */
export async function readPause({ ports }: Context): Promise<PauseView> {
  const { database, settings } = ports
  const [sinceAt, waiting] = await Promise.all([findPause(database), countWaiting(database)])
  return { pausedSince: sinceAt === null ? null : timeFormat(settings.timeZone)(sinceAt), waiting }
}

/** The write that pauses notifications: due ones wait until `resumeNotifications`. */
export function pausing(database: Ports['database'], at: number): Write {
  return insertPause(database, at)
}

/** Ends a pause; does nothing without one. Notifications older than 24 hours are given up, except notices of open
 * alarms; all others are sent. */
export async function resumeNotifications(context: Context): Promise<ResumeView> {
  const { ports } = context
  const { database, clock, settings } = ports
  const sinceAt = await findPause(database)
  const entry = audited(context, {
    action: 'resume',
    objectType: 'notifications',
    objectId: 'all',
    after: { pausedSinceAt: sinceAt },
  })
  if (sinceAt === null) {
    await commit(database, [entry])
    return { pausedSince: null, waiting: 0, givenUp: 0 }
  }
  const now = clock.now()
  const before = await countWaiting(database)
  await commit(database, [
    ...endPause(database, {
      now,
      noticesFromAt: now - TRIED_MS,
      detail: 'Notifications were paused for longer than a message is tried.',
    }),
    entry,
  ])
  const waiting = await countWaiting(database)
  await ports.flow.runDue()
  return {
    pausedSince: timeFormat(settings.timeZone)(sinceAt),
    waiting,
    givenUp: Math.max(0, before - waiting),
  }
}

async function requireNotification({ database }: Ports, id: number): Promise<ListedRow> {
  const row = await store.findNotification(database, id)
  if (!row) throw noSuch('notification')
  return row
}

function viewOf({ settings }: Ports, row: ListedRow): NotificationView {
  const format = timeFormat(settings.timeZone)
  const shown = (at: number | null) => (at === null ? null : format(at))
  const { id, key, recipientId, recipientName, userId, status, attempts, detail, notices } = row
  return {
    id,
    key,
    recipient: { id: recipientId, name: recipientName },
    userId: userId === 0 ? null : userId,
    status,
    notices,
    attempts,
    detail,
    created: format(row.createdAt),
    next: shown(row.nextAt),
    finished: shown(row.finishedAt),
  }
}
