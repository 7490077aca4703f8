import { timeFormat } from '../../../lib/time.ts'
import type { Warning } from '../../../operations/health/schema.ts'
import type { Ports } from '../../../ports/index.ts'
import { latestRestore } from '../store.ts'

/** The warning of a restore that runs, or that ended before its histories were restored; null without one. */
export async function restoreUnfinished(ports: Ports): Promise<Warning | null> {
  const restore = await latestRestore(ports.database)
  if (restore?.finishedAt !== null) return null
  const format = timeFormat(ports.settings.timeZone)
  const detail = `The restore at ${format(restore.beganAt)} of the backup of ${format(restore.madeAt)} has not finished. Unless it is still running, histories are missing: restore the same backup again with replace=true.`
  return { code: 'restore_unfinished', detail }
}
