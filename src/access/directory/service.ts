import type { Context } from '../../context.ts'
import { Refusal, refusalIn } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { cleanUp } from '../../ports/log.ts'
import { audited } from '../audit/service.ts'
import { countUsers } from '../users/service.ts'
import { FAILURES_SHOWN_MAX } from './schema.ts'
import type { SyncReport } from './schema.ts'
import { settingsOf } from './service/entries.ts'
import { applyOutcome } from './service/sync.ts'
import type { Outcome } from './service/sync.ts'
import * as store from './store.ts'

/** A sync that takes longer is given up, and another one may begin. */
const SYNC_MAX_MS = 5 * 60_000
const TURN_MAX_MS = 2 * SYNC_MAX_MS
/** The pause after a failed sync: the directory may return soon. */
const RETRY_MS = 5 * 60_000

/** Syncs users with the directory now. The audit log has an entry also for a sync without changes.
 * @throws {Refusal} conflict without a directory, during another sync, or for an implausible result of the directory;
 * unavailable when the directory is unavailable */
export async function syncNow(context: Context): Promise<SyncReport> {
  settingsOf(context.ports)
  const report = await sync(context, { isDueOnly: false })
  if (!report) throw new Refusal('conflict', 'A directory sync is already running. Try again later.')
  return report
}

/** Syncs users with the directory if a sync is due. Hosts call this every few minutes; a failure is logged. */
export async function syncWhenDue(ports: Ports): Promise<void> {
  if (!ports.directory) return
  try {
    if (!(await store.isDue(ports.database, ports.clock.now()))) return
    // The first user is an administrator, made at set-up.
    if ((await countUsers(ports)) === 0) return
    await sync({ ports, caller: { kind: 'anonymous' }, requestId: 'directory sync' }, { isDueOnly: true })
  } catch (error) {
    ports.log.error('directory: sync failed; retrying in a few minutes', error)
  }
}

/** The result of the latest sync. @throws {Refusal} not_found before the first one */
export async function latestSync({ ports }: Context): Promise<SyncReport> {
  const report = await store.readReport(ports.database)
  if (report === '') throw new Refusal('not_found', 'There was no directory sync yet.')
  return JSON.parse(report) as SyncReport
}

/** Runs one sync; null if another process has the lease or, with `isDueOnly`, before a sync is due. */
async function sync(
  context: Context,
  { isDueOnly }: { readonly isDueOnly: boolean },
): Promise<SyncReport | null> {
  const { ports } = context
  const { database, clock, log } = ports
  const beganAt = clock.now()
  const turn = { now: beganAt, heldUntilAt: beganAt + TURN_MAX_MS, isDueOnly }
  if (!(await store.takeTurn(database, turn))) return null
  const outcome: Outcome = { created: 0, updated: 0, disabled: 0, unchanged: 0, failures: [] }
  try {
    await applyOutcome(context, outcome, beganAt + SYNC_MAX_MS)
  } catch (error) {
    const problem = refusalIn(error)?.detail ?? 'Internal error. See the server log.'
    const report = reportOf(ports, outcome, { beganAt, problem })
    const message = 'directory: storing the report of a failed sync failed; the lease ends within ten minutes'
    await cleanUp(log, message, () => commit(database, [endTurnOf(ports, report, clock.now() + RETRY_MS)]))
    throw error
  }
  const report = reportOf(ports, outcome, { beganAt, problem: null })
  const { syncIntervalMs } = settingsOf(ports).ldap
  const { created, updated, disabled, unchanged, failed } = report
  const counts = { created, updated, disabled, unchanged, failed }
  const entry = { action: 'sync', objectType: 'directory', objectId: 'ldap', after: counts }
  const isAudited = !isDueOnly || created + updated + disabled > 0
  await commit(database, [
    endTurnOf(ports, report, beganAt + syncIntervalMs),
    ...(isAudited ? [audited(context, entry)] : []),
  ])
  log.info('directory: sync finished', counts)
  return report
}

function endTurnOf({ database }: Ports, report: SyncReport, dueAt: number) {
  return store.endTurn(database, { dueAt, report: JSON.stringify(report) })
}

function reportOf(
  { clock, settings }: Ports,
  { failures, ...counts }: Outcome,
  { beganAt, problem }: { readonly beganAt: number; readonly problem: string | null },
): SyncReport {
  const format = timeFormat(settings.timeZone)
  return {
    beganAt: format(beganAt),
    endedAt: format(clock.now()),
    ...counts,
    failed: failures.length,
    failures: failures.slice(0, FAILURES_SHOWN_MAX),
    problem,
  }
}
