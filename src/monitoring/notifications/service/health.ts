import { DAY_MS, timeFormat } from '../../../lib/time.ts'
import type { Warning } from '../../../operations/health/schema.ts'
import type { Figure } from '../../../operations/telemetry/figures.ts'
import type { Ports } from '../../../ports/index.ts'
import { hasAddressedLink } from '../../alarms/service.ts'
import { countDead, countWaiting, notificationsPausedSince } from '../outbox/service.ts'
import { idleRecipients } from '../recipients/service/reads.ts'

/** Alarms are listed, and no recipient is notified of any. */
export async function warnOfUnlinkedAlarms({ database }: Ports): Promise<Warning | null> {
  if (await hasAddressedLink(database)) return null
  const detail =
    'No alarm link names a recipient, so alarms reach no one. Create a recipient (POST /alarmrecipients) and name it in the links of a group (PUT /group/1/alarmLinks).'
  return { code: 'alarms_without_recipient', detail }
}

const SHOWN_MAX = 10

/** A link names a recipient by which no alarm reaches a person. */
export async function warnOfUnreachableRecipients({ database }: Ports): Promise<Warning | null> {
  const ids = await idleRecipients(database)
  if (ids.length === 0) return null
  const shown = ids.slice(0, SHOWN_MAX).join(', ') + (ids.length > SHOWN_MAX ? ', …' : '')
  const detail = `Alarms for these recipients reach no one: ${shown}. The warnings of GET /alarmrecipients give the reasons.`
  return { code: 'recipients_unreachable', detail }
}

/** Notifications were given up within the last 24 hours. */
export async function notificationsAreDead({ database, clock }: Ports): Promise<Warning | null> {
  const count = await countDead(database, clock.now() - DAY_MS)
  if (count === 0) return null
  const detail = `${count} notifications failed for good within 24 hours. GET /notifications?status=dead lists them with the reason; POST /notifications/{id}/resend sends one again.`
  return { code: 'notifications_dead', detail }
}

/** The notifications that wait or were given up, for `GET /metrics`. */
export async function notificationFigures({ database, clock }: Ports): Promise<Figure> {
  const [waiting, dead] = await Promise.all([
    countWaiting(database),
    countDead(database, clock.now() - DAY_MS),
  ])
  return {
    name: 'tidemark_notifications',
    help: 'Notifications that wait, and those that were given up within 24 hours.',
    type: 'gauge',
    samples: [
      { labels: { status: 'waiting' }, value: waiting },
      { labels: { status: 'dead' }, value: dead },
    ],
  }
}

/** While notifications are paused after a restore. */
export async function notificationsPaused(ports: Ports): Promise<Warning | null> {
  const sinceAt = await notificationsPausedSince(ports)
  if (sinceAt === null) return null
  const since = timeFormat(ports.settings.timeZone)(sinceAt)
  const detail = `Notifications are paused since the restore at ${since}. Check the alarm recipients, then call POST /notifications/resume.`
  return { code: 'notifications_paused', detail }
}
