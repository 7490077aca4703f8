import { unfinishedRestore } from '../../../content/backups/service.ts'
import { timeFormat } from '../../../lib/time.ts'
import { notificationsPausedSince } from '../../../monitoring/notifications/outbox/service.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Warning } from '../schema.ts'

/** While notifications are paused after a restore. */
export async function notificationsPaused(ports: Ports): Promise<Warning | null> {
  const sinceAt = await notificationsPausedSince(ports)
  if (sinceAt === null) return null
  const since = timeFormat(ports.settings.timeZone)(sinceAt)
  const detail = `Notifications are paused since the restore at ${since}. Check the alarm recipients, then call POST /notifications/resume.`
  return { code: 'notifications_paused', detail }
}

/** While a restore runs, or after one that ended before its histories were back. */
export async function restoreUnfinished(ports: Ports): Promise<Warning | null> {
  const restore = await unfinishedRestore(ports)
  if (!restore) return null
  const format = timeFormat(ports.settings.timeZone)
  const detail = `The restore at ${format(restore.beganAt)} of the backup of ${format(restore.madeAt)} has not finished. Unless it is still running, histories are missing: restore the same backup again with replace=true.`
  return { code: 'restore_unfinished', detail }
}
